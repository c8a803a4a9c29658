/* What calls computed.
 *
 * A recording has its kernels in order of launches, and its passes in order of time: each pass of the stage `tensor` begins the kernels of
 * one realization. Which call asked for it follows from the tensors: the roots of the pass are those that were to be computed, each the
 * node of the program or, by the map of the pass `program`, what became of it over buffers. A call of realize() has the node that it
 * was asked for, and an output the call that read it. In older recordings realize() has no node; of these calls the first is meant
 * that came after all nodes of the program that the pass has. Host data is copied when a graph over it is computed first.
 */
#include "realizations.h"
#include "statements.h"

#include "ir/sentence.h"

#include <math.h>
#include <string.h>

const char *const ls_did_kinds[] = { "schedule", "copy", "kernel", "launch", NULL };

typedef struct {
  LsTrace    *trace;
  GPtrArray  *found;
  GHashTable *visited;       /* nodes that were looked at for copies */
  GArray     *realizing;     /* guint: calls of realize(), in order */
  guint       next;          /* of these */
} Finder;

static void
realization_free (gpointer data)
{
  LsRealization *r = data;
  g_array_unref (r->nodes);
  g_array_unref (r->copies);
  g_free (r);
}

static const LsCall *
call_at (const LsTrace *trace, guint i)
{
  return &g_array_index (trace->calls, LsCall, i);
}

static LsRealization *
realization_new (void)
{
  LsRealization *r = g_new0 (LsRealization, 1);
  r->call = -1;
  r->row = G_MAXUINT;
  r->nodes = g_array_new (FALSE, FALSE, sizeof (guint32));
  r->copies = g_array_new (FALSE, FALSE, sizeof (guint));
  return r;
}

LsUOp *
ls_below_reshapes (const LsUOp *u)
{
  while (u && u->op == LS_OP_RESHAPE && u->n_src)
    u = u->src[0];
  return (LsUOp *) u;
}

static gboolean
computes (const LsRealization *r, const LsUOp *node)
{
  for (guint i = 0; node && i < r->nodes->len; i++)
    if (g_array_index (r->nodes, guint32, i) == node->id)
      return TRUE;
  return FALSE;
}

static gboolean
is_of (const LsPass *pass, LsStage stage)
{
  return pass->kernel == 0 && pass->parent < 0 && strcmp (pass->stage, ls_stage_infos[stage].name) == 0;
}

/* The tensors that a pass is to compute, as the program made them. */
static void
take_roots (LsTrace *trace, LsRealization *r, const LsPass *first, const LsPass *program)
{
  const LsUOp *sink = ls_context_node (trace->ctx, first->input);
  for (guint i = 0; sink && i < sink->n_src; i++) {
    guint32 id = sink->src[i]->id;
    for (guint k = program ? program->map->len : 0; k-- > 0;)
      if (g_array_index (program->map, LsMapEntry, k).new_node == id) {
        id = g_array_index (program->map, LsMapEntry, k).old_node;
        break;
      }
    const LsUOp *node = ls_below_reshapes (ls_context_node (trace->ctx, id));
    if (node)
      g_array_append_val (r->nodes, node->id);
  }
}

/* Whether a pass before that of a realization is one of it: another statement may have asked for the rewrite of a graph of its own. */
static gboolean
belongs_to_next (const LsTrace *trace, const LsPass *pass)
{
  return pass->kernel == 0 && ls_pass_rewriting_row (trace, pass) == G_MAXUINT;
}

/* Its passes end before that one, and before the program's own rewrites that follow its kernels. */
static void
end_before (const LsTrace *trace, LsRealization *r, guint end)
{
  while (end > r->pass + 1 && ls_pass_rewriting_row (trace, trace->passes->pdata[end - 1]) != G_MAXUINT)
    end--;
  r->end_pass = end;
}

/* The passes of the stage `tensor`, each with the kernels that come after it. */
static void
find_computed (Finder *f)
{
  LsTrace *t = f->trace;
  const LsPass *program = NULL, *first = NULL;
  LsRealization *last = NULL;
  guint in_kernel = 0;
  for (guint i = 0; i < t->passes->len; i++) {
    const LsPass *pass = t->passes->pdata[i];
    if (pass->kernel && pass->kernel != in_kernel) {
      in_kernel = pass->kernel;
      program = first = NULL;
      if (last && ls_trace_kernel (t, pass->kernel) && pass->kernel >= last->first) {
        last->first = last->first ? last->first : pass->kernel;
        last->n_kernels = pass->kernel - last->first + 1;
      }
    } else if (is_of (pass, LS_STAGE_PROGRAM) && pass->kind == LS_PASS_MAP) {
      program = pass;
    } else if (is_of (pass, LS_STAGE_QUOTIENT)) {
      first = pass;
    } else if (is_of (pass, LS_STAGE_TENSOR)) {
      guint begin = i;      /* the first one has the passes before it, too */
      while (begin > 0 && (!last || begin - 1 > last->pass) && belongs_to_next (t, t->passes->pdata[begin - 1]))
        begin--;
      if (last)
        end_before (t, last, begin);
      last = realization_new ();
      last->pass = begin;
      last->end_pass = t->passes->len;
      take_roots (t, last, first ? first : pass, program);
      g_ptr_array_add (f->found, last);
      first = program = NULL;
    }
  }
  if (last)
    end_before (t, last, t->passes->len);
}

/* Calls of the library's realize(); the oldest recordings have no files. */
static void
find_realizing (Finder *f)
{
  const LsTrace *t = f->trace;
  for (guint i = 0; i < t->calls->len; i++) {
    const LsCall *c = call_at (t, i);
    const LsProgramFile *file = c->def_file >= 0 && (guint) c->def_file < t->files->len
                                ? &g_array_index (t->files, LsProgramFile, c->def_file) : NULL;
    if (strcmp (c->name, "realize") == 0 && (file ? file->library : t->files->len == 0))
      g_array_append_val (f->realizing, i);
  }
}

/* The call that read an output. Before schema 8 it is known by its line. G_MAXUINT: not recorded. */
static guint
reading_call (const LsTrace *trace, const LsOutput *o)
{
  static const char *const reading[] = { "tolist", "item", "data", "numpy", NULL };
  if (o->call < trace->calls->len)
    return o->call;
  for (guint i = 0; i < trace->calls->len; i++)
    if (call_at (trace, i)->line == o->line && g_strv_contains (reading, call_at (trace, i)->name))
      return i;
  return G_MAXUINT;
}

/* The call that read a tensor that a realization computed, or -1. */
static gint
reader_of (Finder *f, const LsRealization *r)
{
  for (guint i = 0; i < f->trace->outputs->len; i++) {
    const LsOutput *o = &g_array_index (f->trace->outputs, LsOutput, i);
    guint call = computes (r, ls_below_reshapes (ls_context_node (f->trace->ctx, o->node))) ? reading_call (f->trace, o) : G_MAXUINT;
    if (call != G_MAXUINT)
      return (gint) call;
  }
  return -1;
}

/* The call that made the last of the nodes that a pass has: a realizing call came after it. -1: none. */
static gint
last_made (const LsTrace *trace, const LsRealization *r)
{
  gint last = -1;
  guint32 newest = 0;
  for (guint i = 0; i < r->nodes->len; i++)
    newest = MAX (newest, g_array_index (r->nodes, guint32, i));
  for (guint i = 0; i < trace->node_calls->len; i++) {
    const LsNodeCall *made = &g_array_index (trace->node_calls, LsNodeCall, i);
    if (made->node <= newest)
      last = MAX (last, (gint) made->call);
  }
  return last;
}

static void
find_call (Finder *f, LsRealization *r)
{
  const LsTrace *t = f->trace;
  for (guint i = f->next; i < f->realizing->len && r->call < 0; i++) {
    guint call = g_array_index (f->realizing, guint, i);
    if (call_at (t, call)->node != LS_NO_NODE && computes (r, ls_below_reshapes (ls_context_node (t->ctx, call_at (t, call)->node)))) {
      r->call = (gint) call;
      f->next = i + 1;
    }
  }
  if (r->call < 0)
    r->call = reader_of (f, r);
  gint made = r->call < 0 ? last_made (t, r) : -1;
  for (guint i = f->next; i < f->realizing->len && r->call < 0; i++) {
    guint call = g_array_index (f->realizing, guint, i);
    if (call_at (t, call)->node == LS_NO_NODE && (gint) call > made) {
      r->call = (gint) call;
      f->next = i + 1;
    }
  }
  r->row = r->call >= 0 ? call_at (t, (guint) r->call)->statement : G_MAXUINT;
}

/* Host data below a node that no earlier realization copied. */
static void
take_copies (Finder *f, LsRealization *r, LsUOp *from)
{
  g_autoptr (GPtrArray) todo = g_ptr_array_new ();
  g_ptr_array_add (todo, from);
  while (todo->len > 0) {
    LsUOp *u = g_ptr_array_steal_index_fast (todo, todo->len - 1);
    if (!g_hash_table_add (f->visited, u))
      continue;
    const LsUOp *of = u->op == LS_OP_COPY && u->n_src ? u->src[0] : NULL;
    if (of && of->op == LS_OP_BUFFER && of->arg.kind == LS_ARG_INTS && of->arg.n && (guint64) of->arg.ints[0] < f->trace->buffers->len) {
      guint host = (guint) of->arg.ints[0];
      g_array_append_val (r->copies, host);
    }
    for (guint i = u->n_src; i-- > 0;)
      g_ptr_array_add (todo, u->src[i]);
  }
}

static int
by_number (gconstpointer a, gconstpointer b)
{
  guint x = *(const guint *) a, y = *(const guint *) b;
  return x < y ? -1 : x > y;
}

/* A call that asked for host data alone, which launches nothing, is one as well: where no earlier one copied it. */
static void
add_copying (Finder *f, guint call, guint32 node, GPtrArray *to)
{
  LsUOp *u = ls_below_reshapes (ls_context_node (f->trace->ctx, node));
  if (!u || u->op != LS_OP_COPY || g_hash_table_contains (f->visited, u))
    return;
  LsRealization *r = realization_new ();
  r->call = (gint) call;
  r->row = call_at (f->trace, call)->statement;
  g_array_append_val (r->nodes, u->id);
  take_copies (f, r, u);
  g_ptr_array_add (to, r);
}

/* Copies, in order of the calls that asked: those of calls before a realization belong to them. */
static GPtrArray *
with_copies (Finder *f)
{
  const LsTrace *t = f->trace;
  GPtrArray *all = g_ptr_array_new_with_free_func (realization_free);
  guint output = 0, asked = 0;
  for (guint i = 0; i <= f->found->len; i++) {
    LsRealization *r = i < f->found->len ? f->found->pdata[i] : NULL;
    guint until = !r ? G_MAXUINT : r->call >= 0 ? (guint) r->call : 0;
    for (;;) {
      guint by_output = output < t->outputs->len ? reading_call (t, &g_array_index (t->outputs, LsOutput, output)) : G_MAXUINT,
            by_call = asked < f->realizing->len ? g_array_index (f->realizing, guint, asked) : G_MAXUINT;
      if (output < t->outputs->len && by_output == G_MAXUINT) {
        output++;
        continue;
      }
      if (MIN (by_output, by_call) >= until)
        break;
      gboolean within = by_call < t->calls->len && call_at (t, by_call)->parent == (gint) by_output;      /* its own realize() */
      if (by_output < by_call && !within)
        add_copying (f, by_output, g_array_index (t->outputs, LsOutput, output++).node, all);
      else
        add_copying (f, by_call, call_at (t, g_array_index (f->realizing, guint, asked++))->node, all);
    }
    for (guint k = 0; r && k < r->nodes->len; k++)
      take_copies (f, r, ls_context_node (t->ctx, g_array_index (r->nodes, guint32, k)));
    if (r) {
      g_array_sort (r->copies, by_number);
      g_ptr_array_add (all, r);
    }
  }
  return all;
}

static GPtrArray *
find (LsTrace *trace)
{
  g_autoptr (GHashTable) visited = g_hash_table_new (NULL, NULL);
  g_autoptr (GArray) realizing = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GPtrArray) found = g_ptr_array_new ();
  Finder f = { trace, found, visited, realizing, 0 };
  find_computed (&f);
  find_realizing (&f);
  for (guint i = 0; i < found->len; i++)
    find_call (&f, found->pdata[i]);
  return with_copies (&f);
}

/* Found again when more was recorded. */
/* asked: calls, + 1, that asked for values, and those that they are in. */
typedef struct { guint n_passes, n_calls, n_outputs; GPtrArray *all; GHashTable *of_call, *asked; } Found;

static void
found_free (gpointer data)
{
  g_ptr_array_unref (((Found *) data)->all);
  g_hash_table_unref (((Found *) data)->of_call);
  g_hash_table_unref (((Found *) data)->asked);
  g_free (data);
}

static const Found *
found_of (LsTrace *of)
{
  LsTrace *trace = of->of ? of->of : of;
  GQuark quark = g_quark_from_static_string ("ls-realizations");
  Found *known = g_dataset_id_get_data (trace, quark), now = { trace->passes->len, trace->calls->len, trace->outputs->len, NULL, NULL };
  if (!known || known->n_passes != now.n_passes || known->n_calls != now.n_calls || known->n_outputs != now.n_outputs) {
    now.all = find (trace);
    now.of_call = g_hash_table_new (NULL, NULL);
    now.asked = g_hash_table_new (NULL, NULL);
    for (guint i = now.all->len; i-- > 0;) {
      LsRealization *r = now.all->pdata[i];
      if (r->call >= 0)
        g_hash_table_insert (now.of_call, GINT_TO_POINTER (r->call + 1), r);
      for (gint at = r->call; at >= 0 && g_hash_table_add (now.asked, GINT_TO_POINTER (at + 1));)
        at = call_at (trace, (guint) at)->parent;
    }
    g_dataset_id_set_data_full (trace, quark, known = g_memdup2 (&now, sizeof now), found_free);
  }
  return known;
}

const GPtrArray *
ls_trace_realizations (LsTrace *trace)
{
  return found_of (trace)->all;
}

const LsRealization *
ls_call_realization (LsTrace *trace, guint call)
{
  return g_hash_table_lookup (found_of (trace)->of_call, GUINT_TO_POINTER (call + 1));
}

gboolean
ls_call_asked (LsTrace *trace, guint call)
{
  return g_hash_table_contains (found_of (trace)->asked, GUINT_TO_POINTER (call + 1));
}

const LsRealization *
ls_kernel_realization (LsTrace *trace, guint kernel)
{
  const GPtrArray *all = ls_trace_realizations (trace);
  for (guint i = 0; kernel && i < all->len; i++) {
    const LsRealization *r = all->pdata[i];
    if (kernel >= r->first && kernel < r->first + r->n_kernels)
      return r;
  }
  return NULL;
}

const LsStatement *
ls_realization_statement (LsTrace *of, const LsRealization *r)
{
  const LsTrace *trace = of->of ? of->of : of;
  return r && r->row < trace->statements->len ? &g_array_index (trace->statements, LsStatement, r->row) : NULL;
}

const LsStatement *
ls_kernel_statement (LsTrace *trace, guint kernel)
{
  return ls_realization_statement (trace, ls_kernel_realization (trace, kernel));
}

guint
ls_buffer_host (const LsTrace *trace, guint buffer)
{
  const LsTraceBuffer *host = buffer > 0 && buffer < trace->buffers->len ? trace->buffers->pdata[buffer - 1] : NULL,
                      *copy = host ? trace->buffers->pdata[buffer] : NULL;
  return host && g_strcmp0 (host->role, "host") == 0 && host->n_elements == copy->n_elements && host->dtype == copy->dtype ? buffer - 1
                                                                                                                       : G_MAXUINT;
}

/* In older recordings the statistics of a buffer without memory are 0, as those of zeros are. */
gboolean
ls_buffer_is_measured (const LsTrace *trace, guint buffer)
{
  const LsTraceBuffer *b = trace->buffers->pdata[buffer];
  if (b->data || b->digest)
    return TRUE;
  if (b->min != 0 || b->max != 0 || b->mean != 0)
    return isfinite (b->min) || isfinite (b->max) || b->n_nan || b->n_inf;
  return ls_buffer_host (trace, buffer + 1) == buffer && ls_buffer_is_measured (trace, buffer + 1) &&
         ((LsTraceBuffer *) trace->buffers->pdata[buffer + 1])->max == 0;
}

/* --- in words --- */

/* The first kernel from there on that has a buffer, or 0. */
static guint
first_reader (LsTrace *trace, guint from, guint buffer)
{
  for (guint number = MAX (from, 1); number <= trace->kernels->len; number++) {
    const LsKernel *k = ls_trace_kernel (trace, number);
    for (guint i = 0; k && i < k->buffers->len; i++)
      if (g_array_index (k->buffers, guint, i) == buffer)
        return number;
  }
  return 0;
}

guint
ls_realization_list (LsTrace *of, const LsRealization *r, guint max, GArray *to)
{
  LsTrace *trace = of->of ? of->of : of;
  guint n = 0;
  LsDid did = { LS_DID_SCHEDULE, (guint) MAX (r->call, 0), r->first, 0 };
  if (r->n_kernels && n++ < max)
    g_array_append_val (to, did);
  for (guint i = 0; i < r->copies->len; i++) {
    did.kind = LS_DID_COPY;
    did.buffer = g_array_index (r->copies, guint, i);
    if (n++ >= max)
      continue;
    did.kernel = first_reader (trace, r->first, did.buffer + 1);
    g_array_append_val (to, did);
  }
  for (guint number = r->first; number < r->first + r->n_kernels; number++) {
    const LsKernel *k = ls_trace_kernel (trace, number);
    did.kind = LS_DID_KERNEL;
    did.kernel = number;
    did.buffer = ls_kernel_output (k, 0);
    if (n++ < max)
      g_array_append_val (to, did);
    did.kind = LS_DID_LAUNCH;
    if (k && k->run_ns->len && n++ < max)
      g_array_append_val (to, did);
  }
  return n;
}

/* "int[3]" */
static char *
memory_text (const LsTraceBuffer *b)
{
  return g_strdup_printf ("%s[%" G_GUINT64_FORMAT "]", ls_dtype_name (b->dtype), b->n_elements);
}

char *
ls_buffer_text (LsTrace *trace, guint buffer)
{
  const LsNameBinding *name = ls_trace_buffer_name (trace, buffer);
  g_autofree char *text = name ? ls_sentence (LS_TEMPLATE ("%s (buffer %u)"), name->name, buffer)
                               : ls_sentence (LS_TEMPLATE ("buffer %u"), buffer);
  return ls_sentence_text (text);
}

/* "a (buffer 2), b (buffer 3)": what the kernel writes. */
static char *
written_text (LsTrace *trace, const LsKernel *k)
{
  GString *out = g_string_new (NULL);
  for (guint i = 0; i < ls_kernel_n_outputs (k); i++) {
    g_autofree char *one = ls_buffer_text (trace, ls_kernel_output (k, i));
    g_string_append_printf (out, "%s%s", i ? ", " : "", one);
  }
  return g_string_free (out, FALSE);
}

char *
ls_did_sentence (LsTrace *of, const LsDid *did)
{
  LsTrace *trace = of->of ? of->of : of;
  const LsKernel *k = ls_trace_kernel (trace, did->kernel);
  switch (did->kind) {
  case LS_DID_SCHEDULE: {
    const LsRealization *r = ls_kernel_realization (trace, did->kernel);
    return r && r->n_kernels > 1 ? ls_sentence ("schedule: %u kernels", r->n_kernels) : ls_sentence ("schedule: one kernel");
  }
  case LS_DID_COPY: {
    const LsTraceBuffer *b = did->buffer < trace->buffers->len ? trace->buffers->pdata[did->buffer] : NULL;
    g_autofree char *to = ls_buffer_text (trace, did->buffer + 1), *memory = b ? memory_text (b) : g_strdup ("?");
    return ls_sentence ("copy: %s of the host, buffer %u, to %s", memory, did->buffer, to);
  }
  case LS_DID_KERNEL: {
    g_autofree char *to = written_text (trace, k);
    return k ? ls_sentence ("kernel %u %s: writes %s", k->number, k->name, to) : g_strdup ("");
  }
  default:
    return k && k->run_ns->len ? ls_sentence ("launch of kernel %u: %.1f us", k->number,
                                              (double) g_array_index (k->run_ns, guint64, 0) / 1e3) : g_strdup ("");
  }
}

char *
ls_did_place (LsTrace *of, const LsDid *did)
{
  LsTrace *trace = of->of ? of->of : of;
  const LsKernel *k = ls_trace_kernel (trace, did->kernel);
  guint n = k ? k->passes->len : 0, at = did->kind == LS_DID_LAUNCH ? n - 1 : did->kind == LS_DID_KERNEL && n > 1;
  if (n == 0)
    return NULL;
  return g_strdup_printf ("%u/%s", k->number, ((LsPass *) trace->passes->pdata[g_array_index (k->passes, guint, at)])->name);
}
