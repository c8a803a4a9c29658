/* Runs of programs that tests hold against each other. */
#pragma once
#include "ask/ask.h"
#include "ask/verify.h"
#include "fixture.h"
#include "measure/compare-runs.h"
#include "program/program.h"

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

/* A program by tcc, with decisions of its schedules turned around (choices, or NULL) and its buffers recorded. */
static inline LsSession *
run_chosen (const char *text, const char *settings, const char *choices, GError **error)
{
  FixtureRun how = { .text = text, .compiler = "tcc", .settings = settings };
  LsSession *s = fixture_session (&how);
  s->schedule_choices = g_strdup (choices);
  s->keep_buffers = TRUE;
  ls_session_run_program (s, text, "test.py", error);
  ls_session_finish (s);
  return s;
}

/* verify and bisect find nothing in a recording; name: for the message. */
static inline void
fixture_true_recording (LsTrace *trace, const char *name)
{
  LsVerify *v = ls_trace_verify (trace);
  g_autoptr (GError) error = NULL;
  g_autoptr (LsBisect) b = ls_bisect (trace, &error);
  g_assert_no_error (error);
  if (v->differences)
    g_error ("%s: verify: %s", name, (const char *) v->messages->pdata[0]);
  if (b->found)
    g_error ("%s: bisect found kernel %u, %s", name, b->kernel, b->stage);
  ls_verify_free (v);
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
