/* The nested form of a linear list: renderers walk it and recordings keep it.
 *
 * Buffers are arguments, pointers are folded into the accesses that use them, and every other value has a virtual register. An
 * accumulator is one register: DEFINE_ACC sets it, PHI assigns it, and readers of the PHI read it. Rows are plain structs: their text is
 * made on demand.
 */
#include "procedure.h"
#include "print.h"

typedef struct {
  LsContext *ctx;
  GArray    *rows;
  LsNodeMap *numbers;        /* of a value its register, of a buffer the row that declares it */
  GPtrArray *openers;        /* RANGE or IF of each open body, innermost last */
  GArray    *sources;        /* gint64, of the row that is made */
  guint32    n_registers;
  GError   **error;
} Builder;

static gboolean
fail (Builder *b, LsUOp *u, const char *why)
{
  g_autofree char *summary = ls_uop_summary (u);
  g_set_error (b->error, LS_ERROR, LS_ERROR_SPEC, "procedure: node %u (%s) %s", u->id, summary, why);
  return FALSE;
}

static LsUOp *
through_pointers (LsUOp *u)
{
  while (u->op == LS_OP_CAST && ls_dtype_is_ptr (u->dtype))
    u = u->src[0];
  return u;
}

static LsProcKind
kind_of (const LsUOp *u)
{
  switch ((int) u->op) {
  case LS_OP_CONST: return LS_PROC_CONST;
  case LS_OP_LOAD: return LS_PROC_LOAD;
  case LS_OP_STORE: return LS_PROC_STORE;
  case LS_OP_RANGE: return LS_PROC_LOOP;
  case LS_OP_IF: return LS_PROC_IF;
  case LS_OP_DEFINE_ACC: return LS_PROC_ACCUMULATOR;
  case LS_OP_PHI: return LS_PROC_ACCUMULATE;
  case LS_OP_SPECIAL: return LS_PROC_SPECIAL;
  case LS_OP_BARRIER: return LS_PROC_BARRIER;
  case LS_OP_DEFINE_LOCAL: return LS_PROC_LOCAL;
  case LS_OP_DEFINE_REG: return LS_PROC_REGISTERS;
  default: return LS_PROC_COMPUTE;
  }
}

/* --- buffers --- */

static gint64
argument_number (const LsUOp *u)
{
  return u->op == LS_OP_DEFINE_VAR ? u->arg.var->position : u->arg.i;
}

static int
compare_args (gconstpointer a, gconstpointer b)
{
  const LsUOp *x = *(LsUOp *const *) a, *y = *(LsUOp *const *) b;
  return argument_number (x) < argument_number (y) ? -1 : argument_number (x) > argument_number (y);
}

static void
add_buffer (Builder *b, LsUOp *u, LsProcKind kind, const char *name)
{
  LsProcRow row = { .kind = kind, .depth = b->openers->len, .node = u->id, .op = u->op, .dest = LS_NO_REGISTER, .dtype = u->dtype,
                    .value = ls_arg_none (), .sources = ls_arg_none (), .buffer = g_intern_string (name), .bound = -1 };
  ls_node_map_set (b->numbers, u, b->rows->len);
  g_array_append_val (b->rows, row);
}

/* The arguments, by number. */
static void
add_args (Builder *b, guint n, LsUOp *const *list)
{
  LsNodeMap *written = ls_node_map_acquire (b->ctx);
  g_autoptr (GPtrArray) args = g_ptr_array_new ();
  for (guint i = 0; i < n; i++) {
    if (list[i]->op == LS_OP_DEFINE_GLOBAL || list[i]->op == LS_OP_DEFINE_VAR)
      g_ptr_array_add (args, list[i]);
    if (list[i]->op != LS_OP_STORE || !list[i]->n_src)
      continue;
    LsUOp *u = through_pointers (list[i]->src[0]);
    ls_node_map_set (written, u->op == LS_OP_INDEX && u->n_src ? u->src[0] : u, 1);
  }
  g_ptr_array_sort (args, compare_args);
  for (guint i = 0; i < args->len; i++) {
    LsUOp *u = args->pdata[i];
    char name[32];
    if (u->op == LS_OP_DEFINE_VAR) {
      add_buffer (b, u, LS_PROC_VARIABLE, u->arg.var->name);
      LsProcRow *row = &g_array_index (b->rows, LsProcRow, b->rows->len - 1);
      row->dest = b->n_registers++;
      ls_node_map_set (b->numbers, u, row->dest);
      continue;
    }
    g_snprintf (name, sizeof name, "data%" G_GINT64_FORMAT, u->arg.i);
    add_buffer (b, u, ls_node_map_has (written, u) ? LS_PROC_OUTPUT : LS_PROC_INPUT, name);
  }
  ls_node_map_release (b->ctx, written);
}

static void
add_local (Builder *b, LsUOp *u)
{
  gint64 number = u->arg.kind == LS_ARG_INT ? u->arg.i : 0;
  char name[32] = "temp";
  if (number)
    g_snprintf (name, sizeof name, "temp%" G_GINT64_FORMAT, number);
  add_buffer (b, u, LS_PROC_LOCAL, name);
}

static void
add_registers (Builder *b, LsUOp *u)
{
  char name[32];
  g_snprintf (name, sizeof name, "acc%" G_GINT64_FORMAT, u->arg.ints[0]);
  add_buffer (b, u, LS_PROC_REGISTERS, name);
}

/* --- instructions --- */

static void
add_source (Builder *b, const LsUOp *u)
{
  guint64 number;
  if (!ls_dtype_is_ptr (u->dtype) && ls_node_map_get (b->numbers, u, &number))
    g_array_append_val (b->sources, number);
}

/* How many of the sources are values: those after them are loops. A store's are taken one by one. */
static guint
n_values (const LsUOp *u)
{
  switch ((int) u->op) {
  case LS_OP_STORE: return 0;
  case LS_OP_DEFINE_ACC: return MIN (u->n_src, 1);
  case LS_OP_PHI: return MIN (u->n_src, 2);
  default: return u->n_src;
  }
}

/* The sources of a node, behind pointers; and the buffer that it loads from or stores to. */
static void
take_sources (Builder *b, LsUOp *u, LsProcRow *row)
{
  guint64 number;
  gboolean access = (u->op == LS_OP_LOAD || u->op == LS_OP_STORE) && u->n_src;
  LsUOp *index = access ? through_pointers (u->src[0]) : NULL;
  if (index && (index->op != LS_OP_INDEX || index->n_src < 2))
    index = NULL;
  g_array_set_size (b->sources, 0);
  if (index) {
    if (ls_node_map_get (b->numbers, index->src[0], &number))
      row->buffer = g_array_index (b->rows, LsProcRow, number).buffer;
    add_source (b, index->src[1]);
  }
  if (u->op == LS_OP_STORE && u->n_src > 1)
    add_source (b, u->src[1]);
  for (guint s = 2; index && s < index->n_src; s++)
    add_source (b, index->src[s]);
  gboolean waits = index && ls_dtype_space (index->dtype) == LS_SPACE_REG;      /* for a store, in loops: no values */
  for (guint s = index || u->op == LS_OP_PHI ? 1 : 0; s < n_values (u) && !waits; s++)
    add_source (b, u->src[s]);
  if (b->sources->len)
    row->sources = ls_arg_ints (b->ctx, b->sources->len, (const gint64 *) b->sources->data);
}

static gboolean
add_node (Builder *b, LsUOp *u)
{
  if (u->op == LS_OP_SINK || u->op == LS_OP_NOOP || u->op == LS_OP_AFTER || u->op == LS_OP_INDEX || u->op == LS_OP_DEFINE_GLOBAL ||
      u->op == LS_OP_DEFINE_VAR || (u->op == LS_OP_CAST && ls_dtype_is_ptr (u->dtype)))
    return TRUE;
  if (u->op == LS_OP_ENDRANGE || u->op == LS_OP_ENDIF) {
    if (!b->openers->len || !u->n_src || b->openers->pdata[b->openers->len - 1] != u->src[0])
      return fail (b, u, "does not end the innermost loop or if");
    g_ptr_array_set_size (b->openers, (int) b->openers->len - 1);
    return TRUE;
  }
  if (u->op == LS_OP_DEFINE_LOCAL) {
    add_local (b, u);
    return TRUE;
  }
  if (u->op == LS_OP_DEFINE_REG) {
    add_registers (b, u);
    return TRUE;
  }
  LsProcRow row = { .kind = kind_of (u), .depth = b->openers->len, .node = u->id, .op = u->op, .dest = LS_NO_REGISTER, .dtype = u->dtype,
                    .value = ls_arg_none (), .sources = ls_arg_none (), .bound = -1 };
  take_sources (b, u, &row);
  if (row.kind == LS_PROC_CONST || row.kind == LS_PROC_SPECIAL || row.kind == LS_PROC_COMPUTE)
    row.value = u->arg;
  if ((row.kind == LS_PROC_LOOP || row.kind == LS_PROC_SPECIAL) && u->n_src && u->src[0]->op == LS_OP_CONST)
    row.bound = u->src[0]->arg.i;
  if (u->op == LS_OP_STORE && u->n_src > 1)
    row.dtype = u->src[1]->dtype;
  if (u->op == LS_OP_PHI) {
    guint64 acc;
    if (!u->n_src || !ls_node_map_get (b->numbers, u->src[0], &acc))
      return fail (b, u, "has no accumulator");
    row.dest = (guint32) acc;
  } else if (u->dtype != LS_VOID)
    row.dest = b->n_registers++;
  if (row.dest != LS_NO_REGISTER)
    ls_node_map_set (b->numbers, u, row.dest);
  if (row.kind == LS_PROC_LOOP || row.kind == LS_PROC_IF)
    g_ptr_array_add (b->openers, u);
  g_array_append_val (b->rows, row);
  return TRUE;
}

/**
 * ls_procedure_new:
 * @ctx: the context of the nodes
 * @name: the kernel's name, which must outlive the procedure
 * @n: number of nodes in @list
 * @list: what ls_linearize() gave
 * @error: (nullable): LS_ERROR_SPEC when loops and ifs do not nest or a PHI has no accumulator before it
 *
 * Returns: (transfer full) (nullable): free with ls_procedure_free()
 */
LsProcedure *
ls_procedure_new (LsContext *ctx, const char *name, guint n, LsUOp *const *list, GError **error)
{
  LsProcedure *procedure = g_new (LsProcedure, 1);
  *procedure = (LsProcedure) { name, g_array_sized_new (FALSE, FALSE, sizeof (LsProcRow), n) };
  g_autoptr (GPtrArray) openers = g_ptr_array_new ();
  g_autoptr (GArray) sources = g_array_new (FALSE, FALSE, sizeof (gint64));
  Builder b = { ctx, procedure->rows, ls_node_map_acquire (ctx), openers, sources, 0, error };

  gboolean ok = TRUE;
  add_args (&b, n, list);
  for (guint i = 0; i < n && ok; i++)
    ok = add_node (&b, list[i]);
  if (ok && openers->len)
    ok = fail (&b, openers->pdata[openers->len - 1], "does not end");
  ls_node_map_release (ctx, b.numbers);
  if (!ok)
    g_clear_pointer (&procedure, ls_procedure_free);
  return procedure;
}

void
ls_procedure_free (LsProcedure *procedure)
{
  if (!procedure)
    return;
  g_array_unref (procedure->rows);
  g_free (procedure);
}
