/* The form of a run's options. Choices are made from lists with descriptions; the equivalent command line is shown below. */
#include "run-form.h"
#include "kit/choose-file.h"
#include "kit/class.h"
#include "ir/sentence.h"
#include "measure/kernel-options.h"
#include "kit/disk.h"
#include "kit/list-keys.h"
#include "kit/paragraph.h"
#include "kit/text.h"
#include "kit/tip.h"
#include "pipeline/launch.h"
#include "render/render.h"
#include "run/compiler.h"
#include "settings.h"

#include <glib/gi18n.h>
#include <string.h>

typedef enum { NO_FILE, OPEN_FILE, BEGIN_FILE } FileUse;      /* of a word that ends with a file's name */
typedef struct { char *word; FileUse use; } Offer;            /* word: NULL: it says why there is none */

/* Words to choose from. fill offers them; FALSE: there are none. */
typedef struct _Words Words;
struct _Words {
  LsRunForm   *form;
  GtkEditable *to;
  const char  *between;
  gboolean   (*fill) (LsRunForm *form, Words *words);
  GtkWidget   *popover;
  GtkListBox  *list;
  GArray      *offers;      /* Offer, by row */
};

enum { KERNELS, SETTINGS, RULES, N_WORDS };

struct _LsRunForm {
  AdwWindow      parent_instance;
  LsViewSession *session;
  GtkGrid       *grid;
  GtkDropDown   *compiler, *target, *profile;
  GtkEditable   *kernels, *settings, *disabled;
  GtkLabel      *rules_label, *command, *error, *differs;
  GtkWidget     *clear_rules, *run, *kernel_words, *setting_words, *rule_words;
  LsRunOptions  *last;         /* what the form was opened with: the last run's */
  char          *program, *rules, *c_file_word;      /* the last: the target of the file chooser */
  Words          words[N_WORDS];
  gboolean       setting;      /* all at once */
};

G_DEFINE_FINAL_TYPE (LsRunForm, ls_run_form, ADW_TYPE_WINDOW)

/* --- choices --- */

/* The first item is the default, which has no name. */
static char *
dup_chosen (GtkDropDown *from)
{
  guint i = gtk_drop_down_get_selected (from);
  if (i == 0 || i == GTK_INVALID_LIST_POSITION)
    return NULL;
  return g_strdup (gtk_string_list_get_string (GTK_STRING_LIST (gtk_drop_down_get_model (from)), i));
}

static void
choose (GtkDropDown *in, const char *name)
{
  GtkStringList *list = GTK_STRING_LIST (gtk_drop_down_get_model (in));
  guint found = 0;
  for (guint i = 1; name && i < g_list_model_get_n_items (G_LIST_MODEL (list)); i++)
    if (g_str_equal (gtk_string_list_get_string (list, i), name))
      found = i;
  gtk_drop_down_set_selected (in, found);
}

static char *
dup_typed (GtkEditable *from)
{
  g_autofree char *text = g_strstrip (g_strdup (gtk_editable_get_text (from)));
  return *text ? g_steal_pointer (&text) : NULL;
}

LsRunOptions *
ls_run_form_dup_options (LsRunForm *self)
{
  LsRunOptions *o = ls_run_options_copy (NULL);
  o->compiler = dup_chosen (self->compiler);
  o->target = dup_chosen (self->target);
  o->profile = dup_chosen (self->profile);
  o->kernels = dup_typed (self->kernels);
  o->settings = dup_typed (self->settings);
  o->disabled = dup_typed (self->disabled);
  o->rules = g_strdup (self->rules);
  return o;
}

/* The error in the settings, or NULL. */
static char *
check_settings (const char *text)
{
  LsSettings settings;
  ls_settings_init (&settings);
  g_auto (GStrv) words = g_strsplit_set (text ? text : "", " \t", -1);
  for (guint i = 0; words[i]; i++) {
    g_autoptr (GError) error = NULL;
    if (*words[i] && !ls_settings_set (&settings, words[i], &error))
      return ls_sentence_shown (error->message);
  }
  return NULL;
}

static gboolean
mark (gpointer widget, const char *was, const char *is)
{
  gboolean differs = g_strcmp0 (was, is) != 0;
  if (differs)
    gtk_widget_add_css_class (widget, "differs");
  else
    gtk_widget_remove_css_class (widget, "differs");
  return differs;
}

/* Marks what is not as in the last run. */
static void
mark_differences (LsRunForm *self, const LsRunOptions *o)
{
  const LsRunOptions *last = self->last;
  guint n = (guint) (mark (self->compiler, last->compiler, o->compiler) + mark (self->target, last->target, o->target) +
                     mark (self->profile, last->profile, o->profile) + mark (self->kernels, last->kernels, o->kernels) +
                     mark (self->settings, last->settings, o->settings) + mark (self->disabled, last->disabled, o->disabled) +
                     mark (self->rules_label, last->rules, o->rules));
  g_autofree char *text = !n ? g_strdup (_("As in the last run"))
      : g_strdup_printf (ngettext ("%u option differs from the last run", "%u options differ from the last run", n), n);
  gtk_label_set_text (self->differs, text);
}

static void
on_changed (LsRunForm *self)
{
  if (self->setting)
    return;
  g_autoptr (LsRunOptions) options = ls_run_form_dup_options (self);
  mark_differences (self, options);
  g_autofree char *command = ls_run_options_command (options, self->program ? self->program : "program.py"),
                  *shown = ls_text_valid (command);
  g_autofree char *settings = check_settings (options->settings),
                  *wrong = settings ? g_steal_pointer (&settings) : ls_run_options_check (options);
  gtk_label_set_text (self->command, shown);
  gtk_label_set_text (self->error, wrong ? wrong : "");
  gtk_widget_set_visible (GTK_WIDGET (self->error), wrong != NULL);
  gtk_widget_set_sensitive (self->run, !wrong);
  g_auto (GStrv) files = g_strsplit (self->rules ? self->rules : "", "\n", -1);
  for (guint i = 0; files[i]; i++) {
    g_autofree char *base = g_path_get_basename (files[i]);
    g_free (files[i]);
    files[i] = ls_text_valid (base);
  }
  g_autofree char *list = g_strjoinv (", ", files);
  gtk_label_set_text (self->rules_label, self->rules ? list : _("none"));
  gtk_widget_set_sensitive (self->clear_rules, self->rules != NULL);
}

static void
show_options (LsRunForm *self, const LsRunOptions *options)
{
  self->setting = TRUE;
  choose (self->compiler, options->compiler);
  choose (self->target, options->target);
  choose (self->profile, options->profile);
  gtk_editable_set_text (self->kernels, options->kernels ? options->kernels : "");
  gtk_editable_set_text (self->settings, options->settings ? options->settings : "");
  gtk_editable_set_text (self->disabled, options->disabled ? options->disabled : "");
  ls_text_set (&self->rules, options->rules);
  self->setting = FALSE;
  on_changed (self);
}

void
ls_run_form_set (LsRunForm *self, const LsRunOptions *options, const char *program)
{
  ls_text_set (&self->program, program);
  ls_run_options_free (self->last);
  self->last = ls_run_options_copy (options);
  show_options (self, options);
}

static void
on_reset (LsRunForm *self)
{
  g_autoptr (LsRunOptions) none = ls_run_options_copy (NULL);
  show_options (self, none);
}

static void
on_run (LsRunForm *self)
{
  if (gtk_widget_get_sensitive (self->run))
    g_signal_emit_by_name (self, "run");
}

static void
on_copy (LsRunForm *self)
{
  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self)), gtk_label_get_text (self->command));
}

/* --- lists to choose words from --- */

static void
offer_clear (gpointer offer)
{
  g_free (((Offer *) offer)->word);
}

static void
add_row (Words *words, const char *word, FileUse use, const char *title, const char *sentence)
{
  Offer offer = { g_strdup (word), use };
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0), *name = gtk_label_new (title), *why = gtk_label_new (sentence);
  gtk_label_set_xalign (GTK_LABEL (name), 0);
  gtk_label_set_xalign (GTK_LABEL (why), 0);
  gtk_label_set_wrap (GTK_LABEL (why), TRUE);
  gtk_label_set_width_chars (GTK_LABEL (why), 48);
  gtk_label_set_max_width_chars (GTK_LABEL (why), 48);
  gtk_widget_add_css_class (why, "dim-label");
  gtk_widget_add_css_class (why, "caption");
  gtk_box_append (GTK_BOX (box), name);
  gtk_box_append (GTK_BOX (box), why);
  g_array_append_val (words->offers, offer);
  gtk_list_box_append (words->list, box);
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (gtk_widget_get_parent (box)), word != NULL);
  gtk_widget_set_sensitive (box, word != NULL);
}

/* "axis 1, loop, size 64: data1 in steps of 1" */
static char *
axis_text (const LsKernelOptions *o, const char *option)
{
  guint64 number = strchr (option, ':') ? g_ascii_strtoull (strchr (option, ':') + 1, NULL, 10) : G_MAXUINT64;
  for (guint i = 0; i < o->axes->len; i++) {
    const LsOptionAxis *a = &g_array_index (o->axes, LsOptionAxis, i);
    if (a->axis != number)
      continue;
    g_autoptr (GString) s = g_string_new (NULL);
    g_string_append_printf (s, _("axis %u, %s, size %lld"), a->axis, a->type, (long long) a->size);
    for (guint k = 0; k < a->strides->len; k++) {
      const LsAxisStride *t = &g_array_index (a->strides, LsAxisStride, k);
      if (t->stride != LS_NO_STRIDE)
        g_string_append_printf (s, _(", data%u stride %lld"), t->buffer, (long long) t->stride);
    }
    return g_strdup (s->str);
  }
  return g_strdup ("");
}

/* The options of the current kernel: those it has, with who chose them and why, those it can take, and those it refuses, with the
 * reason. */
static gboolean
fill_kernels (LsRunForm *self, Words *words)
{
  LsTrace *trace = ls_view_session_get_trace (self->session);
  const LsKernel *kernel = ls_view_session_kernel (self->session);
  LsVariant variant;
  ls_variant_init (&variant);
  g_autoptr (LsKernelOptions) o = trace && kernel && ls_variant_complete (&variant, NULL)
      ? ls_kernel_options (trace, kernel->number, &variant, NULL) : NULL;
  ls_variant_clear (&variant);
  if (kernel && kernel->source && *kernel->source) {
    g_autofree char *word = g_strdup_printf ("k%u:" LS_BY_HAND, kernel->number);
    add_row (words, word, OPEN_FILE, _("Hand-Written…"),
             _("A function in a C file, with the same arguments, replaces this kernel's code"));
    add_row (words, word, BEGIN_FILE, _("Edit the Generated C…"),
             _("Writes the kernel's C into a new file, which replaces the kernel; edit it there"));
  }
  for (guint i = 0; o && i < o->options->len; i++) {
    const LsOptionRow *row = &g_array_index (o->options, LsOptionRow, i);
    g_autofree char *word = row->legal ? g_strdup_printf ("k%u:opt=%s", o->kernel, row->text) : NULL, *axis = axis_text (o, row->text);
    g_autofree char *title = row->chosen_by && row->legal ? g_strdup_printf (_("%s, already chosen"), row->text) : g_strdup (row->text);
    const char *said = row->reason ? row->reason : row->why ? row->why : axis;
    g_autofree char *shown = said ? ls_sentence_shown (said) : NULL;
    add_row (words, word, NO_FILE, title, shown);
  }
  return kernel && (kernel->source || (o && o->options->len));
}

static gboolean
fill_settings (LsRunForm *self, Words *words)
{
  for (const LsSettingInfo *i = ls_setting_infos; i->name; i++) {
    gint64 other = i->to == 1 ? !i->def : i->def;
    g_autofree char *word = i->words ? g_strdup_printf ("%s=%s", i->name, i->words[other])
                                     : g_strdup_printf ("%s=%" G_GINT64_FORMAT, i->name, other);
    g_autofree char *usual = i->words ? g_strdup (i->words[i->def]) : g_strdup_printf ("%" G_GINT64_FORMAT, i->def);
    g_autofree char *title = g_strdup_printf (_("%s, by default %s"), i->name, usual);
    /* the profile has a separate list; the output of DEBUG is in the window */
    if (!g_str_equal (i->name, "CLASSIC") && !g_str_equal (i->name, "MODERN") && !g_str_equal (i->name, "DEBUG"))
      add_row (words, word, NO_FILE, title, ls_shown (i->sentence));
  }
  return TRUE;
}

static int
by_hits (gconstpointer a, gconstpointer b)
{
  const LsRuleTotal *x = a, *y = b;
  return x->hits < y->hits ? 1 : x->hits > y->hits ? -1 : x->rule < y->rule ? -1 : x->rule > y->rule;
}

/* Those that fired in the recording that is shown: leaving out another changes nothing. */
static gboolean
fill_rules (LsRunForm *self, Words *words)
{
  LsTrace *trace = ls_view_session_get_trace (self->session);
  g_autoptr (LsRuleReport) report = trace ? ls_rule_report (trace) : NULL;
  guint n = 0;
  if (report)
    g_array_sort (report->totals, by_hits);
  for (guint i = 0; report && i < report->totals->len; i++) {
    const LsRuleTotal *t = &g_array_index (report->totals, LsRuleTotal, i);
    const LsTraceRule *rule = t->rule < trace->rules->len ? trace->rules->pdata[t->rule] : NULL;
    if (!rule || !t->hits)
      continue;
    g_autofree char *name = ls_text_valid (rule->name), *text = ls_text_cut (rule->text ? rule->text : "", 160);
    g_autofree char *title = g_strdup_printf (ngettext ("%s, %u step", "%s, %u steps", (gulong) t->hits), name, (guint) t->hits);
    add_row (words, name, NO_FILE, title, text);
    n++;
  }
  return n > 0;
}

static void
take_word (GtkEditable *to, const char *between, const char *word)
{
  g_autofree char *typed = dup_typed (to), *text = typed ? g_strconcat (typed, between, word, NULL) : g_strdup (word);
  gtk_editable_set_text (to, text);
  gtk_editable_set_position (to, -1);
  gtk_widget_grab_focus (GTK_WIDGET (to));
}

/* --- a kernel written by hand --- */

typedef struct { LsRunForm *form; char *word; } Begun;      /* a file that is written */

static void
on_begun (GObject *source, GAsyncResult *result, gpointer data)
{
  Begun *begun = data;
  g_autoptr (GError) error = NULL;
  if (ls_disk_done (result, &error)) {
    take_word (begun->form->kernels, ",", begun->word);
  } else {
    gtk_label_set_text (begun->form->error, error->message);
    gtk_widget_set_visible (GTK_WIDGET (begun->form->error), TRUE);
  }
  g_object_unref (begun->form);
  g_free (begun->word);
  g_free (begun);
}

/* The source that a compiler reads for the current kernel. */
static char *
dup_source (LsRunForm *self)
{
  LsTrace *trace = ls_view_session_get_trace (self->session);
  const LsKernel *kernel = ls_view_session_kernel (self->session);
  const LsTarget *target = kernel ? ls_target_find (kernel->target) : NULL;
  if (!target || !kernel->source)
    return g_strdup ("");
  LsSettings settings;
  ls_trace_settings (trace, &settings);
  return ls_kernel_by_hand (kernel) ? g_strdup (kernel->source) : ls_launch_source_to_edit (target, &settings, kernel->source);
}

void
ls_run_form_take_c_file (LsRunForm *self, const char *word, const char *path, gboolean begin)
{
  g_autofree char *all = g_strconcat (word, path, NULL);
  if (!begin) {
    take_word (self->kernels, ",", all);
    return;
  }
  Begun *begun = g_new (Begun, 1);
  *begun = (Begun) { g_object_ref (self), g_steal_pointer (&all) };
  ls_disk_write (path, dup_source (self), FALSE, NULL, on_begun, begun);
}

static void
on_c_file_chosen (gpointer form, const char *path)
{
  if (path)
    ls_run_form_take_c_file (form, LS_RUN_FORM (form)->c_file_word, path, FALSE);
}

static void
on_c_file_begun (gpointer form, const char *path)
{
  if (path)
    ls_run_form_take_c_file (form, LS_RUN_FORM (form)->c_file_word, path, TRUE);
}

static void
choose_c_file (LsRunForm *self, const char *word, FileUse use)
{
  const LsKernel *kernel = ls_view_session_kernel (self->session);
  g_autofree char *valid = ls_text_valid (kernel ? kernel->name : "kernel"),
                  *name = g_strconcat (g_strdelimit (valid, "/", '_'), ".c", NULL);
  ls_text_set (&self->c_file_word, word);
  if (use == OPEN_FILE)
    ls_choose_file (self, _("Hand-written kernel"), NULL, on_c_file_chosen, NULL);
  else
    ls_choose_file (self, _("Write the kernel's C into a file"), name, on_c_file_begun, NULL);
}

static void
on_word (GtkListBox *list, GtkListBoxRow *row, Words *words)
{
  const Offer *offer = &g_array_index (words->offers, Offer, gtk_list_box_row_get_index (row));
  gtk_popover_popdown (GTK_POPOVER (words->popover));
  if (offer->use == NO_FILE)
    take_word (words->to, words->between, offer->word);
  else
    choose_c_file (words->form, offer->word, offer->use);
}

/* Made when it is first asked for, and again each time: another recording may be shown by then. */
static void
make_words (GtkMenuButton *button, gpointer data)
{
  Words *words = data;
  GtkWidget *list = gtk_list_box_new (), *scroll = gtk_scrolled_window_new ();
  gtk_list_box_set_selection_mode (GTK_LIST_BOX (list), GTK_SELECTION_NONE);
  words->list = GTK_LIST_BOX (list);
  g_array_set_size (words->offers, 0);
  if (!words->fill (words->form, words))
    gtk_list_box_set_placeholder (GTK_LIST_BOX (list), gtk_label_new (_("Nothing to choose from: run the program first")));
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroll), list);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroll), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_propagate_natural_height (GTK_SCROLLED_WINDOW (scroll), TRUE);
  gtk_scrolled_window_set_max_content_height (GTK_SCROLLED_WINDOW (scroll), 320);
  g_signal_connect (list, "row-activated", G_CALLBACK (on_word), words);
  words->popover = gtk_popover_new ();
  gtk_popover_set_child (GTK_POPOVER (words->popover), scroll);
  gtk_menu_button_set_popover (button, words->popover);
}

/* --- rule files --- */

static void
on_rules_chosen (gpointer form, const char *path)
{
  LsRunForm *self = form;
  if (!path)
    return;
  g_autofree char *rules = self->rules ? g_strconcat (self->rules, "\n", path, NULL) : g_strdup (path);
  ls_text_set (&self->rules, rules);
  on_changed (self);
}

static void
on_add_rules (LsRunForm *self)
{
  ls_choose_file (self, _("Add a rule file"), NULL, on_rules_chosen, _("Rules"), "*.rules", NULL);
}

static void
on_clear_rules (LsRunForm *self)
{
  g_clear_pointer (&self->rules, g_free);
  on_changed (self);
}

/* --- the window --- */

static void
add_choice (GtkDropDown *to, const char *name)
{
  gtk_string_list_append (GTK_STRING_LIST (gtk_drop_down_get_model (to)), name);
}

static void
fill_choices (LsRunForm *self)
{
  for (const LsCompiler *c = ls_compilers; c->name; c++)
    add_choice (self->compiler, c->name);
  for (const LsTarget *const *t = ls_targets; *t; t++)
    add_choice (self->target, (*t)->name);
  for (int i = 0; i < LS_N_PROFILES; i++)
    if (i != LS_PROFILE_DEFAULT)
      add_choice (self->profile, ls_profile_name ((LsProfile) i));
}

/* What the rows of the form are called. */
static void
add_labels (LsRunForm *self)
{
  const struct { const char *text; gpointer of; } rows[] = {
    { _("Com_piler"), self->compiler }, { _("_Target"), self->target }, { _("Pr_ofile"), self->profile }, { _("_Kernels"), self->kernels },
    { _("_Settings"), self->settings }, { _("_Disabled rules"), self->disabled }, { _("Rule files"), NULL },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    GtkWidget *label = g_object_new (GTK_TYPE_LABEL, "label", rows[i].text, "use-underline", TRUE, "mnemonic-widget", rows[i].of, "xalign",
                                     1.0, NULL);
    gtk_widget_add_css_class (label, "dim-label");
    gtk_grid_attach (self->grid, label, 0, (int) i, 1, 1);
  }
}

static void
ls_run_form_init (LsRunForm *self)
{
  self->last = ls_run_options_copy (NULL);
  self->setting = TRUE;      /* until it is said what of */
  gtk_widget_init_template (GTK_WIDGET (self));
  fill_choices (self);
  add_labels (self);
  self->words[KERNELS] = (Words) { self, self->kernels, ",", fill_kernels };
  self->words[SETTINGS] = (Words) { self, self->settings, " ", fill_settings };
  self->words[RULES] = (Words) { self, self->disabled, " ", fill_rules };
  GtkWidget *buttons[N_WORDS] = { self->kernel_words, self->setting_words, self->rule_words };
  for (guint i = 0; i < N_WORDS; i++) {
    self->words[i].offers = g_array_new (FALSE, FALSE, sizeof (Offer));
    g_array_set_clear_func (self->words[i].offers, offer_clear);
    gtk_menu_button_set_create_popup_func (GTK_MENU_BUTTON (buttons[i]), make_words, &self->words[i], NULL);
  }
}

static void
forget_offers (LsRunForm *self)
{
  for (guint i = 0; i < N_WORDS; i++)
    g_array_unref (self->words[i].offers);
}

static void
ls_run_form_class_init (LsRunFormClass *class)
{
  ls_class_signal (class, "run", 0);
  LS_USES (LS_TYPE_PARAGRAPH);
  LS_UI_BINDS (class, LsRunForm, "run-form", grid, compiler, target, profile, kernels, settings, disabled, rules_label, command, error,
               differs, clear_rules, run, kernel_words, setting_words, rule_words);
  LS_CALLBACKS (class, on_changed, on_add_rules, on_clear_rules, on_copy, on_reset, on_run);
  gtk_widget_class_add_binding_action (GTK_WIDGET_CLASS (class), GDK_KEY_Escape, 0, "window.close", NULL);
  LS_OWNS (class, LsRunForm, g_object_unref, session);
  LS_KEEPS (class, LsRunForm, g_free, program, rules, c_file_word);
  LS_KEEPS (class, LsRunForm, ls_run_options_free, last);
  LS_ON_FINALIZE (class, forget_offers);
}

LsRunForm *
ls_run_form_new (GtkWindow *parent, LsViewSession *session)
{
  LsRunForm *self = g_object_new (LS_TYPE_RUN_FORM, "transient-for", parent, "destroy-with-parent", TRUE, NULL);
  self->session = g_object_ref (session);
  ls_list_keys_install (GTK_WIDGET (self));
  ls_tip_hide_under_menus (GTK_WIDGET (self));
  return self;
}
