#include "film.h"
#include "ir/sentence.h"
#include "graph/layout/edge-path.h"
#include "loop-frame.h"
#include "ir/names.h"
#include "ir/print.h"

#include <math.h>
#include <string.h>

typedef struct {
  const char *name;
  GHashTable *known;       /* record -> its number + 1 */
  GPtrArray  *records;     /* the table's keys, by number */
  GArray     *last, *now;  /* guint: the former frame's records, and those of the one that is made */
  GHashTable *has;         /* those of the one that is made, number + 1 */
} Track;

enum { BOXES, EDGES, LOOPS, ROWS, SKIPS, N_TRACKS };

struct _LsFilm {
  LsTrace    *trace;
  GHashTable *texts;       /* text -> its number + 1 */
  GPtrArray  *by_number;
  Track       tracks[N_TRACKS];
  GString    *frames;
  guint       n;
  gsize       size;
  GArray     *nodes;       /* guint32 */
  GHashTable *has_node;
  gboolean    ops[LS_N_OPS];
  GArray     *plain;       /* guint: of each recorded node its row where it is the same, number + 1; 0: not known */
};

LsFilm *
ls_film_new (LsTrace *trace)
{
  static const char *const names[N_TRACKS] = { "boxes", "edges", "loops", "rows", "skips" };
  LsFilm *film = g_new0 (LsFilm, 1);
  film->trace = ls_trace_ref (trace);
  film->texts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  film->by_number = g_ptr_array_new ();
  for (guint i = 0; i < N_TRACKS; i++)
    film->tracks[i] = (Track) { names[i], g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL), g_ptr_array_new (),
                                g_array_new (FALSE, FALSE, sizeof (guint)), g_array_new (FALSE, FALSE, sizeof (guint)),
                                g_hash_table_new (NULL, NULL) };
  film->frames = g_string_new (NULL);
  film->nodes = g_array_new (FALSE, FALSE, sizeof (guint32));
  film->plain = g_array_new (FALSE, TRUE, sizeof (guint));
  film->has_node = g_hash_table_new (NULL, NULL);
  return film;
}

void
ls_film_free (LsFilm *film)
{
  if (!film)
    return;
  g_hash_table_unref (film->texts);
  g_ptr_array_unref (film->by_number);
  for (guint i = 0; i < N_TRACKS; i++) {
    g_hash_table_unref (film->tracks[i].known);
    g_ptr_array_unref (film->tracks[i].records);
    g_array_unref (film->tracks[i].last);
    g_array_unref (film->tracks[i].now);
    g_hash_table_unref (film->tracks[i].has);
  }
  g_string_free (film->frames, TRUE);
  g_array_unref (film->nodes);
  g_array_unref (film->plain);
  g_hash_table_unref (film->has_node);
  ls_trace_unref (film->trace);
  g_free (film);
}

void
ls_json_quote (GString *out, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text ? text : "", -1);
  g_string_append_c (out, '"');
  for (const char *p = valid; *p; p++)
    if (*p == '"' || *p == '\\')
      g_string_append_printf (out, "\\%c", *p);
    else if (*p == '\n')
      g_string_append (out, "\\n");
    else if ((guchar) *p < 32 || *p == '<' || *p == '>' || *p == '&' || *p == 127)
      g_string_append_printf (out, "\\u%04x", (guint) (guchar) *p);
    else
      g_string_append_c (out, *p);
  g_string_append_c (out, '"');
}

/* The number of a key, which is new where it is unknown. */
static guint
number_of (LsFilm *film, GHashTable *known, GPtrArray *all, const char *key)
{
  guint number = GPOINTER_TO_UINT (g_hash_table_lookup (known, key));
  if (number)
    return number - 1;
  char *own = g_strdup (key);
  g_ptr_array_add (all, own);
  g_hash_table_insert (known, own, GUINT_TO_POINTER (all->len));
  film->size += strlen (own) + 3;
  return all->len - 1;
}

guint
ls_film_text (LsFilm *film, const char *text)
{
  return number_of (film, film->texts, film->by_number, text ? text : "");
}

/* Of two equal records only one is kept: they would overlap. */
static void
put (Track *t, guint number)
{
  if (g_hash_table_add (t->has, GUINT_TO_POINTER (number + 1)))
    g_array_append_val (t->now, number);
}

static guint
add (LsFilm *film, guint track, const GString *record)
{
  Track *t = &film->tracks[track];
  guint number = number_of (film, t->known, t->records, record->str);
  put (t, number);
  return number;
}

/* --- the picture --- */

void
ls_film_way (GString *out, const GArray *points)
{
  const float *p = (const float *) (gconstpointer) points->data;
  long x = lroundf (p[0]), y = lroundf (p[1]);
  g_string_append_printf (out, "M%ld %ld", x, y);
  for (guint i = 1; i + 2 < points->len / 2; i += 3) {
    long c[6];
    for (guint k = 0; k < 3; k++) {
      c[2 * k] = lroundf (p[2 * (i + k)]) - x;
      c[2 * k + 1] = lroundf (p[2 * (i + k) + 1]) - y;
    }
    if (c[0] == 0 && c[2] == 0 && c[4] == 0)
      g_string_append_printf (out, "v%ld", c[5]);
    else
      g_string_append_printf (out, "c%ld %ld %ld %ld %ld %ld", c[0], c[1], c[2], c[3], c[4], c[5]);
    x += c[4];
    y += c[5];
  }
  g_string_append (out, "m-3-6l3 6 3-6");
}

static int
by_number (gconstpointer a, gconstpointer b)
{
  guint x = *(const guint *) a, y = *(const guint *) b;
  return x < y ? -1 : x > y;
}

/* [the class of its colour, its paths, the corner and width of its title, the title], outer ones first. */
static void
add_loops (LsFilm *film, const LsScene *scene, const LsLayout *layout)
{
  g_autoptr (LsFrames) frames = ls_frames_new (scene, layout, LS_IN_BOTH);
  g_autoptr (GString) record = g_string_new (NULL), fill = g_string_new (NULL), line = g_string_new (NULL), faint = g_string_new (NULL);
  for (guint i = 0; i < frames->frames->len; i++) {
    const LsFrame *f = &g_array_index (frames->frames, LsFrame, i);
    g_string_truncate (fill, 0);
    g_string_truncate (line, 0);
    g_string_truncate (faint, 0);
    ls_loop_frame_paths (frames, f, fill, line, faint);
    g_string_printf (record, "%u,\"%s\",\"%s\",\"%s\",%ld,%ld,%ld,%u", ls_loop_frame_axis (scene, frames, f), fill->str, line->str,
                     faint->str, lroundf (f->title.x0), lroundf (f->title.y0), lroundf (f->title.x1 - f->title.x0),
                     ls_film_text (film, f->text));
    add (film, LOOPS, record);
  }
}

void
ls_film_picture (LsFilm *film, const LsScene *scene, const LsLayout *layout)
{
  g_autoptr (GString) record = g_string_new (NULL);
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (float));
  for (guint i = 0; i < scene->n_nodes; i++) {
    const LsSceneNode *n = &scene->nodes[i];
    const char *second = ls_scene_second_line (scene, i, LS_IN_BOTH);
    g_string_printf (record, "%u,%u,%ld,%ld,%ld,%u,%u,%u,%u,%u", n->id, n->kind, lroundf (layout->x[i]), lroundf (layout->y[i]),
                     lroundf (n->width), n->op_class,
                     (n->strong ? 1 : 0) | (second && second == n->change ? 2 : 0), n->n_lanes, ls_film_text (film, n->title[1]),
                     ls_film_text (film, second));
    add (film, BOXES, record);
  }
  for (guint e = 0; e < scene->n_edges; e++) {
    const LsSceneEdge *edge = &scene->edges[e];
    ls_edge_path_points (scene, layout, e, edge->side & LS_IN_AFTER ? 1 : 0, points);
    g_string_printf (record, "%u,%u,%u,\"", scene->nodes[edge->from].id, scene->nodes[edge->to].id,
                     scene->is_diff ? edge->side : LS_IN_BOTH);
    ls_film_way (record, points);
    g_string_append_c (record, '"');
    add (film, EDGES, record);
  }
  add_loops (film, scene, layout);
  /* one order, whatever the order of the scene: unchanged records are found at their position */
  g_array_sort (film->tracks[BOXES].now, by_number);
  g_array_sort (film->tracks[EDGES].now, by_number);
}

/* --- rows --- */

/* Other facts about a node: its shape, its bounds. Free with g_free. */
static char *
facts (LsContext *ctx, LsUOp *u)
{
  if (ls_uop_has_shape (u)) {
    g_autofree char *shape = ls_shape_to_string (ls_uop_shape (ctx, u));
    return g_strdup_printf ("shape %s", shape);
  }
  if (ls_dtype_is_int (u->dtype) && !ls_dtype_is_ptr (u->dtype)) {
    gint64 low, high;
    ls_uop_bounds (ctx, u, &low, &high);
    if (low > ls_dtype_min_i (u->dtype) || high < G_MAXINT32)
      return low == high ? g_strdup_printf ("always %" G_GINT64_FORMAT, low) : g_strdup_printf ("from %" G_GINT64_FORMAT
                                                                                                " to %" G_GINT64_FORMAT, low, high);
  }
  return g_strdup ("");
}

/* A row on its way into the film. number, operands: of a row that is not the same, as the window has them; else "": the page counts rows
 * itself, since a row that stays is one record under every number. src: which rows of the list have the values of its sources, or
 * LS_NO_NODE; NULL: those of its sources. */
typedef struct {
  const LsGraph *of;
  LsUOp         *u;
  LsDiffKind     kind;
  const char    *number, *operands;
  const guint32 *src;
} Row;

static guint32
source_of (const Row *row, guint k)
{
  const LsUOp *u = row->src && row->src[k] != LS_NO_NODE ? row->of->nodes->pdata[row->src[k]] : row->u->src[k];
  return u->id;
}

static gboolean
has_own_sources (const Row *row)
{
  for (guint k = 0; k < row->u->n_src; k++)
    if (source_of (row, k) != row->u->src[k]->id)
      return FALSE;
  return TRUE;
}

static void
add_row (LsFilm *film, GString *record, const Row *row)
{
  const LsGraph *of = row->of;
  LsUOp *u = row->u;
  char dtype[64];
  /* a recorded node has the same row wherever it is the same */
  gboolean plain = row->kind == LS_DIFF_SAME && ls_context_node (film->trace->ctx, u->id) == u && has_own_sources (row);
  if (plain && u->id < film->plain->len && g_array_index (film->plain, guint, u->id)) {
    put (&film->tracks[ROWS], g_array_index (film->plain, guint, u->id) - 1);
    return;
  }
  g_autofree char *arg = ls_has_loop_name (u) ? ls_text_of_loop (of->names, u) : ls_uop_arg_print (u), *more = facts (of->ctx, u);
  film->ops[u->op] = TRUE;
  if (g_hash_table_add (film->has_node, GUINT_TO_POINTER (u->id + 1)))
    g_array_append_val (film->nodes, u->id);
  g_string_printf (record, "%u,%u,%u,%u,%u,%u,%u,%u", u->id, row->kind, ls_film_text (film, ls_op_name (u->op)),
                   ls_film_text (film, ls_dtype_text (u->dtype, dtype)), ls_film_text (film, arg), ls_film_text (film, more),
                   ls_film_text (film, row->number), ls_film_text (film, row->operands));
  for (guint k = 0; k < u->n_src; k++)
    g_string_append_printf (record, ",%u", source_of (row, k));
  guint at = add (film, ROWS, record);
  if (plain) {
    if (u->id >= film->plain->len)
      g_array_set_size (film->plain, u->id + 1);
    g_array_index (film->plain, guint, u->id) = at + 1;
  }
}

/* Rows that the listing numbers otherwise than by counting on from the row before: [node, how many numbers it leaves out before it], or
 * [node]: it prints none for it. A row's number is not in its record, so that a row that only moves down stays one record. */
static void
add_skips (LsFilm *film, GString *record, const GPtrArray *nodes, const guint32 *number)
{
  guint32 next = 0;
  for (guint i = 0; i < nodes->len; i++) {
    const LsUOp *u = nodes->pdata[i];
    if (number[i] == next) {
      next++;
      continue;
    }
    g_string_printf (record, "%u", u->id);
    if (number[i] != LS_NO_NODE) {
      g_string_append_printf (record, ",%d", (int) (number[i] - next));
      next = number[i] + 1;
    }
    add (film, SKIPS, record);
  }
}

void
ls_film_diff (LsFilm *film, const LsListDiff *diff)
{
  g_autoptr (GString) record = g_string_new (NULL);
  for (guint i = 0; i < diff->rows->len; i++) {
    const LsListRow *row = &g_array_index (diff->rows, LsListRow, i);
    gboolean removed = row->kind == LS_DIFF_REMOVED;
    g_autofree char *number = removed ? ls_list_diff_number (diff, i) : NULL,
                    *was = removed || row->kind == LS_DIFF_CHANGED ? ls_list_diff_operands (diff, i, TRUE) : NULL,
                    *is = row->kind == LS_DIFF_CHANGED ? ls_list_diff_operands (diff, i, FALSE) : NULL,
                    *both = is && !g_str_equal (was, is) ? g_strdup_printf ("%s → %s", was, is) : NULL;
    add_row (film, record, &(Row) { removed ? diff->graph_a : diff->graph_b, ls_list_diff_node (diff, i), row->kind,
                                    number ? number : "", both ? both : removed ? was : "",
                                    removed ? diff->src_a + diff->first_a[row->a] : diff->src_b + diff->first_b[row->b] });
  }
  add_skips (film, record, diff->b, diff->number_b);
}

void
ls_film_rows (LsFilm *film, const LsPosition *at, const LsGraph *rows, LsDiffKind kind)
{
  g_autoptr (GString) record = g_string_new (NULL);
  g_autofree guint32 *number = ls_position_numbers (at, rows);
  for (guint i = 0; i < rows->nodes->len; i++)
    add_row (film, record, &(Row) { rows, rows->nodes->pdata[i], kind, "", "", NULL });
  add_skips (film, record, rows->nodes, number);
}

/* --- edits --- */

/* The position of each record in a list, plus 1. */
static GHashTable *
places_in (const GArray *list, guint begin, guint end)
{
  GHashTable *at = g_hash_table_new (NULL, NULL);
  for (guint i = begin; i < end; i++)
    g_hash_table_insert (at, GUINT_TO_POINTER (g_array_index (list, guint, i) + 1), GUINT_TO_POINTER (i + 1));
  return at;
}

static guint
place_in (GHashTable *at, guint record)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (at, GUINT_TO_POINTER (record + 1)));
}

/* One change of a list: at a position, a number of records removed and new ones inserted. */
typedef struct { GString *out; guint at, n_gone, n_come; GString *come; } Edit;

static void
edit_end (Edit *e)
{
  if (e->n_gone || e->n_come)
    g_string_append_printf (e->out, "%s%u,%u,%u%s", e->out->str[e->out->len - 1] == '[' ? "" : ",", e->at, e->n_gone, e->n_come,
                            e->come->str);
  g_string_truncate (e->come, 0);
  e->n_gone = e->n_come = 0;
}

static void
edit_come (Edit *e, guint record)
{
  g_string_append_printf (e->come, ",%u", record);
  e->n_come++;
}

/* From one list to another, in one walk through both: of two records in a different order, the one with the longer way is removed and
 * added. */
static void
append_edit (GString *out, const GArray *from, const GArray *to)
{
  guint begin = 0, end_from = from->len, end_to = to->len;
  while (begin < end_from && begin < end_to && g_array_index (from, guint, begin) == g_array_index (to, guint, begin))
    begin++;
  for (; end_from > begin && end_to > begin && g_array_index (from, guint, end_from - 1) == g_array_index (to, guint, end_to - 1);
       end_from--)
    end_to--;
  g_autoptr (GHashTable) in_from = places_in (from, begin, end_from), in_to = places_in (to, begin, end_to),
      gone = g_hash_table_new (NULL, NULL), early = g_hash_table_new (NULL, NULL);
  g_autoptr (GString) come = g_string_new (NULL);
  Edit edit = { out, 0, 0, 0, come };
  guint at = begin;
  for (guint i = begin, j = begin; i < end_from || j < end_to;) {
    guint a = i < end_from ? g_array_index (from, guint, i) : 0, b = j < end_to ? g_array_index (to, guint, j) : 0;
    gboolean drop = i < end_from && (!place_in (in_to, a) || g_hash_table_contains (early, GUINT_TO_POINTER (a + 1)));
    gboolean take = j < end_to && (!place_in (in_from, b) || g_hash_table_contains (gone, GUINT_TO_POINTER (b + 1)));
    if (i < end_from && j < end_to && a == b && !drop && !take) {
      edit_end (&edit);
      i++, j++, at++;
      continue;
    }
    if (!edit.n_gone && !edit.n_come)
      edit.at = at;
    if (!drop && !take) {
      drop = place_in (in_to, a) - j >= place_in (in_from, b) - i;
      g_hash_table_add (drop ? gone : early, GUINT_TO_POINTER ((drop ? a : b) + 1));
    }
    if (drop) {
      edit.n_gone++;
      i++;
    } else {
      edit_come (&edit, b);
      j++, at++;
    }
  }
  edit_end (&edit);
}

void
ls_film_end (LsFilm *film, const char *members)
{
  gsize before = film->frames->len;
  g_string_append_printf (film->frames, "%s{%s", film->n++ ? ",\n" : "", members);
  for (guint i = 0; i < N_TRACKS; i++) {
    Track *t = &film->tracks[i];
    g_string_append_printf (film->frames, "%s\"%s\":[", i ? "," : "", t->name);
    append_edit (film->frames, t->last, t->now);
    g_string_append_c (film->frames, ']');
    GArray *last = t->last;
    t->last = t->now;
    t->now = last;
    g_array_set_size (t->now, 0);
    g_hash_table_remove_all (t->has);
  }
  g_string_append_c (film->frames, '}');
  film->size += film->frames->len - before;
}

gsize
ls_film_size (const LsFilm *film)
{
  return film->size;
}

guint
ls_film_n (const LsFilm *film)
{
  return film->n;
}

const GArray *
ls_film_nodes (const LsFilm *film)
{
  return film->nodes;
}

void
ls_film_write (LsFilm *film, GString *out)
{
  gboolean first = TRUE;
  g_string_append (out, "\"texts\":[");
  for (guint i = 0; i < film->by_number->len; i++) {
    if (i)
      g_string_append_c (out, ',');
    ls_json_quote (out, film->by_number->pdata[i]);
  }
  g_string_append (out, "],\n\"ops\":{");
  for (guint op = 0; op < LS_N_OPS; op++)
    if (film->ops[op]) {
      g_string_append_printf (out, "%s\"%s\":", first ? "" : ",", ls_op_name ((LsOp) op));
      ls_json_quote (out, ls_shown (ls_op_info ((LsOp) op)->sentence));
      first = FALSE;
    }
  g_string_append_c (out, '}');
  for (guint i = 0; i < N_TRACKS; i++) {
    const Track *t = &film->tracks[i];
    g_string_append_printf (out, ",\n\"%s\":[", t->name);
    for (guint k = 0; k < t->records->len; k++)
      g_string_append_printf (out, "%s[%s]", k ? "," : "", (const char *) t->records->pdata[k]);
    g_string_append_c (out, ']');
  }
  g_string_append_printf (out, ",\n\"frames\":[%s]", film->frames->str);
}
