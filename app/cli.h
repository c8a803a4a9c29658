/* What the sub-commands of lazyscope-cli share: options, opening a program or a recording, exit codes. */
#pragma once
#include "session.h"

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
} LsCliOptions;

/* Parses argv of a sub-command: args gets the files. FALSE with LS_ERROR_USAGE. */
gboolean  ls_cli_parse   (LsCliOptions *o, const char *command, const char *summary, int *argc, char ***argv, GError **error);
void      ls_cli_clear   (LsCliOptions *o);
/* A session for the options; NULL with an error of the rules or the compiler. */
LsSession *ls_cli_session (const LsCliOptions *o, GError **error);
/* The recording of FILE: read when it is one, else made by running the program. On a program's failure the trace is still there (trace->error). */
LsTrace  *ls_cli_open    (const LsCliOptions *o, const char *file, GError **error);
gboolean  ls_cli_read_program (const char *file, char **text, GError **error);
/* Prints "lazyscope-cli: …" or a program's report, and gives the exit status for it. */
int       ls_cli_fail    (GError *error);
/* Prints a JSON object on stdout. */
void      ls_cli_print_json (JsonBuilder *builder);
void      ls_json_add_number (JsonBuilder *b, double value);      /* non-finite ones as strings */
double    ls_median      (const double *values, guint n);
/* The kernel (and with it the pass) that the options name; NULL with LS_ERROR_USAGE. */
LsPass   *ls_cli_pass    (const LsCliOptions *o, LsTrace *trace, GError **error);

/* --debug output, hung into a session. */
void      ls_cli_debug_attach (LsSession *s, int level);
void      ls_cli_debug_passes (LsTrace *trace, int level);

int ls_cli_run    (int argc, char **argv);
int ls_cli_show   (int argc, char **argv);
int ls_cli_steps  (int argc, char **argv);
int ls_cli_verify (int argc, char **argv);
int ls_cli_bench  (int argc, char **argv);
