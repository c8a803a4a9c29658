#include "paragraph.h"
#include "class.h"

struct _LsParagraph {
  GtkWidget  parent_instance;
  GtkWidget *label;
};

enum { PROP_CHILD = 1 };

G_DEFINE_FINAL_TYPE (LsParagraph, ls_paragraph, GTK_TYPE_WIDGET)

GtkWidget *
ls_paragraph_new (GtkLabel *label)
{
  return g_object_new (LS_TYPE_PARAGRAPH, "child", label, NULL);
}

static void
on_visible (GtkWidget *self, GParamSpec *pspec, GtkWidget *label)
{
  gtk_widget_set_visible (self, gtk_widget_get_visible (label));
}

static void
set_label (LsParagraph *self, GtkLabel *label)
{
  g_return_if_fail (!self->label && label);
  self->label = GTK_WIDGET (label);
  gtk_label_set_wrap (label, TRUE);
  gtk_label_set_wrap_mode (label, PANGO_WRAP_WORD_CHAR);
  gtk_widget_set_parent (self->label, GTK_WIDGET (self));
  g_signal_connect_object (label, "notify::visible", G_CALLBACK (on_visible), self, G_CONNECT_SWAPPED);
  on_visible (GTK_WIDGET (self), NULL, self->label);
}

static GtkSizeRequestMode
get_request_mode (GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

/* It has no baseline: a label's is of the width that it is measured at, and a box adds what is above and below the baselines of its
 * children, each rounded. So a box was a pixel higher at some widths than it said that it was at any. */
static void
measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *min, int *nat, int *min_baseline, int *nat_baseline)
{
  LsParagraph *self = LS_PARAGRAPH (widget);
  if (self->label && gtk_widget_should_layout (self->label))
    gtk_widget_measure (self->label, orientation, orientation == GTK_ORIENTATION_HORIZONTAL ? -1 : for_size, min, nat, NULL, NULL);
}

static void
size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  LsParagraph *self = LS_PARAGRAPH (widget);
  if (self->label && gtk_widget_should_layout (self->label))
    gtk_widget_allocate (self->label, width, height, baseline, NULL);
}

static void
ls_paragraph_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  set_label (LS_PARAGRAPH (object), g_value_get_object (value));
}

static void
ls_paragraph_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  g_value_set_object (value, LS_PARAGRAPH (object)->label);
}

static void
ls_paragraph_class_init (LsParagraphClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);
  G_OBJECT_CLASS (class)->set_property = ls_paragraph_set_property;
  G_OBJECT_CLASS (class)->get_property = ls_paragraph_get_property;
  widget_class->get_request_mode = get_request_mode;
  widget_class->measure = measure;
  widget_class->size_allocate = size_allocate;
  g_object_class_install_property (G_OBJECT_CLASS (class), PROP_CHILD, g_param_spec_object ("child", NULL, NULL, GTK_TYPE_LABEL,
                                                                                            G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS));
  LS_OWNS (class, LsParagraph, gtk_widget_unparent, label);
}

static void
ls_paragraph_init (LsParagraph *self)
{
}
