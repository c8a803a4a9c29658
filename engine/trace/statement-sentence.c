/* What a statement did, in words: the names that it bound, what it computed, what it read back; from the recording alone. */
#include "statements.h"
#include "realizations.h"

#include "ir/eval.h"
#include "ir/print.h"
#include "ir/sentence.h"
#include "ir/short.h"

#include <string.h>

#define MOST_NAMES  3        /* that one sentence says */
#define MOST_BEFORE 1000     /* bindings that are looked at for a name that a node has already */
#define MOST_VALUES 12       /* elements of an output */

typedef struct {
  LsTrace *trace;
  GString *out;
  gboolean shown;
} Says;

static void
say (Says *says, char *sentence)
{
  g_autofree char *text = says->shown ? ls_sentence_shown (sentence) : ls_sentence_text (sentence);
  g_string_append_printf (says->out, "%s%s", says->out->len ? "; " : "", text);
  g_free (sentence);
}

/* "ADD int (3,)"; of index arithmetic "ADD index, i*4+2". Free with g_free. */
static char *
node_text (LsTrace *trace, const LsUOp *node, gboolean tensor)
{
  LsShape shape;
  if (tensor && ls_uop_get_shape (trace->ctx, (LsUOp *) node, &shape, NULL)) {
    g_autofree char *text = ls_shape_to_string (shape);
    return g_strdup_printf ("%s %s %s", ls_op_name (node->op), ls_dtype_name (node->dtype), text);
  }
  g_autofree char *expr = ls_expr_bare (NULL, (LsUOp *) node, 80);
  g_autoptr (GString) tag = g_string_new (NULL);
  ls_short_tag (tag, node, FALSE);
  return g_strdup_printf ("%s %s, %s%s%s", ls_op_name (node->op), ls_dtype_name (node->dtype), expr, tag->len ? ", " : "", tag->str);
}

/* The name that a UOp had before binding i, NULL: none. The name itself if it was bound to it, else the last one that is still. */
static const char *
name_before (const LsTrace *t, guint i)
{
  const LsNameBinding *b = &g_array_index (t->bindings, LsNameBinding, i);
  g_autoptr (GHashTable) rebound = g_hash_table_new (g_str_hash, g_str_equal);
  const char *found = NULL;
  for (guint k = i; b->base == LS_NO_NODE && k-- > 0 && i - k < MOST_BEFORE;) {
    const LsNameBinding *other = &g_array_index (t->bindings, LsNameBinding, k);
    if (!g_hash_table_add (rebound, (gpointer) other->name) || other->node != b->node || other->base != LS_NO_NODE)
      continue;
    if (g_str_equal (other->name, b->name))
      return other->name;
    found = found ? found : other->name;
  }
  return found;
}

static void
say_names (Says *says, const LsStop *stop)
{
  for (guint i = 0; i < MIN (stop->n_bindings, MOST_NAMES); i++) {
    const LsNameBinding *b = &g_array_index (says->trace->bindings, LsNameBinding, stop->binding + i);
    const LsUOp *node = ls_context_node (says->trace->ctx, b->node);
    const char *before = name_before (says->trace, stop->binding + i);
    g_autofree char *text = node ? node_text (says->trace, node, b->base != LS_NO_NODE) : g_strdup ("?");
    if (before && g_str_equal (before, b->name))
      say (says, ls_sentence ("bound %s to %s, the same node as before", b->name, text));
    else if (before)
      say (says, ls_sentence ("bound %s to %s, the same node as %s", b->name, text, before));
    else
      say (says, ls_sentence ("bound %s to %s", b->name, text));
  }
  guint more = stop->n_bindings - MIN (stop->n_bindings, MOST_NAMES);
  if (more)
    say (says, more == 1 ? ls_sentence ("bound 1 more name") : ls_sentence ("bound %u more names", more));
}

/* What the program calls a tensor by then; else the node. Free with g_free. */
static char *
tensor_text (LsTrace *trace, guint32 id, const LsStop *stop)
{
  const LsUOp *node = ls_context_node (trace->ctx, id);
  for (guint i = stop->binding + stop->n_bindings; i-- > 0;) {
    const LsNameBinding *b = &g_array_index (trace->bindings, LsNameBinding, i);
    if (b->node == id || b->base == id)
      return g_strdup (b->name);
  }
  return node ? node_text (trace, node, TRUE) : g_strdup ("?");
}

static void
say_realized (Says *says, const LsStop *stop)
{
  LsTrace *t = says->trace;
  const GPtrArray *all = ls_trace_realizations (t);
  g_autoptr (GString) names = g_string_new (NULL);
  guint n_copies = 0, n_kernels = 0, n = 0;
  for (guint i = 0; i < all->len; i++) {
    const LsRealization *r = all->pdata[i];
    if (r->row != stop->row)
      continue;
    n_copies += r->copies->len;
    n_kernels += r->n_kernels;
    for (guint k = 0; k < r->nodes->len; k++, n++) {
      g_autofree char *name = n < MOST_NAMES ? tensor_text (t, g_array_index (r->nodes, guint32, k), stop) : NULL;
      if (name)
        g_string_append_printf (names, "%s%s", n ? ", " : "", name);
    }
  }
  if (n > MOST_NAMES)
    g_string_append (names, ", …");
  g_autofree char *copies = n_copies == 1 ? ls_sentence ("1 copy") : ls_sentence ("%u copies", n_copies),
                  *kernels = n_kernels == 1 ? ls_sentence ("1 kernel") : ls_sentence ("%u kernels", n_kernels);
  g_autofree char *said_copies = says->shown ? ls_sentence_shown (copies) : ls_sentence_text (copies),
                  *said_kernels = says->shown ? ls_sentence_shown (kernels) : ls_sentence_text (kernels);
  if (n_copies && n_kernels)
    say (says, ls_sentence ("realized %s: %s, %s", names->str, said_copies, said_kernels));
  else if (n_copies || n_kernels)
    say (says, ls_sentence ("realized %s: %s", names->str, n_copies ? said_copies : said_kernels));
}

/* "simplify@9" of "simplify@9#2": a call may run several passes, and a loop calls again. */
static gboolean
same_call (const LsPass *a, const LsPass *b)
{
  gsize n = strcspn (a->name, "#");
  return n == strcspn (b->name, "#") && strncmp (a->name, b->name, n) == 0;
}

/* The rewrites of graphs of UOps that the statement asked for. */
static void
say_rewrites (Says *says, guint row)
{
  LsTrace *t = says->trace;
  guint n = 0, n_steps = 0;
  for (guint i = 0; i < t->passes->len; i++) {
    const LsPass *pass = t->passes->pdata[i], *next = NULL;
    if (pass->parent >= 0 || ls_pass_rewriting_row (t, pass) != row)
      continue;
    n_steps += ls_pass_n_rewrites (pass);
    for (guint k = i + 1; k < t->passes->len && !next; k++)
      if (((const LsPass *) t->passes->pdata[k])->parent < 0)
        next = t->passes->pdata[k];
    if (next && ls_pass_rewriting_row (t, next) == row && same_call (pass, next))
      continue;
    g_autofree char *name = g_strndup (pass->name, strcspn (pass->name, "#"));
    if (n++ < MOST_NAMES)
      say (says, n_steps == 1 ? ls_sentence ("ran %s, 1 step", name) : ls_sentence ("ran %s, %u steps", name, n_steps));
    n_steps = 0;
  }
  if (n > MOST_NAMES)
    say (says, n == MOST_NAMES + 1 ? ls_sentence ("ran 1 more rewrite") : ls_sentence ("ran %u more rewrites", n - MOST_NAMES));
}

/* --- values --- */

static void
append_element (GString *out, const LsTraceBuffer *b, guint64 at, gboolean whole)
{
  LsDType dtype = ls_dtype_scalar (b->dtype);
  LsScalar v = ls_scalar_load (dtype, b->data + at * ls_dtype_itemsize (dtype));
  if (ls_dtype_is_float (dtype)) {
    g_autofree char *text = ls_float_print (v.f, !whole && ls_dtype_base (dtype) != LS_BASE_DOUBLE);
    g_string_append (out, text);
  } else if (ls_dtype_is_bool (dtype)) {
    g_string_append (out, v.i ? "True" : "False");
  } else if (ls_dtype_base (dtype) == LS_BASE_UINT64) {
    g_string_append_printf (out, "%" G_GUINT64_FORMAT, (guint64) v.i);
  } else {
    g_string_append_printf (out, "%" G_GINT64_FORMAT, v.i);
  }
}

/* As Python prints nested lists. */
static void
append_values (GString *out, const LsTraceBuffer *b, guint n, const gint64 *dims, guint64 *at, gboolean whole)
{
  if (n == 0) {
    append_element (out, b, (*at)++, whole);
    return;
  }
  g_string_append_c (out, '[');
  for (gint64 i = 0; i < dims[0]; i++) {
    g_string_append (out, i ? ", " : "");
    append_values (out, b, n - 1, dims + 1, at, whole);
  }
  g_string_append_c (out, ']');
}

/* whole: all digits of each element as a double. NULL: the contents are not kept, or are long. Free with g_free. */
static char *
values_text (LsTrace *trace, const LsOutput *o, gboolean whole)
{
  const LsTraceBuffer *b = o->buffer < trace->buffers->len ? trace->buffers->pdata[o->buffer] : NULL;
  guint64 n = 1, at = 0;
  for (guint i = 0; i < o->n_dims; i++) {
    if (o->dims[i] < 0 || o->dims[i] > MOST_VALUES)
      return NULL;
    n *= (guint64) o->dims[i];
  }
  if (!b || !b->data || n == 0 || n > MOST_VALUES || ls_dtype_base (b->dtype) >= LS_N_BASES || b->n_data < n * ls_dtype_itemsize (b->dtype))
    return NULL;
  GString *text = g_string_new (NULL);
  append_values (text, b, o->n_dims, o->dims, &at, whole);
  return g_string_free (text, FALSE);
}

/* A value was printed if the statement prints and the text is in the program's output. */
static void
say_outputs (Says *says, guint row)
{
  LsTrace *t = says->trace;
  gboolean prints = g_str_has_prefix (g_array_index (t->statements, LsStatement, row).text, "print");
  guint n = 0;
  for (guint i = 0; i < t->outputs->len; i++) {
    const LsOutput *o = &g_array_index (t->outputs, LsOutput, i);
    if (o->call >= t->calls->len || g_array_index (t->calls, LsCall, o->call).statement != row || n++ >= MOST_NAMES)
      continue;
    g_autofree char *whole = values_text (t, o, TRUE), *values = values_text (t, o, FALSE);
    g_autofree char *shape = ls_shape_to_string ((LsShape) { o->n_dims, o->dims });
    if (whole && prints && t->std_out && strstr (t->std_out, whole))
      say (says, ls_sentence ("printed %s", whole));
    else if (values)
      say (says, ls_sentence ("read back %s", values));
    else
      say (says, ls_sentence ("read back %s %s", ls_dtype_name (o->dtype), shape));
  }
  if (n > MOST_NAMES)
    say (says, n == MOST_NAMES + 1 ? ls_sentence ("read back 1 more tensor") : ls_sentence ("read back %u more tensors", n - MOST_NAMES));
}

/* --- statements without tensors --- */

static guint
count (const char *text, char what)
{
  guint n = 0;
  for (; *text; text++)
    n += *text == what;
  return n;
}

/* "name" of "class name(Base):". Free with g_free. */
static char *
word_after (const char *text, const char *keyword)
{
  const char *at = strstr (text, keyword) + strlen (keyword);
  at += strspn (at, " \t");
  return g_strndup (at, strcspn (at, "(:[ \t\n"));
}

static gboolean
begins (const char *text, const char *word)
{
  return g_str_has_prefix (text, word) && g_ascii_isspace (text[strlen (word)]);
}

/* Of an import, a definition, or anything else that made no tensor. */
static void
say_other (Says *says, const LsStatement *s, const LsCall *call)
{
  const char *text = s->text, *names = strstr (text, "import");
  while (*text == '@' || g_ascii_isspace (*text))
    text = *text == '@' ? text + strcspn (text, "\n") : text + 1;
  if ((begins (text, "from") || begins (text, "import")) && names) {
    guint n = count (names, ',') + 1 - (strstr (names, ",)") || strstr (names, ",\n)"));
    say (says, strchr (names, '*') ? ls_sentence ("imported all names of a module")
                                   : n == 1 ? ls_sentence ("imported 1 name") : ls_sentence ("imported %u names", n));
  } else if (begins (text, "def") || begins (text, "async")) {
    g_autofree char *name = strstr (text, "def ") ? word_after (text, "def ") : g_strdup ("?");
    say (says, ls_sentence ("defined the function %s", name));
  } else if (begins (text, "class")) {
    g_autofree char *name = word_after (text, "class ");
    say (says, ls_sentence ("defined the class %s", name));
  } else if (call) {
    say (says, ls_sentence ("called %s; made no new tensor", call->name));
  } else {
    say (says, ls_sentence ("bound no name to a tensor"));
  }
}

/* The last call of the statement's own text: its result is the statement's. */
static const LsCall *
last_call (const LsTrace *t, guint row, const LsCall **made)
{
  const LsCallsByStatement *calls = ls_trace_calls_by_statement (t);
  const LsCall *last = NULL;
  *made = NULL;
  for (guint i = calls->last[row]; i > 0 && !*made; i = calls->before[i - 1]) {
    const LsCall *c = &g_array_index (t->calls, LsCall, i - 1);
    if (c->parent >= 0 && g_array_index (t->calls, LsCall, c->parent).statement == row)
      continue;
    last = last ? last : c;
    if (c->node != LS_NO_NODE && !*made)
      *made = c;
  }
  return last;
}

/* Whether a name was bound to a node before the stop. */
static gboolean
is_bound (const LsTrace *t, guint32 node, const LsStop *stop)
{
  for (guint i = 0; i < stop->binding; i++)
    if (g_array_index (t->bindings, LsNameBinding, i).node == node)
      return TRUE;
  return FALSE;
}

char *
ls_stop_sentence (LsTrace *of, const LsStop *stop, gboolean shown)
{
  LsTrace *t = of->of ? of->of : of;
  Says says = { t, g_string_new (NULL), shown };
  if (stop->row >= t->statements->len)
    return g_string_free (says.out, FALSE);
  const LsStatement *s = &g_array_index (t->statements, LsStatement, stop->row);
  const LsCall *made, *call = last_call (t, stop->row, &made);
  say_names (&says, stop);
  say_rewrites (&says, stop->row);
  say_realized (&says, stop);
  say_outputs (&says, stop->row);
  const LsUOp *node = says.out->len == 0 && made ? ls_context_node (t->ctx, made->node) : NULL;
  if (node && !is_bound (t, node->id, stop)) {
    g_autofree char *text = node_text (t, node, TRUE);
    say (&says, ls_sentence ("made %s", text));
  }
  if (says.out->len == 0)
    say_other (&says, s, call);
  if (t->error && s->file == 0 && stop->row + 1 == t->statements->len && t->error_line >= s->line && t->error_line <= s->end_line)
    say (&says, ls_sentence ("stopped with an error"));
  return g_string_free (says.out, FALSE);
}
