/* See names.h. */
#include "names.h"

#include "axis.h"

#include <string.h>

#define MOST_AXES   256       /* that have letters; kernels have fewer */
#define MOST_RANGES 1024      /* that are looked at */

static const char letters[] = "ijkmnpqrstuvwxyz";

/* A range: how many axes and other loops have their letters before it, and its suffix. */
typedef struct { gint64 axis, part; guint letter; gboolean has_suffix; char *text; } Loop;

/* What is a range by another argument: a SPECIAL by its name, a RANGE by its number. */
typedef struct { char *name; gint64 number, axis, part, type; } Alias;

/* What the program calls an argument. */
typedef struct { guint argument; char *name, *place; gboolean is_shared; } Buffer;

struct _LsNames {
  gint       ref_count;
  GPtrArray *taken;      /* char *: names of arguments */
  GArray    *loops;      /* Loop, of the ranges that it was made of */
  GArray    *aliases;    /* Alias */
  GArray    *texts;      /* Loop with a text alone */
  GArray    *buffers;    /* Buffer */
  guint      n_axes;     /* the letters before those of loops beside an axis' own */
  guint      n_groups;
};

static void
loop_clear (gpointer data)
{
  g_free (((Loop *) data)->text);
}

static void
alias_clear (gpointer data)
{
  g_free (((Alias *) data)->name);
}

static void
buffer_clear (gpointer data)
{
  g_free (((Buffer *) data)->name);
  g_free (((Buffer *) data)->place);
}

static const Loop *
find_loop (const GArray *loops, gint64 axis, gint64 part)
{
  for (guint i = 0; i < loops->len; i++) {
    const Loop *loop = &g_array_index (loops, Loop, i);
    if (loop->axis == axis && loop->part == part)
      return loop;
  }
  return NULL;
}

static int
compare_ranges (gconstpointer a, gconstpointer b)
{
  const LsUOp *x = *(LsUOp *const *) a, *y = *(LsUOp *const *) b;
  if (ls_range_axis (x) != ls_range_axis (y))
    return ls_range_axis (x) < ls_range_axis (y) ? -1 : 1;
  return ls_range_part (x) < ls_range_part (y) ? -1 : ls_range_part (x) > ls_range_part (y);
}

/* A recording may say anything. */
static gboolean
is_axis (gint64 axis)
{
  return axis >= 0 && axis < MOST_AXES;
}

static gboolean
is_beside (gint64 part)
{
  return part >= LS_PART_AGAIN;
}

/* Letters: an axis' by its number; of loops beside them first those of groups, then those of tiles. */
static void
add_loops (LsNames *names, const GPtrArray *ranges)
{
  for (guint i = 0; i < ranges->len; i++) {
    const LsUOp *r = ranges->pdata[i];
    Loop loop = { ls_range_axis (r), ls_range_part (r), (guint) ls_range_axis (r), FALSE, NULL };
    names->n_axes = MAX (names->n_axes, loop.letter + 1);
    if (!is_beside (loop.part) && !find_loop (names->loops, loop.axis, loop.part))
      g_array_append_val (names->loops, loop);
  }
  for (guint i = 0; i < names->loops->len; i++)
    for (guint k = 0; k < names->loops->len; k++) {
      Loop *x = &g_array_index (names->loops, Loop, i), *y = &g_array_index (names->loops, Loop, k);
      x->has_suffix |= i != k && x->axis == y->axis && x->part > 0;      /* one that was taken whole is the axis */
    }
  for (guint i = 0; i < ranges->len; i++) {
    const LsUOp *r = ranges->pdata[i];
    Loop loop = { ls_range_axis (r), LS_PART_AGAIN + ls_range_part (r), names->n_axes + names->n_groups, FALSE, NULL };
    if (ls_range_type (r) != LS_AXIS_GROUP || is_beside (ls_range_part (r)))
      continue;
    names->n_groups++;
    g_array_append_val (names->loops, loop);
  }
}

LsNames *
ls_names_new (guint n, LsUOp *const *nodes)
{
  LsNames *names = g_new0 (LsNames, 1);
  names->ref_count = 1;
  g_autoptr (GPtrArray) ranges = g_ptr_array_new ();
  names->taken = g_ptr_array_new_with_free_func (g_free);
  names->loops = g_array_new (FALSE, FALSE, sizeof (Loop));
  names->texts = g_array_new (FALSE, FALSE, sizeof (Loop));
  names->aliases = g_array_new (FALSE, FALSE, sizeof (Alias));
  names->buffers = g_array_new (FALSE, FALSE, sizeof (Buffer));
  g_array_set_clear_func (names->texts, loop_clear);
  g_array_set_clear_func (names->aliases, alias_clear);
  g_array_set_clear_func (names->buffers, buffer_clear);
  for (guint i = 0; i < n; i++) {
    LsUOp *u = nodes[i];
    if (u->arg.kind == LS_ARG_VAR && !g_ptr_array_find_with_equal_func (names->taken, u->arg.var->name, g_str_equal, NULL))
      g_ptr_array_add (names->taken, g_strdup (u->arg.var->name));
    if (u->op == LS_OP_RANGE && u->arg.kind == LS_ARG_INTS && u->arg.n > 1 && is_axis (ls_range_axis (u)) && ranges->len < MOST_RANGES)
      g_ptr_array_add (ranges, u);
  }
  g_ptr_array_sort (ranges, compare_ranges);
  add_loops (names, ranges);
  return names;
}

LsNames *
ls_names_new_graph (LsContext *ctx, LsUOp *root)
{
  g_autoptr (GPtrArray) nodes = ls_uop_toposort (ctx, root);
  return ls_names_new (nodes->len, (LsUOp *const *) nodes->pdata);
}

LsNames *
ls_names_ref (LsNames *names)
{
  g_atomic_int_inc (&names->ref_count);
  return names;
}

void
ls_names_unref (LsNames *names)
{
  if (!names || !g_atomic_int_dec_and_test (&names->ref_count))
    return;
  g_ptr_array_unref (names->taken);
  g_array_unref (names->loops);
  g_array_unref (names->texts);
  g_array_unref (names->aliases);
  g_array_unref (names->buffers);
  g_free (names);
}

/* --- which range a node is --- */

static gboolean
alias_is_of (const Alias *alias, const LsUOp *u)
{
  if (u->op == LS_OP_SPECIAL)
    return alias->name && u->arg.kind == LS_ARG_STR && strcmp (alias->name, u->arg.str) == 0;
  return !alias->name && u->arg.n == 2 && u->arg.ints[0] == alias->number;
}

static const Alias *
find_alias (const LsNames *names, const LsUOp *u)
{
  for (guint i = 0; names && i < names->aliases->len; i++)
    if (alias_is_of (&g_array_index (names->aliases, Alias, i), u))
      return &g_array_index (names->aliases, Alias, i);
  return NULL;
}

/* Axis and part of a RANGE or SPECIAL. FALSE: it is a SPECIAL that nothing is known of. */
static gboolean
range_of (const LsNames *names, const LsUOp *u, gint64 *axis, gint64 *part)
{
  const Alias *alias = find_alias (names, u);
  if (alias) {
    *axis = alias->axis;
    *part = alias->part;
    return TRUE;
  }
  if (u->op != LS_OP_RANGE || u->arg.kind != LS_ARG_INTS || u->arg.n < 1)
    return FALSE;
  *axis = ls_range_axis (u);
  *part = ls_range_part (u);
  return TRUE;
}

void
ls_names_add_alias (LsNames *names, const LsUOp *node, const LsUOp *range)
{
  gboolean is_special = node->op == LS_OP_SPECIAL;
  gint64 axis, part;
  if (!range_of (names, range, &axis, &part) || (is_special ? node->arg.kind != LS_ARG_STR : node->arg.n != 2))
    return;
  Alias alias = { is_special ? g_strdup (node->arg.str) : NULL, is_special ? 0 : node->arg.ints[0], axis, part,
                  ls_range_type (range) };
  g_array_append_val (names->aliases, alias);
}

void
ls_names_add_text (LsNames *names, const LsUOp *node, const char *text)
{
  Loop loop = { .text = NULL };
  if (!range_of (names, node, &loop.axis, &loop.part) || find_loop (names->texts, loop.axis, loop.part))
    return;
  loop.text = g_strdup (text);
  g_array_append_val (names->texts, loop);
}

/* --- names --- */

/* A name is taken where an argument has it, or it with a number behind it, as a part would. */
static gboolean
is_taken (const LsNames *names, const char *base)
{
  gsize n = strlen (base);
  for (guint i = 0; names && i < names->taken->len; i++) {
    const char *name = names->taken->pdata[i];
    if (strncmp (name, base, n) == 0 && (!name[n] || (name[n] == '_' && name[n + 1] && strspn (name + n + 1, "0123456789") ==
                                                      strlen (name + n + 1))))
      return TRUE;
  }
  return FALSE;
}

/* The name with so many free ones before it. */
static char *
nth_free (const LsNames *names, guint number)
{
  for (guint i = 0;; i++) {
    g_autofree char *name = i < strlen (letters) ? g_strndup (letters + i, 1) : g_strdup_printf ("x%u", i);
    if (!is_taken (names, name) && number-- == 0)
      return g_steal_pointer (&name);
  }
}

char *
ls_name_of_axis (const LsNames *names, gint64 axis, gint64 part)
{
  if (!is_axis (axis))
    return g_strdup_printf ("x%" G_GINT64_FORMAT "_%" G_GINT64_FORMAT, axis, part);
  const Loop *loop = names ? find_loop (names->loops, axis, part) : NULL;
  guint letter = (guint) axis;
  gboolean has_suffix = part > 0;
  if (loop) {
    letter = loop->letter;
    has_suffix = loop->has_suffix;
  } else if (names && part > (LS_PART_AGAIN + LS_PART_TILE) / 2 && part <= LS_PART_TILE) {
    letter = names->n_axes + names->n_groups + (guint) (LS_PART_TILE - part);
    has_suffix = FALSE;
  }
  char *base = nth_free (names, letter);
  if (!has_suffix)
    return base;
  char *name = g_strdup_printf ("%s_%" G_GINT64_FORMAT, base, part);
  g_free (base);
  return name;
}

char *
ls_name_of_loop (const LsNames *names, const LsUOp *u)
{
  gint64 axis, part;
  if (range_of (names, u, &axis, &part))
    return ls_name_of_axis (names, axis, part);
  return g_strdup (u->arg.kind == LS_ARG_STR ? u->arg.str : "idx");
}

char *
ls_label_of_loop (const LsNames *names, const LsUOp *u)
{
  char *name = ls_name_of_loop (names, u);
  gint64 axis, part;
  const Loop *text = names && range_of (names, u, &axis, &part) ? find_loop (names->texts, axis, part) : NULL;
  if (!text || strcmp (text->text, name) == 0)
    return name;
  char *both = g_strdup_printf ("%s·%s", name, text->text);
  g_free (name);
  return both;
}

int
ls_type_of_loop (const LsNames *names, const LsUOp *u)
{
  const Alias *alias = find_alias (names, u);
  gint64 type = alias ? alias->type : u->op == LS_OP_RANGE && u->arg.kind == LS_ARG_INTS && u->arg.n > 1 ? (gint64) ls_range_type (u) : -1;
  if (u->op == LS_OP_SPECIAL && type == LS_AXIS_LOOP)      /* a range of work items, whatever it was */
    return LS_AXIS_GLOBAL;
  return type < LS_N_AXIS ? (int) type : -1;
}

char *
ls_text_of_loop (const LsNames *names, const LsUOp *u)
{
  g_autofree char *label = ls_label_of_loop (names, u);
  int type = ls_type_of_loop (names, u);
  GString *text = g_string_new (label);
  if (u->n_src && u->src[0]->op == LS_OP_CONST && u->src[0]->arg.kind == LS_ARG_INT)
    g_string_append_printf (text, ":%" G_GINT64_FORMAT, u->src[0]->arg.i);
  if (type >= 0)
    g_string_append_printf (text, " %s", ls_axis_type_name ((LsAxisType) type));
  return g_string_free (text, FALSE);
}

/* --- buffers --- */

void
ls_names_add_buffer (LsNames *names, guint argument, const char *name, const char *place)
{
  Buffer buffer = { argument, g_utf8_make_valid (name, -1), g_strdup (place), FALSE };
  for (guint i = 0; i < names->buffers->len; i++) {
    Buffer *other = &g_array_index (names->buffers, Buffer, i);
    if (strcmp (other->name, buffer.name) == 0)
      buffer.is_shared = other->is_shared = TRUE;
  }
  for (guint i = 0; i < names->loops->len && !buffer.is_shared; i++) {
    const Loop *loop = &g_array_index (names->loops, Loop, i);
    g_autofree char *text = ls_name_of_axis (names, loop->axis, loop->part);
    buffer.is_shared = strcmp (text, buffer.name) == 0;
  }
  g_array_append_val (names->buffers, buffer);
}

gboolean
ls_has_buffer_name (const LsUOp *u)
{
  return u->op == LS_OP_BUFFER || u->op == LS_OP_DEFINE_GLOBAL || u->op == LS_OP_DEFINE_LOCAL || u->op == LS_OP_DEFINE_REG ||
         u->op == LS_OP_DEFINE_ACC;
}

static gint64
number_of (const LsUOp *u)
{
  return u->arg.kind == LS_ARG_INT ? u->arg.i : u->arg.kind == LS_ARG_INTS && u->arg.n ? u->arg.ints[0] : 0;
}

/* The kernel's argument that the node is; in a graph before lower it is a BUFFER of a negative number. -1: it is none. */
static gint64
argument_of (const LsUOp *u)
{
  gint64 number = number_of (u);
  if (u->op == LS_OP_BUFFER && number < 0)
    return number == G_MININT64 ? 0 : -number;
  return u->op == LS_OP_DEFINE_GLOBAL ? MAX (number, 0) : -1;
}

static const Buffer *
find_buffer (const LsNames *names, const LsUOp *u)
{
  gint64 argument = argument_of (u);
  for (guint i = 0; names && argument >= 0 && i < names->buffers->len; i++)
    if (g_array_index (names->buffers, Buffer, i).argument == argument)
      return &g_array_index (names->buffers, Buffer, i);
  return NULL;
}

/* As the text of the code has it. */
static char *
text_of_buffer (const LsUOp *u)
{
  gint64 argument = argument_of (u);
  const char *kind = argument >= 0 ? "data" : u->op == LS_OP_BUFFER ? "buffer" : u->op == LS_OP_DEFINE_LOCAL ? "temp" : "acc";
  return g_strdup_printf ("%s%" G_GINT64_FORMAT, kind, argument >= 0 ? argument : number_of (u));
}

char *
ls_name_of_buffer (const LsNames *names, const LsUOp *u)
{
  const Buffer *buffer = find_buffer (names, u);
  g_autofree char *text = text_of_buffer (u);
  return !buffer ? g_steal_pointer (&text) : buffer->is_shared ? g_strdup_printf ("%s·%s", buffer->name, text) : g_strdup (buffer->name);
}

char *
ls_label_of_buffer (const LsNames *names, const LsUOp *u)
{
  const Buffer *buffer = find_buffer (names, u);
  g_autofree char *text = text_of_buffer (u);
  return buffer ? g_strdup_printf ("%s (%s)", buffer->name, text) : g_steal_pointer (&text);
}

const char *
ls_place_of_buffer (const LsNames *names, const LsUOp *u)
{
  const Buffer *buffer = find_buffer (names, u);
  return buffer ? buffer->place : NULL;
}
