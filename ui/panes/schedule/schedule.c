/* The schedule as a graph of kernels, buffers and copies of host data.
 *
 * A kernel's arguments are recorded in order; which of them it writes is read off its graph: those that a STORE's place leads to.
 * Kernels that share a graph share the answer. The schedule's decisions are recorded by tensor and kernel; a buffer's reason is that of
 * the kernel that writes it.
 */
#include "schedule.h"
#include "kit/text.h"
#include "session/trace-text.h"
#include "trace/realizations.h"

#include <glib/gi18n.h>
#include <string.h>

/* --- kernels that write --- */

static int
argument_of (const LsUOp *place)
{
  for (guint depth = 0; place && depth < 16; depth++) {
    if (place->op == LS_OP_DEFINE_GLOBAL)
      return place->arg.kind == LS_ARG_INT ? (int) place->arg.i : place->arg.kind == LS_ARG_INTS &&
             place->arg.n ? (int) place->arg.ints[0] : -1;
    place = place->n_src ? place->src[0] : NULL;
  }
  return -1;
}

static guint64
written_by (LsTrace *trace, GHashTable *known, const LsKernel *k)
{
  guint64 *mask = g_hash_table_lookup (known, GUINT_TO_POINTER (k->ast + 1));
  LsUOp *root = ls_context_node (trace->ctx, k->ast);
  if (mask)
    return *mask;
  mask = g_new0 (guint64, 1);
  if (root) {
    g_autoptr (GPtrArray) order = ls_uop_toposort (trace->ctx, root);
    for (guint i = 0; i < order->len; i++) {
      const LsUOp *u = order->pdata[i];
      int argument = u->op == LS_OP_STORE && u->n_src ? argument_of (u->src[0]) : -1;
      if (argument >= 0 && argument < 64)
        *mask |= G_GUINT64_CONSTANT (1) << argument;
    }
  }
  g_hash_table_insert (known, GUINT_TO_POINTER (k->ast + 1), mask);
  return *mask;
}

gboolean
ls_schedule_scene_writes (LsScheduleScene *s, const LsKernel *k, guint argument)
{
  guint id = argument < k->buffers->len ? g_array_index (k->buffers, guint, argument) : G_MAXUINT;
  return id < s->writers->len && g_array_index (s->writers, guint, id) == k->number;
}

LsScheduleScene *
ls_schedule_scene_new (LsTrace *trace, guint around)
{
  LsScheduleScene *s = g_new0 (LsScheduleScene, 1);
  guint n = trace->kernels->len, half = LS_SCHEDULE_KERNELS / 2;
  s->trace = ls_trace_ref (trace);
  s->writers = g_array_new (FALSE, TRUE, sizeof (guint));
  g_array_set_size (s->writers, trace->buffers->len);
  if (n > LS_SCHEDULE_KERNELS) {
    s->first = around > half ? MIN (around - half, n - LS_SCHEDULE_KERNELS + 1) : 1;
    s->last = s->first + LS_SCHEDULE_KERNELS - 1;
  } else {
    s->first = n > 0;
    s->last = n;
  }
  g_autoptr (GHashTable) known = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  for (guint number = s->first; number && number <= s->last; number++) {
    const LsKernel *k = ls_trace_kernel (trace, number);
    guint64 mask = written_by (trace, known, k);
    for (guint i = 0; i < MIN (k->buffers->len, 64); i++) {
      guint id = g_array_index (k->buffers, guint, i);
      if ((mask >> i & 1) && id < s->writers->len)
        g_array_index (s->writers, guint, id) = number;
    }
  }
  return s;
}

void
ls_schedule_scene_free (LsScheduleScene *s)
{
  if (!s)
    return;
  ls_trace_unref (s->trace);
  g_array_unref (s->writers);
  g_free (s);
}

/* --- words --- */

static char *
dtype_name (LsDType d)
{
  char text[64];
  const char *name = ls_dtype_text (d, text);
  return g_strdup (g_str_has_prefix (name, "dtypes.") ? name + strlen ("dtypes.") : name);
}

static char *
bytes_text (guint64 n)
{
  return n < 10000 ? g_strdup_printf (_("%u B"), (guint) n) : g_format_size (n);
}

static const LsTraceBuffer *
buffer_of (LsScheduleScene *s, guint32 id)
{
  guint i = id & ~LS_SCHEDULE_BUFFER;
  return i < s->trace->buffers->len ? s->trace->buffers->pdata[i] : NULL;
}

static char *
reason_of (LsScheduleScene *s, guint kernel)
{
  for (guint i = 0; kernel && i < s->trace->decisions->len; i++) {
    const LsDecision *d = &g_array_index (s->trace->decisions, LsDecision, i);
    if (d->kernel == kernel && d->realized)
      return ls_text_reason (d->reason);
  }
  return ls_text_reason (NULL);
}

/* The kernels that read a buffer: "5, 6 and 3 more". */
static char *
readers_text (LsScheduleScene *s, guint buffer, guint *n)
{
  GString *text = g_string_new (NULL);
  *n = 0;
  for (guint number = s->first; number && number <= s->last; number++) {
    const LsKernel *k = ls_trace_kernel (s->trace, number);
    for (guint i = 0; i < k->buffers->len; i++)
      if (g_array_index (k->buffers, guint, i) == buffer && !ls_schedule_scene_writes (s, k, i)) {
        if ((*n)++ < 6)
          g_string_append_printf (text, "%s%u", *n > 1 ? ", " : "", number);
        break;
      }
  }
  if (*n > 6)
    g_string_append_printf (text, _(" and %u more"), *n - 6);
  return g_string_free (text, FALSE);
}

static char *
buffer_sentence (LsScheduleScene *s, const LsTraceBuffer *b)
{
  guint n, writer = b->id < s->writers->len ? g_array_index (s->writers, guint, b->id) : 0;
  g_autofree char *dtype = dtype_name (b->dtype), *count = ls_text_count (b->n_elements),
                  *size = bytes_text (b->n_elements * ls_dtype_itemsize (b->dtype));
  g_autofree char *readers = readers_text (s, b->id, &n);
  g_autofree char *reason = reason_of (s, writer);
  GString *t = g_string_new (NULL);
  g_string_append_printf (t, _("Buffer %u, %s: %s of %s, %s"), b->id, b->role ? b->role : "?", count, dtype, size);
  if (b->offset >= 0) {
    g_autofree char *offset = g_strdup_printf ("%" G_GINT64_FORMAT, b->offset);
    g_string_append_printf (t, _(" at byte %s of the memory plan"), offset);
  }
  g_string_append (t, ". ");
  if (writer && n)
    g_string_append_printf (t, ngettext ("Kernel %u, which writes it, is not fused with kernel %s, which reads it, because it got its "
                                         "own memory: %s.",
                                         "Kernel %u, which writes it, is not fused with kernels %s, which read it, because it got its "
                                         "own memory: %s.", n),
                            writer, readers, reason);
  else if (writer)
    g_string_append_printf (t, _("Kernel %u writes it: %s."), writer, reason);
  else if (n && ls_buffer_host (s->trace, b->id) != G_MAXUINT)
    g_string_append_printf (t, ngettext ("It is a copy of host data; kernel %s reads it.", "It is a copy of host data; kernels %s read it.",
                                         n), readers);
  else if (n)
    g_string_append_printf (t, ngettext ("It existed before; kernel %s reads it.", "It existed before; kernels %s read it.", n),
                            readers);
  else if (g_strcmp0 (b->role, "host") == 0)
    g_string_append (t, _("The program made it of its own numbers; kernels read a copy of it."));
  return g_string_free (t, FALSE);
}

static char *
copy_sentence (LsScheduleScene *s, guint buffer)
{
  const GPtrArray *all = ls_trace_realizations (s->trace);
  const LsTraceBuffer *b = buffer_of (s, buffer);
  guint host = ls_buffer_host (s->trace, buffer);
  if (!b || host == G_MAXUINT)
    return g_strdup ("");
  g_autofree char *size = bytes_text (b->n_elements * ls_dtype_itemsize (b->dtype));
  GString *t = g_string_new (NULL);
  g_string_append_printf (t, _("Copy of %s of host data, from buffer %u to buffer %u."), size, host, buffer);
  for (guint i = 0; i < all->len; i++) {
    const LsRealization *r = all->pdata[i];
    const LsStatement *at = NULL;
    for (guint k = 0; k < r->copies->len && !at; k++)
      at = g_array_index (r->copies, guint, k) == host ? ls_realization_statement (s->trace, r) : NULL;
    if (at) {
      g_autofree char *text = ls_text_cut (at->text, 100);
      g_string_append_printf (t, _(" Line %u needed it: %s"), at->line, text);
      break;
    }
  }
  return g_string_free (t, FALSE);
}

static char *
kernel_sentence (LsScheduleScene *s, const LsKernel *k)
{
  double ns;
  GString *t = g_string_new (NULL);
  g_autofree char *name = ls_text_valid (k->name);
  g_string_append_printf (t, _("Kernel %u, %s"), k->number, name);
  if (ls_text_median_ns (k, &ns)) {
    g_autofree char *time = ls_text_ns (ns);
    g_string_append_printf (t, ", %s", time);
  }
  if (k->same_as > 0)
    g_string_append_printf (t, _(", with the code of kernel %d"), k->same_as);
  g_autofree char *reason = reason_of (s, k->number);
  g_string_append_printf (t, _(". It exists because its result got its own memory: %s. "), reason);
  const LsStatement *at = ls_kernel_statement (s->trace, k->number);
  g_autofree char *text = at ? ls_text_cut (at->text, 100) : NULL;
  if (at)
    g_string_append_printf (t, _("Line %u realized it: %s. "), at->line, text);
  for (guint i = 0, said = 0; i < k->buffers->len && said < 2; i++) {      /* the kernels before it */
    guint id = g_array_index (k->buffers, guint, i), writer = id < s->writers->len ? g_array_index (s->writers, guint, id) : 0;
    if (!writer || writer >= k->number)
      continue;
    g_autofree char *why = reason_of (s, writer);
    g_string_append_printf (t, _("Not fused with kernel %u, whose result got its own memory: %s. "), writer, why);
    said++;
  }
  return g_string_free (t, FALSE);
}

char *
ls_schedule_scene_sentence (LsScheduleScene *s, guint32 id)
{
  gboolean copy = (id & LS_SCHEDULE_COPY) == LS_SCHEDULE_COPY;
  const LsKernel *k = id & LS_SCHEDULE_BUFFER ? NULL : ls_trace_kernel (s->trace, id);
  const LsTraceBuffer *b = id & LS_SCHEDULE_BUFFER && !copy ? buffer_of (s, id) : NULL;
  g_autofree char *text = k ? kernel_sentence (s, k) : b ? buffer_sentence (s, b) : copy ? copy_sentence (s, id & ~LS_SCHEDULE_COPY)
                                                                                         : g_strdup ("");
  return ls_text_cut (text, 600);
}

static char *
describe (const LsScene *scene, guint node)
{
  return ls_schedule_scene_sentence (scene->describe_data, scene->nodes[node].id);
}

/* --- the picture --- */

static void
add_node (LsScene *scene, guint32 id, LsOpClass class, gboolean strong, char *title, char *detail)
{
  LsSceneNode *n = &scene->nodes[scene->n_nodes++];
  g_autofree char *t = ls_text_cut (title, LS_SCENE_MAX_CHARS), *d = ls_text_cut (detail, LS_SCENE_MAX_CHARS + 2);
  *n = (LsSceneNode) { .id = id, .before = id, .kind = LS_DIFF_SAME, .side = LS_IN_BOTH, .op_class = (guint8) class, .axis = -1,
                       .strong = strong, .n_lanes = 1 };
  n->title[0] = n->title[1] = g_string_chunk_insert_const (scene->strings, t);
  n->detail[0] = n->detail[1] = g_string_chunk_insert_const (scene->strings, d);
  glong chars = MAX (g_utf8_strlen (t, -1), (g_utf8_strlen (d, -1) * 9 + 9) / 10);
  n->width = (float) (CLAMP (chars, 6, LS_SCENE_MAX_CHARS) * LS_SCENE_ADVANCE + 24);
  g_hash_table_insert (scene->places, GUINT_TO_POINTER (id), GUINT_TO_POINTER (scene->n_nodes));
  g_free (title);
  g_free (detail);
}

static void
add_edge (LsScene *scene, guint32 from, guint32 to, guint port, guint n_ports)
{
  scene->edges[scene->n_edges++] = (LsSceneEdge) { from, to, LS_IN_BOTH, { (guint16) port, (guint16) port },
                                                   { (guint16) n_ports, (guint16) n_ports } };
}

/* The buffer; one that was filled from the host's below the copy, and that below the host's. */
static guint32
need_buffer (LsScheduleScene *s, LsScene *scene, guint id)
{
  int at = ls_scene_find (scene, ls_schedule_buffer_id (id));
  if (at >= 0)
    return (guint32) at;
  guint host = ls_buffer_host (s->trace, id);
  guint32 copy = LS_NO_NODE;
  if (host != G_MAXUINT) {
    guint32 from = need_buffer (s, scene, host);
    const LsTraceBuffer *of = buffer_of (s, host);
    copy = scene->n_nodes;
    add_node (scene, ls_schedule_copy_id (id), LS_CLASS_MEMORY, TRUE, g_strdup (_("copy")),
              bytes_text (of->n_elements * ls_dtype_itemsize (of->dtype)));
    scene->nodes[copy].first_edge = scene->n_edges;
    scene->nodes[copy].n_edges = 1;
    add_edge (scene, from, copy, 0, 1);
  }
  const LsTraceBuffer *b = buffer_of (s, id);
  g_autofree char *dtype = b ? dtype_name (b->dtype) : NULL, *count = b ? ls_text_count (b->n_elements) : NULL;
  add_node (scene, ls_schedule_buffer_id (id), LS_CLASS_BUFFER, FALSE, ls_text_buffer (s->trace, id),
            b ? g_strdup_printf ("%s[%s] %s", dtype, count, b->role ? b->role : "") : g_strdup ("?"));
  at = (int) scene->n_nodes - 1;
  if (copy != LS_NO_NODE)
    add_edge (scene, copy, (guint32) at, 0, 1);
  return (guint32) at;
}

LsScene *
ls_schedule_scene_draw (LsScheduleScene *s)
{
  LsScene *scene = g_new0 (LsScene, 1);
  guint n_arguments = 0;
  scene->trace = ls_trace_ref (s->trace);
  scene->places = g_hash_table_new (NULL, NULL);
  scene->strings = g_string_chunk_new (4096);
  scene->focus = LS_NO_NODE;
  scene->root_before = scene->root_after = LS_NO_NODE;
  scene->describe = describe;
  scene->describe_data = s;
  for (guint number = s->first; number && number <= s->last; number++)
    n_arguments += MIN (ls_trace_kernel (s->trace, number)->buffers->len, G_MAXUINT16);
  /* an argument may have a copy, with the host's buffer and two edges */
  scene->nodes = g_new0 (LsSceneNode, 3 * n_arguments + (s->last - s->first + 1) + 1);
  scene->edges = g_new0 (LsSceneEdge, 3 * n_arguments + 1);
  for (guint number = s->first; number && number <= s->last; number++) {
    const LsKernel *k = ls_trace_kernel (s->trace, number);
    guint n = MIN (k->buffers->len, G_MAXUINT16), reads = 0, port = 0;
    double ns;
    g_autofree char *name = ls_text_valid (k->name),
                    *time = ls_text_median_ns (k, &ns) ? ls_text_ns (ns) : g_strdup (k->run_error && *k->run_error ? _("failed") : "");
    for (guint i = 0; i < n; i++) {
      reads += !ls_schedule_scene_writes (s, k, i);
      need_buffer (s, scene, g_array_index (k->buffers, guint, i));
    }
    guint32 at = scene->n_nodes;
    add_node (scene, ls_schedule_kernel_id (number), LS_CLASS_REDUCE, TRUE, g_strdup_printf ("%u  %s", number, name), g_strdup (time));
    scene->nodes[at].first_edge = scene->n_edges;
    for (guint i = 0; i < n; i++)
      if (!ls_schedule_scene_writes (s, k, i))
        add_edge (scene, need_buffer (s, scene, g_array_index (k->buffers, guint, i)), at, port++, reads);
    scene->nodes[at].n_edges = scene->n_edges - scene->nodes[at].first_edge;
    for (guint i = 0; i < n; i++)
      if (ls_schedule_scene_writes (s, k, i))
        add_edge (scene, at, need_buffer (s, scene, g_array_index (k->buffers, guint, i)), 0, 1);
  }
  scene->n_kind[LS_DIFF_SAME] = scene->n_nodes;
  return scene;
}
