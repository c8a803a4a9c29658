/* Runs of programs that tests hold against each other. */
#pragma once
#include "ask/verify.h"
#include "fixture.h"
#include "measure/compare-runs.h"

/* A program's session; its recording is verified. */
static inline LsSession *
fixture_verified (const char *text, const char *settings)
{
  g_autoptr (GError) error = NULL;
  LsSession *s = fixture_run (&(FixtureRun) { .text = text, .settings = settings }, &error);
  if (error)
    g_error ("%s: %s\n%s", settings, error->message, text);
  LsVerify *v = ls_trace_verify (s->trace);
  g_assert_cmpuint (v->differences, ==, 0);
  ls_verify_free (v);
  return s;
}

/* The printed tensors of both are the same bits. file, what: for the message. */
static inline void
fixture_same_results (LsTrace *a, LsTrace *b, const char *file, const char *what)
{
  g_autoptr (LsRunsCompared) c = ls_compare_runs (a, b, NULL, 0);
  gboolean same = c->same_text && c->outputs->len == a->outputs->len;
  for (guint i = 0; i < c->outputs->len && same; i++) {
    LsEquality equality = g_array_index (c->outputs, LsRunOutput, i).equality;
    same = equality == LS_EQUAL_BITS || equality == LS_EQUAL_NONE;
  }
  if (!same)
    g_error ("%s: %s changes the results", file, what);
}
