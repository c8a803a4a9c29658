/* The actions of the soak: keys, clicks, drags, wheels, sizes, colours, actions, files and programs, each chosen at random. */
#include "window/application.h"
#include "window/window-private.h"
#include "input.h"
#include "soak-files.h"
#include "soak.h"

#include <string.h>

#define MOST_WINDOWS 3

static GRand *rng;

static int
pick (int n)
{
  return g_rand_int_range (rng, 0, n);
}

/* A window of ours, or any that is open: dialogs too. */
static GtkWindow *
any_window (gboolean ours)
{
  g_autoptr (GPtrArray) found = g_ptr_array_new ();
  GListModel *all = gtk_window_get_toplevels ();
  for (guint i = 0; i < g_list_model_get_n_items (all); i++) {
    g_autoptr (GtkWindow) window = g_list_model_get_item (all, i);
    if (gtk_widget_get_mapped (GTK_WIDGET (window)) && (!ours || LS_IS_WINDOW (window)))
      g_ptr_array_add (found, window);
  }
  for (guint i = 0; i < found->len; i++)
    if (GTK_IS_FILE_CHOOSER_DIALOG (found->pdata[i]))
      return found->pdata[i];
  return found->len ? found->pdata[pick ((int) found->len)] : NULL;
}

static void
send_key (void)
{
  static const struct { guint key; GdkModifierType mods; } keys[] = {
#define K(name) { GDK_KEY_##name, 0 }
#define S(name) { GDK_KEY_##name, GDK_SHIFT_MASK }
#define C(name) { GDK_KEY_##name, GDK_CONTROL_MASK }
    K (n), K (n), K (n), K (p), S (n), S (p), K (c), S (c), K (f), K (period), K (b), K (g), K (slash), K (space), K (k), S (k), K (x),
        K (r), K (d), S (d), K (m), K (v), K (o), K (t),
    K (Up), K (Down), K (Left), K (Right), K (Return), K (Escape), K (Tab), K (Tab), S (Tab), K (Home), K (End), K (Page_Up), K (Page_Down),
    K (BackSpace), K (Delete),
    S (Down), S (F10), K (Menu), K (F9), K (F1), K (F6), K (F8), K (F10), K (F11), K (1), K (3), K (0), K (a), K (e), K (minus), K (plus),
    C (Page_Up), C (Page_Down), C (1), C (2), C (3), C (4), C (5), C (f), C (Return), C (o), C (s), C (c), C (a), C (v), C (z), C (plus),
    C (minus), C (0), C (w), C (n), C (question), C (Tab),
#undef K
#undef S
#undef C
    { GDK_KEY_Left, GDK_ALT_MASK }, { GDK_KEY_Right, GDK_ALT_MASK }, { GDK_KEY_c, GDK_CONTROL_MASK | GDK_SHIFT_MASK },
    { GDK_KEY_n, GDK_CONTROL_MASK | GDK_SHIFT_MASK },
  };
  int i = pick (G_N_ELEMENTS (keys)), times = pick (6) ? 1 : pick (30) + 1;
  soak_say ("key %s, modifiers %x, %d times", gdk_keyval_name (keys[i].key), keys[i].mods, times);
  while (times-- > 0)
    input_send_key (keys[i].key, keys[i].mods);
}

static void
point (GtkWindow *window)
{
  input_move (GTK_WIDGET (window), pick (MAX (gtk_widget_get_width (GTK_WIDGET (window)), 1)),
              pick (MAX (gtk_widget_get_height (GTK_WIDGET (window)), 1)));
}

static void
click (GtkWindow *window)
{
  guint button = pick (6) ? 1 : pick (2) ? 3 : 2, times = pick (4) ? 1 : 2;
  soak_say ("click of button %u, %u times", button, times);
  point (window);
  while (times-- > 0) {
    input_button (button, TRUE);
    input_button (button, FALSE);
  }
}

static void
collect (GtkWidget *widget, GPtrArray *found)
{
  if (!gtk_widget_get_mapped (widget) || !gtk_widget_get_sensitive (widget))
    return;
  if (gtk_widget_get_focusable (widget))
    g_ptr_array_add (found, widget);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child; child = gtk_widget_get_next_sibling (child))
    collect (child, found);
}

/* Something that takes the focus: a button, a row, a menu's item. */
static void
click_widget (GtkWindow *window)
{
  g_autoptr (GPtrArray) found = g_ptr_array_new ();
  collect (GTK_WIDGET (window), found);
  if (found->len == 0)
    return;
  GtkWidget *widget = found->pdata[pick ((int) found->len)];
  soak_say ("click on a %s \"%s\"", G_OBJECT_TYPE_NAME (widget), widget_called (widget));
  input_move (widget, gtk_widget_get_width (widget) / 2.0, gtk_widget_get_height (widget) / 2.0);
  guint button = pick (8) ? 1 : 3;
  input_button (button, TRUE);
  input_button (button, FALSE);
}

static void
drag (GtkWindow *window)
{
  guint button = pick (5) ? 1 : 2;
  soak_say ("drag with button %u", button);
  point (window);
  input_button (button, TRUE);
  for (int i = pick (8) + 1; i > 0; i--) {
    point (window);
    soak_spin (8);
    if (!g_list_model_get_n_items (gtk_window_get_toplevels ()) || any_window (FALSE) != window)
      break;      /* it may be gone */
  }
  input_button (button, FALSE);
  soak_spin (8);
  GListModel *all = gtk_window_get_toplevels ();      /* nobody but the window itself moves it here, out of sight too */
  for (guint i = 0; i < g_list_model_get_n_items (all); i++) {
    g_autoptr (GtkWindow) w = g_list_model_get_item (all, i);
    input_place (w, 0, 0);
  }
}

static void
wheel (GtkWindow *window)
{
  guint button = 4 + (guint) pick (4), times = (guint) pick (12) + 1;
  soak_say ("wheel %u, %u times", button, times);
  point (window);
  while (times-- > 0) {
    input_button (button, TRUE);
    input_button (button, FALSE);
  }
}

static void
resize (GtkWindow *window)
{
  int width = 1000 + pick (700), height = 600 + pick (500);
  soak_say ("resize to %dx%d", width, height);
  gtk_window_set_default_size (window, width, height);
}

static void
look (void)
{
  GtkSettings *settings = gtk_settings_get_default ();
  switch (pick (4)) {
    case 0:
      soak_say ("other colours");
      adw_style_manager_set_color_scheme (adw_style_manager_get_default (), pick (2) ? ADW_COLOR_SCHEME_FORCE_DARK
                                                                                     : ADW_COLOR_SCHEME_FORCE_LIGHT);
      break;
    case 1: {
      gboolean high = pick (2);
      soak_say (high ? "high contrast" : "usual contrast");
      g_object_set (settings, "gtk-theme-name", high ? "HighContrast" : "Adwaita", NULL);
      break;
    }
    case 2: {
      gboolean moves = pick (2);
      soak_say (moves ? "motion" : "no motion");
      g_object_set (settings, "gtk-enable-animations", moves, NULL);
      break;
    }
    default: {
      int direction = pick (2) ? 1 : -1;
      soak_say ("size %+d", direction);
      GtkWindow *window = any_window (TRUE);
      if (window)
        gtk_widget_activate_action (GTK_WIDGET (window), direction > 0 ? "win.larger" : "win.smaller", NULL);
    }
  }
}

static void
act (GtkWindow *window)
{
  GtkWidgetClass *class = GTK_WIDGET_GET_CLASS (window);
  GPtrArray *names = g_ptr_array_new ();
  const char *name, *property;
  const GVariantType *type;
  GType owner;
  for (guint i = 0; gtk_widget_class_query_action (class, i, &owner, &name, &type, &property); i++)
    if (!type)
      g_ptr_array_add (names, (gpointer) name);
  name = names->pdata[pick ((int) names->len)];
  g_ptr_array_free (names, TRUE);
  soak_say ("action %s", name);
  gtk_widget_activate_action (GTK_WIDGET (window), name, NULL);
}

static void
edit (LsWindow *window)
{
  LsProgramView *program = window->program;
  g_autofree char *text = ls_program_view_dup_text (program), *other = NULL;
  g_file_get_contents (soak_files_program (rng), &other, NULL, NULL);
  soak_say ("another text, and run");
  if (other && g_utf8_validate (other, -1, NULL)) {
    GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (find_widget (GTK_WIDGET (window), "program")));
    gtk_text_buffer_set_text (buffer, pick (2) ? other : text, -1);
    gtk_text_buffer_insert_at_cursor (buffer, "# a line more\n", -1);
  }
  gtk_widget_activate_action (GTK_WIDGET (window), "win.run", NULL);
  /* a recording's program is run after a question */
  g_autoptr (GList) all = gtk_window_list_toplevels ();
  for (GList *l = all; l; l = l->next)
    if (ADW_IS_MESSAGE_DIALOG (l->data) && gtk_window_get_transient_for (l->data) == GTK_WINDOW (window)) {
      adw_message_dialog_response (l->data, pick (2) ? "run" : "cancel");
      gtk_window_close (l->data);
    }
}

static void
open_file (LsWindow *window)
{
  int which = pick (20);
  const char *path = which < 9 ? soak_files_sound (rng) : which < 15 ? soak_files_broken (rng)
                                                                     : which < 18 ? soak_files_program (rng) : soak_files_nonsense (rng);
  static const char *const passes[] = { "ast", "lower", "simplify", "simplify#2", "expand", "devectorize", "linearize", "render", "tensor",
                                        "program", "nowhere" };
  g_autofree char *position = pick (2) ? g_strdup_printf ("#%d/%s/%d", pick (5), passes[pick (G_N_ELEMENTS (passes))], pick (40))
                                       : g_strdup ("");
  g_autofree char *link = g_strconcat (path, position, NULL), *name = g_path_get_basename (path);
  soak_say ("open %s%s", name, position);
  ls_window_open (window, link);
}

static void
go (LsWindow *window)
{
  LsViewSession *session = window->session;
  LsTrace *trace = ls_view_session_get_trace (session);
  if (!trace || trace->passes->len == 0)
    return;
  int pass = pick ((int) trace->passes->len);
  guint step = (guint) pick ((int) ls_pass_n_steps (trace->passes->pdata[pass]) + 1);
  soak_say ("go to pass %d, step %u", pass, step);
  ls_view_session_go (session, pass, step);
}

/* A line of a text that ran, or where a call is defined. */
static void
trace_back (LsWindow *window)
{
  LsViewSession *session = window->session;
  LsTrace *trace = ls_view_session_get_trace (session);
  if (!trace || trace->calls->len == 0)
    return;
  guint call = (guint) pick ((int) trace->calls->len);
  const LsCall *c = &g_array_index (trace->calls, LsCall, call);
  if (pick (2)) {
    soak_say ("call %u", call);
    gtk_widget_activate_action (GTK_WIDGET (window), "win.call", "u", call);
  } else {
    soak_say ("line %u of file %d", c->file_line, c->file);
    ls_view_session_select_program (session, (guint) MAX (c->file, 0), c->file_line);
  }
}

/* The dialogs that a person would get rid of. File dialogs are closed at once: used at random they crash inside GTK 4.8. */
static void
dismiss (void)
{
  GtkWindow *window = any_window (FALSE);
  if (!window || LS_IS_WINDOW (window))
    return;
  if (GTK_IS_FILE_CHOOSER_DIALOG (window))
    soak_saw_dialog ();
  soak_say ("close a %s", G_OBJECT_TYPE_NAME (window));
  gtk_window_close (window);
}

/* A held Ctrl+N opens thirty windows, and then every iteration of the main loop serves thirty windows: a few are kept. */
static void
close_surplus (void)
{
  GListModel *all = gtk_window_get_toplevels ();
  for (guint i = g_list_model_get_n_items (all), n = 0; i-- > 0;) {
    g_autoptr (GtkWindow) window = g_list_model_get_item (all, i);
    if (LS_IS_WINDOW (window) && ++n > MOST_WINDOWS) {
      ls_program_view_set_modified (LS_WINDOW (window)->program, FALSE);      /* or it asks */
      gtk_window_close (window);
    }
  }
}

void
soak_do_one (GRand *rand, LsWindow *(*new_window) (void))
{
  rng = rand;
  close_surplus ();
  LsWindow *ours = LS_WINDOW (any_window (TRUE));
  if (!ours)
    ours = new_window ();
  GtkWindow *any = any_window (FALSE);
  if (GTK_IS_FILE_CHOOSER_DIALOG (any)) {
    dismiss ();
    soak_spin (20);
    return;
  }
  input_give_focus (any);
  int which = pick (100);
  if (which < 38)
    send_key ();
  else if (which < 48)
    click (any);
  else if (which < 62)
    click_widget (any);
  else if (which < 67)
    drag (any);
  else if (which < 73)
    wheel (any);
  else if (which < 76)
    resize (GTK_WINDOW (ours));
  else if (which < 79)
    look ();
  else if (which < 84)
    act (GTK_WINDOW (ours));
  else if (which < 88)
    go (ours);
  else if (which < 90)
    trace_back (ours);
  else if (which < 95)
    open_file (ours);
  else if (which < 96)
    edit (ours);
  else
    dismiss ();
  soak_spin (pick (3) ? 10 : pick (120));
}

GtkWindow *
soak_any_window (GRand *rand, gboolean ours)
{
  rng = rand;
  return any_window (ours);
}
