/* What the sub-commands of lazyscope-cli share: options, opening a program or a recording, exit codes. */
#pragma once
#include "session.h"
#include "ir/print.h"

#include <json-glib/json-glib.h>
#include <stdio.h>

enum { LS_EXIT_DONE = 0, LS_EXIT_WRONG = 1, LS_EXIT_USAGE = 2, LS_EXIT_BROKEN = 3, LS_EXIT_DIFFERENT = 4 };

/* What `run` takes, and every sub-command that may have to run a program. */
typedef struct {
  LsSettings   settings;
  const LsTarget *target;
  const char  *compiler;
  char        *opts;          /* a variant's options, "UPCAST:0:4,…" */
  char       **rules;
  char       **disabled;
  char        *record;
  gboolean     json;
  int          debug;
  /* where to look */
  int          kernel;        /* -1: not given */
  char        *pass, *stage, *rule, *format;
  int          step;          /* -1: not given */
  int          repeats;
  char       **variants;      /* as given */
} LsCliOptions;

/* Parses argv of a sub-command: args gets the files. FALSE with LS_ERROR_USAGE. */
gboolean  ls_cli_parse   (LsCliOptions *o, const char *command, const char *summary, int *argc, char ***argv, GError **error);
/* The same with a command's own options. min_files to max_files files; variants are kept in o->variants, not applied, when keep_variants;
 * positions are left at their files when keep_positions. */
typedef struct { const GOptionEntry *entries; guint min_files, max_files; gboolean keep_variants, keep_positions; } LsCliMore;
gboolean  ls_cli_parse_more (LsCliOptions *o, const char *command, const char *summary, const LsCliMore *more, int *argc, char ***argv, GError **error);
/* Applies one variant's text to the options, and completes them: target and compiler must go together. */
gboolean  ls_cli_apply_variant (LsCliOptions *o, const char *spec, GError **error);
void      ls_cli_clear   (LsCliOptions *o);
/* The style of listings, and with it the numbers of their rows. */
static inline LsStyle ls_cli_style (const LsCliOptions *o) { return o->settings.MODERN ? LS_STYLE_MODERN : LS_STYLE_CLASSIC; }
/* A session for the options; NULL with an error of the rules or the compiler. */
LsSession *ls_cli_session (const LsCliOptions *o, GError **error);
/* The recording of FILE: read when it is one, else made by running the program. On a program's failure the trace is still there (trace->error). */
/* FILE#POSITION as the viewer writes it: ends link at the file's name and returns the position, or NULL. A pass's name may itself hold a '#', so that the
 * first one after a file counts. */
char     *ls_cli_split_link (char *link);
LsTrace  *ls_cli_open    (const LsCliOptions *o, const char *file, GError **error);
/* The same for questions that compute: of a program all buffers are kept, and a kernel that failed when it ran is no error. */
LsTrace  *ls_cli_open_whole (const LsCliOptions *o, const char *file, GError **error);
gboolean  ls_cli_is_recording (const char *file);
/* For a FILE that is a recording: FALSE with LS_ERROR_USAGE when an option was given that only a run could follow. */
gboolean  ls_cli_check_recording (const LsCliOptions *o, const char *file, GError **error);
/* Runs the program with what --debug and --record ask for; what it printed and recorded stays in the session when it fails. */
gboolean  ls_cli_run_session (const LsCliOptions *o, LsSession *s, const char *text, const char *file, GError **error);
/* Ends --record's file. FALSE: it could not be written to the end. */
gboolean  ls_cli_finish_recording (LsSession *s, GError **error);
gboolean  ls_cli_read_program (const char *file, char **text, GError **error);
/* Prints "lazyscope-cli: …" or a program's report, and gives the exit status for it. */
int       ls_cli_fail    (GError *error);
/* Prints a JSON object on stdout. */
void      ls_cli_print_json (JsonBuilder *builder);
void      ls_json_add_number (JsonBuilder *b, double value);      /* non-finite ones as strings */
double    ls_median      (const double *values, guint n);
/* FALSE with LS_ERROR_USAGE when --kernel is none of the recording's, which are numbered from 1; from 0: the tensor level will do. */
gboolean  ls_cli_check_kernel (const LsCliOptions *o, LsTrace *trace, guint from, GError **error);
/* The kernel (and with it the pass) that the options name; NULL with LS_ERROR_USAGE. */
LsPass   *ls_cli_pass    (const LsCliOptions *o, LsTrace *trace, GError **error);

/* --debug output, hung into a session. */
void      ls_cli_debug_attach (LsSession *s, int level);
void      ls_cli_debug_passes (LsTrace *trace, int level);

/* run --slow: steps from..to of a kernel, backwards when from > to. text: "FROM:TO", or NULL for the first ones. */
gboolean  ls_cli_parse_rows (const char *text, guint64 *from, guint64 *to, GError **error);
int       ls_cli_slow    (const LsCliOptions *o, const char *file, guint64 from, guint64 to);

/* diff between positions: sides are FILE (NULL: the first one's) and POSITION. Returns the exit status. */
typedef struct { const char *file, *position; } LsCliSide;
int       ls_cli_diff_positions (const LsCliOptions *o, const LsCliSide *a, const LsCliSide *b, int context);

int ls_cli_run    (int argc, char **argv);
int ls_cli_show   (int argc, char **argv);
int ls_cli_steps  (int argc, char **argv);
int ls_cli_verify (int argc, char **argv);
int ls_cli_bench  (int argc, char **argv);
int ls_cli_blame  (int argc, char **argv);
int ls_cli_values (int argc, char **argv);
int ls_cli_bisect (int argc, char **argv);
int ls_cli_why_not (int argc, char **argv);
int ls_cli_rules  (int argc, char **argv);
int ls_cli_diff   (int argc, char **argv);

/* JSON in a line: a member with its value. */
void      ls_json_int    (JsonBuilder *b, const char *name, gint64 value);
void      ls_json_text   (JsonBuilder *b, const char *name, const char *value);
void      ls_json_bool   (JsonBuilder *b, const char *name, gboolean value);
void      ls_json_number (JsonBuilder *b, const char *name, double value);
void      ls_json_array  (JsonBuilder *b, const char *name);      /* begins it */
void      ls_json_object (JsonBuilder *b, const char *name);      /* begins it; name NULL: an array's element */
/* A node: id, op, dtype, and a few words. */
void      ls_json_node   (JsonBuilder *b, const char *name, LsTrace *trace, guint32 node);
