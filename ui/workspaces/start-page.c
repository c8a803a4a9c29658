/* The start page. Examples are the programs in data/programs; each has a picture of its graph, its file's name, and the first
 * sentence of its head comment. The first one of the course is on the card and has the focus, so that Enter runs it. */
#include "start-page.h"
#include "kit/class.h"
#include "kit/paragraph.h"
#include "session/crash-recovery.h"
#include "session/run-program.h"
#include "kit/state.h"
#include "kit/text.h"
#include "session/head-comment.h"
#include "thumbnail.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <string.h>

#define FIRST "matmul.py"

struct _LsStartPage {
  GtkWidget   parent_instance;
  GtkWidget  *scroll;
  GtkWidget  *card;
  GtkWidget  *card_picture;
  GtkLabel   *card_text;
  GtkButton  *card_button;
  GtkFlowBox *examples;
  GtkListBox *recent, *rescued;
  GtkWidget  *examples_box, *recent_box, *recoverable_box;
  char       *first;
  GPtrArray  *example_paths, *recent_paths, *kept;      /* of their rows; kept: LsRecoverable */
};

G_DEFINE_FINAL_TYPE (LsStartPage, ls_start_page, GTK_TYPE_WIDGET)

char *
ls_examples_dir (void)
{
  g_autofree char *here = ls_executable_dir ();
  g_autofree char *installed = g_build_filename (here, "..", "share", "lazyscope", "programs", NULL);
  g_autofree char *uninstalled = g_build_filename (here, "..", "..", "data", "programs", NULL);
  g_autofree char *deeper = g_build_filename (here, "..", "..", "..", "data", "programs", NULL);
  const char *folders[] = { g_getenv ("LAZYSCOPE_PROGRAMS"), uninstalled, deeper, installed, LS_PROGRAMSDIR };
  for (gsize i = 0; i < G_N_ELEMENTS (folders); i++)
    if (folders[i] && g_file_test (folders[i], G_FILE_TEST_IS_DIR))
      return g_canonicalize_filename (folders[i], NULL);
  return NULL;
}

/* A program's head comment: its first sentence, or all of it. */
static char *
head_comment (const char *path, gboolean whole)
{
  g_autofree char *text = NULL;
  if (!g_file_get_contents (path, &text, NULL, NULL))
    return g_strdup ("");
  g_autofree char *comment = ls_head_comment_words (text);
  if (whole)
    return ls_text_cut (comment, 600);
  char *end = comment;
  while ((end = strchr (end, '.')) && end[1] && end[1] != ' ')
    end++;
  if (end)
    end[1] = '\0';
  return ls_text_cut (comment, 200);
}

/* In the order of a course: from two lists of numbers over the parts of a kernel to whole networks. */
static const char *const course[] = { FIRST, "add_ints.py", "add_lists.py", "add_const.py", "cast.py", "views.py", "sum.py", "softmax.py",
                                      "layernorm.py", "rewriting.py", "random_numbers.py",
                                      "mlp.py", "training.py", "convnet.py", "attention.py", "transformer.py" };

static guint
place_in_course (const char *name)
{
  guint i = 0;
  while (i < G_N_ELEMENTS (course) && !g_str_equal (course[i], name))
    i++;
  return i;
}

/* Those that the course does not know come last. */
static int
compare_names (gconstpointer a, gconstpointer b)
{
  const char *x = *(char *const *) a, *y = *(char *const *) b;
  guint i = place_in_course (x), k = place_in_course (y);
  return i != k ? (i > k) - (i < k) : strcmp (x, y);
}

static char *
without_ending (const char *name)
{
  return g_strndup (name, strlen (name) - strlen (".py"));
}

/* Text between backquotes in the comment is code. */
static char *
markup_of (const char *text)
{
  g_autofree char *safe = g_markup_escape_text (text, -1);
  g_auto (GStrv) parts = g_strsplit (safe, "`", -1);
  guint n = g_strv_length (parts);
  GString *out = g_string_new (NULL);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (out, i % 2 && i + 1 < n ? "<tt>%s</tt>" : "%s", parts[i]);
  return g_string_free (out, FALSE);
}

static GtkWidget *
text_label (const char *text, const char *class)
{
  GtkWidget *label = gtk_label_new (text);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_lines (GTK_LABEL (label), 3);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class (label, class);
  return ls_paragraph_new (GTK_LABEL (label));
}

static void
add_example (LsStartPage *self, const char *path, const char *name, const char *sentence)
{
  GtkWidget *child = gtk_flow_box_child_new (), *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0),
            *words = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2);
  g_autofree char *example = without_ending (name), *said = g_strdup_printf ("%s: %s", name, sentence);
  gtk_widget_add_css_class (words, "example-words");
  gtk_box_append (GTK_BOX (words), text_label (name, "heading"));
  gtk_box_append (GTK_BOX (words), text_label (sentence, "dim-label"));
  gtk_box_append (GTK_BOX (box), ls_thumbnail_new (example));
  gtk_box_append (GTK_BOX (box), words);
  gtk_flow_box_child_set_child (GTK_FLOW_BOX_CHILD (child), box);
  gtk_widget_add_css_class (child, "card");
  gtk_widget_add_css_class (child, "activatable");
  gtk_widget_add_css_class (child, "example");
  gtk_accessible_update_property (GTK_ACCESSIBLE (child), GTK_ACCESSIBLE_PROPERTY_LABEL, said, -1);
  g_ptr_array_add (self->example_paths, g_strdup (path));
  gtk_flow_box_append (self->examples, child);
}

/* The age of the file; NULL: unknown. */
static char *
age_of (const char *path)
{
  GStatBuf info;
  return g_stat (path, &info) == 0 ? ls_text_age (g_get_real_time () / G_USEC_PER_SEC - info.st_mtime) : NULL;
}

/* The labels of an AdwActionRow wrap, which is dear (see paragraph.h), and a path reads better cut in its middle. */
static void
cut_texts (GtkWidget *widget)
{
  if (GTK_IS_LABEL (widget)) {
    gtk_label_set_wrap (GTK_LABEL (widget), FALSE);
    gtk_label_set_ellipsize (GTK_LABEL (widget), PANGO_ELLIPSIZE_MIDDLE);
  }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child; child = gtk_widget_get_next_sibling (child))
    cut_texts (child);
}

static GtkWidget *
new_row (const char *title, const char *subtitle, const char *icon, const char *age)
{
  GtkWidget *row = adw_action_row_new ();
  g_autofree char *safe_title = g_markup_escape_text (title, -1);
  g_autofree char *safe_subtitle = g_markup_escape_text (subtitle, -1);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), safe_title);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (row), safe_subtitle);
  adw_action_row_set_icon_name (ADW_ACTION_ROW (row), icon);
  cut_texts (row);
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), TRUE);
  if (age) {
    GtkWidget *label = gtk_label_new (age);
    gtk_widget_add_css_class (label, "dim-label");
    adw_action_row_add_suffix (ADW_ACTION_ROW (row), label);
  }
  return row;
}

static void
add_arrow (GtkWidget *row)
{
  GtkWidget *arrow = gtk_image_new_from_icon_name ("go-next-symbolic");
  gtk_widget_add_css_class (arrow, "dim-label");
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), arrow);
}

static void
add_recent (LsStartPage *self, const char *path, const char *title, const char *subtitle, const char *icon)
{
  g_autofree char *age = age_of (path);
  GtkWidget *row = new_row (title, subtitle, icon, age);
  add_arrow (row);
  g_ptr_array_add (self->recent_paths, g_strdup (path));
  gtk_list_box_append (self->recent, row);
}

static void show_recoverable (LsStartPage *self);

static const char *
folder_of (LsStartPage *self, GtkWidget *row)
{
  return ((const LsRecoverable *) self->kept->pdata[gtk_list_box_row_get_index (GTK_LIST_BOX_ROW (row))])->folder;
}

static void
on_discard (GtkButton *button, LsStartPage *self)
{
  GtkWidget *row = gtk_widget_get_ancestor (GTK_WIDGET (button), GTK_TYPE_LIST_BOX_ROW);
  LsRecovery *recovery = ls_recovery_take (folder_of (self, row));
  if (recovery)
    ls_recovery_free (recovery);
  show_recoverable (self);
}

static void
add_recoverable (LsStartPage *self, const LsRecoverable *r)
{
  g_autofree char *age = ls_text_age (g_get_real_time () / G_USEC_PER_SEC - r->time),
                  *title = ls_text_valid (r->program ? r->program : _("A program without a file"));
  g_autofree char *runs = r->n_runs ? g_strdup_printf (ngettext ("%u run", "%u runs", r->n_runs), r->n_runs)
                                    : g_strdup (_("Unsaved text"));
  GtkWidget *row = new_row (title, runs, "document-revert-symbolic", age), *discard = gtk_button_new_from_icon_name ("user-trash-symbolic");
  g_autofree char *tip = g_strdup_printf (_("Discard the Saved Text of %s"), title);
  gtk_widget_set_name (discard, "discard");
  gtk_widget_set_tooltip_text (discard, _("Discard"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (discard), GTK_ACCESSIBLE_PROPERTY_LABEL, tip, -1);
  gtk_widget_set_valign (discard, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (discard, "flat");
  g_signal_connect_object (discard, "clicked", G_CALLBACK (on_discard), self, 0);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), discard);
  add_arrow (row);
  gtk_list_box_append (self->rescued, row);
}

static void
show_recoverable (LsStartPage *self)
{
  GtkWidget *row;
  g_clear_pointer (&self->kept, g_ptr_array_unref);
  self->kept = ls_recovery_find ();
  while ((row = gtk_widget_get_first_child (GTK_WIDGET (self->rescued))))
    gtk_list_box_remove (self->rescued, row);
  for (guint i = 0; i < self->kept->len; i++)
    add_recoverable (self, self->kept->pdata[i]);
  gtk_widget_set_visible (self->recoverable_box, self->kept->len > 0);
}

static void
show_examples (LsStartPage *self)
{
  g_autofree char *folder = ls_examples_dir ();
  g_autoptr (GDir) dir = folder ? g_dir_open (folder, 0, NULL) : NULL;
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  const char *name;
  while (dir && (name = g_dir_read_name (dir)))
    if (g_str_has_suffix (name, ".py"))
      g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, compare_names);
  GtkWidget *child;
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->examples))))
    gtk_flow_box_remove (self->examples, child);
  if ((child = gtk_widget_get_first_child (self->card_picture)))
    gtk_box_remove (GTK_BOX (self->card_picture), child);
  g_clear_pointer (&self->first, g_free);
  g_ptr_array_set_size (self->example_paths, 0);
  for (guint i = 0; i < names->len; i++) {
    g_autofree char *path = g_build_filename (folder, names->pdata[i], NULL);
    g_autofree char *sentence = head_comment (path, i == 0);
    if (i == 0) {
      g_autofree char *label = g_strdup_printf (_("Run %s"), (char *) names->pdata[i]);
      self->first = g_steal_pointer (&path);
      g_autofree char *example = without_ending (names->pdata[i]), *markup = markup_of (sentence);
      gtk_label_set_markup (self->card_text, markup);
      gtk_button_set_label (self->card_button, label);
      gtk_box_append (GTK_BOX (self->card_picture), ls_thumbnail_new (example));
    } else {
      add_example (self, path, names->pdata[i], sentence);
    }
  }
  gtk_widget_set_visible (self->card, self->first != NULL);
  gtk_widget_set_visible (self->examples_box, names->len > 1);
}

static void
show_recent (LsStartPage *self)
{
  g_auto (GStrv) paths = ls_state_dup_recent ();
  guint n = 0;
  GtkWidget *row;
  while ((row = gtk_widget_get_first_child (GTK_WIDGET (self->recent))))
    gtk_list_box_remove (self->recent, row);
  g_ptr_array_set_size (self->recent_paths, 0);
  for (guint i = 0; paths[i] && n < 8; i++) {
    if (!g_file_test (paths[i], G_FILE_TEST_IS_REGULAR))
      continue;
    g_autofree char *name = g_filename_display_basename (paths[i]);
    g_autofree char *folder = g_path_get_dirname (paths[i]);
    g_autofree char *shown = g_filename_display_name (folder);
    add_recent (self, paths[i], name, shown, g_str_has_suffix (paths[i], ".lscope") ? "media-record-symbolic" : "text-x-generic-symbolic");
    n++;
  }
  gtk_widget_set_visible (self->recent_box, n > 0);
}

void
ls_start_page_refresh (LsStartPage *self)
{
  show_examples (self);
  show_recent (self);
  show_recoverable (self);
  if (self->first)
    gtk_widget_grab_focus (GTK_WIDGET (self->card_button));
}

static void
open_path (LsStartPage *self, GPtrArray *paths, int row)
{
  g_autofree char *path = g_strdup (paths->pdata[row]);      /* the page is made again when another is shown */
  g_signal_emit_by_name (self, "open", path);
}

static void
on_example (LsStartPage *self, GtkFlowBoxChild *child)
{
  open_path (self, self->example_paths, gtk_flow_box_child_get_index (child));
}

static void
on_recent (LsStartPage *self, GtkListBoxRow *row)
{
  open_path (self, self->recent_paths, gtk_list_box_row_get_index (row));
}

static void
on_recovered (LsStartPage *self, GtkWidget *row)
{
  g_autofree char *folder = g_strdup (folder_of (self, row));
  g_signal_emit_by_name (self, "take-up", folder);
}

static void
on_first (LsStartPage *self)
{
  if (self->first)
    g_signal_emit_by_name (self, "open", self->first);
}

static void
ls_start_page_class_init (LsStartPageClass *class)
{
  LS_USES (LS_TYPE_PARAGRAPH);
  LS_UI_BINDS (class, LsStartPage, "start-page", scroll, card, card_picture, card_text, card_button, examples, examples_box, recent,
               recent_box, rescued, recoverable_box);
  LS_CALLBACKS (class, on_recovered, on_example, on_recent, on_first);
  ls_class_signal (class, "open", 1, G_TYPE_STRING);
  ls_class_signal (class, "take-up", 1, G_TYPE_STRING);
  LS_OWNS (class, LsStartPage, gtk_widget_unparent, scroll);
  LS_KEEPS (class, LsStartPage, g_free, first);
  LS_KEEPS (class, LsStartPage, g_ptr_array_unref, example_paths, recent_paths, kept);
}

static void
ls_start_page_init (LsStartPage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->example_paths = g_ptr_array_new_with_free_func (g_free);
  self->recent_paths = g_ptr_array_new_with_free_func (g_free);
}
