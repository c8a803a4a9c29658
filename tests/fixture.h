/* A program run in a session of the engine, for tests that look at its kernels, its recording or what it printed.
 *
 *   g_autoptr (LsSession) s = FIXTURE_RUN (.text = "…", .settings = "SPEC=2", .rules = "set symbolic\n…");
 *
 * What is left out: target c, compiler interp, one run of each kernel and no other setting but the environment's, the built-in rules. */
#pragma once
#include "pipeline/session.h"

typedef struct {
  const char *text;          /* the program (without an import: what it needs of tinygrad is imported before its first statement), or */
  const char *file;          /* the name of one in $LAZYSCOPE_PROGRAMS, or a path */
  const char *name;          /* what messages call a text: test.py */
  const char *target, *compiler;
  const char *settings;      /* "NOOPT=1 SPEC=2" */
  const char *options;       /* of kernels: "UPCAST:0:4,UNROLL:1:4" */
  const char *rules;         /* the text of a rule file */
  char     *(*on_options) (LsSession *session, LsKernel *kernel, char **why, gpointer data);      /* of LsSession, with NULL as data */
  gboolean    only_text;     /* no kernel is compiled and run */
} FixtureRun;

/* The session before its program; free with ls_session_free. */
LsSession *fixture_session  (const FixtureRun *how);
/* The session after it, finished. The test fails with the error, unless error is given: then the session is there all the same. */
LsSession *fixture_run      (const FixtureRun *how, GError **error);
#define FIXTURE_RUN(...)    fixture_run (&(FixtureRun) { __VA_ARGS__ }, NULL)
/* A library with a rule file of this text in addition to the built-in ones; NULL: these alone, one library for all. Owned by the
 * fixture, until the test program ends. */
LsRuleLibrary *fixture_library (const char *rules);
