/* The kernel's graph is lowered again, without options, in a context over the recording's: its ranges are the axes, and every option
 * is asked of it as the options pass asks. */
#include "kernel-options.h"

#include "codegen/codegen.h"
#include "ir/axis.h"
#include "ir/names.h"
#include "ir/sentence.h"
#include "pipeline/pipeline.h"
#include "ask/reference.h"
#include "rules/linear.h"

static void
axis_clear (gpointer data)
{
  g_array_unref (((LsOptionAxis *) data)->strides);
  g_free (((LsOptionAxis *) data)->name);
}

static void
row_clear (gpointer data)
{
  LsOptionRow *row = data;
  g_free (row->text);
  g_free (row->reason);
  g_free (row->why);
}

static gint64
stride_along (LsContext *ctx, LsUOp *index, LsUOp *range)
{
  LsLinear sum;
  if (!ls_uop_depends (ctx, index, range))
    return 0;
  if (!ls_linear_from (index, &sum))
    return LS_NO_STRIDE;
  gint64 stride = LS_NO_STRIDE;
  for (guint i = 0; i < sum.n; i++)
    if (sum.term[i] == range)
      stride = sum.coef[i];
    else if (ls_uop_depends (ctx, sum.term[i], range))
      return LS_NO_STRIDE;
  return stride;
}

/* Strides of several accesses to one buffer are reported where they agree. */
static void
add_stride (GArray *strides, guint buffer, gboolean is_store, gint64 stride)
{
  for (guint i = 0; i < strides->len; i++) {
    LsAxisStride *s = &g_array_index (strides, LsAxisStride, i);
    if (s->buffer == buffer && s->is_store == is_store) {
      s->stride = s->stride == stride ? stride : LS_NO_STRIDE;
      return;
    }
  }
  LsAxisStride s = { buffer, is_store, stride };
  g_array_append_val (strides, s);
}

static GArray *
axes_of (LsContext *ctx, LsUOp *root)
{
  GArray *axes = g_array_new (FALSE, FALSE, sizeof (LsOptionAxis));
  g_autoptr (GPtrArray) ranges = ls_ranges_of (ctx, root), order = ls_uop_toposort (ctx, root);
  g_autoptr (LsNames) names = ls_names_new (order->len, (LsUOp *const *) order->pdata);
  g_array_set_clear_func (axes, axis_clear);
  for (guint i = 0; i < ranges->len; i++) {
    LsUOp *r = ranges->pdata[i];
    LsOptionAxis axis = { (guint) ls_range_axis (r), (guint) ls_range_part (r), ls_name_of_loop (names, r),
                          ls_axis_type_name (ls_range_type (r)), ls_range_size (r), g_array_new (FALSE, FALSE, sizeof (LsAxisStride)) };
    for (guint k = 0; k < order->len; k++) {
      const LsUOp *u = order->pdata[k], *index = u->op == LS_OP_LOAD || u->op == LS_OP_STORE ? u->src[0] : NULL;
      if (index && index->op == LS_OP_INDEX && index->src[0]->op == LS_OP_DEFINE_GLOBAL)
        add_stride (axis.strides, (guint) index->src[0]->arg.i, u->op == LS_OP_STORE, stride_along (ctx, index->src[1], r));
    }
    g_array_append_val (axes, axis);
  }
  return axes;
}

static gboolean
is_there (const GArray *rows, const char *text)
{
  for (guint i = 0; i < rows->len; i++)
    if (g_str_equal (g_array_index (rows, LsOptionRow, i).text, text))
      return TRUE;
  return FALSE;
}

/* The options that the pipeline gives the kernel. */
static gboolean
add_chosen (LsPipeline *p, GArray *rows, GError **error)
{
  if (!ls_pipeline_run (p, LS_STAGE_OPTIONS, LS_STAGE_OPTIONS, error))
    return FALSE;
  for (guint i = 0; i < p->choices->len; i++) {
    const LsOptionChoice *c = &g_array_index (p->choices, LsOptionChoice, i);
    LsOptionRow row = { g_strdup (c->text), !c->refusal, g_strdup (c->refusal), c->by_user ? "you" : "heuristic",
                        c->why ? ls_sentence_text (c->why) : NULL };
    g_array_append_val (rows, row);
  }
  return TRUE;
}

static void
add_possible (LsPipeline *p, LsUOp *root, const LsOpt *opt, GArray *rows)
{
  LsOptionContext pass;
  g_autofree char *text = ls_opt_text (opt);
  if (is_there (rows, text))
    return;
  const char *reason = ls_opt_refusal (p->ctx, p->settings, p->target, opt, root, &pass);
  LsOptionRow row = { g_steal_pointer (&text), !reason, g_strdup (reason), NULL, NULL };
  g_array_append_val (rows, row);
}

static void
add_all_possible (LsPipeline *p, LsUOp *root, GArray *rows)
{
  g_autoptr (GArray) all = ls_opts_to_ask (p->ctx, root, 32, TRUE);
  for (guint i = 0; i < all->len; i++)
    add_possible (p, root, &g_array_index (all, LsOpt, i), rows);
}

LsKernelOptions *
ls_kernel_options (LsTrace *trace, guint kernel, const LsVariant *variant, GError **error)
{
  LsUOp *graph = ls_reference_graph_of (trace, kernel, error);
  if (!graph)
    return NULL;
  const LsRule *other;
  gboolean own_rules;
  g_autoptr (LsRuleLibrary) library = ls_recorded_library (trace, TRUE, &other, &own_rules);
  gboolean named;
  g_autofree char *options = ls_options_of_kernel (variant->options, kernel, &named);
  g_autoptr (LsContext) ctx = ls_context_new_over (trace->ctx);
  g_auto (LsPipeline) p = { .ctx = ctx, .library = library, .settings = &variant->settings, .target = variant->target, .options = options,
                            .kernel = kernel, .graph = graph };
  if (!ls_pipeline_run (&p, LS_STAGE_AST, LS_STAGE_SIMPLIFY, error))
    return NULL;
  LsUOp *root = p.graph;
  g_autoptr (LsKernelOptions) out = g_new0 (LsKernelOptions, 1);
  out->kernel = kernel;
  out->name = ls_kernel_name (ctx, root);
  out->axes = axes_of (ctx, root);
  out->options = g_array_new (FALSE, FALSE, sizeof (LsOptionRow));
  g_array_set_clear_func (out->options, row_clear);
  if (!add_chosen (&p, out->options, error))
    return NULL;
  add_all_possible (&p, root, out->options);
  return g_steal_pointer (&out);
}

void
ls_kernel_options_free (LsKernelOptions *o)
{
  if (!o)
    return;
  g_clear_pointer (&o->axes, g_array_unref);
  g_clear_pointer (&o->options, g_array_unref);
  g_free (o->name);
  g_free (o);
}

/* --- the answer --- */

#define STRIDE(X) \
  X (argument, INT, s->buffer, TRUE, "Number of the argument") \
  X (written, BOOL, s->is_store, TRUE, "True if it is written, false if it is read") \
  X (stride, INT, s->stride == LS_NO_STRIDE ? LS_NOTHING : s->stride, TRUE, \
     "Elements from one iteration of the axis to the next; null if that varies")
LS_INNER_RECORD (stride_answer, STRIDE, const LsAxisStride *s = row;)

#define AXIS(X) \
  X (axis, INT, a->axis, TRUE, "Number of the axis in options") \
  X (part, INT, a->part, TRUE, "Part of the axis, if options split it") \
  X (name, TEXT, a->name, TRUE, "Name of its loop: i, j, k, …") \
  X (type, TEXT, a->type, TRUE, "loop, reduce, global, …") \
  X (size, INT, a->size, TRUE, "Its iterations") \
  X (strides, LIST, ls_list_array (a->strides), TRUE, "The stride of each argument", .of = &stride_answer)
LS_INNER_RECORD (axis_answer, AXIS, const LsOptionAxis *a = row;)

#define OPTION(X) \
  X (text, TEXT, r->text, TRUE, "The option, such as UPCAST:0:4") \
  X (legal, BOOL, r->legal, TRUE, "True if the kernel can take it") \
  X (reason, TEXT, r->reason, TRUE, "Why it is refused, or null") \
  X (chosen_by, TEXT, r->chosen_by, TRUE, "you, heuristic or null") \
  X (why, TEXT, r->why, TRUE, "The heuristic's reason, or null")
LS_INNER_RECORD (option_answer, OPTION, const LsOptionRow *r = row;)

#define OPTIONS(X) \
  X (kernel, INT, o->kernel, TRUE, "Number of the kernel") \
  X (name, TEXT, o->name, TRUE, "Its name without options") \
  X (axes, LIST, ls_list_array (o->axes), TRUE, "Its axes in order", .of = &axis_answer) \
  X (options, LIST, ls_list_array (o->options), TRUE, "The options that it has or refused, then others", \
     .of = &option_answer, .lines = TRUE)
LS_RECORD (ls_kernel_options_answer, OPTIONS, const LsKernelOptions *o = row;)
