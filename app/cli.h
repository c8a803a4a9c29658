/* Shared by the sub-commands of lazyscope-cli: options, opening a program or a recording, exit codes. */
#pragma once
#include "answer/answer.h"
#include "ask/ask.h"
#include "commands.h"
#include "pipeline/session.h"
#include "pipeline/variant.h"
#include "trace/place.h"
#include "ir/eval.h"
#include "ir/print.h"
#include "ir/sentence.h"

#include <glib/gi18n.h>
#include <inttypes.h>
#include <stdio.h>

enum { LS_EXIT_DONE = 0, LS_EXIT_WRONG = 1, LS_EXIT_USAGE = 2, LS_EXIT_BROKEN = 3, LS_EXIT_DIFFERENT = 4, LS_EXIT_UNJUDGED = 5,
       LS_EXIT_INCOMPLETE = 6 };

typedef enum {
#define X(member, ...) LS_OPTION_##member,
#include "options.def"
#undef X
  LS_N_OPTIONS
} LsCliOption;

/* The options of a sub-command, and the data derived from them. */
typedef struct {
#define LS_FIELD_FLAG(member) gboolean member
#define LS_FIELD_NUMBER(member) int member
#define LS_FIELD_TEXT(member) char *member
#define LS_FIELD_PATH(member) char *member
#define LS_FIELD_TEXTS(member) char **member
#define LS_FIELD_PATHS(member) char **member
#define X(member, name, letter, kind, ...) LS_FIELD_##kind (member);
#include "options.def"
#undef X
  guint64      given;         /* a bit for each LsCliOption */
  LsCliMode    mode;
  LsPlace      places[LS_CLI_MOST_FILES];     /* what its files name: the file, and where in it */
  guint        n_files;
  gboolean     recorded;      /* all of them are recordings */
  /* for a run */
  LsVariant    how;
} LsCliOptions;

/* A program is about to be run: goes on in a process of its own, over which this one watches until it ends (supervise.c). Once in a
 * process, and only if ls_cli_supervises, which lazyscope-cli sets. */
void      ls_cli_supervise (void);
extern gboolean ls_cli_supervises;
/* steps --visits. */
int       ls_cli_visits  (LsCliOptions *o, LsTrace *t, GError **error);
/* The command that is given no file. */
int       ls_cli_doc     (int argc, char **argv);

/* FALSE, with LS_ERROR_USAGE. */
gboolean  ls_cli_refuse  (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);
#define   ls_cli_given(o, option) (((o)->given >> LS_OPTION_##option) & 1)
/* Its end: the target, the compiler, the settings and the variant that were given. */
gboolean  ls_cli_settle  (LsCliOptions *o, GError **error);
/* Applies one variant's text to the options, and completes them: target and compiler must go together. */
gboolean  ls_cli_apply_variant (LsCliOptions *o, const char *spec, GError **error);
void      ls_cli_clear   (LsCliOptions *o);
/* The style of listings, and with it the numbers of their rows. */
/* As the recording numbers its rows, unless the profile that was given says otherwise. */
static inline LsStyle
ls_cli_style (const LsCliOptions *o, LsTrace *trace)
{
  return o->how.settings.MODERN ? LS_STYLE_OPS : o->how.settings.CLASSIC ? LS_STYLE_CLASSIC : ls_trace_style (trace);
}
/* A session for the options; NULL with an error of the rules or the compiler. */
LsSession *ls_cli_session (const LsCliOptions *o, GError **error);
/* The recording of FILE: read when it is one, else made by running the program. NULL with an error, also of the program. */
/* Takes the settings of a recording's kernel: its settings, its target, and its options if they were requested. For a program that was
 * run, nothing changes. */
gboolean  ls_cli_take_recorded (LsCliOptions *o, LsTrace *trace, guint kernel, GError **error);
LsTrace  *ls_cli_open    (const LsCliOptions *o, const char *file, GError **error);
/* The same for questions that compute: of a program all buffers are kept, and a kernel that failed when it ran is not an error. */
LsTrace  *ls_cli_open_whole (const LsCliOptions *o, const char *file, GError **error);
gboolean  ls_cli_is_recording (const char *file);
/* For a FILE that is a recording: FALSE with LS_ERROR_USAGE when an option was given that only a run could follow. */
gboolean  ls_cli_check_recording (const LsCliOptions *o, const char *file, GError **error);
/* Runs the program with what --debug and --record ask for; what it printed and recorded stays in the session when it fails. */
gboolean  ls_cli_run_session (const LsCliOptions *o, LsSession *s, const char *text, const char *file, GError **error);
/* Tells on stderr of rules that were given and had no effect. The session's passes must be recorded. */
void      ls_cli_tell_idle (const LsCliOptions *o, LsSession *s);
/* A place as text prints it; where stdout is a terminal (and NO_COLOR not set) a link that opens it in the viewer. width: of the
 * column that it fills, negative to the left as for printf. Free with g_free. */
char     *ls_cli_link  (const LsTrace *trace, const char *place, int width);
char     *ls_cli_place (const LsPosition *at, int width);
/* A text in a column, as printf's %*s, but by characters. Free with g_free. */
char     *ls_cli_padded (const char *text, int width);
/* Ends --record's file. FALSE: it could not be written to the end. */
gboolean  ls_cli_finish_recording (LsSession *s, GError **error);
/* The text of a program that is run next: from here on it has a supervisor. */
gboolean  ls_cli_read_program (const char *file, char **text, GError **error);
/* Registers a program that is not a file: ls_cli_read_program of name returns text. name is static, text is taken. */
void      ls_cli_give_program (const char *name, char *text);
gboolean  ls_cli_is_given     (const char *name);
/* Prints "lazyscope-cli: …" or a program's report, and gives the exit status for it. */
int       ls_cli_fail    (GError *error);
/* Writes a page; the old file at path stays until the page is complete. FALSE with LS_ERROR_FILE. */
gboolean  ls_cli_write_page (const char *path, const char *page, GError **error);
/* Prints an answer on stdout as JSON with --json and as CSV with --csv. FALSE without either: its text is to be printed. ctx: of its
 * nodes, or NULL. data: LsAnswering's. */
gboolean  ls_cli_answer  (const LsCliOptions *o, const LsRecord *record, gconstpointer row, LsContext *ctx, gconstpointer data);
double    ls_median      (const double *values, guint n);
/* FALSE with LS_ERROR_USAGE if --kernel is not a kernel of the recording, which are numbered from 1; from 0: the tensor level is
 * allowed. */
gboolean  ls_cli_check_kernel (const LsCliOptions *o, LsTrace *trace, guint from, GError **error);
/* Whether the options name a position of a pass: by its name, or by a place, which without one names the kernel's last rewrites. */
gboolean  ls_cli_is_placed (const LsCliOptions *o);
/* The pass of that position, and with --step a step that it has; without a kernel the first one's, or the tensor level's. NULL with
 * LS_ERROR_USAGE. */
LsPass   *ls_cli_pass    (const LsCliOptions *o, LsTrace *trace, GError **error);

/* --debug output, hung into a session. */
void      ls_cli_debug_attach (LsSession *s, int level);
void      ls_cli_debug_passes (LsTrace *trace, int level);

/* run --slow: steps from..to of a kernel, backwards when from > to. text: "FROM:TO", or NULL for the first ones. */
gboolean  ls_cli_parse_rows (const char *text, guint64 *from, guint64 *to, GError **error);
int       ls_cli_slow    (const LsCliOptions *o, const char *file, guint64 from, guint64 to, GError **error);

/* diff between the places that the options name. Returns the exit status. */
int       ls_cli_diff_places (const LsCliOptions *o, GError **error);

/* A command. run, of the files that its options name, returns the exit status, or has set the error. */
typedef struct {
  int       (*run) (LsCliOptions *o, char **files, GError **error);
  const char *help;      /* what --help says of it */
} LsCliCommand;
#define X(id, name, command, ...) extern const LsCliCommand command;
LS_CLI_COMMAND_TABLE (X)
#undef X
/* Parses argv and runs the command. Returns the exit status, after an error was printed. */
int       ls_cli_command (LsCliMode command, int argc, char **argv);
