/* The runs of a window. */
#include "runs.h"
#include "kit/class.h"
#include "run-program.h"

#include <glib/gi18n.h>
#include <string.h>

struct _LsRuns {
  GObject    parent_instance;
  GPtrArray *runs;        /* LsRun */
  GPtrArray *measured;    /* LsMeasuredRuns */
  guint      current, last_number;
};

G_DEFINE_FINAL_TYPE (LsRuns, ls_runs, G_TYPE_OBJECT)

void
ls_run_free (LsRun *run)
{
  ls_run_options_free (run->options);
  g_clear_pointer (&run->trace, ls_trace_unref);
  g_free (run->text);
  g_free (run->std_out);
  ls_run_folder_remove (run->folder);
  g_free (run->file);
  g_free (run);
}

LsMeasuredRuns *
ls_measured_runs_new (guint kernel, const guint *runs, guint n, LsReading *answer)
{
  LsMeasuredRuns *m = g_new (LsMeasuredRuns, 1);
  *m = (LsMeasuredRuns) { kernel, g_array_new (FALSE, FALSE, sizeof (guint)), ls_reading_ref (answer) };
  g_array_append_vals (m->runs, runs, n);
  return m;
}

void
ls_measured_runs_free (LsMeasuredRuns *m)
{
  g_array_unref (m->runs);
  ls_reading_unref (m->answer);
  g_free (m);
}

static void
tell (LsRuns *self)
{
  g_signal_emit_by_name (self, "changed");
}

guint ls_runs_n (LsRuns *self) { return self->runs->len; }
guint ls_runs_current_index (LsRuns *self) { return self->current; }

LsRun *
ls_runs_get (LsRuns *self, guint i)
{
  return i < self->runs->len ? self->runs->pdata[i] : NULL;
}

LsRun *
ls_runs_current (LsRuns *self)
{
  return ls_runs_get (self, self->current);
}

/* The place of a run that it repeats, or the end. */
static guint
place_of (LsRuns *self, const LsRun *run)
{
  guint i = 0;
  for (; i < self->runs->len; i++) {
    const LsRun *r = self->runs->pdata[i];
    if (g_strcmp0 (r->text, run->text) == 0 && g_strcmp0 (r->file, run->file) == 0 && ls_run_options_equal (r->options, run->options))
      break;
  }
  for (guint k = 0; i == self->runs->len && run->typed && k < self->runs->len; k++)
    if (ls_runs_get (self, k)->typed)
      return k;
  return i;
}

guint
ls_runs_index (LsRuns *self, guint number)
{
  guint i = 0;
  while (i < self->runs->len && ls_runs_get (self, i)->number != number)
    i++;
  return i < self->runs->len ? i : G_MAXUINT;
}

const GPtrArray *ls_runs_measured (LsRuns *self) { return self->measured; }

static gboolean
is_of (const LsMeasuredRuns *m, guint number)
{
  gboolean found = FALSE;
  for (guint i = 0; i < m->runs->len && !found; i++)
    found = g_array_index (m->runs, guint, i) == number;
  return found;
}

/* The run of that number is another one from now on, or none. */
static void
forget_measured (LsRuns *self, guint number)
{
  for (guint i = self->measured->len; i > 0; i--)
    if (is_of (self->measured->pdata[i - 1], number))
      g_ptr_array_remove_index (self->measured, i - 1);
}

void
ls_runs_take_measured (LsRuns *self, LsMeasuredRuns *measured)
{
  guint at = 0;
  for (; at < self->measured->len; at++) {
    const LsMeasuredRuns *m = self->measured->pdata[at];
    if (m->kernel == measured->kernel && g_array_index (m->runs, guint, 0) == g_array_index (measured->runs, guint, 0))
      break;
  }
  if (at < self->measured->len)
    g_ptr_array_remove_index (self->measured, at);
  g_ptr_array_add (self->measured, measured);
  tell (self);
}

void
ls_runs_take (LsRuns *self, const LsRun *run)
{
  LsRun *taken = g_memdup2 (run, sizeof *run);
  self->current = place_of (self, run);
  if (self->current < self->runs->len) {
    taken->number = ls_runs_current (self)->number;
    forget_measured (self, taken->number);
    ls_run_free (self->runs->pdata[self->current]);
    self->runs->pdata[self->current] = taken;
  } else {
    taken->number = ++self->last_number;
    g_ptr_array_add (self->runs, taken);
  }
  tell (self);
}

void
ls_runs_show (LsRuns *self, guint i)
{
  if (i >= self->runs->len || i == self->current)
    return;
  self->current = i;
  tell (self);
}

void
ls_runs_close (LsRuns *self, guint i)
{
  if (i >= self->runs->len || self->runs->len < 2)      /* the last one stays: something is shown */
    return;
  forget_measured (self, ls_runs_get (self, i)->number);
  g_ptr_array_remove_index (self->runs, i);
  if (self->current > i || self->current == self->runs->len)
    self->current--;
  tell (self);
}

void
ls_runs_clear (LsRuns *self)
{
  self->current = self->last_number = 0;
  if (!self->runs->len)
    return;
  g_ptr_array_set_size (self->runs, 0);
  g_ptr_array_set_size (self->measured, 0);
  tell (self);
}

/* The first line, from 1, in which two texts differ, or 0. */
static guint
first_difference (const char *a, const char *b)
{
  guint line = 1;
  if (strcmp (a, b) == 0)
    return 0;
  for (; *a && *a == *b; a++, b++)
    line += *a == '\n';
  return line;
}

char *
ls_runs_words (LsRuns *self, guint i)
{
  const LsRun *run = ls_runs_get (self, i), *first = ls_runs_get (self, 0);
  g_return_val_if_fail (run != NULL, NULL);
  g_autofree char *file = run->file ? g_path_get_basename (run->file) : NULL, *options = ls_run_options_describe (run->options);
  guint line = run == first || run->file ? 0 : first_difference (first->text ? first->text : "", run->text ? run->text : "");
  g_autofree char *edited = line ? g_strdup_printf (_("line %u edited"), line) : NULL;
  const char *parts[4] = { NULL };
  guint n = 0;
  if (file)
    parts[n++] = file;
  if (edited)
    parts[n++] = edited;
  if (*options)
    parts[n++] = options;
  return n ? g_strjoinv (" · ", (char **) parts) : g_strdup (_("as it is"));
}

char *
ls_runs_name (LsRuns *self, guint i)
{
  g_autofree char *what = ls_runs_words (self, i);
  return what ? g_strdup_printf ("%u: %s", ls_runs_get (self, i)->number, what) : NULL;
}

static void
ls_runs_class_init (LsRunsClass *class)
{
  ls_class_signal (class, "changed", 0);
  LS_KEEPS (class, LsRuns, g_ptr_array_unref, runs, measured);
}

static void
ls_runs_init (LsRuns *self)
{
  self->runs = g_ptr_array_new_with_free_func ((GDestroyNotify) ls_run_free);
  self->measured = g_ptr_array_new_with_free_func ((GDestroyNotify) ls_measured_runs_free);
}

LsRuns *
ls_runs_new (void)
{
  return g_object_new (LS_TYPE_RUNS, NULL);
}
