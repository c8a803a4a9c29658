/* What the program calls the buffers of its kernels.
 *
 * A statement binds a name to a tensor, which is a view of a base; the recording has the node of the base, and its buffer where the base
 * was computed by then. Most are computed later. Their buffers are found by what the recording says of values that are equal: where
 * a realized node was put (the maps of the pass `program`), the buffer of an output, and the node that a kernel computes, which passes
 * over all tensors made of the base. RESHAPE, PERMUTE, DETACH and CONTIGUOUS keep all elements, and are looked through. Of several names
 * the one that was bound first counts.
 */
#include "trace.h"

#include <string.h>

#define MOST_EQUAL 4096      /* nodes of equal values that are looked at for one kernel */

typedef struct { guint before, next; } Equal;      /* next: 1 + the index of another one */

typedef struct {
  LsTrace    *trace;
  GArray     *bindings;      /* guint, by buffer: 1 + the index in trace->bindings, or 0 */
  GHashTable *of_base;       /* node id + 1 of a base -> 1 + the binding that was first */
  GHashTable *first;         /* node id + 1 -> 1 + the index of the first in equals: what became that node */
  GArray     *equals;
} Finder;

static const LsNameBinding *
binding_at (const LsTrace *trace, guint i)
{
  return &g_array_index (trace->bindings, LsNameBinding, i);
}

static guint
first_of_base (const Finder *f, guint32 node)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (f->of_base, GUINT_TO_POINTER (node + 1)));
}

static void
note (Finder *f, guint64 buffer, guint binding)
{
  if (!binding || buffer >= f->trace->buffers->len)
    return;
  guint *known = &g_array_index (f->bindings, guint, buffer);
  *known = *known ? MIN (*known, binding) : binding;
}

static const LsUOp *
core_of (const LsUOp *u)
{
  while (u && u->n_src && (u->op == LS_OP_RESHAPE || u->op == LS_OP_PERMUTE || u->op == LS_OP_DETACH || u->op == LS_OP_CONTIGUOUS))
    u = u->src[0];
  return u;
}

static const LsUOp *
core_at (const Finder *f, guint32 id)
{
  return core_of (ls_context_node (f->trace->ctx, id));
}

static void
add_equal (Finder *f, guint32 before, guint32 after)
{
  const LsUOp *from = ls_context_node (f->trace->ctx, before), *to = core_at (f, after);
  if (!from || !to || from == to)
    return;
  gpointer key = GUINT_TO_POINTER (to->id + 1);
  Equal equal = { from->id, GPOINTER_TO_UINT (g_hash_table_lookup (f->first, key)) };
  g_array_append_val (f->equals, equal);
  g_hash_table_insert (f->first, key, GUINT_TO_POINTER (f->equals->len));
}

static void
add_pass (Finder *f, const LsPass *pass)
{
  for (guint i = 0; i < pass->links->len; i++) {
    const LsLink *l = &g_array_index (pass->links, LsLink, i);
    add_equal (f, l->before, l->after);
  }
  for (guint i = 0; i < pass->map->len; i++) {
    const LsMapEntry *m = &g_array_index (pass->map, LsMapEntry, i);
    const LsUOp *u = ls_context_node (f->trace->ctx, m->new_node);
    if (u && u->op == LS_OP_BUFFER && u->arg.kind == LS_ARG_INTS && u->arg.n && u->arg.ints[0] >= 0)
      note (f, (guint64) u->arg.ints[0], first_of_base (f, m->old_node));
    add_equal (f, m->old_node, m->new_node);
  }
}

/* A node that a kernel computes, and all that became it. */
static void
find_kernel (Finder *f, guint buffer, guint32 node)
{
  g_autoptr (GArray) todo = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_array_append_val (todo, node);
  for (guint i = 0; i < todo->len && todo->len < MOST_EQUAL; i++) {
    const LsUOp *u = ls_context_node (f->trace->ctx, g_array_index (todo, guint, i));
    for (;; u = u->src[0]) {      /* each node down to the core */
      if (!u || !g_hash_table_add (seen, (gpointer) u))
        break;
      note (f, buffer, first_of_base (f, u->id));
      if (u == core_of (u))
        break;
    }
    const LsUOp *core = core_of (u);
    guint at = core ? GPOINTER_TO_UINT (g_hash_table_lookup (f->first, GUINT_TO_POINTER (core->id + 1))) : 0;
    for (; at; at = g_array_index (f->equals, Equal, at - 1).next)
      g_array_append_val (todo, g_array_index (f->equals, Equal, at - 1).before);
  }
}

static void
find_outputs (Finder *f)
{
  for (guint i = 0; i < f->trace->outputs->len; i++) {
    const LsOutput *o = &g_array_index (f->trace->outputs, LsOutput, i);
    const LsUOp *u = ls_context_node (f->trace->ctx, o->node), *core = core_of (u);
    for (; u && o->buffer != G_MAXUINT; u = u->src[0]) {
      note (f, o->buffer, first_of_base (f, u->id));
      if (u == core)
        break;
    }
  }
}

static GArray *
find (LsTrace *trace)
{
  Finder f = { trace, g_array_new (FALSE, TRUE, sizeof (guint)), g_hash_table_new (NULL, NULL), g_hash_table_new (NULL, NULL),
               g_array_new (FALSE, FALSE, sizeof (Equal)) };
  g_array_set_size (f.bindings, trace->buffers->len);
  for (guint i = trace->bindings->len; i-- > 0;) {
    const LsNameBinding *b = binding_at (trace, i);
    g_hash_table_insert (f.of_base, GUINT_TO_POINTER ((b->base == LS_NO_NODE ? b->node : b->base) + 1), GUINT_TO_POINTER (i + 1));
    note (&f, b->buffer, i + 1);
  }
  find_outputs (&f);
  gboolean launched = FALSE;
  for (guint i = 0; i < trace->passes->len; i++) {
    const LsPass *pass = trace->passes->pdata[i];
    if (pass->kernel == 0 && pass->parent < 0) {
      if (launched) {      /* tensors that are realized next are rewritten from what the program made */
        g_hash_table_remove_all (f.first);
        g_array_set_size (f.equals, 0);
      }
      launched = FALSE;
      add_pass (&f, pass);
    } else if (pass->kernel && pass->kind == LS_PASS_MAP && g_str_equal (pass->stage, ls_stage_infos[LS_STAGE_SCHEDULE].name)) {
      const LsKernel *k = ls_trace_kernel (trace, pass->kernel);
      launched = TRUE;
      for (guint o = 0; o < ls_kernel_n_outputs (k); o++)
        find_kernel (&f, ls_kernel_output (k, o), ls_kernel_value (trace, k, o));
    }
  }
  g_hash_table_unref (f.of_base);
  g_hash_table_unref (f.first);
  g_array_unref (f.equals);
  return f.bindings;
}

/* Found again when more was recorded. */
typedef struct { guint n_passes, n_bindings, n_outputs, n_buffers; GArray *bindings; } Found;

static void
found_free (gpointer data)
{
  g_array_unref (((Found *) data)->bindings);
  g_free (data);
}

const LsNameBinding *
ls_trace_buffer_name (LsTrace *trace, guint buffer)
{
  GQuark quark = g_quark_from_static_string ("ls-buffer-names");
  Found *found = g_dataset_id_get_data (trace, quark),
        now = { trace->passes->len, trace->bindings->len, trace->outputs->len, trace->buffers->len, NULL };
  if (!found || memcmp (found, &now, G_STRUCT_OFFSET (Found, bindings)) != 0) {
    now.bindings = find (trace);
    g_dataset_id_set_data_full (trace, quark, found = g_memdup2 (&now, sizeof now), found_free);
  }
  guint binding = buffer < found->bindings->len ? g_array_index (found->bindings, guint, buffer) : 0;
  return binding ? binding_at (trace, binding - 1) : NULL;
}

char *
ls_trace_binding_place (LsTrace *trace, const LsNameBinding *binding)
{
  if (binding->statement >= trace->statements->len)
    return NULL;
  const LsStatement *s = &g_array_index (trace->statements, LsStatement, binding->statement);
  const char *file = s->file < trace->files->len ? g_array_index (trace->files, LsProgramFile, s->file).name : trace->program_name;
  g_autofree char *name = g_path_get_basename (file ? file : "?"), *valid = g_utf8_make_valid (name, -1);
  return g_strdup_printf ("%s:%u", valid, s->line);
}
