#include "cells.h"
#include "class.h"
#include "tip.h"

#include <adwaita.h>

#define LEVEL 10      /* pixels */

typedef struct {
  char        *text;
  PangoLayout *layout;      /* NULL: not drawn since the text, its look or the font changed */
  const char  *color;
  int          width;
  guint        chars, indent;
  LsCellFlags  flags;
  GArray      *spans;       /* LsTextSpan, or NULL */
  const char **rules;       /* colours, n_rules; or NULL */
  guint        n_rules;
} Cell;

struct _LsCells {
  GtkWidget parent_instance;
  guint     n, spacing, row;
  Cell      cells[LS_CELLS_MAX];
};

G_DEFINE_FINAL_TYPE (LsCells, ls_cells, GTK_TYPE_WIDGET)

/* --- the font --- */

/* In pixels. */
typedef struct { PangoFontDescription *font; PangoFontMap *map; guint serial; double dpi; int height, ascent, character; } Metrics;

/* Pango measures a sample of the language at each question, which is most of a row's time: the fonts of the last few questions are kept. */
static const Metrics *
metrics_of (GtkWidget *widget)
{
  static Metrics known[8];
  static guint next;
  PangoContext *context = gtk_widget_get_pango_context (widget);
  PangoFontMap *map = pango_context_get_font_map (context);
  const PangoFontDescription *font = pango_context_get_font_description (context);
  double dpi = pango_cairo_context_get_resolution (context);
  guint serial = pango_font_map_get_serial (map);
  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (known[i].font && known[i].map == map && known[i].serial == serial && known[i].dpi == dpi &&
        pango_font_description_equal (known[i].font, font))
      return &known[i];
  Metrics *m = &known[next++ % G_N_ELEMENTS (known)];
  PangoFontMetrics *fm = pango_context_get_metrics (context, NULL, NULL);
  g_clear_pointer (&m->font, pango_font_description_free);
  *m = (Metrics) {
    .font = pango_font_description_copy (font), .map = map, .serial = serial, .dpi = dpi,
    .height = PANGO_PIXELS_CEIL (pango_font_metrics_get_height (fm)),
    .ascent = pango_font_metrics_get_ascent (fm),
    .character = PANGO_PIXELS_CEIL (MAX (pango_font_metrics_get_approximate_char_width (fm),
                                         pango_font_metrics_get_approximate_digit_width (fm))),
  };
  pango_font_metrics_unref (fm);
  return m;
}

/* --- places --- */

int
ls_columns_width (const LsColumn *columns, guint n, guint spacing)
{
  int width = 0;
  guint shown = 0;
  for (guint i = 0; i < n; i++)
    if (!(columns[i].flags & LS_CELL_HIDDEN))
      width += columns[i].least + (shown++ ? (int) spacing : 0);
  return width;
}

void
ls_columns_place (const LsColumn *columns, guint n, guint spacing, int width, int *x, int *w)
{
  int extra = MAX (0, width - ls_columns_width (columns, n, spacing)), at = 0, shares = 0;
  for (guint i = 0; i < n; i++)
    shares += (columns[i].flags & (LS_CELL_EXPAND | LS_CELL_HIDDEN)) == LS_CELL_EXPAND;
  for (guint i = 0; i < n; i++) {
    x[i] = at;
    w[i] = 0;
    if (columns[i].flags & LS_CELL_HIDDEN)
      continue;
    w[i] = columns[i].least;
    if (columns[i].flags & LS_CELL_EXPAND) {
      int share = extra / shares--;
      w[i] += share;
      extra -= share;
    }
    at += w[i] + (int) spacing;
  }
}

static void
list_columns (LsCells *self, const Metrics *m, LsColumn *columns)
{
  for (guint i = 0; i < self->n; i++) {
    const Cell *cell = &self->cells[i];
    columns[i] = (LsColumn) { (cell->width >= 0 ? cell->width : (int) cell->chars * m->character) + (int) cell->indent, cell->flags };
  }
}

/* The room of each cell's text in a row of that width. */
static void
place (LsCells *self, const Metrics *m, int width, int *x, int *w)
{
  LsColumn columns[LS_CELLS_MAX];
  list_columns (self, m, columns);
  ls_columns_place (columns, self->n, self->spacing, width, x, w);
  for (guint i = 0; i < self->n; i++)
    if (w[i] > 0) {
      x[i] += (int) self->cells[i].indent;
      w[i] -= (int) self->cells[i].indent;
    }
}

/* --- drawing --- */

static void
set_attributes (const Cell *cell, GtkStyleContext *style)
{
  if (!(cell->flags & (LS_CELL_BOLD | LS_CELL_NUMERIC)) && !cell->spans)
    return;
  PangoAttrList *list = pango_attr_list_new ();
  if (cell->flags & LS_CELL_BOLD)
    pango_attr_list_insert (list, pango_attr_weight_new (PANGO_WEIGHT_BOLD));
  if (cell->flags & LS_CELL_NUMERIC)
    pango_attr_list_insert (list, pango_attr_font_features_new ("tnum=1"));
  for (guint i = 0; cell->spans && i < cell->spans->len; i++) {
    const LsTextSpan *s = &g_array_index (cell->spans, LsTextSpan, i);
    GdkRGBA c;
    if (!gtk_style_context_lookup_color (style, s->color, &c))
      continue;
    PangoAttribute *color = pango_attr_foreground_new ((guint16) (c.red * 65535), (guint16) (c.green * 65535), (guint16) (c.blue * 65535));
    color->start_index = s->from;
    color->end_index = s->to;
    pango_attr_list_insert (list, color);
  }
  pango_layout_set_attributes (cell->layout, list);
  pango_attr_list_unref (list);
}

static PangoLayout *
layout_of (LsCells *self, Cell *cell, int room)
{
  if (!cell->layout) {
    cell->layout = gtk_widget_create_pango_layout (GTK_WIDGET (self), cell->text);
    pango_layout_set_single_paragraph_mode (cell->layout, !(cell->flags & LS_CELL_WRAP));
    pango_layout_set_wrap (cell->layout, PANGO_WRAP_WORD_CHAR);
    set_attributes (cell, gtk_widget_get_style_context (GTK_WIDGET (self)));
  }
  int width, has = pango_layout_get_width (cell->layout);
  if (has >= 0 && has == room * PANGO_SCALE)
    return cell->layout;
  pango_layout_set_ellipsize (cell->layout, PANGO_ELLIPSIZE_NONE);
  pango_layout_set_width (cell->layout, -1);
  pango_layout_get_pixel_size (cell->layout, &width, NULL);
  if (width > room) {
    if (!(cell->flags & LS_CELL_WRAP))
      pango_layout_set_ellipsize (cell->layout, cell->flags & LS_CELL_MIDDLE ? PANGO_ELLIPSIZE_MIDDLE : PANGO_ELLIPSIZE_END);
    pango_layout_set_width (cell->layout, room * PANGO_SCALE);
  }
  return cell->layout;
}

/* The height of a row of that width (-1: of any width): one line, and the further lines of cells that wrap. */
static int
height_in (LsCells *self, const Metrics *m, int width)
{
  int x[LS_CELLS_MAX], w[LS_CELLS_MAX], most = m->height;
  gboolean placed = FALSE;
  for (guint i = 0; i < self->n && width >= 0; i++) {
    Cell *cell = &self->cells[i];
    if (!cell->text || !(cell->flags & LS_CELL_WRAP))
      continue;
    if (!placed)
      place (self, m, width, x, w);
    placed = TRUE;
    if (w[i] > 0)
      most = MAX (most, pango_layout_get_line_count (layout_of (self, cell, w[i])) * m->height);
  }
  return most;
}

static void
ls_cells_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural, int *minimum_baseline,
                  int *natural_baseline)
{
  LsCells *self = LS_CELLS (widget);
  const Metrics *m = metrics_of (widget);
  LsColumn columns[LS_CELLS_MAX];
  list_columns (self, m, columns);
  *minimum = *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? ls_columns_width (columns, self->n, self->spacing)
                                                                  : height_in (self, m, for_size);
}

static GtkSizeRequestMode
ls_cells_request_mode (GtkWidget *widget)
{
  LsCells *self = LS_CELLS (widget);
  gboolean wraps = FALSE;
  for (guint i = 0; i < self->n; i++)
    wraps |= (self->cells[i].flags & LS_CELL_WRAP) != 0;
  return wraps ? GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH : GTK_SIZE_REQUEST_CONSTANT_SIZE;
}

/* As the style sheet's class "dim-label" has it. */
static float
dim_opacity (void)
{
  return adw_style_manager_get_high_contrast (adw_style_manager_get_default ()) ? 0.9f : 0.55f;
}

static GdkRGBA
color_of (const Cell *cell, GtkStyleContext *style)
{
  GdkRGBA color;
  if (!cell->color || !gtk_style_context_lookup_color (style, cell->color, &color))
    gtk_style_context_get_color (style, &color);
  if (cell->flags & LS_CELL_DIM)
    color.alpha *= dim_opacity ();
  return color;
}

/* Lines through the indentation before x. */
static void
draw_rules (const Cell *cell, GtkStyleContext *style, GtkSnapshot *snapshot, int x, int height)
{
  for (guint k = 0; k < cell->n_rules && LEVEL * (k + 1) <= cell->indent; k++) {
    GdkRGBA color;
    if (cell->rules[k] && gtk_style_context_lookup_color (style, cell->rules[k], &color))
      gtk_snapshot_append_color (snapshot, &color, &GRAPHENE_RECT_INIT ((float) (x - (int) cell->indent + LEVEL * (int) k + 2), 0, 2,
                                                                        (float) height));
  }
}

static void
ls_cells_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  LsCells *self = LS_CELLS (widget);
  const Metrics *m = metrics_of (widget);
  GtkStyleContext *style = gtk_widget_get_style_context (widget);
  int x[LS_CELLS_MAX], w[LS_CELLS_MAX], height = gtk_widget_get_height (widget);
  place (self, m, gtk_widget_get_width (widget), x, w);
  for (guint i = 0; i < self->n; i++) {
    Cell *cell = &self->cells[i];
    draw_rules (cell, style, snapshot, x[i], height);
    if (!cell->text || w[i] <= 0)
      continue;
    if (cell->flags & LS_CELL_BAR) {
      GdkRGBA fill = color_of (cell, style);
      float part = (float) CLAMP (g_ascii_strtod (cell->text, NULL) / 100, 0, 1);
      gtk_snapshot_append_color (snapshot, &fill, &GRAPHENE_RECT_INIT ((float) x[i], 2, MAX ((float) w[i] * part, 1), (float) height - 4));
      continue;
    }
    PangoLayout *layout = layout_of (self, cell, w[i]);
    GdkRGBA color = color_of (cell, style);
    int width;
    pango_layout_get_pixel_size (layout, &width, NULL);
    /* on the font's own line, however high the letters of another font are that the text needs */
    int room = cell->flags & LS_CELL_TOP ? 0 : (height - m->height * pango_layout_get_line_count (layout)) / 2;
    int y = room + PANGO_PIXELS (m->ascent - pango_layout_get_baseline (layout));
    gtk_snapshot_save (snapshot);
    gtk_snapshot_translate (snapshot, &GRAPHENE_POINT_INIT ((float) (x[i] + (cell->flags & LS_CELL_RIGHT ? w[i] - width : 0)), (float) y));
    gtk_snapshot_append_layout (snapshot, layout, &color);
    gtk_snapshot_restore (snapshot);
  }
}

gboolean
ls_cells_is_cut (LsCells *self, guint i)
{
  g_return_val_if_fail (i < self->n, FALSE);
  return self->cells[i].layout && pango_layout_is_ellipsized (self->cells[i].layout);
}

/* The row's own tooltip (ls_tip_set), or else the text that is cut off under the pointer. */
static gboolean
ls_cells_query_tooltip (GtkWidget *widget, int x, int y, gboolean keyboard, GtkTooltip *tooltip)
{
  LsCells *self = LS_CELLS (widget);
  int at[LS_CELLS_MAX], w[LS_CELLS_MAX];
  if (ls_tip_get (widget)) {
    gtk_tooltip_set_text (tooltip, ls_tip_get (widget));
    return TRUE;
  }
  if (keyboard)
    return FALSE;
  place (self, metrics_of (widget), gtk_widget_get_width (widget), at, w);
  for (guint i = 0; i < self->n; i++) {
    if (x < at[i] || x >= at[i] + w[i] || !ls_cells_is_cut (self, i))
      continue;
    gtk_tooltip_set_text (tooltip, self->cells[i].text);
    return TRUE;
  }
  return FALSE;
}

/* --- the text of a cell --- */

static void
forget_layouts (LsCells *self)
{
  for (guint i = 0; i < self->n; i++)
    g_clear_object (&self->cells[i].layout);
}

static void
ls_cells_css_changed (GtkWidget *widget, GtkCssStyleChange *change)
{
  GTK_WIDGET_CLASS (ls_cells_parent_class)->css_changed (widget, change);
  forget_layouts (LS_CELLS (widget));
}

static void
ls_cells_system_setting_changed (GtkWidget *widget, GtkSystemSetting setting)
{
  GTK_WIDGET_CLASS (ls_cells_parent_class)->system_setting_changed (widget, setting);
  forget_layouts (LS_CELLS (widget));
}

guint
ls_cells_get_n (LsCells *self)
{
  return self->n;
}

const char *
ls_cells_get_text (LsCells *self, guint i)
{
  g_return_val_if_fail (i < self->n, NULL);
  return self->cells[i].text;
}

void
ls_cells_set_text (LsCells *self, guint i, const char *text)
{
  g_return_if_fail (i < self->n);
  Cell *cell = &self->cells[i];
  if (text && !*text)
    text = NULL;
  if (g_strcmp0 (cell->text, text) == 0)
    return;
  ls_text_set (&cell->text, text);
  g_clear_object (&cell->layout);
  g_clear_pointer (&cell->spans, g_array_unref);
  if (cell->flags & LS_CELL_WRAP)
    gtk_widget_queue_resize (GTK_WIDGET (self));
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
ls_cells_set_row (LsCells *self, guint row)
{
  self->row = row;
}

guint
ls_cells_get_row (LsCells *self)
{
  return self->row;
}

guint
ls_cells_pick (GtkWidget *list, double x, double y, GtkWidget **cells)
{
  GtkWidget *picked = gtk_widget_pick (list, x, y, GTK_PICK_DEFAULT), *at = picked;
  /* the picked widget may be the list's own row, around the cells */
  while (at && !LS_IS_CELLS (at))
    at = gtk_widget_get_first_child (at);
  at = at ? at : picked ? gtk_widget_get_ancestor (picked, LS_TYPE_CELLS) : NULL;
  guint row = at ? LS_CELLS (at)->row : 0;
  if (cells)
    *cells = row ? at : NULL;
  return row;
}

void
ls_cells_set_spans (LsCells *self, guint i, const LsTextSpan *spans, guint n)
{
  g_return_if_fail (i < self->n);
  Cell *cell = &self->cells[i];
  if (n == 0 && !cell->spans)
    return;
  g_clear_object (&cell->layout);
  g_clear_pointer (&cell->spans, g_array_unref);
  gtk_widget_queue_draw (GTK_WIDGET (self));
  if (n > 0)
    cell->spans = g_array_append_vals (g_array_new (FALSE, FALSE, sizeof *spans), spans, n);
}

void
ls_cells_set_flags (LsCells *self, guint i, LsCellFlags flags)
{
  g_return_if_fail (i < self->n);
  Cell *cell = &self->cells[i];
  if (cell->flags == flags)
    return;
  cell->flags = flags;
  g_clear_object (&cell->layout);
  gtk_widget_queue_resize (GTK_WIDGET (self));
}

static void
set_widths (LsCells *self, guint i, guint chars, int width, guint indent)
{
  g_return_if_fail (i < self->n);
  Cell *cell = &self->cells[i];
  if (cell->chars == chars && cell->width == width && cell->indent == indent)
    return;
  cell->chars = chars;
  cell->width = width;
  cell->indent = indent;
  gtk_widget_queue_resize (GTK_WIDGET (self));
}

void
ls_cells_set_chars (LsCells *self, guint i, guint chars)
{
  set_widths (self, i, chars, self->cells[i].width, self->cells[i].indent);
}

void
ls_cells_set_width (LsCells *self, guint i, int width)
{
  set_widths (self, i, self->cells[i].chars, MAX (width, -1), self->cells[i].indent);
}

void
ls_cells_set_indent (LsCells *self, guint i, guint pixels)
{
  set_widths (self, i, self->cells[i].chars, self->cells[i].width, pixels);
}

void
ls_cells_set_levels (LsCells *self, guint i, const char *const *colors, guint n)
{
  g_return_if_fail (i < self->n && n <= LS_CELLS_LEVELS);
  ls_cells_set_indent (self, i, LEVEL * n);
  Cell *cell = &self->cells[i];
  if (cell->n_rules == n && (n == 0 || memcmp (cell->rules, colors, n * sizeof *colors) == 0))
    return;
  g_free (cell->rules);
  cell->rules = g_memdup2 (colors, n * sizeof *colors);
  cell->n_rules = n;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
ls_cells_set_color (LsCells *self, guint i, const char *name)
{
  g_return_if_fail (i < self->n);
  if (g_strcmp0 (self->cells[i].color, name) == 0)
    return;
  self->cells[i].color = name;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
ls_cells_set_text_fit (LsCells *self, guint i, const char *text)
{
  ls_cells_set_text (self, i, text);
  ls_cells_set_chars (self, i, text ? (guint) g_utf8_strlen (text, -1) + 1 : 0);      /* letters are not of one width */
}

char *
ls_cells_dup_words (LsCells *self)
{
  GString *words = g_string_new (NULL);
  for (guint i = 0; i < self->n; i++)
    if (self->cells[i].text && !(self->cells[i].flags & LS_CELL_HIDDEN))
      g_string_append_printf (words, "%s%s", words->len ? ", " : "", self->cells[i].text);
  return g_string_free (words, FALSE);
}

/* --- the widget --- */

static void
forget_texts (LsCells *self)
{
  for (guint i = 0; i < self->n; i++) {
    g_free (self->cells[i].text);
    g_free (self->cells[i].rules);
    g_clear_pointer (&self->cells[i].spans, g_array_unref);
  }
}

static void
ls_cells_class_init (LsCellsClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);
  LS_ON_FINALIZE (class, forget_layouts);
  LS_ON_FINALIZE (class, forget_texts);
  widget_class->measure = ls_cells_measure;
  widget_class->get_request_mode = ls_cells_request_mode;
  widget_class->snapshot = ls_cells_snapshot;
  widget_class->query_tooltip = ls_cells_query_tooltip;
  widget_class->css_changed = ls_cells_css_changed;
  widget_class->system_setting_changed = ls_cells_system_setting_changed;
  gtk_widget_class_set_css_name (widget_class, "cells");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_LABEL);
}

static void
ls_cells_init (LsCells *self)
{
  gtk_widget_set_has_tooltip (GTK_WIDGET (self), TRUE);
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
}

GtkWidget *
ls_cells_new (const LsCellLook *looks, guint n, guint spacing)
{
  LsCells *self = g_object_new (LS_TYPE_CELLS, NULL);
  g_return_val_if_fail (n <= LS_CELLS_MAX, GTK_WIDGET (self));
  self->n = n;
  self->spacing = spacing;
  for (guint i = 0; i < n; i++)
    self->cells[i] = (Cell) { .chars = looks[i].chars, .flags = looks[i].flags, .width = -1 };
  return GTK_WIDGET (self);
}
