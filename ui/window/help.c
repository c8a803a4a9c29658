/* One short page, in a window of its own that Esc closes. */
#include "help.h"
#include "kit/focus.h"
#include "kit/text-scroll.h"

#include <adwaita.h>
#include <glib/gi18n.h>

static const struct { const char *title, *text; } sections[] = {
  { N_("What you see"),
    N_("A program is compiled in passes, a pass is a series of steps, and a step is one rule that rewrote a part of the graph. The "
       "pipeline at the left lists the passes of each kernel; below it are the steps of the chosen pass. The graph shows one step: what "
       "it added is marked +, what it removed −, what changed △, what moved to another place =. Listing and source at the right are the "
       "kernel's; in early passes they show what the kernel becomes in the end.") },
  { N_("Stepping"),
    N_("n and p go to the next and the previous step, N and P to passes that changed something, Ctrl+Page Down and Page Up to the next "
       "and the previous kernel. Type g and a number to jump. Alt+← and Alt+→ go through the places you visited. k and K stop at key "
       "moments: where a rule fires for the first time in a kernel, and where a pass shrinks its graph most; the slider marks them.") },
  { N_("One node through time"),
    N_("Choose a node in the graph, the listing or the source: the others mark what belongs to it. c and C go to the next and the "
       "previous step that changes it.") },
  { N_("Collapsing"),
    N_("h draws what feeds the chosen node, and nothing else, inside its box; the box says how many nodes it has taken in and looks as if "
       "others stood behind it. h again or a double click expands it, H expands everything. The rest of the picture stays where it is, "
       "and the box stays collapsed from step to step, whatever its node becomes in the kernel.") },
  { N_("Lanes"),
    N_("Where an expansion made lanes that compute the same, they are one box with how many they are (MUL ×16) and what differs from the "
       "first to the last. h or a double click draws each alone, h on one of them makes them one again. A lane that changed alone stands "
       "beside its stack.") },
  { N_("Asking"),
    N_("A secondary click, the Menu key or Shift+F10 on a node, a row, a line or a step asks about it. o tells where it comes from: back "
       "through every rewrite to the kernel's graph, the schedule, the calls and the program's line, each a link to its place. w lists "
       "the rules of the pass by how far they got at the node and says what ended each one's match. Without a choice both are about what "
       "the step made. Rules lists what each rule did and leads to its steps. The menu looks for the step that broke the result, and for "
       "rules that undo each other; Esc ends either.") },
  { N_("Comparing"),
    N_("d pins the position that you see. From then on every step, pass and kernel that you go to is shown against it: in the graph, and "
       "row by row in the listing beside it. What is the same but used in another place is marked =. Within a kernel nodes are followed "
       "through the steps between; between kernels they are matched by program line and structure. Swap turns the comparison round, Esc "
       "ends it.") },
  { N_("Statements"),
    N_("The Program workspace goes through the statements that ran, F8 on and Shift+F8 back: the graph of tensors after each, what it "
       "added marked, the calls that it made, down into the library's text, and what the names stand for. A click into a line goes to its "
       "statement. After a dot the editor offers the methods of tensors with what they do; Down and Enter takes one.") },
  { N_("Runs"),
    N_("The arrow beside Run, or Ctrl+Shift+Enter, runs the program with other options: compiler, target, profile, options of kernels, "
       "settings, rules. Each run stays until it is closed and is named by what it changed; Alt+Page Down and Page Up go from one to the "
       "next, at the place where you are. The menu of the rule card runs without a rule, or with a copy of it that you edit. Compare "
       "(Ctrl+3) shows the runs side by side, from what they took to their machine code, and Measure times them against each other. Ask, "
       "Options looks for a kernel's fastest options; a candidate becomes a run by Enter. Save All Runs, in the menu, writes them "
       "together, and Open shows them so.") },
  { N_("The schedule"),
    N_("s shows all kernels and their buffers in the place of the graph, and the memory of the buffers from the first kernel to the last. "
       "Choose a kernel or a buffer to read why it is there and why neighbouring kernels are not one; a chosen kernel becomes the "
       "position, Enter goes into it. At a kernel's schedule pass it comes by itself.") },
  { N_("One selection"),
    N_("A node, a row, a line of source, an instruction or a line of the program: whichever you choose, the others are marked, and the "
       "line over listing and source says how many there are of each, or why there are none. Below, Values shows what is computed at the "
       "node, Shapes which elements it touches and in what order, Disassembly the machine code with its lines, Program the lines to "
       "choose from. t and T go through these panes.") },
  { N_("Executing"),
    N_("Execution runs the kernel's rows one by one: the loop counters, the register that each row writes, the cell of memory it touches. "
       "A chosen step chooses its row.") },
  { N_("Searching"),
    N_("/ looks for nodes by op, dtype, argument or number, for rules and for passes. Enter and Shift+Enter go through what was found.") },
  { N_("Playing"),
    N_("Space plays the steps of the graph until a breakpoint or the end; r runs to the next breakpoint at once. x sets breakpoints: the "
       "name of a rule, an op, a dtype or a line of the program, or a change to the chosen node. b marks a position, to be found again in "
       "the menu.") },
  { N_("Sharing"),
    N_("Ctrl+Shift+E writes a page: one HTML file that needs no network, with the pass that you see, opened at its step, or, from the "
       "Program workspace, with the program statement by statement. Whoever opens it in a browser steps, chooses nodes and reads as you "
       "do here. The menu exports the graph alone as SVG, PNG or DOT.") },
  { N_("Presenting"), N_("Ctrl++ and Ctrl+− make everything larger or smaller, Ctrl+0 brings back the usual size.") },
};

/* Titles and paragraphs. A text is laid out as far as it is seen: labels that wrap were measured all, several times over, before the
 * first was drawn. */
static GtkWidget *
make_text (void)
{
  GtkWidget *view = gtk_text_view_new ();
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (view));
  GtkTextIter at;
  gtk_text_buffer_create_tag (buffer, "title", "weight", PANGO_WEIGHT_BOLD, "pixels-above-lines", 18, "pixels-below-lines", 6, NULL);
  gtk_text_buffer_get_end_iter (buffer, &at);
  for (gsize i = 0; i < G_N_ELEMENTS (sections); i++) {
    gtk_text_buffer_insert_with_tags_by_name (buffer, &at, _(sections[i].title), -1, "title", NULL);
    gtk_text_buffer_insert (buffer, &at, "\n", -1);
    gtk_text_buffer_insert (buffer, &at, _(sections[i].text), -1);
    if (i + 1 < G_N_ELEMENTS (sections))
      gtk_text_buffer_insert (buffer, &at, "\n", -1);
  }
  gtk_text_buffer_get_start_iter (buffer, &at);
  gtk_text_buffer_place_cursor (buffer, &at);
  g_object_set (view, "name", "help-text", "editable", FALSE, "cursor-visible", FALSE, "wrap-mode", GTK_WRAP_WORD_CHAR,
                "left-margin", 24, "right-margin", 24, "bottom-margin", 24, NULL);
  gtk_widget_add_css_class (view, "help-text");
  gtk_accessible_update_property (GTK_ACCESSIBLE (view), GTK_ACCESSIBLE_PROPERTY_LABEL, _("Help"), -1);
  ls_text_scroll_end_when_hidden (GTK_TEXT_VIEW (view));
  return view;
}

void
ls_help_show (GtkWindow *parent)
{
  GtkWidget *window = adw_window_new (), *all = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  gtk_widget_set_name (window, "help");
  gtk_window_set_title (GTK_WINDOW (window), _("Help"));
  gtk_window_set_transient_for (GTK_WINDOW (window), parent);
  gtk_window_set_modal (GTK_WINDOW (window), TRUE);
  gtk_window_set_default_size (GTK_WINDOW (window), 640, 620);
  GtkWidget *scroll = gtk_scrolled_window_new ();
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroll), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroll), make_text ());
  gtk_widget_set_vexpand (scroll, TRUE);
  gtk_box_append (GTK_BOX (all), adw_header_bar_new ());
  gtk_box_append (GTK_BOX (all), scroll);
  adw_window_set_content (ADW_WINDOW (window), all);
  GtkEventController *keys = gtk_shortcut_controller_new ();
  gtk_shortcut_controller_add_shortcut (GTK_SHORTCUT_CONTROLLER (keys), gtk_shortcut_new (gtk_keyval_trigger_new (GDK_KEY_Escape, 0),
                                                                                          gtk_named_action_new ("window.close")));
  gtk_widget_add_controller (window, keys);
  gtk_window_present (GTK_WINDOW (window));
}

void
ls_help_show_shortcuts (GtkWindow *parent)
{
  g_autoptr (GtkBuilder) builder = gtk_builder_new_from_resource ("/app/lazyscope/Lazyscope/shortcuts.ui");
  GtkWindow *window = GTK_WINDOW (gtk_builder_get_object (builder, "shortcuts"));
  gtk_window_set_transient_for (window, parent);
  gtk_window_set_modal (window, TRUE);
  gtk_window_set_destroy_with_parent (window, TRUE);
  ls_focus_leave_hidden_pages (GTK_WIDGET (window));
  gtk_window_present (window);
}
