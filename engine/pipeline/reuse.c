/* Equal work across statements. Nodes are hash-consed and a buffer is written once, so a node of a later graph that an earlier kernel
 * stored has its value in that buffer.
 *
 * A value is read from there if that does not make more kernels, loads no more bytes and needs no more memory: a schedule with it is laid
 * out, and one without it, and the lives of all buffers so far are compared. A buffer lives from the first kernel that uses it to the last
 * one. As in the memory plan, intermediate values share a block, which is as large as the most of them that live at one kernel; so these
 * and the other buffers are compared apart. Results that the program asked for get memory of their own.
 */
#include "reuse.h"

#define MOST_TRIED 8       /* values that are tried one by one where not all of them together are read */
#define ALIGNMENT  64      /* of intermediate buffers in their block */

typedef enum { OTHER, INTERMEDIATE, N_KINDS } Kind;
typedef struct { gint64 of[N_KINDS]; } Bytes;
typedef struct { guint last; Kind kind; gint64 bytes; } Life;      /* of a buffer: the last kernel that used it, and its size */

struct _LsReuse {
  GHashTable *stored;       /* node -> the BUFFER that an earlier kernel stored it to */
  GHashTable *lives;        /* BUFFER -> Life */
  GArray     *alive;        /* Bytes of the buffers that live at each kernel so far */
  GArray     *most;         /* Bytes: the most of them up to that kernel */
};

LsReuse *
ls_reuse_new (void)
{
  LsReuse *r = g_new0 (LsReuse, 1);
  r->stored = g_hash_table_new (NULL, NULL);
  r->lives = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  r->alive = g_array_new (FALSE, TRUE, sizeof (Bytes));
  r->most = g_array_new (FALSE, TRUE, sizeof (Bytes));
  return r;
}

void
ls_reuse_free (LsReuse *r)
{
  if (!r)
    return;
  g_hash_table_unref (r->stored);
  g_hash_table_unref (r->lives);
  g_array_unref (r->alive);
  g_array_unref (r->most);
  g_free (r);
}

static void
raise_to (Bytes *most, const Bytes *bytes)
{
  for (guint k = 0; k < N_KINDS; k++)
    most->of[k] = MAX (most->of[k], bytes->of[k]);
}

/* A kernel uses a buffer, which lives from the kernel after the last one that did until then: in alive, of the kernels from `begin` on.
 * known: its life so far, or NULL: then it is of that kind and size. Returns the first kernel that this is about. */
static guint
use (GHashTable *lives, const Life *known, GArray *alive, guint begin, LsUOp *what, Kind kind, gint64 bytes, guint kernel)
{
  Life *life = g_hash_table_lookup (lives, what);
  if (!life) {
    life = g_new (Life, 1);
    *life = known ? *known : (Life) { kernel - 1, kind, kind == INTERMEDIATE ? (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT : bytes };
    g_hash_table_insert (lives, what, life);
  }
  guint from = life->last + 1;      /* of kernel 0 - 1, too */
  if (alive->len < kernel + 1 - begin)
    g_array_set_size (alive, kernel + 1 - begin);
  for (guint k = from; k != kernel + 1; k++)
    g_array_index (alive, Bytes, k - begin).of[life->kind] += life->bytes;
  life->last = kernel;
  return from;
}

static gint64
bytes_of (const LsUOp *buffer)
{
  return buffer->arg.ints[1] * ls_dtype_itemsize (ls_dtype_strong (buffer->dtype));
}

void
ls_reuse_add (LsReuse *r, LsUOp *sink, const LsSchedule *schedule)
{
  guint n = r->alive->len, changed = n;
  g_autoptr (GHashTable) results = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < sink->n_src; i++)
    g_hash_table_add (results, schedule->results[i]);
  for (guint i = 0; i < schedule->items->len; i++) {
    const LsScheduleItem *item = schedule->items->pdata[i];
    for (guint k = 0; k < ls_schedule_n_arguments (item); k++) {
      LsUOp *buffer = ls_schedule_argument (item, k);
      Kind kind = k < item->outputs->len && !g_hash_table_contains (results, buffer) ? INTERMEDIATE : OTHER;
      guint from = use (r->lives, NULL, r->alive, 0, buffer, kind, bytes_of (buffer), n + i);
      changed = MIN (changed, from);
    }
    for (guint k = 0; k < item->outputs->len; k++) {
      const LsScheduleOutput *output = ls_schedule_output (item, k);
      gboolean moves = ls_op_is_movement (output->node->op) || ls_op_is_slice (output->node->op);
      if (!moves && !output->node->sized && output->node->op != LS_OP_COPY)
        g_hash_table_insert (r->stored, output->node, output->buffer);
    }
  }
  g_array_set_size (r->most, r->alive->len);
  for (guint k = changed; k < r->alive->len; k++) {
    Bytes most = k ? g_array_index (r->most, Bytes, k - 1) : (Bytes) { { 0 } };
    raise_to (&most, &g_array_index (r->alive, Bytes, k));
    g_array_index (r->most, Bytes, k) = most;
  }
}

static gboolean
is_buffer (gpointer node, gpointer buffer, gpointer number)
{
  return (guint) ((LsUOp *) buffer)->arg.ints[0] == GPOINTER_TO_UINT (number);
}

void
ls_reuse_forget (LsReuse *r, guint buffer)
{
  g_hash_table_foreach_remove (r->stored, is_buffer, GUINT_TO_POINTER (buffer));
}

/* The results of a graph, below reshapes. Free with g_hash_table_unref. */
static GHashTable *
results_of (LsUOp *sink)
{
  GHashTable *results = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < sink->n_src; i++) {
    LsUOp *u = sink->src[i];
    while (u->op == LS_OP_RESHAPE)
      u = u->src[0];
    g_hash_table_add (results, u);
  }
  return results;
}

/* What a schedule costs. */
typedef struct { guint kernels; gint64 bytes; Bytes peak; } Cost;

static Cost
cost_of (const LsReuse *r, LsContext *ctx, LsUOp *sink, LsScheduleHow how)
{
  g_autoptr (GArray) accesses = ls_schedule_accesses (ctx, sink, how), alive = g_array_new (FALSE, TRUE, sizeof (Bytes));
  g_autoptr (GHashTable) lives = g_hash_table_new_full (NULL, NULL, NULL, g_free), results = results_of (sink);
  guint n = r->alive->len, begin = n;
  Cost cost = { 0 };
  for (guint i = 0; i < accesses->len; i++) {
    const Life *known = g_hash_table_lookup (r->lives, g_array_index (accesses, LsScheduleAccess, i).what);
    begin = known ? MIN (begin, known->last + 1) : begin;
  }
  g_array_append_vals (alive, &g_array_index (r->alive, Bytes, begin), n - begin);
  for (guint i = 0; i < accesses->len; i++) {
    const LsScheduleAccess *a = &g_array_index (accesses, LsScheduleAccess, i);
    Kind kind = a->what->op == LS_OP_BUFFER || g_hash_table_contains (results, a->what) ? OTHER : INTERMEDIATE;
    use (lives, g_hash_table_lookup (r->lives, a->what), alive, begin, a->what, kind, a->bytes, n + a->kernel);
    cost.kernels = MAX (cost.kernels, a->kernel + 1);
    cost.bytes += a->bytes;
  }
  if (begin)
    cost.peak = g_array_index (r->most, Bytes, begin - 1);
  for (guint k = 0; k < alive->len; k++)
    raise_to (&cost.peak, &g_array_index (alive, Bytes, k));
  return cost;
}

static gboolean
is_no_more (const Cost *a, const Cost *b)
{
  gboolean fits = TRUE;
  for (guint k = 0; k < N_KINDS; k++)
    fits = fits && a->peak.of[k] <= b->peak.of[k];
  return fits && a->kernels <= b->kernels && a->bytes <= b->bytes;
}

typedef struct { const LsReuse *reuse; GHashTable *results; } Finder;

static gboolean
is_stored (gpointer data, const LsUOp *u)
{
  const Finder *f = data;
  return g_hash_table_contains (f->reuse->stored, u) && !g_hash_table_contains (f->results, u);
}

/* Adds to found the nodes of the graph that earlier kernels stored, but not those below others. */
static void
find (const LsReuse *r, LsContext *ctx, LsUOp *sink, GPtrArray *found)
{
  g_autoptr (GHashTable) results = results_of (sink);
  Finder f = { r, results };
  g_autoptr (GPtrArray) order = ls_uop_toposort_down_to (ctx, sink->src, sink->n_src, is_stored, &f);
  for (guint i = 0; i < order->len; i++) {
    LsUOp *u = order->pdata[i];
    if (u->op == LS_OP_BIND) {      /* a variable bounds a size in this schedule */
      g_ptr_array_set_size (found, 0);
      return;
    }
    if (is_stored (&f, u))
      g_ptr_array_add (found, u);
  }
}

static void
take (const LsReuse *r, GHashTable *taken, LsUOp *node)
{
  g_hash_table_insert (taken, node, g_hash_table_lookup (r->stored, node));
}

GHashTable *
ls_reuse_choose (const LsReuse *r, LsContext *ctx, LsUOp *sink, LsScheduleHow how)
{
  g_autoptr (GPtrArray) found = g_ptr_array_new ();
  if (g_hash_table_size (r->stored) > 0)
    find (r, ctx, sink, found);
  if (found->len == 0)
    return NULL;
  g_autoptr (GHashTable) taken = g_hash_table_new (NULL, NULL);
  Cost cost = cost_of (r, ctx, sink, how), now;
  how.stored = taken;
  for (guint i = 0; i < found->len; i++)
    take (r, taken, found->pdata[i]);
  now = cost_of (r, ctx, sink, how);
  if (is_no_more (&now, &cost))
    return g_steal_pointer (&taken);
  g_hash_table_remove_all (taken);
  for (guint i = 0; i < found->len && found->len <= MOST_TRIED && found->len > 1; i++) {
    take (r, taken, found->pdata[i]);
    now = cost_of (r, ctx, sink, how);
    if (is_no_more (&now, &cost))
      cost = now;
    else
      g_hash_table_remove (taken, found->pdata[i]);
  }
  return g_hash_table_size (taken) ? g_steal_pointer (&taken) : NULL;
}

GHashTable *
ls_reuse_find (const LsReuse *r, LsContext *ctx, LsUOp *sink, const GHashTable *nodes)
{
  g_autoptr (GPtrArray) found = g_ptr_array_new ();
  GHashTable *taken = g_hash_table_new (NULL, NULL);
  find (r, ctx, sink, found);
  for (guint i = 0; i < found->len; i++) {
    LsUOp *u = found->pdata[i];
    if (g_hash_table_contains ((GHashTable *) nodes, GUINT_TO_POINTER (u->id)))
      take (r, taken, u);
  }
  return taken;
}
