/* Reading nodes and links, and the conditions across tables.
 *
 * A node is made again with the same id: if an equal node existed before, ids would shift and every reference would be to another node,
 * so a duplicate is an error. A node must have the sources and the kind of argument that its op is read with elsewhere; more is for the
 * specs to say, since a recording may well show a graph that is wrong.
 */
#include "store-read-private.h"

#include <string.h>

#include "ir/print.h"

#define KIND(k) (1u << LS_ARG_##k)

/* Conditions that other code relies on without testing: minimum number of sources of ops whose number varies, kinds of argument, minimum
 * numbers in it. */
static const struct { LsOp op; guint min_src; guint kinds; guint min_ints; } forms[] = {
  { LS_OP_BUFFER, 0, KIND (INTS), 2 },      { LS_OP_CONST, 0, KIND (INT) | KIND (FLOAT), 0 }, { LS_OP_VCONST, 0, KIND (INTS), 1 },
  { LS_OP_RESHAPE, 1, KIND (INTS), 0 },     { LS_OP_PERMUTE, 1, KIND (INTS), 0 },             { LS_OP_EXPAND, 1, KIND (INTS), 0 },
  { LS_OP_PAD, 1, KIND (INTS), 0 },         { LS_OP_SHRINK, 1, KIND (INTS), 0 },              { LS_OP_FLIP, 1, KIND (INTS), 0 },
  { LS_OP_REDUCE_AXIS, 1, KIND (OP_INTS), 0 }, { LS_OP_REDUCE, 1, KIND (OP_INTS), 0 },        { LS_OP_DEFINE_GLOBAL, 0, KIND (INT), 0 },
  { LS_OP_DEFINE_ACC, 1, KIND (INT), 0 },   { LS_OP_DEFINE_REG, 0, KIND (INTS), 1 },
    { LS_OP_SPECIAL, 1, KIND (STR), 0 },              { LS_OP_RANGE, 1, KIND (INTS), 2 },
  { LS_OP_IF, 1, 0, 0 },                    { LS_OP_VIEW, 0, KIND (TRACKER), 0 },             { LS_OP_INDEX, 2, 0, 0 },
  { LS_OP_LOAD, 1, 0, 0 },                  { LS_OP_STORE, 2, 0, 0 },                         { LS_OP_PHI, 2, 0, 0 },
  { LS_OP_LIMIT, 2, KIND (INTS), 1 },       { LS_OP_AT, 2, KIND (INTS), 1 },                  { LS_OP_BIND, 1, KIND (VAR), 0 },
  { LS_OP_DEFINE_VAR, 0, KIND (VAR), 0 },
  { LS_OP_VECTORIZE, 1, 0, 0 },             { LS_OP_GEP, 1, KIND (INT) | KIND (INTS), 1 },
  { LS_OP_AFTER, 1, 0, 0 },                 { LS_OP_BARRIER, 1, 0, 0 },
};

static gboolean
has_form (LsReader *r, gint64 id, LsOp op, guint n_src, LsArg arg)
{
  int arity = ls_op_info (op)->arity;
  if (arity >= 0 && n_src != (guint) arity)
    return ls_reader_fail (r, "nodes", id, "%s has %u sources, not %d", ls_op_name (op), n_src, arity);
  for (guint k = 0; k < G_N_ELEMENTS (forms); k++)
    if (forms[k].op == op) {
      if (n_src < forms[k].min_src)
        return ls_reader_fail (r, "nodes", id, "%s has %u sources, fewer than %u", ls_op_name (op), n_src, forms[k].min_src);
      gboolean has_ints = arg.kind == LS_ARG_INTS || arg.kind == LS_ARG_OP_INTS;
      if ((forms[k].kinds && !(forms[k].kinds & 1u << arg.kind)) || (has_ints && arg.n < forms[k].min_ints))
        return ls_reader_fail (r, "nodes", id, "%s cannot have this argument", ls_op_name (op));
    }
  return TRUE;
}

typedef struct {
  GHashTable *ops;          /* name -> op + 1 */
  GPtrArray  *sources;
} NodeTools;

/* A number, or a text in quotes. */
static gboolean
read_tag (LsReader *r, gint64 id, sqlite3_stmt *query, int at, guint16 *tag)
{
  const char *text;
  gint64 number;
  if (sqlite3_column_type (query, at) == SQLITE_TEXT) {
    if (!ls_reader_text (r, "nodes", id, query, at, FALSE, &text))
      return FALSE;
    return ls_tag_parse (text, tag) ? TRUE : ls_reader_fail (r, "nodes", id, "\"%.64s\" is not a tag", text);
  }
  if (!ls_reader_int (r, "nodes", id, query, at, 0, LS_TAG_TEXTS - 1, &number))
    return FALSE;
  *tag = (guint16) number;
  return TRUE;
}

static gboolean
read_node (LsReader *r, sqlite3_stmt *query, NodeTools *tools)
{
  LsContext *ctx = r->trace->ctx;
  gint64 expected = ls_context_n_nodes (ctx), id;
  const char *op_name, *dtype_name, *arg_text;
  const guint8 *blob;
  gsize n_blob;
  guint16 tag;
  if (!ls_reader_int (r, "nodes", expected, query, 0, expected, MIN (expected, (gint64) LS_NO_NODE - 1), &id) ||
      !ls_reader_text (r, "nodes", id, query, 1, FALSE, &op_name) || !ls_reader_text (r, "nodes", id, query, 2, FALSE, &dtype_name) ||
      !ls_reader_text (r, "nodes", id, query, 3, FALSE, &arg_text) || !read_tag (r, id, query, 4, &tag) ||
      !ls_reader_blob (r, "nodes", id, query, 5, TRUE, &blob, &n_blob))
    return FALSE;

  guint op = GPOINTER_TO_UINT (g_hash_table_lookup (tools->ops, op_name));
  LsDType dtype;
  LsArg arg;
  if (op-- == 0)
    return ls_reader_fail (r, "nodes", id, "there is no op \"%.64s\"", op_name);
  if (!ls_reader_dtype (r, dtype_name, &dtype))
    return ls_reader_fail (r, "nodes", id, "there is no dtype \"%.64s\"", dtype_name);
  if (!ls_arg_parse (ctx, arg_text, &arg))
    return ls_reader_fail (r, "nodes", id, "\"%.64s\" is not an argument", arg_text);
  if (op == LS_OP_CONST)
    arg = ls_arg_fit (dtype, arg);
  if (n_blob % 4 != 0)
    return ls_reader_fail (r, "nodes", id, "src has %" G_GSIZE_FORMAT " bytes", n_blob);
  g_ptr_array_set_size (tools->sources, 0);
  for (gsize k = 0; k < n_blob; k += 4) {
    guint32 source;
    memcpy (&source, blob + k, 4);
    source = GUINT32_FROM_LE (source);
    if (source >= id)
      return ls_reader_fail (r, "nodes", id, "source %u does not come before it", source);
    g_ptr_array_add (tools->sources, ls_context_node (ctx, source));
  }
  if (!has_form (r, id, (LsOp) op, tools->sources->len, arg))
    return FALSE;
  LsUOp *u = ls_uop_new_tag (ctx, (LsOp) op, dtype, tools->sources->len, (LsUOp **) tools->sources->pdata, arg, tag);
  return u->id == id ? TRUE : ls_reader_fail (r, "nodes", id, "it duplicates node %u", u->id);
}

gboolean
ls_reader_nodes (LsReader *r)
{
  g_autoptr (GHashTable) ops = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint op = 0; op < LS_N_OPS; op++)
    g_hash_table_insert (ops, (gpointer) ls_op_name ((LsOp) op), GUINT_TO_POINTER (op + 1));
  g_autoptr (GPtrArray) sources = g_ptr_array_new ();
  NodeTools tools = { ops, sources };
  sqlite3_stmt *query = ls_reader_query (r, "nodes", "id, op, dtype, arg, tag, src", "id");
  gboolean failed = query == NULL;
  while (!failed && ls_reader_next (r, "nodes", query, &failed))
    failed = !read_node (r, query, &tools);
  sqlite3_finalize (query);
  return !failed;
}

static gboolean
read_chunk (LsReader *r, LsPass *pass, const guint8 *data, gsize n)
{
  guint32 n_nodes = ls_context_n_nodes (r->trace->ctx);
  for (gsize k = 0; k < n; k += 16) {
    guint32 words[4];
    memcpy (words, data + k, sizeof words);
    LsLink link = { GUINT32_FROM_LE (words[0]), GUINT32_FROM_LE (words[1]), (gint32) GUINT32_FROM_LE (words[2]),
                    GUINT32_FROM_LE (words[3]) };
    if (link.before >= n_nodes || link.after >= n_nodes)
      return ls_reader_fail (r, "links", pass->index, "link %u is between nodes that do not exist", pass->links->len);
    if (link.rule < LS_LINK_REBUILD || link.rule >= (gint64) r->trace->rules->len)
      return ls_reader_fail (r, "links", pass->index, "link %u has a rule that does not exist", pass->links->len);
    if (link.rule != LS_LINK_REBUILD)
      g_array_append_val (pass->steps, pass->links->len);
    g_array_append_val (pass->links, link);
  }
  return TRUE;
}

gboolean
ls_reader_links (LsReader *r)
{
  sqlite3_stmt *query = ls_reader_query (r, "links", "pass, chunk, data", "pass, chunk");
  gboolean failed = query == NULL;
  gint64 last_pass = -1, expected = 0;
  while (!failed && ls_reader_next (r, "links", query, &failed)) {
    gint64 number, chunk;
    const guint8 *data;
    gsize n;
    failed = !ls_reader_int (r, "links", 0, query, 0, 0, (gint64) r->trace->passes->len - 1, &number);
    if (failed)
      break;
    expected = number == last_pass ? expected + 1 : 0;
    last_pass = number;
    failed = !ls_reader_int (r, "links", number, query, 1, expected, expected, &chunk) ||
             !ls_reader_blob (r, "links", number, query, 2, FALSE, &data, &n);
    LsPass *pass = r->trace->passes->pdata[number];
    if (!failed && (n % 16 != 0 || (n > 0 && pass->kind != LS_PASS_REWRITE)))
      failed = !ls_reader_fail (r, "links", number, pass->kind == LS_PASS_REWRITE ? "data has %" G_GSIZE_FORMAT " bytes"
                                                                                  : "a map has %" G_GSIZE_FORMAT " bytes of links", n);
    failed = failed || !read_chunk (r, pass, data, n);
  }
  sqlite3_finalize (query);
  return !failed;
}

static guint
count_lines (const char *text)
{
  guint n = text && *text ? 1 : 0;
  for (; text && *text; text++)
    n += text[0] == '\n' && text[1] != '\0';
  return n;
}

static gboolean
check_kernel (LsReader *r, const LsKernel *k)
{
  guint n_lines = count_lines (k->source);
  for (guint i = 0; i < k->source_links->len; i++)
    if (g_array_index (k->source_links, LsSourceLink, i).line - 1 >= n_lines)
      return ls_reader_fail (r, "source_links", i, "kernel %u has no line %u", k->number,
                             g_array_index (k->source_links, LsSourceLink, i).line);
  for (guint i = 0; i < k->exprs->len; i++) {
    const LsExpr *e = &g_array_index (k->exprs, LsExpr, i);
    if (e->row >= k->listing->len || e->line > n_lines)
      return ls_reader_fail (r, "expressions", i, "kernel %u has no row %u or no line %u", k->number, e->row, e->line);
  }
  for (guint i = 0; i < k->code_lines->len; i++) {
    const LsCodeLine *l = &g_array_index (k->code_lines, LsCodeLine, i);
    if (l->offset >= k->n_code || l->line > n_lines || (i > 0 && l->offset <= l[-1].offset))
      return ls_reader_fail (r, "code_lines", i, "the code of kernel %u has no byte %u here, or its source has no line %u", k->number,
                             l->offset, l->line);
  }
  return TRUE;
}

#define MOST_LAYERS 64      /* of a search: who walks its tree is no deeper than that */

/* A search has a tree of candidates, in which one at the most is chosen, and a kernel has one search. */
static gboolean
check_searches (LsReader *r)
{
  const LsTrace *t = r->trace;
  g_autofree gboolean *searched = g_new0 (gboolean, t->kernels->len + 1);
  for (guint i = 0; i < t->searches->len; i++) {
    const LsTraceSearch *s = &g_array_index (t->searches, LsTraceSearch, i);
    guint kernel = s->kernel;
    if (s->heuristic < -1 || (kernel && s->heuristic >= (gint) ls_trace_kernel (r->trace, kernel)->candidates->len))
      return ls_reader_fail (r, "searches", i, "kernel %u has no candidate %d", kernel, s->heuristic);
    if (kernel == 0 || searched[kernel])
      return ls_reader_fail (r, "searches", i, kernel ? "kernel %u has a second search" : "there is no kernel %u", kernel);
    searched[kernel] = TRUE;
  }
  for (guint i = 0; i < t->kernels->len; i++) {
    const LsKernel *k = t->kernels->pdata[i];
    guint n_chosen = 0;
    if (k->candidates->len > 0 && !searched[k->number])
      return ls_reader_fail (r, "candidates", 0, "kernel %u has no search", k->number);
    for (guint c = 0; c < k->candidates->len; c++) {
      const LsCandidate *x = &g_array_index (k->candidates, LsCandidate, c);
      guint layer = x->parent < 0 ? 0 : g_array_index (k->candidates, LsCandidate, x->parent).layer + 1;
      if (x->layer != layer || layer > MOST_LAYERS || (x->parent < 0 && c > 0))
        return ls_reader_fail (r, "candidates", c, "kernel %u: layer %u is not its parent's layer plus one", k->number, x->layer);
      n_chosen += x->chosen;
    }
    if (n_chosen > 1)
      return ls_reader_fail (r, "candidates", 0, "kernel %u: %u candidates are chosen", k->number, n_chosen);
  }
  return TRUE;
}

static gboolean
check_buffer (LsReader *r, const LsTraceBuffer *b)
{
  guint64 item = (guint64) ls_dtype_itemsize (b->dtype) * ls_dtype_lanes (b->dtype), size;
  if (!g_uint64_checked_mul (&size, b->n_elements, item))
    return ls_reader_fail (r, "buffers", b->id, "it is too large");
  if (b->data && b->n_data != size)
    return ls_reader_fail (r, "buffers", b->id, "%" G_GSIZE_FORMAT " bytes of data for %" G_GUINT64_FORMAT " elements of %s", b->n_data,
                           b->n_elements,
                           ls_dtype_name (b->dtype));
  return TRUE;
}

/* A nested pass is of a step of its parent, which is a rewrite. */
static gboolean
check_pass (LsReader *r, const LsPass *pass)
{
  const LsPass *parent = pass->parent >= 0 ? r->trace->passes->pdata[pass->parent] : NULL;
  if (pass->step > 0 && (!parent || parent->kind != LS_PASS_REWRITE || pass->step > parent->steps->len))
    return ls_reader_fail (r, "passes", pass->index, "its parent has no step %u", pass->step);
  return TRUE;
}

/* Nodes that a call made in a row are made once: no file says more of them than there are nodes. */
static gboolean
check_makers (LsReader *r)
{
  guint64 end = 0;
  for (guint k = 0; k < r->trace->node_calls->len; k++) {
    const LsNodeCall *c = &g_array_index (r->trace->node_calls, LsNodeCall, k);
    if (c->more == 0)
      continue;
    if (c->node < end || (guint64) c->node + c->more >= ls_context_n_nodes (r->trace->ctx))
      return ls_reader_fail (r, "node_calls", k, "its %u nodes after node %u belong to another row or are missing", c->more, c->node);
    end = (guint64) c->node + c->more + 1;
  }
  return TRUE;
}

gboolean
ls_reader_check (LsReader *r)
{
  for (guint k = 0; k < r->trace->passes->len; k++)
    if (!check_pass (r, r->trace->passes->pdata[k]))
      return FALSE;
  for (guint k = 0; k < r->trace->kernels->len; k++)
    if (!check_kernel (r, r->trace->kernels->pdata[k]))
      return FALSE;
  if (!check_searches (r) || !check_makers (r))
    return FALSE;
  for (guint k = 0; k < r->trace->buffers->len; k++)
    if (!check_buffer (r, r->trace->buffers->pdata[k]))
      return FALSE;
  return TRUE;
}
