/* The stops of a program's walk, and the graph of tensors after each: passes that are not rewrites, from the tensors of the names before
 * a statement to those after it. They are the steps of a program that realized nothing; any other recording has them next to it.
 *
 * Every row of the statements is a stop, in the order in which executions ended, as far as a recording has that order: names were bound
 * when their statement ended, rows are in the order in which executions began, and a statement in a function that another one called
 * ended before that one. Which one called it is known from its calls, and without calls from the function that its text stands in.
 */
#include "statements.h"
#include "realizations.h"

#include "rewrite/stage.h"

#include <string.h>

#define MOST_STATEMENTS 4096      /* a loop may bind a name a million times */

const char *
ls_pass_statement (const LsPass *pass)
{
  const char *reason = pass->kind == LS_PASS_MAP && pass->map->len > 0 ? g_array_index (pass->map, LsMapEntry, 0).reason : "";
  return g_str_has_prefix (reason, "line ") ? reason : "";
}

const char *
ls_pass_sentence (const LsPass *pass)
{
  const LsStageInfo *stage = ls_pass_stage (pass);
  const char *statement = ls_pass_statement (pass);
  if (*statement)
    return statement;
  if (pass->step)
    return "A side calculation of the step that contains this pass: a part of its result is a graph that had to be rewritten itself.";
  return stage ? stage->sentence : "";
}

const LsStageInfo *
ls_pass_stage (const LsPass *pass)
{
  const LsStageInfo *stage = ls_stage_of_pass (pass->name);
  return stage ? stage : ls_stage_find (pass->stage);
}

/* The tensors of the names as one graph: a SINK, in the order in which they were first bound. */
static LsUOp *
graph_of (LsContext *ctx, GPtrArray *nodes)
{
  return ls_uop_new (ctx, LS_OP_SINK, LS_VOID, nodes->len, (LsUOp **) nodes->pdata, ls_arg_none ());
}

/* --- stops --- */

typedef struct {
  const LsTrace *of;
  guint          n;           /* rows */
  gint          *outer;       /* by row: the row whose statement called the function that this one is in, or -1 */
  gboolean      *binds;
  GArray        *open;        /* guint: rows that bind nothing and have not ended */
  GArray        *stops;
} Order;

static const LsStatement *
row_at (const LsTrace *of, guint row)
{
  return &g_array_index (of->statements, LsStatement, row);
}

/* Whether a statement defines a function; decorators come before it. */
static gboolean
defines_function (const LsStatement *s)
{
  const char *text = s->text;
  while (*text == '@' || g_ascii_isspace (*text))
    text = *text == '@' ? text + strcspn (text, "\n") : text + 1;
  return g_str_has_prefix (text, "def ") || g_str_has_prefix (text, "async ");
}

static int
by_place (gconstpointer a, gconstpointer b, gpointer of)
{
  const LsStatement *x = row_at (of, *(const guint *) a), *y = row_at (of, *(const guint *) b);
  return x->file != y->file ? (x->file > y->file) - (x->file < y->file) : (x->line > y->line) - (x->line < y->line);
}

/* The functions' bodies, by file and line: (file << 32) + line -> 1 + a row that defines the innermost one. */
static GHashTable *
function_bodies (const LsTrace *of)
{
  g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (guint));
  GHashTable *body = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  for (guint i = 0; i < of->statements->len; i++)
    if (row_at (of, i)->end_line > row_at (of, i)->line && row_at (of, i)->turn <= 1 && defines_function (row_at (of, i)))
      g_array_append_val (rows, i);
  g_array_sort_with_data (rows, by_place, (gpointer) of);
  for (guint i = 0; i < rows->len; i++) {      /* inner ones begin later */
    guint row = g_array_index (rows, guint, i);
    const LsStatement *s = row_at (of, row);
    gint64 line = s->line;
    for (const char *at = s->text; (at = strchr (at, '\n')); at++) {
      gint64 key = (gint64) s->file << 32 | ++line;
      g_hash_table_insert (body, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER (row + 1));
    }
  }
  return body;
}

/* The text that a row is part of: 0: the program's own, outside of functions; else a function, or another file. */
static guint64
text_of (GHashTable *body, const LsStatement *s)
{
  gint64 key = (gint64) s->file << 32 | s->line;
  guint64 function = GPOINTER_TO_UINT (g_hash_table_lookup (body, &key));
  return function ? function : (guint64) s->file << 32;
}

static void
find_outer (Order *o)
{
  const LsTrace *of = o->of;
  g_autofree gboolean *known = g_new0 (gboolean, o->n + 1);
  g_autoptr (GHashTable) body = function_bodies (of);
  for (guint i = 0; i < of->calls->len; i++) {
    const LsCall *c = &g_array_index (of->calls, LsCall, i);
    guint outer = c->parent >= 0 ? g_array_index (of->calls, LsCall, c->parent).statement : G_MAXUINT;
    if (c->statement >= o->n || known[c->statement])
      continue;
    known[c->statement] = TRUE;
    o->outer[c->statement] = outer < c->statement ? (gint) outer : -1;
  }
  for (guint i = 0; i < o->n; i++) {
    guint64 text = known[i] ? 0 : text_of (body, row_at (of, i));
    if (known[i])
      continue;
    gint at = text && i > 0 ? (gint) i - 1 : -1;
    while (at >= 0 && text_of (body, row_at (of, (guint) at)) != text)
      at = o->outer[at];
    o->outer[i] = at >= 0 ? o->outer[at] : text && i > 0 ? (gint) i - 1 : -1;
  }
}

/* Is a row's statement in a function that another one's called? */
static gboolean
is_in (const Order *o, guint row, guint outer)
{
  gint at = o->outer[row];
  while (at > (gint) outer)
    at = o->outer[at];
  return at == (gint) outer;
}

static void
add_stop (Order *o, guint row, guint binding, guint n_bindings)
{
  LsStop stop = { row, binding, n_bindings };
  if (o->stops->len < MOST_STATEMENTS)
    g_array_append_val (o->stops, stop);
}

/* Rows that bind nothing end when one that is not in them begins, or ends. binding: how many names were bound by then. */
static void
end_open (Order *o, guint row, guint binding)
{
  while (o->open->len > 0) {
    guint last = g_array_index (o->open, guint, o->open->len - 1);
    if (row < o->n && last <= row && is_in (o, row, last))
      return;
    g_array_set_size (o->open, o->open->len - 1);
    add_stop (o, last, binding, 0);
  }
}

static void
begin_row (Order *o, guint row, guint binding)
{
  end_open (o, row, binding);
  if (!o->binds[row])
    g_array_append_val (o->open, row);
}

/* outer: of each row, filled if every row is a stop. */
static GArray *
find_stops (const LsTrace *of, gboolean every, gint *outer)
{
  guint n = of->statements->len, next = 0;
  g_autofree gboolean *binds = g_new0 (gboolean, n + 1);
  g_autoptr (GArray) open = g_array_new (FALSE, FALSE, sizeof (guint));
  Order o = { of, n, outer, binds, open, g_array_new (FALSE, FALSE, sizeof (LsStop)) };
  const LsNameBinding *bindings = (const LsNameBinding *) (gconstpointer) of->bindings->data;
  for (guint i = 0; i < of->bindings->len; i++)
    binds[MIN (bindings[i].statement, n)] = TRUE;
  if (every)
    find_outer (&o);
  for (guint i = 0, first = 0; i < of->bindings->len && o.stops->len < MOST_STATEMENTS; first = i) {
    guint row = bindings[i].statement;
    while (i < of->bindings->len && bindings[i].statement == row)
      i++;
    if (every && row < n) {
      while (next < row)
        begin_row (&o, next++, first);
      if (next == row)
        begin_row (&o, next++, first);
      while (next < n && !binds[next] && is_in (&o, next, row))
        begin_row (&o, next++, first);
      end_open (&o, row, first);
    }
    add_stop (&o, row, first, i - first);
  }
  while (every && next < n && o.stops->len < MOST_STATEMENTS)
    begin_row (&o, next++, of->bindings->len);
  if (every)
    end_open (&o, n, of->bindings->len);
  return o.stops;
}

/* Found again when more was recorded. */
typedef struct { guint n_statements, n_bindings, n_calls; GArray *stops; LsCallsByStatement calls; gboolean *made; gint *outer; } Found;

static void
found_free (gpointer data)
{
  Found *found = data;
  g_array_unref (found->stops);
  g_free (found->calls.last);
  g_free (found->calls.before);
  g_free (found->made);
  g_free (found->outer);
  g_free (found);
}

static LsCallsByStatement
find_calls (const LsTrace *of)
{
  LsCallsByStatement calls = { g_new0 (guint, of->statements->len + 1), g_new0 (guint, of->calls->len + 1) };
  for (guint i = 0; i < of->calls->len; i++) {
    guint row = MIN (g_array_index (of->calls, LsCall, i).statement, of->statements->len);
    calls.before[i] = calls.last[row];
    calls.last[row] = i + 1;
  }
  return calls;
}

static void
mark_made (const LsTrace *trace, gboolean *made, gint call)
{
  for (gint at = call; at >= 0 && at < (gint) trace->calls->len && !made[at]; at = g_array_index (trace->calls, LsCall, at).parent)
    made[at] = TRUE;
}

/* The calls that made a node themselves or in a call of theirs. */
static gboolean *
find_made (const LsTrace *trace)
{
  gboolean *made = g_new0 (gboolean, trace->calls->len + 1);
  for (guint i = 0; i < trace->node_calls->len; i++)
    mark_made (trace, made, (gint) g_array_index (trace->node_calls, LsNodeCall, i).call);
  return made;
}

static const Found *
found_of (const LsTrace *of)
{
  const LsTrace *trace = of->of ? of->of : of;
  GQuark quark = g_quark_from_static_string ("ls-stops");
  Found *found = g_dataset_id_get_data (trace, quark),
        now = { trace->statements->len, trace->bindings->len, trace->calls->len, NULL, { NULL }, NULL, NULL };
  if (!found || found->n_statements != now.n_statements || found->n_bindings != now.n_bindings || found->n_calls != now.n_calls) {
    now.outer = g_new (gint, trace->statements->len + 1);
    now.stops = find_stops (trace, TRUE, now.outer);
    now.calls = find_calls (trace);
    now.made = find_made (trace);
    g_dataset_id_set_data_full (trace, quark, found = g_memdup2 (&now, sizeof now), found_free);
  }
  return found;
}

const GArray *
ls_trace_stops (const LsTrace *trace)
{
  return found_of (trace)->stops;
}

gint
ls_statement_outer (const LsTrace *trace, guint row)
{
  return row < found_of (trace)->n_statements ? found_of (trace)->outer[row] : -1;
}

const LsCallsByStatement *
ls_trace_calls_by_statement (const LsTrace *trace)
{
  return &found_of (trace)->calls;
}

/* --- what they computed --- */

gboolean
ls_call_made_nothing (LsTrace *of, guint call)
{
  LsTrace *trace = of->of ? of->of : of;
  const Found *found = found_of (trace);
  return call < found->n_calls && g_array_index (trace->calls, LsCall, call).node != LS_NO_NODE && !found->made[call] &&
         !ls_call_asked (trace, call);
}

guint
ls_pass_rewriting_row (const LsTrace *trace, const LsPass *pass)
{
  while (pass->parent >= 0 && (guint) pass->parent < pass->index)
    pass = trace->passes->pdata[pass->parent];
  return pass->statement < trace->statements->len ? pass->statement : G_MAXUINT;
}

/* Of each pass the stop whose statement asked for it, or -1; of each row of the statements the passes [first, end). */
typedef struct { guint n_passes, n_statements, n_bindings, n_calls; gint *stop; guint *first, *end; } Asked;

static void
asked_free (gpointer data)
{
  Asked *asked = data;
  g_free (asked->stop);
  g_free (asked->first);
  g_free (asked->end);
  g_free (asked);
}

static guint *
find_asking_rows (LsTrace *trace)
{
  const GPtrArray *all = ls_trace_realizations (trace);
  guint n = trace->passes->len, *rows = g_new (guint, n + 1);
  for (guint i = 0; i < n; i++)
    rows[i] = G_MAXUINT;
  for (guint i = 0; i < all->len; i++) {
    const LsRealization *r = all->pdata[i];
    for (guint p = r->pass; p < MIN (r->end_pass, n); p++)
      rows[p] = r->row;
  }
  for (guint i = 0; i < n; i++) {
    guint row = ls_pass_rewriting_row (trace, trace->passes->pdata[i]);
    rows[i] = row != G_MAXUINT ? row : rows[i];
  }
  return rows;
}

static Asked *
find_asked (LsTrace *trace)
{
  const GArray *stops = ls_trace_stops (trace);
  guint n = trace->passes->len, n_rows = trace->statements->len;
  Asked *asked = g_new0 (Asked, 1);
  asked->stop = g_new (gint, n + 1);
  asked->first = g_new0 (guint, n_rows + 1);
  asked->end = g_new0 (guint, n_rows + 1);
  g_autofree guint *rows = find_asking_rows (trace);
  g_autofree gint *stop_of = g_new (gint, n_rows + 1);
  for (guint i = 0; i < n_rows; i++)
    stop_of[i] = -1;
  for (guint i = 0; i < stops->len; i++)
    if (g_array_index (stops, LsStop, i).row < n_rows)
      stop_of[g_array_index (stops, LsStop, i).row] = (gint) i;      /* the last one of a row */
  guint last = G_MAXUINT;      /* the row that asked for the pass before */
  for (guint i = 0; i < n; i++) {
    guint row = rows[i];
    asked->stop[i] = row < n_rows ? stop_of[row] : -1;
    if (row >= n_rows)
      continue;
    if (asked->end[row] == 0)
      asked->first[row] = i;
    if (asked->end[row] == 0 || last == row)
      asked->end[row] = i + 1;
    last = row;
  }
  return asked;
}

static const Asked *
asked_of (LsTrace *of)
{
  LsTrace *trace = of->of ? of->of : of;
  GQuark quark = g_quark_from_static_string ("ls-asked-passes");
  Asked *asked = g_dataset_id_get_data (trace, quark);
  if (!asked || asked->n_passes != trace->passes->len || asked->n_statements != trace->statements->len ||
      asked->n_bindings != trace->bindings->len || asked->n_calls != trace->calls->len) {
    asked = find_asked (trace);
    asked->n_passes = trace->passes->len;
    asked->n_statements = trace->statements->len;
    asked->n_bindings = trace->bindings->len;
    asked->n_calls = trace->calls->len;
    g_dataset_id_set_data_full (trace, quark, asked, asked_free);
  }
  return asked;
}

void
ls_stop_passes (LsTrace *trace, const LsStop *stop, guint *first, guint *end)
{
  const Asked *asked = asked_of (trace);
  *first = stop->row < asked->n_statements ? asked->first[stop->row] : 0;
  *end = stop->row < asked->n_statements ? asked->end[stop->row] : 0;
}

gint
ls_pass_asking_stop (LsTrace *trace, const LsPass *pass)
{
  const Asked *asked = asked_of (trace);
  return pass->index < asked->n_passes ? asked->stop[pass->index] : -1;
}

/* --- their graphs --- */

/* The tensors that a statement made without binding a name: the results of its own calls that no other result uses. */
static void
add_results (LsContext *ctx, const LsTrace *of, guint row, GPtrArray *to)
{
  const LsCallsByStatement *calls = ls_trace_calls_by_statement (of);
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) found = g_ptr_array_new ();
  for (guint i = calls->last[row]; i > 0; i = calls->before[i - 1]) {
    const LsCall *c = &g_array_index (of->calls, LsCall, i - 1);
    gboolean own = c->parent < 0 || g_array_index (of->calls, LsCall, c->parent).statement != row;
    LsUOp *node = own && c->node != LS_NO_NODE ? ls_context_node (ctx, c->node) : NULL,
          *last = found->len ? found->pdata[found->len - 1] : NULL;
    if (!node || !ls_uop_has_shape (node) || node == last)
      continue;
    if (last && !g_hash_table_contains (seen, last)) {      /* the sources of the last one found are requested now */
      g_autoptr (GPtrArray) below = ls_uop_toposort (ctx, last);
      for (guint k = 0; k < below->len; k++)
        g_hash_table_add (seen, below->pdata[k]);
    }
    if (!g_hash_table_contains (seen, node))
      g_ptr_array_add (found, node);
  }
  for (guint i = found->len; i-- > 0;)
    if (!g_ptr_array_find (to, found->pdata[i], NULL))
      g_ptr_array_add (to, found->pdata[i]);
}

static void
add_entry (LsTrace *to, LsPass *pass, guint32 node, const char *reason)
{
  LsMapEntry entry = { node, node, ls_trace_string (to, reason) };
  g_array_append_val (ls_pass_map (pass), entry);
}

void
ls_trace_add_statement_graphs (LsTrace *to, const LsTrace *of, gboolean every)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new (), nodes = g_ptr_array_new (), shown = g_ptr_array_new ();
  const LsNameBinding *bindings = (const LsNameBinding *) (gpointer) of->bindings->data;
  g_autoptr (GArray) stops = every ? g_array_ref ((GArray *) ls_trace_stops (of)) : find_stops (of, FALSE, NULL);
  LsUOp *before = NULL;
  for (guint k = 0; k < stops->len; k++) {
    const LsStop *stop = &g_array_index (stops, LsStop, k);
    for (guint i = stop->binding; i < stop->binding + stop->n_bindings; i++) {
      LsUOp *node = ls_context_node (to->ctx, bindings[i].node);
      guint at = 0;
      if (!node)
        return;
      while (at < names->len && strcmp (names->pdata[at], bindings[i].name) != 0)
        at++;
      if (at == names->len) {
        g_ptr_array_add (names, (gpointer) bindings[i].name);
        g_ptr_array_add (nodes, node);
      }
      nodes->pdata[at] = node;
    }
    g_ptr_array_set_size (shown, 0);
    g_ptr_array_extend (shown, nodes, NULL, NULL);
    if (stop->n_bindings == 0 && row_at (of, stop->row)->turn > 0)      /* older schemas have no statement for each call */
      add_results (to->ctx, of, stop->row, shown);
    LsUOp *after = graph_of (to->ctx, shown);
    const LsStatement *s = stop->row < of->statements->len ? row_at (of, stop->row) : NULL;
    g_autofree char *reason = s ? g_strdup_printf ("line %u: %s", s->line, s->text) : g_strdup ("");
    LsPass *pass = ls_trace_add_map_pass (to, 0, "program", before ? before : after, after, s ? s->ns : 0);
    for (guint i = stop->binding; i < stop->binding + stop->n_bindings; i++)
      add_entry (to, pass, bindings[i].node, reason);
    for (guint i = stop->n_bindings ? shown->len : nodes->len; i < shown->len; i++)
      add_entry (to, pass, ((LsUOp *) shown->pdata[i])->id, reason);
    if (ls_pass_map (pass)->len == 0)      /* it has no tensor of its own */
      add_entry (to, pass, after->id, reason);
    before = after;
  }
}

const LsStop *
ls_pass_stop (const LsTrace *trace, const LsPass *pass)
{
  if (!pass || !*ls_pass_statement (pass))
    return NULL;
  const GArray *stops = ls_trace_stops (trace);
  guint bound = 0;
  if (trace->passes->len == stops->len)
    return &g_array_index (stops, LsStop, pass->index);
  for (guint i = 0; i < stops->len; i++)      /* once, statements that bound nothing had no pass */
    if (g_array_index (stops, LsStop, i).n_bindings > 0 && bound++ == pass->index)
      return &g_array_index (stops, LsStop, i);
  return NULL;
}

const LsStatement *
ls_trace_pass_statement (const LsTrace *trace, const LsPass *pass)
{
  const LsStop *stop = ls_pass_stop (trace, pass);
  return stop && stop->row < trace->statements->len ? row_at (trace, stop->row) : NULL;
}

static void
share (GArray **to, GArray *from)
{
  g_array_unref (*to);
  *to = g_array_ref (from);
}

LsTrace *
ls_trace_statements (LsTrace *of)
{
  g_autoptr (LsContext) ctx = ls_context_new_over (of->ctx);
  LsTrace *t = ls_trace_new (ctx);
  t->of = ls_trace_ref (of);
  t->program_name = g_strdup (of->program_name);
  t->program_text = g_strdup (of->program_text);
  t->std_out = g_strdup (of->std_out);
  t->error = g_strdup (of->error);
  t->error_line = of->error_line;
  t->error_column = of->error_column;
  t->complete = of->complete;
  share (&t->files, of->files);
  share (&t->statements, of->statements);
  share (&t->bindings, of->bindings);
  share (&t->calls, of->calls);
  share (&t->node_calls, of->node_calls);
  g_ptr_array_unref (t->buffers);
  t->buffers = g_ptr_array_ref (of->buffers);
  ls_trace_add_statement_graphs (t, of, TRUE);
  return t;
}
