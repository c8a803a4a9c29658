/* The renderer of LLVM's language: from the procedure's rows to a module of one function, with data about each line.
 *
 * A register of the procedure has its name here, %v3; what a row needs before its result is %v3.1, %v3.2, … A constant is written where
 * it is used. A loop asks at its head and counts at its end; an accumulator is a phi at each head (or end of an if) behind which it may
 * have another value, and its initial value before. Loads and stores with a gate have a block of their own. Every line has its row as
 * its debug line: !dbg !7 is row 7 of the procedure, counted from 1.
 *
 * Pointers are opaque (ptr); for LLVM 14 the runner gives each its type (run/runner/typed-pointers.c). Arguments do
 * not alias, as C's are restrict.
 */
#include "llvm.h"
#include "llvm-private.h"

#include <stdarg.h>
#include <string.h>

#include "ir/axis.h"
#include "ir/names.h"
#include "ir/print.h"
#include "ir/sentence.h"

/* An accumulator that changes inside a loop or an if. */
typedef struct { guint32 reg; char *before; guint phi; } Changed;      /* phi: its line at the head of a loop */
typedef struct { guint row; char *from; GArray *changed; } Open;       /* from: the block that leads there */

void
ls_llvm_fail (LsLlvm *r, const LsUOp *u, const char *why)
{
  if (!r->failed) {
    g_autofree char *summary = ls_uop_summary ((LsUOp *) u);
    g_set_error (r->error, LS_ERROR, LS_ERROR_COMPILE, "%s: node %u (%s) %s", r->job->target->name, u->id, summary, why);
  }
  r->failed = TRUE;
}

const char *
ls_llvm_keep (LsLlvm *r, char *text)
{
  const char *kept = g_string_chunk_insert (r->texts, text);
  g_free (text);
  return kept;
}

void
ls_llvm_need (LsLlvm *r, const char *text)
{
  if (!g_hash_table_contains (r->needs, text))
    g_hash_table_add (r->needs, g_string_chunk_insert (r->texts, text));
}

/* --- lines --- */

static LsLlvmInfo *
info_of (LsLlvm *r, const LsUOp *u)
{
  guint64 at;
  return u && ls_node_map_get (r->places, u, &at) ? &r->infos[at] : NULL;
}

static void
show (LsLlvm *r, LsUOp *u)
{
  LsRenderedLine shown = { r->lines->len, u };
  LsLlvmInfo *info = info_of (r, u);
  if (!info)
    return;
  if (r->shown->len) {
    const LsRenderedLine *last = &g_array_index (r->shown, LsRenderedLine, r->shown->len - 1);
    if (last->line == shown.line && last->node == u)
      return;
  }
  g_array_append_val (r->shown, shown);
  if (!info->line)
    info->line = shown.line;
}

static void
add_line (LsLlvm *r, LsUOp *node, char *text)
{
  LsLlvmLine line = { text, node };
  g_array_append_val (r->lines, line);
  if (node)
    show (r, node);
}

void
ls_llvm_line (LsLlvm *r, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  add_line (r, ls_llvm_node (r, r->row), g_strdup_printf ("  %s, !dbg !%u", text, r->row + 1));
}

static guint32
name_of_row (const LsLlvm *r)
{
  return ls_llvm_row (r, r->row)->dest;
}

const char *
ls_llvm_part (LsLlvm *r, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  guint32 reg = name_of_row (r);
  char *name = reg == LS_NO_REGISTER ? g_strdup_printf ("%%r%u.%u", r->row + 1, ++r->n_parts)
                                     : g_strdup_printf ("%%v%u.%u", reg, ++r->n_parts);
  const char *kept = ls_llvm_keep (r, name);
  ls_llvm_line (r, "%s = %s", kept, text);
  return kept;
}

static void
begin_block (LsLlvm *r, const char *label, LsUOp *node)
{
  g_free (r->label);
  r->label = g_strdup (label);
  add_line (r, node, g_strdup_printf ("%s:", label));
}

/* --- values --- */

static LsLlvmValue *
value_of (LsLlvm *r, gint64 reg)
{
  while (r->values->len <= reg) {
    LsLlvmValue none = { 0 };
    g_array_append_val (r->values, none);
  }
  return &g_array_index (r->values, LsLlvmValue, reg);
}

guint
ls_llvm_n_sources (const LsLlvm *r)
{
  const LsProcRow *row = ls_llvm_row (r, r->row);
  return row->sources.kind == LS_ARG_INTS ? row->sources.n : 0;
}

static LsLlvmValue *
source (LsLlvm *r, guint s)
{
  static LsLlvmValue missing;
  const LsProcRow *row = ls_llvm_row (r, r->row);
  LsLlvmValue *value = s < ls_llvm_n_sources (r) ? value_of (r, row->sources.ints[s]) : NULL;
  if (value && value->text)
    return value;
  ls_llvm_fail (r, ls_llvm_node (r, r->row), "uses a value that has no expression");
  missing = (LsLlvmValue) { (char *) "0", LS_INT32, r->row };
  return &missing;
}

const char *ls_llvm_source (LsLlvm *r, guint s) { return source (r, s)->text; }
LsDType     ls_llvm_source_dtype (LsLlvm *r, guint s) { return source (r, s)->dtype; }

static void
explain (LsLlvm *r, const char *made, const char *name, const char *why)
{
  LsLlvmInfo *info = info_of (r, ls_llvm_node (r, r->row));
  if (!info)
    return;
  g_free (info->made);
  g_free (info->name);
  info->made = g_strdup (made);
  info->name = g_strdup (name);
  info->why = why;
  if (info->inputs || !ls_llvm_n_sources (r))
    return;
  GString *inputs = g_string_new (NULL);
  for (guint s = 0; s < ls_llvm_n_sources (r); s++) {
    const char *text = source (r, s)->text;
    gsize n = strlen (text);
    g_string_append (inputs, s ? "\n" : "");
    g_string_append_len (inputs, text, (gssize) MIN (n, LS_MAX_INPUT));
    g_string_append (inputs, n > LS_MAX_INPUT ? "…" : "");
  }
  info->inputs = g_string_free (inputs, FALSE);
}

static void
give (LsLlvm *r, const char *text)
{
  const LsProcRow *row = ls_llvm_row (r, r->row);
  *value_of (r, row->dest) = (LsLlvmValue) { (char *) text, row->dtype, r->row };
}

/* The last line of the row, "  %v3.2 = TEXT, !dbg !7", gives the register itself: its TEXT; NULL: it does not give text. */
static char *
rename_part (LsLlvm *r, const char *text, guint32 reg)
{
  LsLlvmLine *line = r->lines->len ? &g_array_index (r->lines, LsLlvmLine, r->lines->len - 1) : NULL;
  gsize n = strlen (text);
  if (!line || !r->n_parts || strncmp (line->text, "  ", 2) != 0 || strncmp (line->text + 2, text, n) != 0 ||
      strncmp (line->text + 2 + n, " = ", 3) != 0)
    return NULL;
  const char *made = line->text + 2 + n + 3, *end = strstr (made, ", !dbg !");
  char *only = g_strndup (made, end ? (gsize) (end - made) : strlen (made)), *renamed = g_strdup_printf ("  %%v%u = %s", reg, made);
  g_free (line->text);
  line->text = renamed;
  return only;
}

void
ls_llvm_set (LsLlvm *r, const char *text, const char *made)
{
  const LsProcRow *row = ls_llvm_row (r, r->row);
  g_autofree char *renamed = made ? NULL : rename_part (r, text, row->dest);
  if (renamed) {
    made = renamed;
    text = ls_llvm_keep (r, g_strdup_printf ("%%v%u", row->dest));
  } else if (made) {
    text = ls_llvm_keep (r, g_strdup_printf ("%%v%u", row->dest));
    ls_llvm_line (r, "%s = %s", text, made);
  }
  explain (r, made ? made : text, made ? text : NULL, made ? LS_TEMPLATE ("instruction") : LS_TEMPLATE ("another register's value"));
  give (r, text);
}

/* --- memory --- */

static gboolean
find_buffer (LsLlvm *r, LsDType *dtype, const char **name)
{
  const LsProcRow *row = ls_llvm_row (r, r->row);
  gpointer at = row->buffer ? g_hash_table_lookup (r->buffers, row->buffer) : NULL;
  if (!at) {
    ls_llvm_fail (r, ls_llvm_node (r, r->row), row->op == LS_OP_LOAD ? "reads no INDEX" : "writes to no INDEX");
    return FALSE;
  }
  *dtype = ls_dtype_deref (ls_llvm_row (r, GPOINTER_TO_UINT (at) - 1)->dtype);
  *name = row->buffer;
  return TRUE;
}

static void
show_index (LsLlvm *r)
{
  LsUOp *u = ls_llvm_node (r, r->row)->src[0];
  while (u->op == LS_OP_CAST && ls_dtype_is_ptr (u->dtype))
    u = u->src[0];
  if (u->op == LS_OP_INDEX)
    show (r, u);
}

static const char *
element_pointer (LsLlvm *r, LsDType element, const char *buffer)
{
  const char *index = ls_llvm_index (r, 0);
  const char *pointer = ls_llvm_part (r, "getelementptr inbounds %s, ptr %%%s, i64 %s", ls_llvm_stored (element), buffer, index);
  show_index (r);
  return pointer;
}

static void
write_load (LsLlvm *r)
{
  const LsProcRow *row = ls_llvm_row (r, r->row);
  guint number = r->row + 1, n = ls_llvm_n_sources (r);
  LsDType element;
  const char *buffer;
  if (!n || !find_buffer (r, &element, &buffer))
    return;
  guint align = ls_dtype_itemsize (row->dtype);
  g_autofree char *before = NULL, *join = g_strdup_printf ("join%u", number), *load = g_strdup_printf ("load%u", number);
  gboolean gated = n > 1;
  if (gated && n < 3) {
    ls_llvm_fail (r, ls_llvm_node (r, r->row), "has a gate without an alternative");
    return;
  }
  if (gated) {
    ls_llvm_line (r, "br i1 %s, label %%%s, label %%%s", source (r, 1)->text, load, join);
    before = g_strdup (r->label);
    begin_block (r, load, NULL);
  }
  const char *pointer = element_pointer (r, element, buffer);
  g_autofree char *made = g_strdup_printf ("load %s, ptr %s, align %u", ls_llvm_stored (row->dtype), pointer, align);
  gboolean same = strcmp (ls_llvm_stored (row->dtype), ls_llvm_type (row->dtype)) == 0;
  if (!gated && same)
    ls_llvm_set (r, NULL, made);
  else {
    const char *value = ls_llvm_from_memory (r, row->dtype, ls_llvm_part (r, "%s", made));
    if (gated) {
      g_autofree char *from = g_strdup (r->label);
      ls_llvm_line (r, "br label %%%s", join);
      begin_block (r, join, NULL);
      char *phi = g_strdup_printf ("phi %s [ %s, %%%s ], [ %s, %%%s ]", ls_llvm_type (row->dtype), value, from, source (r, 2)->text,
                                   before);
      ls_llvm_set (r, NULL, ls_llvm_keep (r, phi));
    } else
      ls_llvm_set (r, value, NULL);
  }
  LsLlvmInfo *info = info_of (r, ls_llvm_node (r, r->row));
  if (info)
    explain (r, made, value_of (r, row->dest)->text, LS_TEMPLATE ("load"));
}

static void
write_store (LsLlvm *r)
{
  guint number = r->row + 1, n = ls_llvm_n_sources (r);
  LsDType element;
  const char *buffer;
  if (n < 2) {
    ls_llvm_fail (r, ls_llvm_node (r, r->row), "writes to no INDEX");
    return;
  }
  if (!find_buffer (r, &element, &buffer))
    return;
  g_autofree char *join = g_strdup_printf ("join%u", number), *store = g_strdup_printf ("store%u", number);
  if (n > 2) {
    ls_llvm_line (r, "br i1 %s, label %%%s, label %%%s", source (r, 2)->text, store, join);
    begin_block (r, store, NULL);
  }
  LsDType dtype = source (r, 1)->dtype;
  const char *pointer = element_pointer (r, element, buffer), *value = ls_llvm_to_memory (r, dtype, source (r, 1)->text);
  g_autofree char *made = g_strdup_printf ("store %s %s, ptr %s, align %u", ls_llvm_stored (dtype), value, pointer,
                                           ls_dtype_itemsize (dtype));
  ls_llvm_line (r, "%s", made);
  if (n > 2) {
    ls_llvm_line (r, "br label %%%s", join);
    begin_block (r, join, NULL);
  }
  explain (r, made, NULL, LS_TEMPLATE ("store"));
}

/* Memory of the function itself: tiles and registers. It is declared in the first block. */
static void
write_array (LsLlvm *r)
{
  const LsProcRow *row = ls_llvm_row (r, r->row);
  LsDType element = ls_dtype_deref (row->dtype);
  g_autofree char *made = g_strdup_printf ("alloca [%" G_GUINT64_FORMAT " x %s], align 64", ls_dtype_ptr_size (row->dtype),
                                           ls_llvm_stored (element));
  ls_llvm_line (r, "%%%s = %s", row->buffer, made);
  g_autofree char *name = g_strconcat ("%", row->buffer, NULL);
  explain (r, made, name, row->kind == LS_PROC_LOCAL ? LS_TEMPLATE ("group memory") : LS_TEMPLATE ("registers"));
}

/* --- blocks --- */

/* The accumulators from outside that rows inside of the loop or if at the row assign. */
static GArray *
changed_inside (LsLlvm *r, guint row)
{
  GArray *changed = g_array_new (FALSE, FALSE, sizeof (Changed));
  guint depth = ls_llvm_row (r, row)->depth;
  for (guint i = row + 1; i < r->rows->len && ls_llvm_row (r, i)->depth > depth; i++) {
    const LsProcRow *inner = ls_llvm_row (r, i);
    gboolean known = inner->kind != LS_PROC_ACCUMULATE || !value_of (r, inner->dest)->text || value_of (r, inner->dest)->row >= row;
    for (guint k = 0; k < changed->len && !known; k++)
      known = g_array_index (changed, Changed, k).reg == inner->dest;
    Changed c = { inner->dest, NULL, 0 };
    if (!known)
      g_array_append_val (changed, c);
  }
  return changed;
}

static void
open_loop (LsLlvm *r)
{
  const LsProcRow *row = ls_llvm_row (r, r->row);
  LsUOp *u = ls_llvm_node (r, r->row);
  guint number = r->row + 1;
  const char *type = ls_llvm_type (row->dtype);
  if (!ls_llvm_n_sources (r)) {
    ls_llvm_fail (r, u, "uses a value that has no expression");
    return;
  }
  Open open = { r->row, g_strdup (r->label), changed_inside (r, r->row) };
  g_autofree char *name = r->job->names ? ls_name_of_loop (r->job->names, u) : NULL, *head = g_strdup_printf ("loop%u", number),
                  *body = g_strdup_printf ("body%u", number), *end = g_strdup_printf ("end%u", number);
  const char *counter = ls_llvm_keep (r, g_strdup_printf ("%%v%u", row->dest));
  ls_llvm_line (r, "br label %%%s", head);
  begin_block (r, head, u);
  LsLlvmLine *label = &g_array_index (r->lines, LsLlvmLine, r->lines->len - 1);
  if (name) {
    char *with = g_strdup_printf ("%s  ; %s below %s", label->text, name, source (r, 0)->text);
    g_free (label->text);
    label->text = with;
  }
  ls_llvm_line (r, "%s = phi %s [ 0, %%%s ], [ %s.next, %%last%u ]", counter, type, open.from, counter, number);
  for (guint k = 0; k < open.changed->len; k++) {
    Changed *c = &g_array_index (open.changed, Changed, k);
    LsLlvmValue *value = value_of (r, c->reg);
    c->before = g_strdup (value->text);
    c->phi = r->lines->len;
    value->text = (char *) ls_llvm_keep (r, g_strdup_printf ("%%v%u.loop%u", c->reg, number));
    ls_llvm_line (r, "%s = phi", value->text);      /* what comes from the end is known there */
    show (r, ls_llvm_node (r, value->row));
  }
  ls_llvm_line (r, "%s.goes = icmp slt %s %s, %s", counter, type, counter, source (r, 0)->text);
  ls_llvm_line (r, "br i1 %s.goes, label %%%s, label %%%s", counter, body, end);
  begin_block (r, body, NULL);
  explain (r, counter, counter, LS_TEMPLATE ("loop counter"));
  give (r, counter);
  g_array_append_val (r->open, open);
}

static void
open_if (LsLlvm *r)
{
  guint number = r->row + 1;
  if (!ls_llvm_n_sources (r)) {
    ls_llvm_fail (r, ls_llvm_node (r, r->row), "uses a value that has no expression");
    return;
  }
  Open open = { r->row, g_strdup (r->label), changed_inside (r, r->row) };
  for (guint k = 0; k < open.changed->len; k++) {
    Changed *c = &g_array_index (open.changed, Changed, k);
    c->before = g_strdup (value_of (r, c->reg)->text);
  }
  g_autofree char *body = g_strdup_printf ("body%u", number);
  ls_llvm_line (r, "br i1 %s, label %%%s, label %%end%u", source (r, 0)->text, body, number);
  explain (r, source (r, 0)->text, NULL, LS_TEMPLATE ("condition"));
  begin_block (r, body, NULL);
  g_array_append_val (r->open, open);
}

/* The node that ends the loop or if of that row. */
static LsUOp *
end_node (const LsLlvm *r, const LsUOp *opener)
{
  for (guint i = 0; i < r->job->n; i++) {
    LsUOp *u = r->job->list[i];
    if ((u->op == LS_OP_ENDRANGE || u->op == LS_OP_ENDIF) && u->n_src && u->src[0] == opener)
      return u;
  }
  return NULL;
}

static void
close_loop (LsLlvm *r, Open *open)
{
  const LsProcRow *row = ls_llvm_row (r, open->row);
  guint number = open->row + 1;
  const char *type = ls_llvm_type (row->dtype);
  g_autofree char *last = g_strdup_printf ("last%u", number), *end = g_strdup_printf ("end%u", number);
  ls_llvm_line (r, "br label %%%s", last);
  begin_block (r, last, NULL);
  ls_llvm_line (r, "%%v%u.next = add nuw nsw %s %%v%u, 1", row->dest, type, row->dest);
  ls_llvm_line (r, "br label %%loop%u", number);
  for (guint k = 0; k < open->changed->len; k++) {
    const Changed *c = &g_array_index (open->changed, Changed, k);
    LsLlvmValue *value = value_of (r, c->reg);
    LsLlvmLine *phi = &g_array_index (r->lines, LsLlvmLine, c->phi);
    g_free (phi->text);
    phi->text = g_strdup_printf ("  %%v%u.loop%u = phi %s [ %s, %%%s ], [ %s, %%last%u ], !dbg !%u", c->reg, number,
                                 ls_llvm_type (value->dtype), c->before, open->from, value->text, number, number);
    value->text = (char *) ls_llvm_keep (r, g_strdup_printf ("%%v%u.loop%u", c->reg, number));
  }
  begin_block (r, end, NULL);
}

static void
close_if (LsLlvm *r, Open *open)
{
  guint number = open->row + 1;
  g_autofree char *from = g_strdup (r->label), *end = g_strdup_printf ("end%u", number);
  ls_llvm_line (r, "br label %%%s", end);
  begin_block (r, end, NULL);
  for (guint k = 0; k < open->changed->len; k++) {
    const Changed *c = &g_array_index (open->changed, Changed, k);
    LsLlvmValue *value = value_of (r, c->reg);
    const char *name = ls_llvm_keep (r, g_strdup_printf ("%%v%u.if%u", c->reg, number));
    ls_llvm_line (r, "%s = phi %s [ %s, %%%s ], [ %s, %%%s ]", name, ls_llvm_type (value->dtype), value->text, from, c->before, open->from);
    value->text = (char *) name;
  }
}

static void
clear_open (gpointer data)
{
  Open *open = data;
  for (guint k = 0; k < open->changed->len; k++)
    g_free (g_array_index (open->changed, Changed, k).before);
  g_array_unref (open->changed);
  g_free (open->from);
}

static void
close_block (LsLlvm *r)
{
  Open *open = &g_array_index (r->open, Open, r->open->len - 1);
  LsUOp *end = end_node (r, ls_llvm_node (r, open->row));
  LsLlvmInfo *info = info_of (r, end);
  guint row = r->row, before = r->lines->len;
  r->row = open->row;
  if (ls_llvm_row (r, open->row)->kind == LS_PROC_LOOP)
    close_loop (r, open);
  else
    close_if (r, open);
  for (guint i = before; info && i < r->lines->len; i++) {
    LsRenderedLine shown = { i + 1, end };
    g_array_append_val (r->shown, shown);
  }
  if (info) {
    info->line = before + 1;
    info->made = g_strdup (g_strchug (g_array_index (r->lines, LsLlvmLine, r->lines->len - 1).text));
    info->why = "end of the loop";
  }
  r->row = row;
  g_array_set_size (r->open, r->open->len - 1);
}

/* --- rows --- */

static void
write_special (LsLlvm *r)
{
  const LsProcRow *row = ls_llvm_row (r, r->row);
  LsUOp *u = ls_llvm_node (r, r->row);
  if (!ls_is_thread_index (u)) {
    ls_llvm_fail (r, u, "is a work item index, which this language does not have");
    return;
  }
  ls_llvm_set (r, NULL, ls_llvm_keep (r, g_strdup_printf ("zext i8 %%%s to %s", u->arg.str, ls_llvm_type (row->dtype))));
  explain (r, "thread", value_of (r, row->dest)->text, LS_TEMPLATE ("work item index"));
}

static void
write_row (LsLlvm *r)
{
  const LsProcRow *row = ls_llvm_row (r, r->row);
  r->n_parts = 0;
  switch ((int) row->kind) {
  case LS_PROC_CONST: {
    const char *text = ls_llvm_keep (r, ls_llvm_const (row->dtype, row->value));
    explain (r, text, NULL, LS_TEMPLATE ("constant"));
    give (r, text);
    break;
  }
  case LS_PROC_COMPUTE: ls_llvm_compute (r); break;
  case LS_PROC_LOAD: write_load (r); break;
  case LS_PROC_STORE: write_store (r); break;
  case LS_PROC_LOOP: open_loop (r); break;
  case LS_PROC_IF: open_if (r); break;
  case LS_PROC_ACCUMULATOR: {
    const char *text = ls_llvm_n_sources (r) ? source (r, 0)->text : ls_dtype_is_float (row->dtype) ?
                       ls_llvm_keep (r, ls_llvm_splat_float (row->dtype, 0)) : ls_llvm_keep (r, ls_llvm_splat (row->dtype, 0));
    explain (r, text, NULL, LS_TEMPLATE ("accumulator"));
    give (r, text);
    break;
  }
  case LS_PROC_SPECIAL: write_special (r); break;
  case LS_PROC_LOCAL: case LS_PROC_REGISTERS: break;      /* in the first block */
  case LS_PROC_BARRIER: ls_llvm_fail (r, ls_llvm_node (r, r->row), "needs work groups"); break;
  default: break;
  }
  /* a constant is shown by the first line that it is written in */
  for (guint s = 0; s < ls_llvm_n_sources (r) && r->lines->len; s++) {
    const LsLlvmValue *value = value_of (r, row->sources.ints[s]);
    if (value->text && value->text[0] != '%')
      show (r, ls_llvm_node (r, value->row));
  }
}

/* A run of assignments: all values are read before any accumulator has its new one. */
static guint
write_assignments (LsLlvm *r, guint first)
{
  guint end = first;
  const LsProcRow *row = ls_llvm_row (r, first);
  g_autoptr (GPtrArray) values = g_ptr_array_new ();
  for (; end < r->rows->len && ls_llvm_row (r, end)->kind == LS_PROC_ACCUMULATE && ls_llvm_row (r, end)->depth == row->depth; end++) {
    r->row = end;
    g_ptr_array_add (values, (gpointer) source (r, 0)->text);
  }
  for (guint i = first; i < end; i++) {
    r->row = i;
    const char *text = values->pdata[i - first];
    explain (r, text, NULL, LS_TEMPLATE ("accumulator"));
    LsLlvmValue *value = value_of (r, ls_llvm_row (r, i)->dest);
    value->text = (char *) text;
    show (r, ls_llvm_node (r, i));
  }
  return end;
}

static void
write_signature (LsLlvm *r)
{
  const LsProcedure *p = r->job->procedure;
  guint n = ls_proc_n_args (r->rows);
  GString *out = g_string_new (NULL);
  g_string_append_printf (out, "define void @%s(", p->name);
  for (guint i = 0; i < n; i++) {
    const LsProcRow *arg = ls_llvm_row (r, i);
    g_string_append (out, i ? ", " : "");
    if (arg->kind == LS_PROC_VARIABLE)
      g_string_append_printf (out, "%s %%v%u", ls_llvm_type (arg->dtype), arg->dest);
    else
      g_string_append_printf (out, "ptr noalias %s%%%s", arg->kind == LS_PROC_INPUT ? "readonly " : "", arg->buffer);
  }
  for (guint i = n; i < r->rows->len; i++) {
    LsUOp *u = ls_llvm_node (r, i);
    if (u && ls_is_thread_index (u))
      g_string_append_printf (out, "%si8 %%%s", n ? ", " : "", u->arg.str);
  }
  /* as clang's functions: vectors are as wide as the processor prefers them */
  g_string_append (out, ") nounwind \"min-legal-vector-width\"=\"0\" !dbg !0 {");
  add_line (r, NULL, g_string_free (out, FALSE));
  for (guint i = 0; i < n; i++) {
    const LsProcRow *arg = ls_llvm_row (r, i);
    r->row = i;
    show (r, ls_llvm_node (r, i));
    if (arg->kind == LS_PROC_VARIABLE) {
      const char *text = ls_llvm_keep (r, g_strdup_printf ("%%v%u", arg->dest));
      give (r, text);
      explain (r, text, text, LS_TEMPLATE ("variable"));
    } else {
      g_autofree char *name = g_strconcat ("%", arg->buffer, NULL);
      g_hash_table_insert (r->buffers, (gpointer) arg->buffer, GUINT_TO_POINTER (i + 1));
      explain (r, name, name, LS_TEMPLATE ("buffer"));
    }
  }
}

static void
write_body (LsLlvm *r)
{
  guint n = r->rows->len, first = ls_proc_n_args (r->rows);
  begin_block (r, "entry", NULL);
  for (guint i = first; i < n; i++) {
    const LsProcRow *row = ls_llvm_row (r, i);
    if (row->kind != LS_PROC_LOCAL && row->kind != LS_PROC_REGISTERS)
      continue;
    r->row = i;
    g_hash_table_insert (r->buffers, (gpointer) row->buffer, GUINT_TO_POINTER (i + 1));
    write_array (r);
  }
  for (guint i = first; i <= n && !r->failed; i++) {
    for (guint depth = i < n ? ls_llvm_row (r, i)->depth : 0; r->open->len > depth && !r->failed; )
      close_block (r);
    if (i == n)
      break;
    if (ls_llvm_row (r, i)->kind == LS_PROC_ACCUMULATE) {
      i = write_assignments (r, i) - 1;
      continue;
    }
    r->row = i;
    write_row (r);
  }
  add_line (r, NULL, g_strdup ("  ret void"));
  add_line (r, NULL, g_strdup ("}"));
}

/* --- the module --- */

static void
append_needs (LsLlvm *r, GString *out)
{
  g_autoptr (GList) needs = g_list_sort (g_hash_table_get_keys (r->needs), (GCompareFunc) strcmp);
  for (GList *at = needs; at; at = at->next) {
    const char *helper = ls_llvm_helper (at->data);
    if (helper)
      g_string_append_printf (out, "\n%s", helper);
    else
      g_string_append_printf (out, "\n%s\n", (const char *) at->data);
  }
}

/* !0 is the function, !1 to !N the rows that a line names. */
static void
append_debug (LsLlvm *r, GString *out)
{
  guint n = r->rows->len;
  g_autofree gboolean *used = g_new0 (gboolean, n + 2);
  for (guint i = 0; i < r->lines->len; i++) {
    const char *mark = strstr (g_array_index (r->lines, LsLlvmLine, i).text, "!dbg !");
    guint64 row = mark ? g_ascii_strtoull (mark + strlen ("!dbg !"), NULL, 10) : 0;
    if (row <= n)
      used[row] = TRUE;
  }
  g_string_append_printf (out, "\n!llvm.dbg.cu = !{!%u}\n!llvm.module.flags = !{!%u, !%u}\n", n + 1, n + 2, n + 3);
  g_string_append_printf (out, "!0 = distinct !DISubprogram(name: \"%s\", scope: !%u, file: !%u, line: 1, type: !%u, "
                               "spFlags: DISPFlagDefinition, unit: !%u)\n", r->job->procedure->name, n + 4, n + 4, n + 5, n + 1);
  for (guint row = 1; row <= n; row++)
    if (used[row])
      g_string_append_printf (out, "!%u = !DILocation(line: %u, scope: !0)\n", row, row);
  g_string_append_printf (out, "!%u = distinct !DICompileUnit(language: DW_LANG_C99, file: !%u, emissionKind: LineTablesOnly)\n", n + 1,
                          n + 4);
  g_string_append_printf (out, "!%u = !{i32 2, !\"Debug Info Version\", i32 3}\n!%u = !{i32 7, !\"Dwarf Version\", i32 4}\n", n + 2, n + 3);
  g_string_append_printf (out, "!%u = !DIFile(filename: \"" LS_LLVM_FILE "\", directory: \"\")\n", n + 4);
  g_string_append_printf (out, "!%u = !DISubroutineType(types: !%u)\n!%u = !{null}\n", n + 5, n + 6, n + 6);
}

static int
compare_shown (gconstpointer a, gconstpointer b)
{
  const LsRenderedLine *x = a, *y = b;
  if (x->line != y->line)
    return x->line < y->line ? -1 : 1;
  return x->node->id < y->node->id ? -1 : x->node->id > y->node->id;
}

static void
expr_clear (gpointer data)
{
  LsRenderedExpr *e = data;
  g_free (e->expr);
  g_free (e->name);
}

static GArray *
collect_exprs (LsLlvm *r, char **inputs)
{
  gsize size = 1;
  for (guint i = 0; i < r->job->n; i++)
    size += r->infos[i].inputs ? strlen (r->infos[i].inputs) + 1 : 0;
  char *next = *inputs = g_malloc (size);
  GArray *exprs = g_array_new (FALSE, FALSE, sizeof (LsRenderedExpr));
  g_array_set_clear_func (exprs, expr_clear);
  for (guint i = 0; i < r->job->n; i++) {
    LsLlvmInfo *info = &r->infos[i];
    if (!info->why)
      continue;
    LsRenderedExpr expr = { .node = r->job->list[i], .row = i, .line = info->line, .why = info->why, .asked = "" };
    if (info->inputs) {
      gsize n = strlen (info->inputs) + 1;
      expr.inputs = memcpy (next, info->inputs, n);
      next += n;
    }
    expr.assigned = info->name != NULL || expr.node->op == LS_OP_STORE || expr.node->op == LS_OP_ENDRANGE || expr.node->op == LS_OP_ENDIF;
    expr.name = g_steal_pointer (&info->name);
    expr.expr = g_steal_pointer (&info->made);
    g_array_append_val (exprs, expr);
  }
  return exprs;
}

static LsRendered *
take (LsLlvm *r)
{
  LsRendered *rendered = g_new0 (LsRendered, 1);
  GString *source = g_string_new (NULL);
  for (guint i = 0; i < r->lines->len; i++)
    g_string_append_printf (source, "%s\n", g_array_index (r->lines, LsLlvmLine, i).text);
  append_needs (r, source);
  append_debug (r, source);
  g_array_sort (r->shown, compare_shown);
  guint kept = 0;
  for (guint i = 0; i < r->shown->len; i++) {
    LsRenderedLine line = g_array_index (r->shown, LsRenderedLine, i);
    const LsRenderedLine *last = kept ? &g_array_index (r->shown, LsRenderedLine, kept - 1) : NULL;
    if (!last || last->line != line.line || last->node != line.node)
      g_array_index (r->shown, LsRenderedLine, kept++) = line;
  }
  g_array_set_size (r->shown, kept);
  rendered->source = g_string_free (source, FALSE);
  rendered->lines = g_array_ref (r->shown);
  rendered->exprs = collect_exprs (r, &rendered->inputs);
  rendered->asked = "";
  return rendered;
}

static void
clear_line (gpointer line)
{
  g_free (((LsLlvmLine *) line)->text);
}

static LsRendered *
render (const LsRenderJob *job, GError **error)
{
  LsLlvm r = { .job = job, .rows = job->procedure->rows, .error = error };
  r.values = g_array_new (FALSE, FALSE, sizeof (LsLlvmValue));
  r.buffers = g_hash_table_new (g_str_hash, g_str_equal);
  r.lines = g_array_new (FALSE, FALSE, sizeof (LsLlvmLine));
  r.shown = g_array_new (FALSE, FALSE, sizeof (LsRenderedLine));
  r.open = g_array_new (FALSE, FALSE, sizeof (Open));
  g_array_set_clear_func (r.lines, clear_line);
  g_array_set_clear_func (r.open, clear_open);
  r.texts = g_string_chunk_new (4096);
  r.needs = g_hash_table_new (g_str_hash, g_str_equal);
  r.infos = g_new0 (LsLlvmInfo, job->n + 1);
  r.places = ls_node_map_acquire (job->ctx);
  for (guint i = 0; i < job->n; i++)
    ls_node_map_set (r.places, job->list[i], i);
  write_signature (&r);
  write_body (&r);
  LsRendered *rendered = r.failed ? NULL : take (&r);
  for (guint i = 0; i < job->n; i++) {
    g_free (r.infos[i].made);
    g_free (r.infos[i].name);
    g_free (r.infos[i].inputs);
  }
  g_free (r.infos);
  ls_node_map_release (job->ctx, r.places);
  g_array_unref (r.values);
  g_hash_table_unref (r.buffers);
  g_array_unref (r.lines);
  g_array_unref (r.shown);
  g_array_unref (r.open);
  g_hash_table_unref (r.needs);
  g_string_chunk_free (r.texts);
  g_free (r.label);
  return rendered;
}

static char *prelude (const LsTarget *target, const LsSettings *settings, const char *source, LsGiven given) { return g_strdup (""); }
static gboolean writes_half (const LsTarget *target, LsProfile profile) { return FALSE; }
static gboolean reorders (const LsTarget *target, LsProfile profile) { return FALSE; }

const LsRenderer ls_renderer_llvm = { render, prelude, writes_half, reorders, NULL };
