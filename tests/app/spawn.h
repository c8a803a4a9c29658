/* Starting lazyscope-cli as a user does: arguments in, exit status and two texts out.
 *
 * The program is the built one ($LAZYSCOPE_CLI). Each test program works in a fresh folder, which is its current one and is removed
 * at the end, so that messages name files as they were given and goldens hold no paths.
 */
#pragma once
#include <glib.h>
#include <json-glib/json-glib.h>

typedef struct { int status; char *out, *err; } Spawned;

/* Makes the folder and goes there; leave_folder removes it. */
void enter_folder (void);
void leave_folder (void);
/* Runs it with the arguments, NULL-terminated; what it gave before is freed. status is -1 when a signal ended it, which fails the test. */
void spawn_cli    (Spawned *s, ...) G_GNUC_NULL_TERMINATED;
void spawn_argv   (Spawned *s, const char *const *argv);
void spawned_clear (Spawned *s);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Spawned, spawned_clear)

/* Checks the status, or the test fails and shows the output. */
#define assert_status(s, expected) spawned_assert_status (s, expected, __LINE__)
void spawned_assert_status (const Spawned *s, int expected, int line);
#define assert_contains(text, part) text_assert_contains (text, part, __LINE__)
void text_assert_contains (const char *text, const char *part, int line);
/* s.out as one JSON object, with exactly one line of text. Free with json_object_unref. */
JsonObject *spawned_json (const Spawned *s);
/* The object has these members and no others: names in one string, separated by spaces. */
void assert_members (JsonObject *object, const char *names);

void write_file (const char *name, const char *text);
char *program_path (const char *name);      /* in data/programs */
guint n_lines (const char *text);
/* Changes an SQLite file. */
void exec_sql (const char *path, const char *sql);
