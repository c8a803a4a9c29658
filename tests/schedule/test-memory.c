/* The memory plan holds: the kernels of the examples and cases, executed in one block of memory in which each intermediate buffer lies
 * where the plan says, compute what the run computed. A plan that is wrong by one buffer does not.
 */
#include "fixture.h"
#include "sample.h"

#include "ask/ask.h"
#include "pipeline/memory.h"
#include "program/program.h"
#include "trace/in-place.h"
#include "trace/row-steps.h"

#include <string.h>

typedef struct { guint programs, left_out, kernels, planned, over, compared; } Counts;

/* The run's buffers: intermediate ones in the block, others with memory of their own. */
typedef struct { LsTrace *trace; guint8 *block; gint64 size; LsBuffer *buffers; GPtrArray *own; } Memory;

static gboolean
is_planned (const LsTraceBuffer *b)
{
  return b->offset >= 0;
}

/* Does a kernel read what no kernel wrote, and whose contents were not kept? */
static gboolean
lacks_contents (LsTrace *trace)
{
  g_autoptr (GHashTable) written = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < trace->kernels->len; i++) {
    const GArray *buffers = ((const LsKernel *) trace->kernels->pdata[i])->buffers;
    for (guint a = 1; a < buffers->len; a++) {
      guint id = g_array_index (buffers, guint, a);
      const LsTraceBuffer *b = trace->buffers->pdata[id];
      if (!g_hash_table_contains (written, GUINT_TO_POINTER (id)) && !b->data && b->n_elements)
        return TRUE;
    }
    g_hash_table_add (written, GUINT_TO_POINTER (g_array_index (buffers, guint, 0)));
  }
  return FALSE;
}

static void
memory_init (Memory *m, LsTrace *trace)
{
  guint n = trace->buffers->len;
  *m = (Memory) { trace, NULL, 0, g_new0 (LsBuffer, n + 1), g_ptr_array_new_with_free_func (g_free) };
  for (guint i = 0; i < n; i++) {
    const LsTraceBuffer *b = trace->buffers->pdata[i];
    m->size = is_planned (b) ? MAX (m->size, b->offset + ls_planned_bytes (b)) : m->size;
  }
  m->block = g_malloc (MAX (m->size, 1));
  memset (m->block, 0xa5, MAX (m->size, 1));
  for (guint i = 0; i < n; i++) {
    const LsTraceBuffer *b = trace->buffers->pdata[i];
    if (b->dtype == LS_VOID)
      continue;
    gsize bytes = b->n_elements * ls_dtype_itemsize (b->dtype);
    m->buffers[i] = (LsBuffer) { .id = i, .dtype = b->dtype, .n = b->n_elements, .nbytes = bytes };
    m->buffers[i].data = is_planned (b) ? m->block + b->offset : g_malloc0 (MAX (bytes, 1));
    if (!is_planned (b))
      g_ptr_array_add (m->own, m->buffers[i].data);
    if (!is_planned (b) && !g_str_equal (b->role, "output") && b->data)
      memcpy (m->buffers[i].data, b->data, MIN (bytes, b->n_data));
  }
}

static void
memory_clear (Memory *m)
{
  g_ptr_array_unref (m->own);
  g_free (m->buffers);
  g_free (m->block);
}

/* Executes a kernel. FALSE: it wrote something else than it did in the run. */
static gboolean
execute (Memory *m, const LsKernel *k, Counts *counts)
{
  const LsKernel *code = k->same_as > 0 ? ls_trace_kernel (m->trace, (guint) k->same_as) : k;
  g_autoptr (GPtrArray) list = g_ptr_array_new ();
  g_autofree LsBuffer **buffers = g_new0 (LsBuffer *, k->buffers->len + 1);
  g_autoptr (GError) error = NULL;
  for (guint i = 0; i < code->listing->len; i++)
    g_ptr_array_add (list, ls_context_node (m->trace->ctx, g_array_index (code->listing, guint32, i)));
  for (guint i = 0; i < k->buffers->len; i++)
    buffers[i] = &m->buffers[g_array_index (k->buffers, guint, i)];
  ls_interp_run (list->len, (LsUOp **) list->pdata, k->buffers->len, buffers, NULL, &error);
  g_assert_no_error (error);
  gboolean same = TRUE;
  counts->kernels++;
  for (guint i = 0; i < ls_kernel_n_outputs (k); i++) {
    const LsTraceBuffer *then = m->trace->buffers->pdata[buffers[i]->id];
    gboolean kept = then->data && then->n_data == buffers[i]->nbytes;
    counts->compared += kept;
    same = same && (!kept || memcmp (then->data, buffers[i]->data, then->n_data) == 0);
  }
  return same;
}

/* All kernels, in order. */
static gboolean
holds (LsTrace *trace, Counts *counts)
{
  Memory m;
  gboolean same = TRUE;
  if (lacks_contents (trace)) {
    counts->left_out++;
    return TRUE;
  }
  memory_init (&m, trace);
  for (guint i = 0; i < trace->kernels->len && same; i++)
    same = execute (&m, trace->kernels->pdata[i], counts);
  memory_clear (&m);
  return same;
}

static guint
n_over (LsTrace *trace)
{
  guint n = 0;
  for (guint i = 0; i < trace->kernels->len; i++) {
    const LsKernel *k = trace->kernels->pdata[i];
    for (guint o = 0; o < ls_kernel_n_outputs (k); o++)
      for (guint a = ls_kernel_n_outputs (k); a < k->buffers->len; a++) {
        const LsTraceBuffer *result = trace->buffers->pdata[ls_kernel_output (k, o)],
                            *input = trace->buffers->pdata[g_array_index (k->buffers, guint, a)];
        n += is_planned (result) && input->offset == result->offset && input->last_use == k->number &&
             ls_in_place (trace, k, o, a) == LS_IN_PLACE_NONE;
      }
  }
  return n;
}

static void
check_program (const char *path, const char *settings, Counts *counts)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  g_autoptr (LsSession) s = NULL;
  g_assert_true (g_file_get_contents (path, &text, NULL, &error));
  FixtureRun how = { .file = path, .settings = settings };
  s = fixture_session (&how);
  s->keep_buffers = TRUE;
  if (!ls_session_run_program (s, text, path, NULL))      /* a case about an error */
    return;
  ls_session_finish (s);
  counts->programs++;
  counts->over += n_over (s->trace);
  for (guint i = 0; i < s->trace->buffers->len; i++)
    counts->planned += is_planned (s->trace->buffers->pdata[i]);
  if (!holds (s->trace, counts))
    g_error ("%s: the memory plan changes a result", path);
}

static void
test_programs (gconstpointer settings)
{
  g_autoptr (GPtrArray) programs = fixture_examples_and_cases (fixture_share (1, 8, "of the programs"));
  Counts counts = { 0 };
  for (guint i = 0; i < programs->len; i++)
    check_program (programs->pdata[i], settings, &counts);
  g_assert_cmpuint (counts.compared, >, 0);
  g_print ("# %u programs, %u of them left out, %u kernels executed, %u results compared, %u planned buffers, %u over an input\n",
           counts.programs, counts.left_out, counts.kernels, counts.compared, counts.planned, counts.over);
}

#define CHAIN "from tinygrad import Tensor\nx = Tensor.arange(1024).reshape(32, 32).float().realize()\na = (x + 1).contiguous()\n" \
              "b = (a * 2).contiguous()\nc = (b.T - 1).contiguous()\nprint((c + 5).tolist())\n"

static LsSession *
run_chain (const char *settings)
{
  FixtureRun how = { .text = CHAIN, .settings = settings };
  LsSession *s = fixture_session (&how);
  s->keep_buffers = TRUE;
  g_assert_true (ls_session_run_program (s, CHAIN, "chain.py", NULL));
  ls_session_finish (s);
  return s;
}

/* A chain of element-wise kernels: b takes a's place; c reads b in another order, and has its own. Without the plan each has its own. */
static void
test_in_place (void)
{
  g_autoptr (LsSession) s = run_chain ("MULTIOUTPUT=0"), unplanned = run_chain ("MEMORY_PLAN=0 MULTIOUTPUT=0");
  const gint64 places[] = { 0, 0, 4096 };
  guint n = 0;
  for (guint i = 0; i < s->trace->buffers->len; i++) {
    const LsTraceBuffer *b = s->trace->buffers->pdata[i], *own = unplanned->trace->buffers->pdata[i];
    g_assert_cmpint (own->offset < 0, ==, b->offset < 0);
    if (b->offset < 0)
      continue;
    g_assert_cmpint (b->offset, ==, places[n]);
    g_assert_cmpint (own->offset, ==, 4096 * n);
    n++;
  }
  g_assert_cmpuint (n, ==, 3);
  const LsKernel *second = ls_trace_kernel (s->trace, 3), *third = ls_trace_kernel (s->trace, 4);
  g_assert_cmpint (ls_in_place (s->trace, second, 0, 1), ==, LS_IN_PLACE_NONE);
  g_assert_cmpint (ls_in_place (s->trace, third, 0, 1), ==, LS_IN_PLACE_OTHERS);
}

/* A plan in which two buffers lie in each other's way is found out by the execution above. */
static void
test_wrong (void)
{
  g_autoptr (LsSession) s = run_chain ("MULTIOUTPUT=0");
  Counts counts = { 0 };
  g_assert_true (holds (s->trace, &counts));
  for (guint i = 0; i < s->trace->buffers->len; i++) {
    LsTraceBuffer *b = s->trace->buffers->pdata[i];
    b->offset = b->offset == 4096 ? 0 : b->offset;      /* c, over b */
  }
  g_assert_false (holds (s->trace, &counts));
}

/* tinygrad's name of the setting, in a program and in the environment of one; a recording of it is true. */
static void
test_setting (void)
{
  static const char *const text = "from tinygrad import Tensor, Context\nx = Tensor([1., 2.]).realize()\n"
                                  "with Context(NO_MEMORY_PLANNER=1):\n  print(((x + 1).contiguous() * 2).contiguous().add(3).tolist())\n";
  g_autoptr (LsSession) s = FIXTURE_RUN (.text = text);
  gint64 most = 0;
  for (guint i = 0; i < s->trace->buffers->len; i++)
    most = MAX (most, ((const LsTraceBuffer *) s->trace->buffers->pdata[i])->offset);
  g_assert_cmpint (most, ==, 64);
  g_assert_cmpuint (s->notes->len, ==, 0);
  g_assert_false (ls_memory_how (s->trace).reuse);
  LsVerify *v = ls_trace_verify (s->trace);
  g_assert_cmpuint (v->differences, ==, 0);
  ls_verify_free (v);
}

/* A schedule that does not fit is an error that names its values and their lines, before it has any memory; one that fits after buffers
 * that nothing leads to are freed is none. */
static void
test_too_large (void)
{
  static const char *const large = "from tinygrad import Tensor\nx = Tensor.ones(1000, 1000).contiguous().realize()\n"
                                   "y = (x.reshape(1000, 1000, 1).expand(1000, 1000, 100) + 1).contiguous()\nprint(y.max().item())\n",
                    *const fits = "from tinygrad import Tensor\nfor i in range(4):\n"
                                  "  x = (Tensor.ones(1000, 1000) * i).contiguous().realize()\n"
                                  "  y = (x.reshape(1000, 1000, 1).expand(1000, 1000, 8) + 1)"
                                  ".contiguous().realize()\n";
  g_autoptr (GError) error = NULL;
  g_autoptr (LsSession) s = fixture_run (&(FixtureRun) { .text = large, .settings = "MEMORY_MB=100" }, &error);
  g_assert_nonnull (error);
  g_assert_nonnull (strstr (error->message, "the schedule stores 2 values in 382 MB, but the limit is 100 MB"));
  g_assert_nonnull (strstr (error->message, "CONTIGUOUS [1000,1000,100]: 400000000 bytes"));
  g_assert_nonnull (strstr (error->message, "is from line 3, contiguous: y = "));
  g_assert_cmpuint (s->buffer_bytes, <, 8 << 20);
  g_autoptr (LsSession) small = FIXTURE_RUN (.text = fits, .settings = "MEMORY_MB=100", .compiler = "tcc");
  g_assert_cmpuint (small->trace->kernels->len, ==, 8);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/memory/programs/default", "", test_programs);
  g_test_add_data_func ("/memory/programs/classic", "profile=classic", test_programs);
  g_test_add_data_func ("/memory/programs/modern", "profile=modern", test_programs);
  g_test_add_func ("/memory/in-place", test_in_place);
  g_test_add_func ("/memory/wrong", test_wrong);
  g_test_add_func ("/memory/setting", test_setting);
  g_test_add_func ("/memory/too-large", test_too_large);
  return g_test_run ();
}
