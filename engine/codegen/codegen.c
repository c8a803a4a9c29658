/* The passes of one kernel, in order. Each is a pure function of its graph, the target and the settings. */
#include "codegen.h"

#include "ir/spec.h"
#include "schedule/schedule.h"
#include "work.h"

#include <string.h>
#include <time.h>

static guint64
now_ns (void)
{
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return (guint64) t.tv_sec * 1000000000u + (guint64) t.tv_nsec;
}

/* One turn of a rewrite that does not end, as a pass of its own below the one that was stopped. */
static void
record_cycle (const LsCodegen *cg, LsRewrite *rw, const GArray *cycle, const LsPass *stopped, GError **error)
{
  const LsLink *first = &g_array_index (cycle, LsLink, 0);
  g_autofree char *name = g_strconcat (stopped->name, "-cycle", NULL);
  rw->recorder = ls_pass_begin (cg->trace, cg->kernel, stopped->stage, rw->set, rw->mode, ls_context_node (cg->ctx, first->before), cg->library);
  for (guint i = 0; i < cycle->len; i++) {
    const LsLink *l = &first[i];
    ls_pass_recorder_link (rw->recorder, ls_context_node (cg->ctx, l->before), ls_context_node (cg->ctx, l->after), l->rule, l->ns);
  }
  LsPass *pass = ls_pass_end (rw->recorder, NULL, 0);
  pass->name = g_intern_string (name);
  pass->parent = (gint) stopped->index;
  if (error && *error) {
    g_autoptr (GError) plain = g_steal_pointer (error);
    guint n = ls_pass_n_steps (pass);
    g_set_error (error, plain->domain, plain->code, "%s; one turn of it, %u step%s, is recorded as pass %s", plain->message, n, n == 1 ? "" : "s", pass->name);
  }
}

LsUOp *
ls_codegen_pass (const LsCodegen *cg, const char *stage, const char *set, LsRewriteMode mode, gpointer user, LsUOp *root, GError **error)
{
  g_autoptr (GArray) cycle = NULL;
  LsRewrite rw = { cg->ctx, cg->library, set, mode, (guint) cg->settings->STEP_LIMIT, NULL, user, cg->trace ? &cycle : NULL };
  guint64 start = now_ns ();
  rw.recorder = ls_pass_begin (cg->trace, cg->kernel, stage, set, mode, root, cg->library);
  LsUOp *out = ls_graph_rewrite (&rw, root, error);
  guint64 ns = now_ns () - start;
  const LsPass *pass = ls_pass_end (rw.recorder, out, ns);
  if (cycle)
    record_cycle (cg, &rw, cycle, pass, error);
  if (cg->stage_ns) {
    LsStageTime t = { stage, cg->kernel, ns };
    g_array_append_val (cg->stage_ns, t);
  }
  if (out && cg->settings->SPEC >= 2) {
    /* a node rebuilt between rules */
    g_autofree char *breach = ls_context_take_breach (cg->ctx);
    if (breach) {
      g_set_error (error, LS_ERROR, LS_ERROR_SPEC, "spec: a rebuilt %s", breach);
      out = NULL;
    }
  }
  if (out && cg->settings->SPEC >= 1 && !ls_spec_check (cg->ctx, out, cg->kernel ? stage : "", error))
    out = NULL;
  if (cg->after_pass)
    cg->after_pass (cg->after_pass_data);
  if (!out)
    g_prefix_error (error, "pass %s of kernel %u: ", stage, cg->kernel);
  return out;
}

static int
by_axis (gconstpointer a, gconstpointer b)
{
  const LsUOp *x = *(LsUOp *const *) a, *y = *(LsUOp *const *) b;
  for (guint i = 0; i < 3; i++)
    if (x->arg.ints[i == 0 ? 0 : i == 1 ? 2 : 1] != y->arg.ints[i == 0 ? 0 : i == 1 ? 2 : 1])
      return x->arg.ints[i == 0 ? 0 : i == 1 ? 2 : 1] < y->arg.ints[i == 0 ? 0 : i == 1 ? 2 : 1] ? -1 : 1;
  return 0;
}

/* The ranges of a graph in axis order. */
static GPtrArray *
ranges_of (LsContext *ctx, LsUOp *root)
{
  g_autoptr (GPtrArray) order = ls_uop_toposort (ctx, root);
  GPtrArray *ranges = g_ptr_array_new ();
  for (guint i = 0; i < order->len; i++)
    if (((LsUOp *) order->pdata[i])->op == LS_OP_RANGE)
      g_ptr_array_add (ranges, order->pdata[i]);
  g_ptr_array_sort (ranges, by_axis);
  return ranges;
}

/* "r_16_16_64_4_4": outer output axes, local ones, reduced ones, then what is unrolled and upcast. */
static char *
kernel_name (LsContext *ctx, LsUOp *root)
{
  g_autoptr (GPtrArray) ranges = ranges_of (ctx, root);
  g_autoptr (GPtrArray) nodes = ls_uop_toposort (ctx, root);
  gboolean has_reduce = FALSE;
  for (guint i = 0; i < nodes->len; i++)
    has_reduce |= ((LsUOp *) nodes->pdata[i])->op == LS_OP_REDUCE;
  static const LsAxisType order[] = { LS_AXIS_LOOP, LS_AXIS_GLOBAL, LS_AXIS_LOCAL, LS_AXIS_REDUCE, LS_AXIS_UNROLL, LS_AXIS_UPCAST };
  GString *s = g_string_new (has_reduce ? "r" : "E");
  gboolean any = FALSE;
  for (gsize t = 0; t < G_N_ELEMENTS (order); t++)
    for (guint i = 0; i < ranges->len; i++)
      if (ls_range_type (ranges->pdata[i]) == order[t]) {
        g_string_append_printf (s, "_%" G_GINT64_FORMAT, ls_range_size (ranges->pdata[i]));
        any = TRUE;
      }
  if (!any)
    g_string_append_c (s, '_');
  return g_string_free (s, FALSE);
}

static const char *
opt_name (LsOptKind kind)
{
  static const char *const names[] = { "UPCAST", "UNROLL", "LOCAL" };
  return names[kind];
}

/* Why the option cannot be applied to this graph, or NULL. */
static const char *
refusal (const LsCodegen *cg, const LsOpt *opt, GPtrArray *ranges, gint64 upcast, LsUOp **range)
{
  *range = NULL;
  for (guint i = 0; i < ranges->len; i++) {
    LsUOp *r = ranges->pdata[i];
    if (ls_range_axis (r) == opt->axis && r->arg.ints[2] == 0)
      *range = r;
  }
  if (!*range)
    return "the kernel has no such axis, or all of it is expanded already";
  gboolean reduce = ls_range_type (*range) == LS_AXIS_REDUCE;
  if (opt->kind == LS_OPT_LOCAL && !cg->target->has_local)
    return "the target has no work groups";
  if (reduce != (opt->kind == LS_OPT_UNROLL))
    return reduce ? "the axis is reduced; UNROLL is for it" : "the axis is not reduced; UPCAST is for it";
  if (ls_range_size (*range) % opt->amount != 0)
    return "the amount does not divide the axis";
  if (opt->kind != LS_OPT_LOCAL && upcast * opt->amount > 1024)
    return "more than 1024 values a turn";
  return NULL;
}

static LsUOp *
apply_options (const LsCodegen *cg, LsUOp *root, LsKernelCode *code, GError **error)
{
  g_autoptr (GArray) opts = cg->options ? ls_opts_parse (cg->options, error) : ls_opts_choose (cg, root);
  g_autoptr (GString) applied = g_string_new (NULL);
  gint64 upcast = 1;
  if (!opts)
    return NULL;
  for (guint i = 0; i < opts->len; i++) {
    const LsOpt *opt = &g_array_index (opts, LsOpt, i);
    g_autoptr (GPtrArray) ranges = ranges_of (cg->ctx, root);
    LsUOp *range;
    const char *why = refusal (cg, opt, ranges, upcast, &range);
    if (why) {
      g_string_append_printf (code->refused, "%s:%u:%" G_GINT64_FORMAT " refused: %s\n", opt_name (opt->kind), opt->axis, opt->amount, why);
      continue;
    }
    LsSplitUser user = { .axis = opt->axis, .amount = opt->amount,
                         .inner = opt->kind == LS_OPT_UPCAST ? LS_AXIS_UPCAST : opt->kind == LS_OPT_UNROLL ? LS_AXIS_UNROLL : LS_AXIS_LOCAL,
                         .outer = opt->kind == LS_OPT_LOCAL ? LS_AXIS_GLOBAL : ls_range_type (range) };
    root = ls_codegen_pass (cg, "options", "options", LS_REWRITE_WALK, &user, root, error);
    if (!root)
      return NULL;
    if (opt->kind != LS_OPT_LOCAL)
      upcast *= opt->amount;
    g_string_append_printf (applied, "%s%s:%u:%" G_GINT64_FORMAT, applied->len ? "," : "", opt_name (opt->kind), opt->axis, opt->amount);
  }
  code->options = g_strdup (applied->str);
  return root;
}

/* Names the work item index of each global and local range: the innermost axis is dimension 0. */
static gboolean
prepare_dims (const LsCodegen *cg, LsUOp *root, LsDimsUser *user, GError **error)
{
  g_autoptr (GPtrArray) ranges = ranges_of (cg->ctx, root);
  for (guint i = ranges->len; i-- > 0;) {
    LsUOp *r = ranges->pdata[i];
    LsAxisType type = ls_range_type (r);
    if (type != LS_AXIS_LOCAL && type != LS_AXIS_GLOBAL && type != LS_AXIS_LOOP)
      continue;
    gboolean local = type == LS_AXIS_LOCAL;
    guint number = local ? user->next_local++ : user->next_global++;
    if (number > 2)
      continue;      /* devices have three dimensions: further axes stay loops */
    g_autofree char *name = g_strdup_printf ("%s%u", local ? "lidx" : "gidx", number);
    user->from[user->n] = r;
    user->to[user->n++] = ls_uop_new1 (cg->ctx, LS_OP_SPECIAL, r->dtype, r->src[0], ls_arg_str (cg->ctx, name));
  }
  return TRUE;
}

/* int where every index and what it is made of fits, else long. */
static LsDType
index_dtype (LsContext *ctx, LsUOp *root)
{
  g_autoptr (GPtrArray) order = ls_uop_toposort (ctx, root);
  for (guint i = 0; i < order->len; i++) {
    LsUOp *u = order->pdata[i];
    if (ls_dtype_base (u->dtype) == LS_BASE_INDEX && (u->vmin < G_MININT32 || u->vmax > G_MAXINT32))
      return LS_INT64;
  }
  return LS_INT32;
}

LsKernelCode *
ls_codegen_run (const LsCodegen *cg, LsUOp *graph, GError **error)
{
  LsKernelCode *code = g_new0 (LsKernelCode, 1);
  code->refused = g_string_new (NULL);
  LsAstUser ast_user = { cg->settings->MERGE_VIEWS != 0 };
  LsAccUser acc_user = { 0 };
  LsIndexUser index_user = { LS_INT32 };
  LsLowerUser lower_user;
  LsUOp *u = ls_codegen_pass (cg, "ast", "ast", LS_REWRITE_TOP_DOWN, &ast_user, graph, error);
  if (!u)
    goto failed;
  code->ast = u;
  ls_lower_prepare (cg->ctx, u, &lower_user);
  if (!(u = ls_codegen_pass (cg, "lower", "lower", LS_REWRITE_BOTTOM_UP, &lower_user, u, error)))
    goto failed;
  if (!(u = ls_codegen_pass (cg, "simplify", "symbolic+gates", LS_REWRITE_BOTTOM_UP, NULL, u, error)))
    goto failed;
  ls_count_work (cg->ctx, u, &code->flops, &code->bytes);
  if (!(u = apply_options (cg, u, code, error)))
    goto failed;
  code->name = kernel_name (cg->ctx, u);
  if (!(u = ls_codegen_pass (cg, "expand", "expand", LS_REWRITE_BOTTOM_UP, NULL, u, error)))
    goto failed;
  if (!(u = ls_codegen_pass (cg, "accumulate", "accumulate", LS_REWRITE_WALK, &acc_user, u, error)))
    goto failed;
  if (cg->target->has_local) {
    LsDimsUser dims_user = { 0 };
    if (!prepare_dims (cg, u, &dims_user, error) || !(u = ls_codegen_pass (cg, "dims", "dims", LS_REWRITE_BOTTOM_UP, &dims_user, u, error)))
      goto failed;
  }
  if (!(u = ls_codegen_pass (cg, "devectorize", "devectorize", LS_REWRITE_BOTTOM_UP, NULL, u, error)))
    goto failed;
  if (!(u = ls_codegen_pass (cg, "simplify", "symbolic+gates", LS_REWRITE_BOTTOM_UP, NULL, u, error)))
    goto failed;
  if (!(u = ls_codegen_pass (cg, "decompose", "decompose", LS_REWRITE_BOTTOM_UP, NULL, u, error)))
    goto failed;
  index_user.index = index_dtype (cg->ctx, u);
  if (!(u = ls_codegen_pass (cg, "decompose", "index", LS_REWRITE_BOTTOM_UP, &index_user, u, error)))
    goto failed;
  code->final = u;
  return code;
failed:
  ls_kernel_code_free (code);
  return NULL;
}

void
ls_kernel_code_free (LsKernelCode *code)
{
  if (!code)
    return;
  g_free (code->name);
  g_free (code->options);
  g_string_free (code->refused, TRUE);
  g_free (code);
}
