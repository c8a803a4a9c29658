/* Steps of passes that are not rewrites, of examples in every profile: each changes one row, the last leaves what the pass left, and each
 * has a sentence; reasons of rows are checked against the list itself; older recordings have them too; and the renderer's table fills as
 * the document about code generation says. */
#include "fixture.h"
#include "trace/in-place.h"
#include "trace/row-steps-private.h"
#include "ask/ask.h"

#include <math.h>

#include <string.h>

typedef struct { guint passes, steps, n[LS_N_DIFF]; } Count;
static guint n_bare;      /* inputs without their parentheses that were said */

/* How many rows the lists have in different places, when one of them is without one row: 0 or 1, else more. */
static guint
rows_apart (const GArray *a, const GArray *b)
{
  const GArray *longer = a->len > b->len ? a : b, *shorter = a->len > b->len ? b : a;
  guint i = 0;
  while (i < shorter->len && g_array_index (shorter, guint32, i) == g_array_index (longer, guint32, i))
    i++;
  guint skip = longer->len - shorter->len;
  for (guint k = i; k < shorter->len; k++)
    if (g_array_index (shorter, guint32, k) != g_array_index (longer, guint32, k + skip))
      return 2;
  return skip;
}

static GArray *
without (const GArray *list, guint32 node)
{
  GArray *out = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (guint i = 0; i < list->len; i++)
    if (g_array_index (list, guint32, i) != node)
      g_array_append_val (out, g_array_index (list, guint32, i));
  return out;
}

/* Each row finds the rows that it reads, or those that took their place: none is printed as "?". */
static void
check_sources (const LsPass *pass, guint step, const GArray *list)
{
  g_autoptr (GHashTable) there = g_hash_table_new (NULL, NULL), instead = ls_row_steps_instead (pass, step);
  for (guint i = 0; i < list->len; i++)
    g_hash_table_add (there, ls_context_node (pass->trace->ctx, g_array_index (list, guint32, i)));
  for (guint i = 0; instead && i < list->len; i++) {
    const LsUOp *u = ls_context_node (pass->trace->ctx, g_array_index (list, guint32, i));
    for (guint s = 0; s < u->n_src; s++) {
      LsUOp *by = g_hash_table_lookup (instead, u->src[s]);
      if (!g_hash_table_contains (there, u->src[s]) && !(by && g_hash_table_contains (there, by)))
        g_error ("kernel %u, %s, step %u: row %u, %s %u, reads %s %u, which is not there", pass->kernel, pass->name, step, i,
                 ls_op_name (u->op), u->id, ls_op_name (u->src[s]->op), u->src[s]->id);
    }
  }
}

static void
check_list (const LsPass *pass, guint step, const LsRowStep *row)
{
  const LsStageInfo *stage = ls_pass_stage (pass);
  g_autoptr (GArray) before = ls_row_steps_list (pass, step - 1), after = ls_row_steps_list (pass, step);
  if (!before || stage->gives == LS_STAGE_FORM_CODE || stage->gives == LS_STAGE_FORM_BUFFERS)
    return;
  if (stage->gives == LS_STAGE_FORM_SOURCE) {      /* rows without an expression come with the next one that has one */
    g_assert_cmpuint (after->len, >, before->len);
    return;
  }
  g_autoptr (GArray) a = without (before, row->kind == LS_DIFF_CHANGED ? row->other : row->node), b = without (after, row->node);
  check_sources (pass, step, after);
  g_assert_cmpuint (rows_apart (a, b), ==, 0);      /* nothing but the step's row */
  g_assert_cmpint ((int) after->len - (int) before->len, ==, row->kind == LS_DIFF_ADDED ? 1 : row->kind == LS_DIFF_REMOVED ? -1 : 0);
  g_assert_cmpuint (g_array_index (row->kind == LS_DIFF_REMOVED ? before : after, guint32, row->row), ==, row->node);
  if (row->other != LS_NO_NODE && row->other_row != LS_NO_ROW)
    g_assert_cmpuint (g_array_index (row->kind == LS_DIFF_CHANGED ? before : after, guint32, row->other_row), ==, row->other);
}

/* What the sentence says of the list is so. */
static void
check_reason (LsTrace *t, const LsPass *pass, guint step, const LsRowWords *words)
{
  g_autoptr (GArray) list = ls_row_steps_list (pass, G_MAXUINT);
  const LsUOp *u = ls_context_node (t->ctx, g_array_index (list, guint32, step - 1));
  if (g_str_equal (words->why, "loads come first in their block"))
    g_assert_cmpint (u->op, ==, LS_OP_LOAD);
  if (strstr (words->why, " ends: "))
    g_assert_cmpint (u->op, ==, LS_OP_ENDRANGE);
  const char *other = words->more ? strstr (words->more, " was ready as well") : NULL;
  if (!other)
    return;
  while (other > words->more && other[-1] != '\n')
    other--;
  g_assert_true (g_str_has_prefix (other, "Row "));
  guint at = (guint) strtoul (other + strlen ("Row "), NULL, 10);
  g_assert_cmpuint (at, >=, step);      /* rows are counted from 0: a later one, whose sources all stand before this one */
  const LsUOp *next = ls_context_node (t->ctx, g_array_index (list, guint32, at));
  for (guint s = 0; s < next->n_src; s++) {
    guint i = 0;
    while (i < list->len && g_array_index (list, guint32, i) != next->src[s]->id)
      i++;
    g_assert_cmpuint (i, <, step - 1);
  }
}

/* Why an input lost its parentheses is so. */
static void
check_parentheses (LsTrace *t, const LsRowStep *row, const LsRowWords *words)
{
  const LsUOp *u = ls_context_node (t->ctx, row->node);
  if (!words->more || !strstr (words->more, " has no parentheses: "))
    return;
  if (strstr (words->more, "it is the left operand of the same operator"))
    g_assert_cmpint (u->src[0]->op, ==, u->op);
  if (strstr (words->more, "for integers"))
    g_assert_false (ls_dtype_is_float (u->dtype));
  if (strstr (words->more, "which changes the order"))
    g_assert_true (ls_dtype_is_float (u->dtype) && u->src[1]->op == u->op);
  n_bare++;
}

static void
check_pass (LsTrace *t, const LsPass *pass, gboolean numbered, Count *count)
{
  guint n = ls_pass_n_steps (pass);
  const LsKernel *k = ls_trace_kernel (t, pass->kernel);
  const LsStageInfo *stage = ls_pass_stage (pass);
  if (pass->kind == LS_PASS_REWRITE || (n == 0 && stage->gives != LS_STAGE_FORM_LIST && stage->gives != LS_STAGE_FORM_SOURCE))
    return;
  if (stage->gives == LS_STAGE_FORM_SOURCE)
    g_assert_cmpuint (n, ==, k->exprs->len);
  if (stage->gives == LS_STAGE_FORM_LIST || stage->gives == LS_STAGE_FORM_SOURCE)
    g_assert_cmpuint (n, >, 0);
  g_assert_cmpuint (ls_pass_n_rewrites (pass), ==, 0);
  count->passes++;
  for (guint step = 1; step <= n; step++) {
    g_auto (LsRowWords) words = { NULL };
    LsRowStep row;
    g_assert_true (ls_row_step (pass, step, &row));
    g_assert_true (ls_row_step_words (pass, step, FALSE, &words));
    g_autofree char *name = ls_row_step_name (pass, step, FALSE), *sentence = ls_step_sentence (t, pass, step);
    g_assert_cmpstr (name, ==, words.name);
    g_assert_nonnull (words.change);
    g_assert_true (g_str_has_prefix (sentence, words.change) && g_str_has_suffix (sentence, "."));
    if (stage->gives == LS_STAGE_FORM_LIST && numbered)
      check_reason (t, pass, step, &words);
    check_list (pass, step, &row);
    if (stage->gives == LS_STAGE_FORM_SOURCE)
      check_parentheses (t, &row, &words);
    count->steps++;
    count->n[row.kind]++;
  }
  LsRowStep none;
  g_assert_false (ls_row_step (pass, 0, &none) || ls_row_step (pass, n + 1, &none));
}

/* The last step of the last pass that changes the list leaves the kernel's. */
static void
check_last_list (LsTrace *t, const LsKernel *k)
{
  const LsPass *last = NULL;
  for (guint i = 0; i < k->passes->len; i++) {
    const LsPass *p = t->passes->pdata[g_array_index (k->passes, guint, i)];
    LsStageForm gives = p->kind == LS_PASS_REWRITE ? LS_STAGE_FORM_TEXT : ls_pass_stage (p)->gives;
    last = gives == LS_STAGE_FORM_LIST || gives == LS_STAGE_FORM_PROCEDURE ? p : last;
  }
  if (!last)
    return;
  g_autoptr (GArray) list = ls_row_steps_list (last, ls_pass_n_steps (last));
  g_assert_cmpuint (list->len, ==, k->listing->len);
  g_assert_cmpint (memcmp (list->data, k->listing->data, list->len * sizeof (guint32)), ==, 0);
}

static void
test_examples (gconstpointer settings)
{
  static const char *const files[] = { "softmax.py", "matmul.py", "views.py", "sum.py", "cast.py", "layernorm.py", "add_lists.py" };
  Count count = { 0 };
  for (guint f = 0; f < G_N_ELEMENTS (files); f++) {
    g_autoptr (LsSession) s = FIXTURE_RUN (.file = files[f], .settings = settings);
    for (guint i = 0; i < s->trace->passes->len; i++)
      check_pass (s->trace, s->trace->passes->pdata[i], !strstr (settings, "classic"), &count);
    for (guint i = 0; i < s->trace->kernels->len; i++)
      check_last_list (s->trace, s->trace->kernels->pdata[i]);
  }
  g_test_message ("%u passes, %u steps: %u rows added, %u removed, %u moved", count.passes, count.steps, count.n[LS_DIFF_ADDED],
                  count.n[LS_DIFF_REMOVED], count.n[LS_DIFF_MOVED]);
  g_assert_true (count.passes > 60 && count.steps > 800);
  g_assert_cmpuint (n_bare, >, 10);
  if (strstr (settings, "UNROLL"))
    g_assert_true (count.n[LS_DIFF_REMOVED] > 10);
}

static const LsPass *
pass_of (LsTrace *t, guint kernel, const char *name)
{
  const LsPass *pass = ls_trace_pass (t, kernel, name);
  g_assert_nonnull (pass);
  return pass;
}

/* The names of the steps that begin so, in order. */
static char *
names_of (const LsPass *pass, const char *prefix)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  for (guint step = 1; step <= ls_pass_n_steps (pass); step++) {
    g_autofree char *name = ls_row_step_name (pass, step, FALSE);
    if (g_str_has_prefix (name, prefix))
      g_ptr_array_add (names, g_steal_pointer (&name));
  }
  g_ptr_array_add (names, NULL);
  return g_strjoinv ("; ", (char **) names->pdata);
}

/* The document about code generation: "a = Tensor([1, 3]); b = Tensor([4, 3]); (a + b).cast(dtypes.float32)". Row 4 is the first LOAD, and
 * "the operands value end up being ['val0', 'val1'] given how the two loads stored the value in register"; a constant is in r as it is
 * printed, a SPECIAL by its name, "the value of x would be ["(val0+val1)"]". */
static void
test_document (void)
{
  static const char one[] = "a = Tensor([1])\nb = Tensor([2])\nprint((a + b).numpy())\n",
                    two[] = "a = Tensor([1, 3])\nb = Tensor([4, 3])\nprint((a + b).cast(dtypes.float32).numpy())\n";
  g_autoptr (LsSession) s = FIXTURE_RUN (.text = two, .target = "metal", .settings = "profile=classic"),
                        single = FIXTURE_RUN (.text = one, .target = "metal", .settings = "profile=classic");
  const LsPass *pass = pass_of (s->trace, 1, "render");
  g_autofree char *special = names_of (pass, "r[SPECIAL"), *loads = names_of (pass, "r[LOAD"), *add = names_of (pass, "r[ADD"),
                  *cast = names_of (pass, "r[CAST"), *constant = names_of (pass_of (single->trace, 1, "render"), "r[CONST");
  g_assert_cmpstr (special, ==, "r[SPECIAL 3] = \"lidx0\"");
  g_assert_cmpstr (loads, ==, "r[LOAD 4] = \"val0\"; r[LOAD 5] = \"val1\"");
  g_assert_cmpstr (add, ==, "r[ADD 6] = \"(val0+val1)\"");
  g_assert_cmpstr (cast, ==, "r[CAST 7] = \"(float)((val0+val1))\"");
  g_assert_cmpstr (constant, ==, "r[CONST 3] = \"0\"");
  for (guint step = 1; step <= ls_pass_n_steps (pass); step++) {
    g_auto (LsRowWords) words = { NULL };
    g_assert_true (ls_row_step_words (pass, step, FALSE, &words));
    g_autofree char *template = ls_render_step_template (s->trace, pass, step, FALSE);
    if (g_str_has_prefix (words.name, "r[ADD"))
      g_assert_cmpstr (template, ==, "The dialect writes the operation ADD as (a+b).");
    if (g_str_has_prefix (words.name, "r[CAST"))
      g_assert_cmpstr (template, ==, "The dialect writes the operation CAST as (float)(a), with the name of its dtype.");
    if (g_str_has_prefix (words.name, "r[ADD"))
      g_assert_nonnull (strstr (words.more, "Its inputs in r: val0 (LOAD 4), val1 (LOAD 5)"));
    if (g_str_has_prefix (words.name, "r[LOAD 4"))
      g_assert_nonnull (strstr (words.change, "val0 = *(data1+lidx0)"));
  }
}

/* How a loop became the rows that are its copies, and which row took which one's place. */
static void
test_procedure_passes (void)
{
  static const char text[] = "a = Tensor([[1, 2, 3], [3, 4, 5]])\nb = Tensor([[5, 6], [7, 8], [9, 1]])\nprint((a @ b).tolist())\n";
  g_autoptr (LsSession) whole = FIXTURE_RUN (.text = text, .settings = "NOOPT=1 UNROLL_LOOPS=4 PROPAGATE=1"),
                        half = FIXTURE_RUN (.text = text, .settings = "NOOPT=1 UNROLL_LOOPS=2 PROPAGATE=1");
  const LsPass *unroll = pass_of (whole->trace, 1, "unroll-loops"), *propagate = pass_of (whole->trace, 1, "propagate"),
               *twice = pass_of (half->trace, 1, "unroll-loops");
  g_autoptr (GString) all = g_string_new (NULL);
  const LsPass *passes[] = { unroll, propagate, twice };
  for (guint p = 0; p < G_N_ELEMENTS (passes); p++)
    for (guint step = 1; step <= ls_pass_n_steps (passes[p]); step++) {
      g_autofree char *sentence = ls_step_sentence (passes[p]->trace, passes[p], step);
      g_string_append_printf (all, "%s\n", sentence);
    }
  static const char *const said[] = {
    "(i = 1, iteration 2 of 2; j = 1, iteration 2 of 2; k = 2, iteration 3 of 3).", ": MUL a[1*3+2]*b[1+2*2] is a copy of row ",
    "RANGE k:3 is removed (loop k is written out: copies of its rows take its place).", " takes the place of row ",
    ": SINK takes the place of row ",
    "PHI is removed (each copy reads the value of the copy before it).", "ADD 0+0*2 → row ", " (the value is the same).",
    "CONST 5 takes the place of row ", "is removed (no row reads it)", "(a number that copies of the rows of loop ",
  };
  for (guint i = 0; i < G_N_ELEMENTS (said); i++)
    if (!strstr (all->str, said[i]))
      g_error ("no step says \"%s\":\n%s", said[i], all->str);
  g_assert_null (strstr (all->str, "is simpler now"));
}

/* A row has the number of the printed listing in the words of its steps and in the list of rows, at each step. */
static void
test_one_number (void)
{
  static const char text[] = "a = Tensor([1, 3])\nb = Tensor([4, 3])\nprint((a + b).cast(dtypes.float32).relu().numpy())\n";
  const FixtureRun runs[] = { { .text = text }, { .text = text, .target = "metal", .settings = "profile=classic" } };
  guint n = 0;
  for (guint i = 0; i < G_N_ELEMENTS (runs); i++) {
    g_autoptr (LsSession) s = fixture_run (&runs[i], NULL);
    const LsPass *pass = pass_of (s->trace, 1, "render");
    g_autoptr (GHashTable) printed = ls_kernel_rows (s->trace, ls_trace_kernel (s->trace, 1), ls_trace_style (s->trace));
    for (guint step = 1; step <= ls_pass_n_steps (pass); step++) {
      g_autofree char *name = ls_row_step_name (pass, step, FALSE);
      LsRowStep row;
      const LsPosition a = { s->trace, pass, step - 1 }, b = { s->trace, pass, step };
      g_autoptr (LsListDiff) diff = ls_list_diff (&a, &b);
      g_assert_true (ls_row_step (pass, step, &row));
      for (guint k = 0; k < diff->rows->len; k++) {
        g_autofree char *number = ls_list_diff_number (diff, k), *said = NULL;
        const LsUOp *u = ls_list_diff_node (diff, k);
        gint expected = ls_row_number (printed, u->id);
        g_autofree char *wanted = expected < 0 ? g_strdup ("") : g_strdup_printf ("%d", expected);
        g_assert_cmpstr (number, ==, wanted);
        said = g_strdup_printf ("r[%s %s] = ", ls_op_name (u->op), number);
        if (u->id == row.node && *number && g_str_has_prefix (name, "r["))
          g_assert_true (g_str_has_prefix (name, said));
        n += u->id == row.node;
      }
    }
  }
  g_assert_cmpuint (n, >, 10);
}

/* Registers in the steps of the stage procedure are those of its own procedure, although a later pass changes it; and a list's end has no
 * row in the classic listing. */
static void
test_own_names (void)
{
  static const char text[] = "a = Tensor([1, 3])\nprint((a + 1).numpy())\n",
                    sum[] = "print(Tensor([[1, 2, 3], [4, 5, 6]]).sum(1).numpy())\n";
  g_autoptr (LsSession) classic = FIXTURE_RUN (.text = text, .target = "metal", .settings = "profile=classic"),
                        plain = FIXTURE_RUN (.text = sum, .settings = "NOOPT=1"),
                        unrolled = FIXTURE_RUN (.text = sum, .settings = "NOOPT=1 UNROLL_LOOPS=4");
  const LsPass *linearize = pass_of (classic->trace, 1, "linearize"), *a = pass_of (plain->trace, 1, "procedure"),
               *b = pass_of (unrolled->trace, 1, "procedure");
  g_autofree char *end = ls_step_sentence (classic->trace, linearize, ls_pass_n_steps (linearize));
  g_assert_nonnull (strstr (end, "SINK ends the list; the listing has no row for it"));
  g_assert_cmpuint (ls_pass_n_steps (a), ==, ls_pass_n_steps (b));
  for (guint step = 1; step <= ls_pass_n_steps (a); step++) {
    g_autofree char *x = ls_step_sentence (plain->trace, a, step), *y = ls_step_sentence (unrolled->trace, b, step);
    g_assert_cmpstr (x, ==, y);
  }
}

/* Passes that make no graph: what they say is what the run left. */
static void
test_launch (void)
{
  g_autoptr (LsSession) s = FIXTURE_RUN (.file = "softmax.py", .compiler = "tcc", .settings = "REPEATS=4 FUSE=0");
  const LsKernel *k = ls_trace_kernel (s->trace, 2);
  const LsPass *run = pass_of (s->trace, 2, "run"), *compile = pass_of (s->trace, 2, "compile"), *memory = pass_of (s->trace, 0, "memory");
  g_assert_cmpuint (ls_pass_n_steps (run), ==, k->buffers->len + 4);
  g_assert_cmpuint (k->run_ns->len, ==, 4);
  g_auto (LsRowWords) launch = { NULL }, size = { NULL }, place = { NULL };
  g_assert_true (ls_row_step_words (run, k->buffers->len + 2, FALSE, &launch));
  g_autofree char *took = g_strdup_printf ("Timed run 2 of 4: %" G_GUINT64_FORMAT " ns a launch", g_array_index (k->run_ns, guint64, 1)),
                  *bytes = g_strdup_printf ("The source is compiled: %" G_GSIZE_FORMAT " bytes of machine code", k->n_code);
  g_assert_cmpstr (launch.change, ==, took);
  g_assert_true (ls_row_step_words (compile, ls_pass_n_steps (compile), FALSE, &size));
  g_assert_true (g_str_has_prefix (size.change, bytes));
  guint planned = 0;
  for (guint i = 0; i < s->trace->buffers->len; i++)
    planned += ((const LsTraceBuffer *) s->trace->buffers->pdata[i])->offset >= 0;
  g_assert_cmpuint (ls_pass_n_steps (memory), ==, planned);
  g_assert_true (ls_row_step_words (memory, 1, FALSE, &place));
  g_assert_nonnull (strstr (place.change, "at offset 0 of the shared memory"));
}

/* Is the result of a kernel written over its input? */
static gboolean
is_over (LsTrace *trace, const LsTraceBuffer *result, const LsTraceBuffer *input)
{
  const LsKernel *k = ls_trace_kernel (trace, result->first_use);
  gint output = ls_kernel_output_number (k, result->id);
  guint argument = output >= 0 && input->last_use == k->number ? ls_argument_of (k, input->id) : 0;
  return argument && ls_in_place (trace, k, (guint) output, argument) == LS_IN_PLACE_NONE;
}

/* In the order of the steps, each buffer has the lowest offset at which no earlier one lies that lives at the same time. */
static void
test_memory (void)
{
  static const char *const files[] = { "layernorm.py", "attention.py", "mlp.py" };
  guint n = 0;
  for (guint f = 0; f < G_N_ELEMENTS (files); f++) {
    g_autoptr (LsSession) s = FIXTURE_RUN (.file = files[f], .only_text = TRUE, .settings = "FUSE=0");
    const GPtrArray *placed = ls_planned_buffers (pass_of (s->trace, 0, "memory"));
    for (guint i = 0; i < placed->len; i++, n++) {
      const LsTraceBuffer *b = placed->pdata[i];
      gint64 at = 0, size = ls_planned_bytes (b);
      for (gboolean moved = TRUE; moved; ) {
        moved = FALSE;
        for (guint k = 0; k < i; k++) {
          const LsTraceBuffer *other = placed->pdata[k];
          gboolean together = other->first_use <= b->last_use && b->first_use <= other->last_use;
          if (other->offset == at && (is_over (s->trace, b, other) || is_over (s->trace, other, b)))
            continue;
          if (together && other->offset < at + size && at < other->offset + ls_planned_bytes (other)) {
            at = other->offset + ls_planned_bytes (other);
            moved = TRUE;
          }
        }
      }
      g_assert_cmpint (b->offset, ==, at);
      g_assert_true (i == 0 || ls_planned_bytes (placed->pdata[i - 1]) >= size);
    }
  }
  g_assert_cmpuint (n, >, 10);
}

/* A search says of each candidate its time, and which one it chose; it is about no list. */
static void
test_search (void)
{
  g_autoptr (LsSession) s = FIXTURE_RUN (.file = "softmax.py");
  LsKernel *k = ls_trace_kernel (s->trace, 2);
  const LsCandidate slow = { .parent = -1, .options = "", .score = NAN, .compile_ms = NAN, .ns = 400, .dropped = "slower" },
                    fast = { .parent = 0, .options = "UPCAST:0:4", .score = 3, .compile_ms = NAN, .ns = NAN, .chosen = TRUE };
  g_array_append_val (k->candidates, slow);
  g_array_append_val (k->candidates, fast);
  LsUOp *graph = ls_trace_last_graph (s->trace, k);
  const LsPass *pass = ls_trace_add_map_pass (s->trace, 2, "search", graph, graph, 0);
  g_auto (LsRowWords) one = { NULL }, two = { NULL };
  g_assert_cmpuint (ls_pass_n_steps (pass), ==, 2);
  g_assert_null (ls_row_steps_list (pass, 1));
  g_assert_true (ls_row_step_words (pass, 1, FALSE, &one) && ls_row_step_words (pass, 2, FALSE, &two));
  g_assert_cmpstr (one.change, ==, "no options: 400 ns");
  g_assert_cmpstr (one.why, ==, "slower");
  g_assert_cmpstr (two.change, ==, "UPCAST:0:4: not timed");
  g_assert_cmpstr (two.why, ==, "the search chose it");      /* which does not say that it is the fastest */
}

/* From text to numbers: each stage from linearize on has stops, each stop a sentence, and they are few enough to be walked. */
static void
test_walk (void)
{
  static const char *const stages[] = { "linearize", "procedure", "render", "compile", "run" };
  g_autoptr (LsSession) s = FIXTURE_RUN (.text = "a = Tensor([1,2,3])\nb = a + 2\nprint(b.tolist())\n", .compiler = "tcc");
  g_autoptr (LsTrace) statements = ls_trace_statements (s->trace);
  guint stops = statements->passes->len;
  g_assert_cmpuint (stops, >=, 3);
  for (guint i = 0; i < s->trace->passes->len; i++) {
    const LsPass *pass = s->trace->passes->pdata[i];
    for (guint step = 1; step <= ls_pass_n_steps (pass); step++, stops++) {
      g_autofree char *sentence = ls_step_sentence (s->trace, pass, step);
      g_assert_cmpuint (strlen (sentence), >, 8);
    }
  }
  for (gsize i = 0; i < G_N_ELEMENTS (stages); i++)
    g_assert_cmpuint (ls_pass_n_steps (pass_of (s->trace, 1, stages[i])), >, 0);
  g_test_message ("%u stops", stops);
  g_assert_cmpuint (stops, <=, 60);
}

/* A recording that was made before these passes were has them when it is read. */
static void
test_older (void)
{
  for (guint schema = 1; schema <= 2; schema++) {
    g_autofree char *name = g_strdup_printf ("schema-%u.lscope", schema), *path = g_test_build_filename (G_TEST_DIST, name, NULL);
    g_autoptr (GError) error = NULL;
    g_autoptr (LsTrace) t = ls_trace_load (path, &error);
    Count count = { 0 };
    guint n_run = 0, before = 0;
    g_assert_no_error (error);
    for (guint i = 0; i < t->passes->len; i++) {
      const LsPass *pass = t->passes->pdata[i];
      g_assert_cmpuint (pass->index, ==, i);
      g_assert_true (pass->parent < (gint) i);
      check_pass (t, pass, FALSE, &count);
      n_run += g_str_equal (pass->stage, "run");
      if (pass->kernel && g_str_equal (pass->stage, "run"))      /* right after the kernel's other passes */
        g_assert_cmpuint (((const LsPass *) t->passes->pdata[i - 1])->kernel, ==, pass->kernel);
      before = MAX (before, pass->kernel);
    }
    g_assert_cmpuint (n_run, ==, t->kernels->len);
    g_assert_cmpuint (before, ==, t->kernels->len);
    g_assert_cmpuint (t->n_derived, >=, n_run);
    g_assert_true (ls_trace_check_steps (t, &error));
    g_assert_no_error (error);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/row-steps/default", "profile=default", test_examples);
  g_test_add_data_func ("/row-steps/modern", "profile=modern", test_examples);
  g_test_add_data_func ("/row-steps/classic", "profile=classic", test_examples);
  g_test_add_data_func ("/row-steps/passes", "UNROLL_LOOPS=4 PROPAGATE=1 HOIST=1 NOOPT=1", test_examples);
  g_test_add_func ("/row-steps/procedure-passes", test_procedure_passes);
  g_test_add_func ("/row-steps/one-number", test_one_number);
  g_test_add_func ("/row-steps/own-names", test_own_names);
  g_test_add_func ("/row-steps/document", test_document);
  g_test_add_func ("/row-steps/launch", test_launch);
  g_test_add_func ("/row-steps/memory", test_memory);
  g_test_add_func ("/row-steps/search", test_search);
  g_test_add_func ("/row-steps/walk", test_walk);
  g_test_add_func ("/row-steps/older", test_older);
  return g_test_run ();
}
