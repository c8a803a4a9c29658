/* lazyscope-cli with a fault planted in it, for planted.py: LS_WRONG names which; without it everything is as it should be.
 *
 * The command line is linked once more, with the functions below around those of the engine (the linker's --wrap), so that the
 * libraries themselves have no way to be wrong.
 *   rule:NAME:N      each result of the built-in rule is wrong in the N-th way: an op, a constant, sources, a gate, a lane, a range
 *   option:NAME:N    what the option works out for its rules is
 *   list:N           the list of UOps: its N-th addition is a subtraction
 *   op:NAME:N        the renderer's text of an op
 *   element:N        the text of an index; constant:N, of a constant
 *   field:NAME:N     a field of the dialect (dialect.def)
 */
#include "ask/ask.h"
#include "codegen/options/option.h"
#include "codegen/linearize.h"
#include "render/c-style-private.h"
#include "rewrite/rules-private.h"

#include <string.h>

static struct { char *what, *name; guint n; gboolean read; } fault;

static gboolean
planted (const char *what, const char *name)
{
  if (!fault.read) {
    fault.read = TRUE;
    const char *text = g_getenv ("LS_WRONG");
    g_auto (GStrv) parts = g_strsplit (text ? text : "", ":", 3);
    guint n = g_strv_length (parts);
    fault.what = n ? g_strdup (parts[0]) : NULL;
    fault.name = n > 2 ? g_strdup (parts[1]) : NULL;
    fault.n = n > 1 ? (guint) g_ascii_strtoull (parts[n - 1], NULL, 10) : 0;
  }
  return fault.what && strcmp (fault.what, what) == 0 && (!name || (fault.name && strcmp (fault.name, name) == 0));
}

/* --- rules --- */

typedef struct { LsUOp *node, *wrong; } Change;

static void
add (GArray *changes, LsUOp *node, LsUOp *wrong)
{
  Change c = { node, wrong };
  if (wrong && wrong != node && wrong->dtype == node->dtype)
    g_array_append_val (changes, c);
}

static LsUOp *
with_op (LsContext *ctx, LsUOp *u, LsOp op)
{
  return ls_uop_new (ctx, op, u->dtype, u->n_src, u->src, u->arg);
}

static LsUOp *
turned (LsContext *ctx, LsUOp *u, guint a, guint b)
{
  if (a >= u->n_src || b >= u->n_src || u->src[a]->dtype != u->src[b]->dtype)
    return NULL;
  g_autofree LsUOp **src = g_memdup2 (u->src, u->n_src * sizeof *src);
  src[a] = u->src[b];
  src[b] = u->src[a];
  return ls_uop_new (ctx, u->op, u->dtype, u->n_src, src, u->arg);
}

/* What a mistake in a rule may make of one node of its result. */
static void
add_changes (LsContext *ctx, LsUOp *u, GArray *changes)
{
  static const struct { LsOp op, wrong; gboolean floats; } ops[] = {
    { LS_OP_ADD, LS_OP_SUB, TRUE }, { LS_OP_ADD, LS_OP_MUL, TRUE }, { LS_OP_SUB, LS_OP_ADD, TRUE }, { LS_OP_MUL, LS_OP_ADD, TRUE },
    { LS_OP_FDIV, LS_OP_MUL, TRUE }, { LS_OP_MAX, LS_OP_ADD, TRUE },
    { LS_OP_CMPLT, LS_OP_CMPNE, TRUE }, { LS_OP_CMPNE, LS_OP_CMPLT, TRUE }, { LS_OP_CMPEQ, LS_OP_CMPNE, TRUE },
    { LS_OP_AND, LS_OP_OR, FALSE }, { LS_OP_OR, LS_OP_AND, FALSE }, { LS_OP_SHL, LS_OP_SHR, FALSE },
    { LS_OP_SHR, LS_OP_SHL, FALSE }, { LS_OP_IDIV, LS_OP_MOD, FALSE }, { LS_OP_MOD, LS_OP_IDIV, FALSE },
    { LS_OP_FLOORDIV, LS_OP_FLOORMOD, FALSE }, { LS_OP_FLOORMOD, LS_OP_FLOORDIV, FALSE },
    { LS_OP_EXP2, LS_OP_LOG2, TRUE }, { LS_OP_LOG2, LS_OP_EXP2, TRUE }, { LS_OP_SIN, LS_OP_SQRT, TRUE }, { LS_OP_SQRT, LS_OP_SIN, TRUE },
    { LS_OP_RECIP, LS_OP_SQRT, TRUE },
  };
  gboolean is_bool = u->n_src && ls_dtype_is_bool (ls_dtype_scalar (u->src[0]->dtype)) && ls_dtype_is_bool (ls_dtype_scalar (u->dtype));
  for (guint i = 0; i < G_N_ELEMENTS (ops); i++)
    if (u->op == ops[i].op && !(is_bool && !ls_op_is_comparison (ops[i].wrong) && ops[i].wrong != LS_OP_AND && ops[i].wrong != LS_OP_OR))
      add (changes, u, with_op (ctx, u, ops[i].wrong));
  switch ((int) u->op) {
  case LS_OP_CONST:
    if (u->n_src == 0 && u->arg.kind == LS_ARG_INT)
      add (changes, u, ls_uop_const_i (ctx, u->dtype, u->arg.i + 1));
    else if (u->n_src == 0 && u->arg.kind == LS_ARG_FLOAT)
      add (changes, u, ls_uop_const_f (ctx, u->dtype, u->arg.f + 1));
    break;
  case LS_OP_CMPLT: case LS_OP_SUB: case LS_OP_FDIV: case LS_OP_IDIV: case LS_OP_FLOORDIV:
  case LS_OP_FLOORMOD: add (changes, u, turned (ctx, u, 0, 1)); break;
  case LS_OP_WHERE: add (changes, u, turned (ctx, u, 1, 2)); break;
  case LS_OP_VECTORIZE: add (changes, u, turned (ctx, u, 0, u->n_src - 1)); break;
  case LS_OP_REDUCE: case LS_OP_REDUCE_AXIS:
    add (changes, u, ls_uop_new (ctx, u->op, u->dtype, u->n_src, u->src,
                                 ls_arg_op_ints (ctx, u->arg.op == LS_OP_ADD ? LS_OP_MAX : LS_OP_ADD, u->arg.n, u->arg.ints)));
    break;
  case LS_OP_INDEX:      /* the gate is left out */
    if (u->n_src == 3)
      add (changes, u, ls_uop_new (ctx, u->op, u->dtype, 2, u->src, u->arg));
    break;
  case LS_OP_LOAD:       /* another value where the gate is closed */
    if (u->n_src == 2 && u->src[1]->dtype == u->dtype && !ls_dtype_is_bool (ls_dtype_scalar (u->dtype))) {
      LsUOp *src[2] = { u->src[0], ls_uop_alu2 (ctx, LS_OP_ADD, u->src[1], ls_dtype_is_float (u->dtype)
                                                ? ls_uop_const_f (ctx, u->dtype, 1) : ls_uop_const_i (ctx, u->dtype, 1)) };
      add (changes, u, ls_uop_new (ctx, u->op, u->dtype, 2, src, u->arg));
    }
    break;
  case LS_OP_GEP:
    if (u->arg.kind == LS_ARG_INTS && u->arg.n >= 1 && ls_dtype_lanes (u->src[0]->dtype) > 1) {
      g_autofree gint64 *lanes = g_memdup2 (u->arg.ints, u->arg.n * sizeof *lanes);
      lanes[0] = (lanes[0] + 1) % ls_dtype_lanes (u->src[0]->dtype);
      add (changes, u, ls_uop_new (ctx, u->op, u->dtype, u->n_src, u->src, ls_arg_ints (ctx, u->arg.n, lanes)));
    }
    break;
  case LS_OP_RANGE:      /* its last turn is left out */
    if (u->src[0]->op == LS_OP_CONST && u->src[0]->arg.i > 1)
      add (changes, u, ls_uop_new1 (ctx, LS_OP_RANGE, u->dtype, ls_uop_const_i (ctx, u->src[0]->dtype, u->src[0]->arg.i - 1), u->arg));
    break;
  default: break;
  }
}

static LsUOp *
with_node (LsContext *ctx, LsUOp *root, LsUOp *node, LsUOp *wrong)
{
  g_autoptr (GPtrArray) order = ls_uop_toposort (ctx, root);
  LsNodeMap *map = ls_node_map_acquire (ctx);
  gboolean above = FALSE;
  for (guint i = 0; i < order->len; i++) {
    LsUOp *u = order->pdata[i];
    ls_node_map_set_node (map, u, u == node ? wrong : above ? ls_uop_over (ctx, u, map) : u);
    above |= u == node;
  }
  LsUOp *out = ls_node_map_get_node (map, root);
  ls_node_map_release (ctx, map);
  return out;
}

/* The result with one of the nodes changed that the rule made; where it made none, or none that can be, the whole of it. */
static LsUOp *
wrong_result (LsContext *ctx, LsUOp *matched, LsUOp *result, guint n)
{
  g_autoptr (GPtrArray) known = ls_uop_toposort (ctx, matched), made = ls_uop_toposort (ctx, result);
  g_autoptr (GHashTable) had = g_hash_table_new (NULL, NULL);
  g_autoptr (GArray) changes = g_array_new (FALSE, FALSE, sizeof (Change));
  for (guint i = 0; i < known->len; i++)
    g_hash_table_add (had, known->pdata[i]);
  for (guint i = 0; i < made->len; i++)
    if (!g_hash_table_contains (had, made->pdata[i]))
      add_changes (ctx, made->pdata[i], changes);
  LsDType d = ls_dtype_scalar (result->dtype);
  gboolean is_value = result->dtype != LS_VOID && !ls_dtype_is_ptr (result->dtype) && result->op != LS_OP_RANGE &&
                      result->op != LS_OP_DEFINE_ACC;
  if (is_value && ls_dtype_is_bool (d)) {
    add (changes, result, ls_uop_alu1 (ctx, LS_OP_NOT, result));
  } else if (is_value) {
    add (changes, result, ls_uop_alu2 (ctx, LS_OP_ADD, result, result));
    add (changes, result, ls_uop_alu1 (ctx, LS_OP_NEG, result));
  }
  if (!changes->len)
    return result;
  const Change *c = &g_array_index (changes, Change, n % changes->len);
  return with_node (ctx, result, c->node, c->wrong);
}

LsUOp *__real_ls_rule_result (const Rule *rule, LsContext *ctx, LsUOp *node, gpointer pass, LsDriver *driver, LsTermValue *slots);
LsUOp *__wrap_ls_rule_result (const Rule *rule, LsContext *ctx, LsUOp *node, gpointer pass, LsDriver *driver, LsTermValue *slots);

LsUOp *
__wrap_ls_rule_result (const Rule *rule, LsContext *ctx, LsUOp *node, gpointer pass, LsDriver *driver, LsTermValue *slots)
{
  LsUOp *result = __real_ls_rule_result (rule, ctx, node, pass, driver, slots);
  return result && driver && planted ("rule", rule->pub.name) ? wrong_result (ctx, node, result, fault.n) : result;
}

/* --- options --- */

static LsArg
with_number (LsContext *ctx, LsArg arg, guint at, gint64 value)
{
  g_autofree gint64 *ints = g_memdup2 (arg.ints, arg.n * sizeof *ints);
  if (at < arg.n)
    ints[at] = value;
  return ls_arg_ints (ctx, arg.n, ints);
}

static void
spoil_option (LsContext *ctx, LsOptionContext *pass)
{
  switch (fault.n % 8) {
  case 0: pass->amount++; break;
  case 1: pass->amount = MAX (pass->amount / 2, 1); break;
  case 2:      /* what is split off is counted as the rest of the axis */
    if (pass->inner.kind == LS_ARG_INTS)
      pass->inner = with_number (ctx, pass->inner, 2, 0);
    break;
  case 3:      /* the axis of another loop */
    if (pass->inner.kind == LS_ARG_INTS)
      pass->inner = with_number (ctx, pass->inner, 0, pass->inner.ints[0] ? 0 : 1);
    break;
  case 4:      /* one more is inside */
    if (pass->inside)
      pass->inside = ls_uop_alu2 (ctx, LS_OP_CMPLT, pass->inside->src[0],
                                  ls_uop_alu2 (ctx, LS_OP_ADD, pass->inside->src[1], ls_uop_const_i (ctx, pass->inside->src[1]->dtype, 1)));
    break;
  case 5:      /* one fewer */
    if (pass->inside)
      pass->inside = ls_uop_alu2 (ctx, LS_OP_CMPLT, pass->inside->src[0],
                                  ls_uop_alu2 (ctx, LS_OP_SUB, pass->inside->src[1], ls_uop_const_i (ctx, pass->inside->src[1]->dtype, 1)));
    break;
  case 6:      /* what is outside is inside */
    if (pass->inside)
      pass->inside = ls_uop_alu2 (ctx, LS_OP_CMPNE, pass->inside->src[0], pass->inside->src[1]);
    break;
  default:     /* SWAP: both axes become one */
    pass->outer = pass->inner.kind == LS_ARG_INTS ? pass->inner : pass->outer;
  }
}

const char *__real_ls_opt_refusal (LsContext *ctx, const LsSettings *settings, const LsTarget *target, const LsOpt *opt, LsUOp *root,
                                   LsOptionContext *pass);
const char *__wrap_ls_opt_refusal (LsContext *ctx, const LsSettings *settings, const LsTarget *target, const LsOpt *opt, LsUOp *root,
                                   LsOptionContext *pass);

const char *
__wrap_ls_opt_refusal (LsContext *ctx, const LsSettings *settings, const LsTarget *target, const LsOpt *opt, LsUOp *root,
                       LsOptionContext *pass)
{
  const char *why = __real_ls_opt_refusal (ctx, settings, target, opt, root, pass);
  if (!why && planted ("option", opt->option->name))
    spoil_option (ctx, pass);
  return why;
}

/* --- the list --- */

GPtrArray *__real_ls_linearize (LsContext *ctx, LsUOp *sink, const LsSettings *settings, GError **error);
GPtrArray *__wrap_ls_linearize (LsContext *ctx, LsUOp *sink, const LsSettings *settings, GError **error);

/* Its rows are those of another graph, in which the n-th addition is a subtraction. */
GPtrArray *
__wrap_ls_linearize (LsContext *ctx, LsUOp *sink, const LsSettings *settings, GError **error)
{
  GPtrArray *list = __real_ls_linearize (ctx, sink, settings, error);
  guint n = 0;
  if (!list || !planted ("list", NULL))
    return list;
  LsNodeMap *map = ls_node_map_acquire (ctx);
  for (guint i = 0; i < list->len; i++) {
    LsUOp *u = list->pdata[i], *over;
    for (guint k = 0; k < u->n_src; k++)
      if (!ls_node_map_has (map, u->src[k]))      /* no row of its own */
        ls_node_map_set_node (map, u->src[k], u->src[k]);
    over = ls_uop_over (ctx, u, map);
    if (u->op == LS_OP_ADD && n++ == fault.n)
      over = with_op (ctx, over, LS_OP_SUB);
    ls_node_map_set_node (map, u, over);
    list->pdata[i] = over;
  }
  ls_node_map_release (ctx, map);
  return list;
}

/* --- the renderer --- */

/* The text with one place changed where from stands: the n-th. */
static gboolean
change_text (char **text, const char *from, const char *to)
{
  char *at = strstr (*text, from);
  if (!at)
    return FALSE;
  char *out = g_strdup_printf ("%.*s%s%s", (int) (at - *text), *text, to, at + strlen (from));
  g_free (*text);
  *text = out;
  return TRUE;
}

static void
spoil_text (char **text, gboolean is_float)
{
  static const char *const changes[][2] = {
    { "exp2", "log2" }, { "log2", "exp2" }, { "sin", "sqrt" }, { "sqrt", "trunc" }, { "trunc", "sqrt" }, { "pow", "fmin" }, { "<=", "<" },
    { "<<", ">>" }, { ">>", "<<" }, { "==", "!=" }, { "!=", "==" }, { "||", "&&" },
    { "+", "-" }, { "*", "+" }, { "/", "*" }, { "%", "/" }, { "<", "<=" }, { "&", "|" }, { "|", "&" }, { "^", "|" }, { "max(", "min(" },
    { "(-", "(+" }, { "(-", "(1-" }, { "(!", "(0!=" }, { "(~", "(-" },
    { "(float)", "(float)(int)" }, { "(int)", "(int)(signed char)" }, { "(long)", "(signed char)" }, { "?", "?0*" },
    { "(float)", "(float)-" }, { "(int)", "(int)1+" }, { "-", "+" },
  };
  guint found[G_N_ELEMENTS (changes)], n = 0;
  for (guint i = 0; i < G_N_ELEMENTS (changes); i++)
    if (strstr (*text, changes[i][0]))
      found[n++] = i;
  if (n)
    change_text (text, changes[found[fault.n % n]][0], changes[found[fault.n % n]][1]);
}

char *__real_ls_render_expr (LsRender *r, LsUOp *u, LsRenderInfo *info);
char *__wrap_ls_render_expr (LsRender *r, LsUOp *u, LsRenderInfo *info);

char *
__wrap_ls_render_expr (LsRender *r, LsUOp *u, LsRenderInfo *info)
{
  char *text = __real_ls_render_expr (r, u, info);
  if (text && planted ("op", ls_op_name (u->op)))
    spoil_text (&text, ls_dtype_is_float (u->dtype));
  return text;
}

char *__real_ls_render_element (LsRender *r, LsUOp *index, LsDType dtype);
char *__wrap_ls_render_element (LsRender *r, LsUOp *index, LsDType dtype);

char *
__wrap_ls_render_element (LsRender *r, LsUOp *index, LsDType dtype)
{
  static const char *const changes[][2] = { { "*", "+" }, { "+", "*" }, { "]", "/2]" }, { "]", "^1]" }, { "[", "[1+" } };
  char *text = __real_ls_render_element (r, index, dtype);
  if (text && planted ("element", NULL))
    change_text (&text, changes[fault.n % G_N_ELEMENTS (changes)][0], changes[fault.n % G_N_ELEMENTS (changes)][1]);
  return text;
}

char *__real_ls_render_const (LsRender *r, LsDType dtype, LsArg arg);
char *__wrap_ls_render_const (LsRender *r, LsDType dtype, LsArg arg);

char *
__wrap_ls_render_const (LsRender *r, LsDType dtype, LsArg arg)
{
  if (planted ("constant", NULL) && arg.kind == (fault.n % 2 ? LS_ARG_INT : LS_ARG_FLOAT)) {
    if (arg.kind == LS_ARG_FLOAT)
      arg.f = fault.n & 2 ? arg.f * 2 : arg.f + 1;
    else
      arg.i = fault.n & 2 ? -arg.i : arg.i + 1;
  }
  return __real_ls_render_const (r, dtype, arg);
}

/* The fields of a dialect that is spoiled: flags are turned, texts changed. */
static void
spoil_dialect (LsDialect *d)
{
#define LS_SPOIL_TEXT(field)  if (d->field) { char *text = g_strdup (d->field); spoil_text (&text, TRUE); d->field = text; }
#define LS_SPOIL_FLAG(field)  d->field = !d->field;
#define LS_SPOIL_TYPES(field) d->field[LS_BASE_INT32] = "short"; d->field[LS_BASE_FLOAT] = fault.n % 2 ? "int" : d->field[LS_BASE_FLOAT];
#define LS_SPOIL_TRUTH(field) d->field[fault.n % 2] = d->field[1 - fault.n % 2];
#define X(kind, field, group, sentence) if (strcmp (fault.name, #field) == 0) { LS_SPOIL_##kind (field) }
#include "render/dialect.def"
#undef X
}

LsRendered *__real_ls_render (LsContext *ctx, const LsProcedure *procedure, guint n, LsUOp *const *list, const LsNames *names,
                              const LsTarget *target, const LsSettings *settings, GError **error);
LsRendered *__wrap_ls_render (LsContext *ctx, const LsProcedure *procedure, guint n, LsUOp *const *list, const LsNames *names,
                              const LsTarget *target, const LsSettings *settings, GError **error);

LsRendered *
__wrap_ls_render (LsContext *ctx, const LsProcedure *procedure, guint n, LsUOp *const *list, const LsNames *names,
                  const LsTarget *target, const LsSettings *settings, GError **error)
{
  LsTarget wrong = *target;
  LsDialect dialects[LS_N_PROFILES];
  if (planted ("field", NULL) && fault.name) {
    for (guint i = 0; i < LS_N_PROFILES; i++) {
      dialects[i] = *(const LsDialect *) target->dialects[i];
      spoil_dialect (&dialects[i]);
      wrong.dialects[i] = &dialects[i];
    }
    target = &wrong;
  }
  return __real_ls_render (ctx, procedure, n, list, names, target, settings, error);
}
