/* Several results of a kernel: stored values that share its loops and loads.
 *
 * A value joins the kernel of another one if it has the same shape and no reduce of its own, and reads, each element where it is computed,
 * either the other value or something that the other one's kernel reads there too. What the kernel has computed then is not loaded again.
 * A kernel that waits for the other one cannot be waited for, too. A value with a reduce joins one whose only reduce has the same loops and
 * reads something in the same iterations: both reduces share the loops then, or the second loop reads what is still in the first cache
 * (kernel-graph.c). Not products, whose loads serve several results already.
 */
#include "plan.h"

#include <string.h>

const LsApartInfo ls_apart[LS_N_APART] = {
#define X(id, ...) { __VA_ARGS__ },
  LS_APART_TABLE (X)
#undef X
};

#define MOST_BELOW   256      /* nodes of a value's expression that are looked at; and of a kernel that may wait for another one */
#define MOST_READ    8        /* stored values that a kernel with several results reads, besides its own */
#define MOST_READERS 4        /* kernels that are remembered of those that read a value */

/* How elements of a value are read where one is computed. */
typedef enum {
  WAY_SAME = 1,      /* the element at the same indices */
  WAY_FLAT,          /* the element of the same number, through reshapes */
  WAY_OTHER,
} Way;

/* What a stored value is made of. */
typedef struct {
  guint    n;                      /* values in memory that it reads */
  guint32  at[MOST_READ];          /* their places */
  Way      way[MOST_READ];
  gboolean reduces, is_large;      /* is_large: there is more, which is not listed */
  LsUOp   *reduce;                 /* its only reduce, whose results have its axes; or NULL */
  guint    n_reduced;              /* of what the reduce reads, each element in the iteration of the same number */
  guint32  reduced[MOST_READ];     /* their places */
} Made;

/* Kernels that read a value, each element where one is computed: the last ones, as places of their first nodes. */
typedef struct { guint n; guint32 of[MOST_READERS]; } Readers;

typedef struct {
  LsPlan  *plan;
  Made    *made;         /* by place */
  guint32 *next;         /* place + 1 of the node that follows in the same kernel, or 0 */
  guint32 *last;         /* of the first node of a kernel: its last one */
  Readers *readers, *reducers;      /* reducers: of those whose only reduce reads it in the iterations of the same numbers */
  guint    n_joined;
} Joiner;

typedef struct { guint32 at; Way way; } Read;

static void
add_read (GArray *reads, guint32 at, Way way)
{
  for (guint i = 0; i < reads->len; i++) {
    Read *read = &g_array_index (reads, Read, i);
    if (read->at == at) {
      read->way = MAX (read->way, way);
      return;
    }
  }
  g_array_append_vals (reads, &(Read) { at, way }, 1);
}

static gboolean
is_in_memory (const LsPlan *p, const LsUOp *u, guint32 at)
{
  return u->op == LS_OP_BUFFER || p->stored[at];
}

/* What is in the expression of a stored value, down to what is in memory. reduce: the first one; reduce_way: how it is seen; n_axes: of all
 * reduces. */
typedef struct { GArray *reads; guint n_reduces; LsUOp *reduce; Way reduce_way; guint n_axes; gboolean is_bounded, is_large; } Expression;

/* The expression of a value. stored: the value is stored, but what it is made of is asked. all: also of a large one, which else is looked
 * at up to where that is seen. */
static Expression
look_below (LsPlan *p, LsUOp *value, gboolean stored, gboolean all)
{
  Expression out = { g_array_new (FALSE, FALSE, sizeof (Read)) };
  LsShape shape = ls_uop_shape (p->ctx, value);
  LsNodeMap *seen = ls_node_map_acquire (p->ctx);      /* with the way that is the furthest from the same */
  g_autoptr (GPtrArray) todo = g_ptr_array_new ();
  guint n = 0;
  g_ptr_array_add (todo, value);
  ls_node_map_set (seen, value, WAY_SAME);
  while (todo->len > 0 && (all || !out.is_large)) {
    LsUOp *u = g_ptr_array_steal_index_fast (todo, todo->len - 1);
    guint64 way = WAY_SAME;
    ls_node_map_get (seen, u, &way);
    out.is_large |= ++n > MOST_BELOW;
    out.is_bounded |= u->sized || u->op == LS_OP_BIND;
    if ((u != value || !stored) && is_in_memory (p, u, ls_plan_place (p, u))) {
      add_read (out.reads, ls_plan_place (p, u), (Way) way);
      out.is_large |= out.reads->len > MOST_READ;
      continue;
    }
    if (u->op == LS_OP_REDUCE_AXIS && u != out.reduce) {      /* it may be looked at again, seen in another way */
      out.n_reduces++;
      out.n_axes += u->arg.n;
      out.reduce = out.reduce ? out.reduce : u;
    }
    if (u == out.reduce)
      out.reduce_way = MAX (out.reduce_way, (Way) way);
    if ((is_movement (u) && u->op != LS_OP_RESHAPE) || u->op == LS_OP_REDUCE_AXIS)
      way = WAY_OTHER;
    for (guint i = u->op == LS_OP_ASSIGN ? 2 : 0; i < u->n_src; i++) {
      LsUOp *source = u->src[i];
      guint64 was = 0, now = MAX (way, same_but_ones (ls_uop_shape (p->ctx, source), shape) ? WAY_SAME : WAY_FLAT);
      ls_node_map_get (seen, source, &was);
      if (now > was) {
        ls_node_map_set (seen, source, now);
        g_ptr_array_add (todo, source);
      }
    }
  }
  ls_node_map_release (p->ctx, seen);
  return out;
}

static Expression
look_through (LsPlan *p, guint32 at, gboolean all)
{
  return look_below (p, p->order->pdata[at], TRUE, all);
}

static void
expression_clear (Expression *e)
{
  g_clear_pointer (&e->reads, g_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Expression, expression_clear)

/* Is there one reduce, whose results have the axes of the value? Then another one can be in its kernel (kernel-graph.c). */
static gboolean
keeps_reduce (const Expression *e)
{
  return e->n_reduces == 1 && e->reduce_way == WAY_SAME;
}

/* Does the reduce read the value at `at`, each element in the iteration of the same number? */
static gboolean
reads_in_place (LsPlan *p, LsUOp *reduce, guint32 at)
{
  g_auto (Expression) e = look_below (p, reduce->src[0], FALSE, FALSE);
  for (guint i = 0; i < e.reads->len && !e.is_large; i++)
    if (g_array_index (e.reads, Read, i).at == at)
      return g_array_index (e.reads, Read, i).way != WAY_OTHER;
  return FALSE;
}

/* Are the loops of both reduces the same? */
static gboolean
has_same_loops (LsPlan *p, const LsUOp *a, const LsUOp *b)
{
  return ls_shape_equal (ls_uop_shape (p->ctx, a->src[0]), ls_uop_shape (p->ctx, b->src[0])) && a->arg.n == b->arg.n && !a->src[0]->sized &&
         !b->src[0]->sized && memcmp (a->arg.ints, b->arg.ints, a->arg.n * sizeof *a->arg.ints) == 0;
}

gboolean
ls_reduces_share (LsPlan *p, LsUOp *a, LsUOp *b)
{
  if (!has_same_loops (p, a, b) || !ls_fuse_shares_loops (p, a) || ls_fuse_repeats (p, a) || ls_fuse_repeats (p, b))
    return FALSE;
  g_auto (Expression) of = look_below (p, a->src[0], FALSE, FALSE);
  for (guint i = 0; i < of.reads->len && !of.is_large; i++) {
    const Read *read = &g_array_index (of.reads, Read, i);
    if (read->way != WAY_OTHER && reads_in_place (p, b, read->at))
      return TRUE;
  }
  return FALSE;
}

static Made
look_at (LsPlan *p, guint32 at)
{
  g_auto (Expression) e = look_through (p, at, FALSE);
  Made out = { .reduces = e.n_reduces > 0, .is_large = e.is_large, .n = MIN (e.reads->len, MOST_READ),
               .reduce = keeps_reduce (&e) ? e.reduce : NULL };
  for (guint i = 0; i < out.n; i++) {
    out.at[i] = g_array_index (e.reads, Read, i).at;
    out.way[i] = g_array_index (e.reads, Read, i).way;
  }
  for (guint i = 0; out.reduce && i < out.n; i++)
    if (reads_in_place (p, out.reduce, out.at[i]))
      out.reduced[out.n_reduced++] = out.at[i];
  return out;
}

static guint32
first_of (const Joiner *j, guint32 at)
{
  return j->plan->kernel_of[at] - 1;
}

/* The first node of the kernel that computes a value, or G_MAXUINT32: the value is in memory already. */
static guint32
kernel_of_source (const Joiner *j, guint32 at)
{
  gboolean there = ((LsUOp *) j->plan->order->pdata[at])->op == LS_OP_BUFFER || ls_plan_is_earlier (j->plan, at);
  return there ? G_MAXUINT32 : first_of (j, at);
}

/* Does the kernel wait for the other one, which has none of its nodes? WAITS, FAR: that takes too long to see, or NOT. */
static LsApartness
waits_for (const Joiner *j, guint32 kernel, guint32 other)
{
  g_autoptr (GArray) todo = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_array_append_val (todo, kernel);
  for (guint n = 0; todo->len > 0; n++) {
    guint32 of = g_array_index (todo, guint32, todo->len - 1);
    g_array_set_size (todo, todo->len - 1);
    if (of == other)
      return LS_APART_WAITS;
    if (n == MOST_BELOW)
      return LS_APART_FAR;
    for (guint32 node = of + 1; node; node = j->next[node - 1]) {
      const Made *made = &j->made[node - 1];
      for (guint i = 0; i < made->n; i++) {
        guint32 source = kernel_of_source (j, made->at[i]);
        /* values come after those that they are made of */
        if (source != G_MAXUINT32 && j->last[source] >= other && g_hash_table_add (seen, GUINT_TO_POINTER (source + 1)))
          g_array_append_val (todo, source);
      }
      if (made->is_large)
        return LS_APART_FAR;
    }
  }
  return LS_APART_NOT;
}

/* Values that are not computed together with others: copies between devices, of no elements, or stored in another order. */
static gboolean
is_alone (LsPlan *p, guint32 at)
{
  const LsUOp *u = p->order->pdata[at];
  gboolean moved = p->fused[at] && p->is_moved[p->fused[at] - 1];
  return moved || u->op == LS_OP_COPY || u->sized || ls_shape_size (ls_uop_shape (p->ctx, (LsUOp *) u)) == 0;
}

/* The place + 1 of a value that a reduce of the kernel reads in the same iterations as the only reduce of the value at `at`; 0: none. */
static guint32
shared_by_reduces (const Joiner *j, guint32 at, guint32 kernel)
{
  LsPlan *p = j->plan;
  const Made *made = &j->made[at];
  if (!p->fuse || !made->reduce || ls_fuse_repeats (p, made->reduce))
    return 0;
  for (guint32 node = kernel + 1; node; node = j->next[node - 1]) {
    const Made *own = &j->made[node - 1];
    for (guint i = 0; own->reduce && i < made->n_reduced; i++)
      for (guint k = 0; k < own->n_reduced; k++)
        if (own->reduced[k] == made->reduced[i] && has_same_loops (p, own->reduce, made->reduce) && !ls_fuse_repeats (p, own->reduce) &&
            (ls_fuse_shares_loops (p, own->reduce) ||
             (ls_fuse_stays_in_cache (p, own->reduce) && ls_fuse_stays_in_cache (p, made->reduce))))
          return made->reduced[i] + 1;
  }
  return 0;
}

static gboolean
shares_reduce (const Joiner *j, guint32 at, guint32 kernel)
{
  return shared_by_reduces (j, at, kernel) != 0;
}

/* Why the value at `at` cannot be computed in the kernel. */
static LsApartness
why_apart (const Joiner *j, guint32 at, guint32 kernel)
{
  LsPlan *p = j->plan;
  const Made *made = &j->made[at];
  guint n = 0;
  if (!same_but_ones (ls_uop_shape (p->ctx, p->order->pdata[at]), ls_uop_shape (p->ctx, p->order->pdata[kernel])))
    return LS_APART_SHAPE;
  if (made->reduces && !shares_reduce (j, at, kernel))
    return LS_APART_REDUCE;
  if (is_alone (p, at) || is_alone (p, kernel))
    return LS_APART_ALONE;
  if (made->is_large || j->made[kernel].is_large)
    return LS_APART_LARGE;
  for (guint32 node = kernel + 1; node; node = j->next[node - 1])
    n++;
  if (n == LS_MOST_OUTPUTS)
    return LS_APART_FULL;
  LsApartness why = LS_APART_NOT;
  for (guint i = 0; i < made->n && why == LS_APART_NOT; i++) {
    guint32 of = kernel_of_source (j, made->at[i]);
    if (of == kernel && made->way[i] != WAY_SAME)
      return LS_APART_ELSEWHERE;
    if (of != kernel && of != G_MAXUINT32 && j->last[of] >= kernel)
      why = waits_for (j, of, kernel);
  }
  return why;
}

/* The same, however long it takes to see. */
static gboolean
waits_in_the_end (const Joiner *j, guint32 kernel, guint32 other)
{
  g_autoptr (GArray) todo = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_array_append_val (todo, kernel);
  while (todo->len > 0) {
    guint32 of = g_array_index (todo, guint32, todo->len - 1);
    g_array_set_size (todo, todo->len - 1);
    if (of == other)
      return TRUE;
    for (guint32 node = of + 1; node; node = j->next[node - 1]) {
      g_auto (Expression) e = look_through (j->plan, node - 1, TRUE);
      for (guint i = 0; i < e.reads->len; i++) {
        guint32 source = kernel_of_source (j, g_array_index (e.reads, Read, i).at);
        if (source != G_MAXUINT32 && j->last[source] >= other && g_hash_table_add (seen, GUINT_TO_POINTER (source + 1)))
          g_array_append_val (todo, source);
      }
    }
  }
  return FALSE;
}

/* Can the kernel have another value's reduce, in loops of its own if need be? Values of several reduces have their axes already. */
static gboolean
can_add_reduce (const Joiner *j, const Expression *e, guint32 kernel)
{
  gboolean can = j->plan->fuse && keeps_reduce (e) && !e->reduce->src[0]->sized;
  guint n_own = can ? e->reduce->arg.n : 0;
  for (guint32 node = kernel + 1; node && can; node = j->next[node - 1]) {
    g_auto (Expression) own = look_through (j->plan, node - 1, TRUE);
    can = own.n_reduces != 1 || keeps_reduce (&own);
    n_own += own.n_axes;
  }
  return can && n_own <= LS_FUSE_AXES;
}

/* Why the kernel must not compute the value at `at`, whatever the caller chose. */
static LsApartness
why_never (const Joiner *j, guint32 at, guint32 kernel)
{
  LsPlan *p = j->plan;
  g_auto (Expression) e = look_through (p, at, TRUE);
  if (!same_but_ones (ls_uop_shape (p->ctx, p->order->pdata[at]), ls_uop_shape (p->ctx, p->order->pdata[kernel])))
    return LS_APART_SHAPE;
  if (e.n_reduces && !can_add_reduce (j, &e, kernel))
    return LS_APART_REDUCE;
  if (is_alone (p, at) || is_alone (p, kernel))
    return LS_APART_ALONE;
  gboolean bounded = e.is_bounded;
  for (guint32 node = kernel + 1; node && p->variables; node = j->next[node - 1]) {
    g_auto (Expression) own = look_through (p, node - 1, TRUE);
    bounded |= own.is_bounded;
  }
  if (bounded)
    return LS_APART_BOUNDED;
  for (guint i = 0; i < e.reads->len; i++) {
    const Read *read = &g_array_index (e.reads, Read, i);
    guint32 of = kernel_of_source (j, read->at);
    if (of == kernel && read->way != WAY_SAME)
      return LS_APART_ELSEWHERE;
    if (of != kernel && of != G_MAXUINT32 && j->last[of] >= kernel && waits_in_the_end (j, of, kernel))
      return LS_APART_WAITS;
  }
  return LS_APART_NOT;
}

/* The value at `at` is computed in the kernel, where it reads the value at `shared`. */
static void
attach (Joiner *j, guint32 at, guint32 kernel, guint32 shared, LsReason reason)
{
  LsPlan *p = j->plan;
  j->next[j->last[kernel]] = at + 1;
  j->last[kernel] = at;
  p->kernel_of[at] = kernel + 1;
  p->joined_by[at] = shared + 1;
  j->n_joined++;
  ls_plan_note (p, p->order->pdata[shared], p->order->pdata[at], reason);
}

/* For the sake of the value at `shared`, unless the caller chose otherwise. */
static gboolean
join (Joiner *j, guint32 at, guint32 kernel, guint32 shared)
{
  LsPlan *p = j->plan;
  LsUOp *u = p->order->pdata[at], *of = p->order->pdata[shared];
  if (why_apart (j, at, kernel) != LS_APART_NOT || ls_plan_is_stored_for (p, of, u))
    return FALSE;
  attach (j, at, kernel, shared, kernel_of_source (j, shared) == kernel ? LS_REASON_COMPUTED_THERE : LS_REASON_LOADED_ONCE);
  return TRUE;
}

/* Because the caller chose it. */
static gboolean
join_chosen (Joiner *j, guint32 at)
{
  LsPlan *p = j->plan;
  const LsUOp *u = p->order->pdata[at];
  for (guint i = 0; p->overrides && i < p->overrides->len; i++) {
    const LsOverride *o = &g_array_index (p->overrides, LsOverride, i);
    const LsUOp *first = o->choice == LS_CHOICE_JOIN && o->user == u->id ? ls_context_node (p->ctx, o->node) : NULL;
    guint32 early = first && ls_node_map_has (p->index, first) ? ls_plan_place (p, first) : at;
    if (early >= at || !p->stored[early] || ls_plan_is_earlier (p, early) || why_never (j, at, first_of (j, early)) != LS_APART_NOT)
      continue;      /* of a damaged recording */
    attach (j, at, first_of (j, early), early, LS_REASON_CHOSEN_JOINED);
    return TRUE;
  }
  return FALSE;
}

static void
find_kernel (Joiner *j, guint32 at)
{
  const Made *made = &j->made[at];
  if (join_chosen (j, at) || !j->plan->outputs)
    return;
  for (guint i = 0; i < made->n_reduced; i++) {
    const Readers *readers = &j->reducers[made->reduced[i]];
    for (guint k = readers->n; k-- > 0; )
      if (join (j, at, readers->of[k], made->reduced[i]))
        return;
  }
  for (guint i = 0; i < made->n && !made->reduces; i++) {
    const Readers *readers = &j->readers[made->at[i]];
    guint32 of = kernel_of_source (j, made->at[i]);
    if (made->way[i] == WAY_OTHER)
      continue;
    if (of != G_MAXUINT32 && join (j, at, of, made->at[i]))
      return;
    for (guint k = readers->n; k-- > 0; )
      if (join (j, at, readers->of[k], made->at[i]))
        return;
  }
}

static void
add_reader (Readers *readers, guint32 kernel)
{
  for (guint i = 0; i < readers->n; i++)
    if (readers->of[i] == kernel)
      return;
  if (readers->n == MOST_READERS)
    memmove (readers->of, readers->of + 1, --readers->n * sizeof *readers->of);
  readers->of[readers->n++] = kernel;
}

static void
joiner_clear (Joiner *j)
{
  g_free (j->made);
  g_free (j->next);
  g_free (j->last);
  g_free (j->readers);
  g_free (j->reducers);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Joiner, joiner_clear)

/* Joins values, up to the node at `end`. */
static void
join_up_to (Joiner *j, LsPlan *p, guint32 end)
{
  guint n = p->order->len;
  *j = (Joiner) { p, g_new0 (Made, n), g_new0 (guint32, n), g_new0 (guint32, n), g_new0 (Readers, n), g_new0 (Readers, n) };
  p->kernel_of = g_new0 (guint32, n + 1);
  p->joined_by = g_new0 (guint32, n + 1);
  for (guint32 i = 0; i < end; i++) {
    if (!p->stored[i] || ls_plan_is_earlier (p, i))
      continue;
    Made *made = &j->made[i];
    *made = look_at (p, i);
    p->kernel_of[i] = i + 1;
    j->last[i] = i;
    find_kernel (j, i);
    for (guint k = 0; k < made->n && !made->reduces; k++)
      if (made->way[k] != WAY_OTHER)
        add_reader (&j->readers[made->at[k]], first_of (j, i));
    for (guint k = 0; k < made->n_reduced; k++)
      add_reader (&j->reducers[made->reduced[k]], first_of (j, i));
  }
}

void
ls_outputs_join (LsPlan *p)
{
  g_auto (Joiner) j = { NULL };
  join_up_to (&j, p, p->order->len);
  if (j.n_joined == 0) {      /* each has a kernel of its own */
    g_clear_pointer (&p->kernel_of, g_free);
    g_clear_pointer (&p->joined_by, g_free);
  }
}

/* Is there something that both the value and the kernel read where they compute an element? CHOSEN: but the caller chose otherwise, ELSE,
 * or LOADS: no. */
static LsApartness
shares_loads (const Joiner *j, guint32 at, guint32 kernel)
{
  LsPlan *p = j->plan;
  const Made *made = &j->made[at];
  guint32 reduced = shared_by_reduces (j, at, kernel);
  if (reduced)
    return ls_plan_is_stored_for (p, p->order->pdata[reduced - 1], p->order->pdata[at]) ? LS_APART_CHOSEN : LS_APART_ELSE;
  for (guint i = 0; i < made->n; i++) {
    gboolean can = made->way[i] != WAY_OTHER, shares = can && kernel_of_source (j, made->at[i]) == kernel;
    for (guint32 node = kernel + 1; node && can && !shares; node = j->next[node - 1])
      for (guint k = 0; k < j->made[node - 1].n && !j->made[node - 1].reduces; k++)
        shares |= j->made[node - 1].at[k] == made->at[i] && j->made[node - 1].way[k] != WAY_OTHER;
    if (shares)
      return ls_plan_is_stored_for (p, p->order->pdata[made->at[i]], p->order->pdata[at]) ? LS_APART_CHOSEN : LS_APART_ELSE;
  }
  return LS_APART_LOADS;
}

/* Joins the values before the one at `late`, of a plan that is made, to ask about that one. */
static void
join_before (Joiner *j, LsPlan *p, guint32 late)
{
  g_clear_pointer (&p->kernel_of, g_free);
  g_clear_pointer (&p->joined_by, g_free);
  join_up_to (j, p, late);
  j->made[late] = look_at (p, late);
}

/* Why the kernels of both are two, of which the later value is the one before which all values were joined. */
static LsApartness
why_two (const Joiner *j, guint32 late, guint32 early)
{
  const LsPlan *p = j->plan;
  LsApartness why = p->variables ? LS_APART_VARIABLE : p->outputs ? why_apart (j, late, first_of (j, early)) : LS_APART_OFF;
  return why == LS_APART_NOT ? shares_loads (j, late, first_of (j, early)) : why;
}

/* The places of two values that kernels of the plan store, the earlier one first. */
static gboolean
find_both (LsPlan *p, const LsUOp *first, const LsUOp *other, guint32 *early, guint32 *late)
{
  guint32 a = ls_plan_place (p, first), b = ls_plan_place (p, other);
  *early = MIN (a, b);
  *late = MAX (a, b);
  return ls_node_map_has (p->index, first) && ls_node_map_has (p->index, other) && a != b && p->stored[a] && p->stored[b] &&
         !ls_plan_is_earlier (p, a) && !ls_plan_is_earlier (p, b);
}

LsApartPair
ls_outputs_why_apart (LsContext *ctx, LsUOp *sink, LsScheduleHow how, LsUOp *first, LsUOp *other, LsApartness *never)
{
  LsPlan p;
  guint32 early, late;
  LsApartPair pair = { first, other, LS_APART_UNKNOWN };
  LsApartness cannot = LS_APART_UNKNOWN;
  ls_plan_init (&p, ctx, sink, FALSE, how);
  if (find_both (&p, first, other, &early, &late)) {
    g_auto (Joiner) j = { NULL };
    join_before (&j, &p, late);
    pair = (LsApartPair) { p.order->pdata[early], p.order->pdata[late], why_two (&j, late, early) };
    cannot = ls_apart[pair.why].can && never ? why_never (&j, late, first_of (&j, early)) : pair.why;
  }
  ls_plan_clear (&p);
  if (never)
    *never = cannot;
  return pair;
}

GArray *
ls_outputs_pairs (LsContext *ctx, LsUOp *sink, LsScheduleHow how, gboolean (*wanted) (gpointer data, const LsUOp *later), gpointer data)
{
  GArray *out = g_array_new (FALSE, FALSE, sizeof (LsApartPair));
  LsPlan p;
  ls_plan_init (&p, ctx, sink, FALSE, how);
  guint n = p.order->len;
  g_autofree guint8 *begins = g_new0 (guint8, n);      /* a kernel */
  for (guint32 i = 0; i < n; i++)
    begins[i] = p.stored[i] && !ls_plan_is_earlier (&p, i) && (!p.kernel_of || p.kernel_of[i] == i + 1);
  for (guint32 late = 0; late < n; late++) {
    if (!begins[late] || !wanted (data, p.order->pdata[late]))
      continue;
    g_auto (Joiner) j = { NULL };
    join_before (&j, &p, late);
    for (guint32 early = 0; early < late; early++)
      if (begins[early])
        g_array_append_vals (out, &(LsApartPair) { p.order->pdata[early], p.order->pdata[late], why_two (&j, late, early) }, 1);
  }
  ls_plan_clear (&p);
  return out;
}

/* --- order --- */

typedef struct {
  LsPlan  *plan;
  guint32 *next;       /* as in Joiner */
  GArray  *places, *ends;
  guint8  *state;      /* of the first node of a kernel: 1: what it waits for comes first, 2: it is there */
} Order;

/* The kernels that a kernel waits for and that are not there yet, on the stack. */
static gboolean
add_sources (Order *o, guint32 kernel, GArray *stack)
{
  LsPlan *p = o->plan;
  LsNodeMap *seen = ls_node_map_acquire (p->ctx);
  g_autoptr (GPtrArray) todo = g_ptr_array_new ();
  guint before = stack->len;
  for (guint32 node = kernel + 1; node; node = o->next[node - 1])
    g_ptr_array_add (todo, p->order->pdata[node - 1]);
  while (todo->len > 0) {
    LsUOp *u = g_ptr_array_steal_index_fast (todo, todo->len - 1);
    guint32 at = ls_plan_place (p, u), of = p->stored[at] ? p->kernel_of[at] - 1 : kernel;
    if (ls_node_map_has (seen, u) || ls_plan_is_earlier (p, at))
      continue;
    ls_node_map_set (seen, u, 1);
    if (of != kernel && o->state[of] == 0)
      g_array_append_val (stack, of);
    for (guint i = 0; i < u->n_src && of == kernel; i++)
      g_ptr_array_add (todo, u->src[i]);
  }
  ls_node_map_release (p->ctx, seen);
  return stack->len > before;
}

static void
take (Order *o, guint32 kernel)
{
  for (guint32 node = kernel + 1; node; node = o->next[node - 1]) {
    guint32 at = node - 1;
    g_array_append_val (o->places, at);
  }
  g_array_append_val (o->ends, o->places->len);
  o->state[kernel] = 2;
}

/* Takes the kernel when all that it waits for are taken. */
static void
take_after_sources (Order *o, guint32 kernel, GArray *stack)
{
  g_array_append_val (stack, kernel);
  while (stack->len > 0) {
    guint32 top = g_array_index (stack, guint32, stack->len - 1);
    gboolean waits = o->state[top] == 0 && add_sources (o, top, stack);
    o->state[top] = MAX (o->state[top], 1);
    if (waits)
      continue;
    g_array_set_size (stack, stack->len - 1);
    if (o->state[top] == 1)
      take (o, top);
  }
}

GArray *
ls_outputs_order (LsPlan *p, GArray **ends)
{
  guint n = p->order->len;
  g_autofree guint32 *next = g_new0 (guint32, n), *last = g_new0 (guint32, n);
  g_autofree guint8 *state = g_new0 (guint8, n);
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (guint32));
  Order o = { p, next, g_array_new (FALSE, FALSE, sizeof (guint32)), g_array_new (FALSE, FALSE, sizeof (guint)), state };
  for (guint32 i = 0; i < n; i++) {
    guint32 first = p->kernel_of && p->stored[i] && !ls_plan_is_earlier (p, i) ? p->kernel_of[i] - 1 : i;
    if (first != i)
      next[last[first]] = i + 1;
    last[first] = i;
  }
  for (guint32 i = 0; i < n; i++) {
    if (!p->stored[i] || ls_plan_is_earlier (p, i))
      continue;
    if (!p->kernel_of)
      take (&o, i);
    else if (p->kernel_of[i] == i + 1 && state[i] == 0)
      take_after_sources (&o, i, stack);
  }
  *ends = o.ends;
  return o.places;
}
