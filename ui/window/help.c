/* One short page, in a window of its own that Esc closes. */
#include "help.h"
#include "kit/focus.h"
#include "kit/text-scroll.h"

#include <adwaita.h>
#include <glib/gi18n.h>

static const struct { const char *title, *text; } sections[] = {
  { N_("What you see"),
    N_("A program is compiled in passes. A pass is a series of steps, and a step is one rule that rewrote a part of the graph. The "
       "pipeline on the left lists the passes of each kernel; the steps of the selected pass are below it. The graph shows one step: "
       "added nodes are marked +, removed −, changed △ and moved =. Listing and source on the right belong to the kernel; in early "
       "passes they show its final form.") },
  { N_("Stepping"),
    N_("n and p go to the next and previous step, N and P to the next and previous pass that changed something, Ctrl+Page Down and "
       "Ctrl+Page Up to the next and previous kernel. Type g and a number to jump. Alt+← and Alt+→ go through the places you visited. "
       "k and K stop at key moments: the first firing of a rule in a kernel, and the step that removes most nodes in a pass; the "
       "slider marks them.") },
  { N_("One node through time"),
    N_("Select a node in the graph, the listing or the source: the others mark its rows and lines. c and C go to the next and previous "
       "step that changes it.") },
  { N_("Collapsing"),
    N_("h collapses the nodes that only feed the selected node into its box; the box shows their number and looks like a stack. Press "
       "h again or double-click to expand it; H expands everything. The rest of the picture does not move, and the box stays collapsed "
       "from step to step.") },
  { N_("Loops"),
    N_("A frame in the colour of its axis type holds what a loop executes; its title is the loop's name, size and type. A box in a hole "
       "of the frame is not executed in that loop. Click the title, or press u on a node in it, to fold the loop into one box; press u "
       "again or double-click to unfold it. The menu of v hides the frames.") },
  { N_("Kernels"),
    N_("In the graph that the scheduler cuts, a frame holds what one kernel computes; its title is the kernel's number, the calls that "
       "made its result, and their line. It folds as a loop does. A box in no frame is memory, or several kernels compute it; a kernel "
       "whose boxes are far apart has no frame.") },
  { N_("Lanes"),
    N_("Lanes of an expansion that compute the same are one box with their number (MUL ×16) and the differences from the first to the "
       "last. Press h or double-click to draw each lane separately, and h on a lane to stack them again. A lane that changed alone is "
       "next to its stack.") },
  { N_("Asking"),
    N_("Right-click a node, row, line or step, or press the Menu key or Shift+F10, to ask about it. o shows where it comes from: back "
       "through every rewrite to the kernel's graph, the schedule, the calls and the program's line, each with a link. w lists the "
       "rules of the pass, closest match first, and the reason why each did not fire. Without a selection, both are about the result "
       "of the step. The Rules pane lists what each rule did, with links to its steps. The menu can find the step that broke the "
       "result, and rules that undo each other; Esc cancels both.") },
  { N_("Comparing"),
    N_("d pins the current position. Every step, pass and kernel that you go to is then compared with it: in the graph, and row by row "
       "in the listing. Nodes that are the same but used elsewhere are marked =. Within a kernel, nodes are followed through the "
       "steps; between kernels, they are matched by program line and structure. Swap exchanges the two sides, Esc ends the comparison.") },
  { N_("Statements"),
    N_("The Program workspace steps through the executed statements, F8 forward and Shift+F8 back. It shows the graph of tensors after "
       "each statement with added nodes marked, the calls that it made, down to the library's text, and the tensors of the names. "
       "n steps into the passes and kernels that a statement computed, F8 over them; after their last step n leads back to the statement. "
       "Click a line to go to its statement. After a dot, the editor offers the methods of tensors with their descriptions; choose one "
       "with Down and Enter.") },
  { N_("Runs"),
    N_("The arrow next to Run, or Ctrl+Shift+Enter, runs the program with other options: compiler, target, profile, options of "
       "kernels, settings, rules. Each run stays until it is closed and is named by its changes; Alt+Page Down and Alt+Page Up go from "
       "one to the next at the same place. The menu of the rule card runs without a rule, or with an edited copy of it. Compare "
       "(Ctrl+3) has a table of the kernels of all runs with a verdict on each; Measure times them against each other. A click on a row, "
       "or Ctrl+Page Down, shows the runs of that kernel side by side, from their times to their machine code; Esc leads back. A click on "
       "a run's title makes it the one that the others are compared with, and Try It runs what the verdict suggests. Ask, "
       "Search searches for a kernel's fastest options; press Enter to make a candidate a run. Save All Runs, in the menu, saves the "
       "runs together, and Open restores them.") },
  { N_("The schedule"),
    N_("s shows all kernels and their buffers instead of the graph, and the memory of the buffers from the first kernel to the last. "
       "Select a kernel or a buffer to read why it exists. A selected kernel becomes the position; Enter opens it. The "
       "schedule also appears at a kernel's schedule pass.") },
  { N_("One selection"),
    N_("Select a node, a row, a line of source, an instruction or a line of the program: the related ones are marked, and the line "
       "above listing and source shows their numbers, or why there are none. Below, Values shows the values of the node, Shapes the "
       "elements that it accesses and their order, Disassembly the machine code with its lines, Program the lines of the program. t "
       "and T go through these panes.") },
  { N_("Executing"),
    N_("Execution runs the kernel's rows one by one. It shows the loop counters, the register that each row writes and the element of "
       "memory that it accesses. Selecting a step selects its row.") },
  { N_("Searching"),
    N_("/ searches for nodes by op, dtype, argument or number, for rules and for passes. Enter and Shift+Enter go through the results.") },
  { N_("Playing"),
    N_("Space plays the steps of the graph until a breakpoint or the end; r runs to the next breakpoint at once. x sets breakpoints: "
       "the name of a rule, an op, a dtype or a line of the program, or a change to the selected node. b bookmarks a position, which "
       "the menu then lists.") },
  { N_("Sharing"),
    N_("Ctrl+Shift+E writes a self-contained HTML page of the current pass, opened at the current step, or, from the Program "
       "workspace, of the program statement by statement. Any browser can step through it and select nodes. The menu exports the graph "
       "alone as SVG, PNG or DOT.") },
  { N_("Presenting"), N_("Ctrl++ and Ctrl+− make everything larger or smaller, Ctrl+0 restores the usual size.") },
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
