/* bisect: the outputs that a user expects, and the answer. */
#include "ask.h"
#include "answer/read.h"
#include "reference.h"

#include <gio/gio.h>
#include <math.h>

/* --- expected outputs --- */

/* The fields of the output of `run --json` that are read. */
#define EXPECTED_OUTPUT(X) X (value, TENSOR, (LsValueTensor) { 0 }, TRUE, "The values, as nested lists in the shape of the output")
LS_INNER_RECORD (expected_output_answer, EXPECTED_OUTPUT,)
#define EXPECTED(X) X (outputs, LIST, ls_list_numbers (0), TRUE, "The program's outputs", .of = &expected_output_answer)
LS_INNER_RECORD (expected_answer, EXPECTED,)

static gboolean
is_expected (LsDType d, LsScalar got, LsReadScalar want)
{
  if (!ls_dtype_is_float (d))
    return want.is_integer && got.i == want.integer;
  return (isnan (got.f) && isnan (want.number)) || got.f == want.number || fabs (got.f - want.number) <= 1e-6 * fabs (want.number);
}

static char *
print_expected (LsDType d, const LsReadScalar *want)
{
  if (!want->is_integer)
    return g_strdup_printf ("%.9g", want->number);
  return ls_scalar_print (d == LS_UINT64 ? d : LS_INT64, (LsScalar) { .i = want->integer });
}

/* Differences between the recorded outputs and those of a file as `run --json` prints it: a sentence; "" for none; NULL with an error.
 * n_unjudged: number of outputs that could not be compared. */
static char *
check_expected (LsTrace *t, const char *file, guint *n_unjudged, GError **error)
{
  g_autoptr (GError) own = NULL;
  g_autoptr (LsReading) reading = ls_reading_load (&expected_answer, file, &own);
  if (!reading && !g_error_matches (own, G_IO_ERROR, G_IO_ERROR_INVALID_DATA)) {
    g_set_error (error, LS_ERROR, LS_ERROR_FILE, "%s: %s", file, own->message);
    return NULL;
  }
  LsRow all = reading ? ls_reading_row (reading) : (LsRow) { &expected_answer, NULL };
  if (!ls_read_has_list (all, "outputs")) {
    g_set_error (error, LS_ERROR, LS_ERROR_FILE, "%s: there is no list \"outputs\"; `lazyscope-cli run --json` writes such a file", file);
    return NULL;
  }
  if (ls_read_n (all, "outputs") != t->outputs->len)
    return g_strdup_printf ("the program has %u outputs, but %u are expected", t->outputs->len, ls_read_n (all, "outputs"));
  for (guint i = 0; i < t->outputs->len; i++) {
    const LsOutput *o = &g_array_index (t->outputs, LsOutput, i);
    const LsTraceBuffer *b = o->buffer < t->buffers->len ? t->buffers->pdata[o->buffer] : NULL;
    g_autoptr (GArray) want = ls_read_scalars (ls_read_at (all, "outputs", i), "value");
    if (!b || !b->data || !want) {
      ++*n_unjudged;
      continue;
    }
    LsDType d = ls_dtype_strong (b->dtype);
    guint64 n = b->n_data / MAX (ls_dtype_itemsize (d), 1);
    if (n != want->len)
      return g_strdup_printf ("output %u (line %u) has %" G_GUINT64_FORMAT " elements, but %u are expected", i + 1, o->line, n, want->len);
    for (guint64 k = 0; k < n; k++) {
      LsScalar v = ls_scalar_load (d, b->data + k * ls_dtype_itemsize (d));
      const LsReadScalar *expected = &g_array_index (want, LsReadScalar, k);
      if (is_expected (d, v, *expected))
        continue;
      g_autofree char *got = ls_scalar_print (d, v), *right = print_expected (d, expected);
      return g_strdup_printf ("output %u (line %u) element %" G_GUINT64_FORMAT " is %s, but %s is expected", i + 1, o->line, k, got, right);
    }
  }
  return g_strdup ("");
}

LsBisect *
ls_bisect_expecting (LsTrace *t, const char *file, GError **error)
{
  guint n = 0;
  char *expected = file ? check_expected (t, file, &n, error) : NULL;
  LsBisect *b = !file || expected ? ls_bisect (t, error) : NULL;
  if (!b) {
    g_free (expected);
    return NULL;
  }
  b->expected = expected;
  b->n_unjudged += n;
  if (n)
    g_ptr_array_add (b->notes, g_strdup_printf ("%u of the expected outputs were not compared: their contents were not kept, or %s has "
                                                "no value for them", n, file));
  return b;
}

gboolean
ls_bisect_differs (const LsBisect *b)
{
  return b->found || (b->expected && *b->expected);
}

/* --- the answer --- */

#define SAMPLE(X) \
  X (kernel, INT, s->kernel, TRUE, "Number of the kernel; 0 is the tensor level") \
  X (elements, INT, s->n, TRUE, "Number of elements of its result that were compared") \
  X (of, INT, s->of, TRUE, "Number of elements of its result")
LS_INNER_RECORD (sample_answer, SAMPLE, const LsBisectSample *s = row;)

#define BISECT(X) \
  X (found, BOOL, b->found, TRUE, "True if a step, pass or stage that changed a result was found") \
  X (verdict, TEXT, ls_bisect_differs (b) ? "differs" : b->n_unjudged ? "not judged" : "agrees", TRUE, "agrees, differs or not judged") \
  X (judged, INT, b->n_judged, TRUE, "Number of results that were judged") \
  X (not_judged, INT, b->n_unjudged, TRUE, "Number of results that could not be judged") \
  X (kernel, INT, b->kernel, b->found, "The kernel; 0 is the tensor level") \
  X (stage, TEXT, b->stage, b->found, "The stage") \
  X (pass, TEXT, p ? p->name : NULL, b->found, "The pass, or null") \
  X (step, INT, b->step, b->found, "The step; 0 if only the pass is known") \
  X (rule, TEXT, r ? r->name : NULL, b->found, "Its rule") \
  X (file, TEXT, r ? r->file : NULL, b->found, "The file of the rule") \
  X (line, INT, r ? r->line : 0, b->found, "The line of the rule in its file") \
  X (before, NODE, b->before, b->found, "The node that the step replaced") \
  X (after, NODE, b->after, b->found, "The node that replaced it") \
  X (where, TEXT, b->where, b->found, "The index of its first element that differs") \
  X (want, TEXT, b->want, b->found, "The value of that element before the step") \
  X (got, TEXT, b->got, b->found, "The value of that element after the step") \
  X (inputs, LIST, ls_list_array (b->inputs), b->found, "The values of the node's sources at that element", .of = &ls_ask_input_answer) \
  X (element, INT, b->element, b->found, "The index of the result's first element that differs") \
  X (result_before, TEXT, b->out_want, b->found, "The value of that element before") \
  X (result_after, TEXT, b->out_got, b->found, "The value of that element after") \
  X (expected, TEXT, b->expected, b->expected != NULL, "Differences from the expected outputs") \
  X (sampled, LIST, ls_list_array (b->samples), TRUE, "Results that were only sampled", .of = &sample_answer) \
  X (passes, INT, b->n_passes, TRUE, "Number of passes checked") \
  X (steps, INT, b->n_steps, TRUE, "Number of steps checked") \
  X (graphs, INT, b->n_runs, TRUE, "Number of graphs that were interpreted") \
  X (notes, LIST, ls_list_pointers (b->notes), TRUE, "The facts that could not be judged, with reasons", .item = LS_CELL_TEXT)
LS_RECORD (ls_bisect_answer, BISECT, const LsBisect *b = row; const LsPass *p = b->pass >= 0 ? b->trace->passes->pdata[b->pass] : NULL;
           const LsTraceRule *r = b->rule >= 0 ? b->trace->rules->pdata[b->rule] : NULL;)
