/* Runs in a file. */
#include "runs-file.h"

#include "kit/disk.h"
#include "measure/compare.h"

#include <glib/gi18n.h>
#include <string.h>

#define VERSION   1
#define MOST_BYTES (64 << 20)

/* The options of a run by their names in the file. */
static const struct { const char *key; gsize offset; } option_keys[] = {
  { "compiler", G_STRUCT_OFFSET (LsRunOptions, compiler) }, { "target", G_STRUCT_OFFSET (LsRunOptions, target) },
  { "profile", G_STRUCT_OFFSET (LsRunOptions, profile) },
  { "kernels", G_STRUCT_OFFSET (LsRunOptions, kernels) }, { "settings", G_STRUCT_OFFSET (LsRunOptions, settings) },
  { "disabled", G_STRUCT_OFFSET (LsRunOptions, disabled) },
  { "rules", G_STRUCT_OFFSET (LsRunOptions, rules) },
};

void
ls_runs_file_free (LsRunsFile *file)
{
  if (!file)
    return;
  g_free (file->program);
  g_free (file->typed);
  g_free (file->unread);
  g_ptr_array_unref (file->runs);
  g_ptr_array_unref (file->measured);
  g_free (file);
}

/* --- writing --- */

static void
print_run (GKeyFile *file, const LsRun *run, guint number, const char *recording)
{
  g_autofree char *group = g_strdup_printf ("run %u", number);
  g_key_file_set_string (file, group, "recording", recording);
  for (gsize i = 0; i < G_N_ELEMENTS (option_keys); i++) {
    const char *value = G_STRUCT_MEMBER (char *, run->options, option_keys[i].offset);
    if (value)
      g_key_file_set_string (file, group, option_keys[i].key, value);
  }
  g_autofree char *name = run->file ? g_path_get_basename (run->file) : NULL;
  if (name)
    g_key_file_set_string (file, group, "file", name);
  if (run->edited)
    g_key_file_set_boolean (file, group, "edited", TRUE);
}

/* For runs that are all present, which have other numbers in the file. */
static void
print_measured (GKeyFile *file, LsRuns *runs, const LsMeasuredRuns *m, guint number)
{
  g_autofree char *group = g_strdup_printf ("measured %u", number), *answer = ls_reading_text (m->answer);
  g_autofree int *numbers = g_new (int, m->runs->len);
  for (guint i = 0; i < m->runs->len; i++) {
    guint at = ls_runs_index (runs, g_array_index (m->runs, guint, i));
    if (at == G_MAXUINT)
      return;
    numbers[i] = (int) at + 1;
  }
  g_key_file_set_integer (file, group, "kernel", (int) m->kernel);
  g_key_file_set_integer_list (file, group, "runs", numbers, m->runs->len);
  g_key_file_set_string (file, group, "answer", answer);
}

char *
ls_runs_file_print (LsRuns *runs, const char *const *recordings, const char *program, const char *typed)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  const GPtrArray *measured = ls_runs_measured (runs);
  g_key_file_set_integer (file, "runs", "version", VERSION);
  g_key_file_set_integer (file, "runs", "shown", (int) ls_runs_current_index (runs) + 1);
  if (program)
    g_key_file_set_string (file, "runs", "program", program);
  if (typed)
    g_key_file_set_string (file, "runs", "typed", typed);
  for (guint i = 0; i < MIN (ls_runs_n (runs), LS_RUNS_MOST); i++)
    print_run (file, ls_runs_get (runs, i), i + 1, recordings[i]);
  for (guint i = 0; i < measured->len; i++)
    print_measured (file, runs, measured->pdata[i], i + 1);
  return g_key_file_to_data (file, NULL, NULL);
}

typedef struct { char *path, *text; GPtrArray *traces, *names; } Save;

static void
save_free (gpointer data)
{
  Save *save = data;
  g_free (save->path);
  g_free (save->text);
  g_ptr_array_unref (save->traces);
  g_ptr_array_unref (save->names);
  g_free (save);
}

/* The recordings first: a file that is there has all of them. */
static gboolean
save (gpointer data, GError **error)
{
  const Save *s = data;
  g_autofree char *folder = g_path_get_dirname (s->path);
  for (guint i = 0; i < s->traces->len; i++) {
    g_autofree char *path = g_build_filename (folder, s->names->pdata[i], NULL);
    if (!ls_trace_save (s->traces->pdata[i], path, error))
      return FALSE;
  }
  return g_file_set_contents (s->path, s->text, -1, error);
}

void
ls_runs_file_save (LsRuns *runs, const char *path, const char *program, gpointer source, GAsyncReadyCallback callback, gpointer data)
{
  Save *s = g_new (Save, 1);
  g_autofree char *base = g_path_get_basename (path);
  if (g_str_has_suffix (base, LS_RUNS_SUFFIX))
    base[strlen (base) - strlen (LS_RUNS_SUFFIX)] = '\0';
  *s = (Save) { g_strdup (path), NULL, g_ptr_array_new_with_free_func ((GDestroyNotify) ls_trace_unref),
                g_ptr_array_new_with_free_func (g_free) };
  for (guint i = 0; i < MIN (ls_runs_n (runs), LS_RUNS_MOST); i++) {
    g_ptr_array_add (s->traces, ls_trace_ref (ls_runs_get (runs, i)->trace));
    g_ptr_array_add (s->names, g_strdup_printf ("%s-%u.lscope", base, i + 1));
  }
  s->text = ls_runs_file_print (runs, (const char *const *) s->names->pdata, program, NULL);
  ls_disk_do (save, s, save_free, source, callback, data);
}

/* --- reading --- */

static LsRun *
read_run (GKeyFile *file, const char *folder, guint number, GError **error)
{
  g_autofree char *group = g_strdup_printf ("run %u", number), *recording = g_key_file_get_string (file, group, "recording", error);
  g_autofree char *path = recording ? g_canonicalize_filename (recording, folder) : NULL;
  g_autoptr (LsTrace) trace = path ? ls_trace_load (path, error) : NULL;
  if (!trace)
    return NULL;
  trace->frees_aside = TRUE;
  LsRun *run = g_new0 (LsRun, 1);
  run->options = ls_run_options_copy (NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (option_keys); i++)
    G_STRUCT_MEMBER (char *, run->options, option_keys[i].offset) = g_key_file_get_string (file, group, option_keys[i].key, NULL);
  run->text = g_strdup (trace->program_text);
  run->std_out = g_strdup (trace->std_out);
  run->file = g_key_file_get_string (file, group, "file", NULL);
  run->edited = g_key_file_get_boolean (file, group, "edited", NULL);
  run->trace = g_steal_pointer (&trace);
  return run;
}

/* One that makes no sense is left out: it can be measured again. */
static LsMeasuredRuns *
read_measured (GKeyFile *file, const char *group, const guint *index)
{
  gsize n = 0;
  int kernel = g_key_file_get_integer (file, group, "kernel", NULL);
  g_autofree int *numbers = g_key_file_get_integer_list (file, group, "runs", &n, NULL);
  g_autofree char *text = g_key_file_get_string (file, group, "answer", NULL);
  g_autoptr (LsReading) answer = text ? ls_reading_new (&ls_compare_answer, text, -1, NULL) : NULL;
  gboolean ok = kernel > 0 && n > 0 && answer;
  for (gsize i = 0; ok && i < n; i++) {
    ok = numbers[i] > 0 && numbers[i] <= LS_RUNS_MOST && index[numbers[i]];
    numbers[i] = ok ? (int) index[numbers[i]] : 0;
  }
  return ok ? ls_measured_runs_new ((guint) kernel, (const guint *) numbers, (guint) n, answer) : NULL;
}

static LsRunsFile *
read_file (const char *path, GError **error)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autoptr (LsRunsFile) out = g_new0 (LsRunsFile, 1);
  g_autofree char *folder = g_path_get_dirname (path), *text = NULL;
  gsize length;
  guint index[LS_RUNS_MOST + 1] = { 0 };      /* where runs of the file went, from 1 */
  out->runs = g_ptr_array_new_with_free_func ((GDestroyNotify) ls_run_free);
  out->measured = g_ptr_array_new_with_free_func ((GDestroyNotify) ls_measured_runs_free);
  if (!g_file_get_contents (path, &text, &length, error))
    return NULL;
  if (length > MOST_BYTES || !g_key_file_load_from_data (file, text, length, G_KEY_FILE_NONE, NULL) ||
      !g_key_file_has_group (file, "runs")) {
    g_set_error (error, LS_ERROR, LS_ERROR_FILE, _("%s has no runs: it is not a file that “Save All Runs” wrote"), path);
    return NULL;
  }
  if (g_key_file_get_integer (file, "runs", "version", NULL) != VERSION) {
    g_set_error (error, LS_ERROR, LS_ERROR_FILE, _("%s is of another version of Lazyscope"), path);
    return NULL;
  }
  out->program = g_key_file_get_string (file, "runs", "program", NULL);
  out->typed = g_key_file_get_string (file, "runs", "typed", NULL);
  for (guint i = 1; i <= LS_RUNS_MOST; i++) {
    g_autofree char *group = g_strdup_printf ("run %u", i);
    if (!g_key_file_has_group (file, group))
      break;
    g_autoptr (GError) fault = NULL;
    LsRun *run = read_run (file, folder, i, &fault);
    if (run)
      g_ptr_array_add (out->runs, run);
    else if (!out->n_unread++)
      out->unread = g_strdup_printf (_("run %u: %s"), i, fault->message);
    index[i] = run ? out->runs->len : 0;
    out->shown = run && (int) i == g_key_file_get_integer (file, "runs", "shown", NULL) ? out->runs->len - 1 : out->shown;
  }
  if (!out->runs->len && !out->typed) {
    g_autofree char *why = out->unread ? g_strdup_printf (_("no run can be read; %s"), out->unread)
                                       : g_strdup (_("it has no runs"));
    g_set_error (error, LS_ERROR, LS_ERROR_FILE, "%s: %s", path, why);
    return NULL;
  }
  g_auto (GStrv) groups = g_key_file_get_groups (file, NULL);
  for (guint i = 0; groups[i]; i++) {
    LsMeasuredRuns *m = g_str_has_prefix (groups[i], "measured ") ? read_measured (file, groups[i], index) : NULL;
    if (m)
      g_ptr_array_add (out->measured, m);
  }
  return g_steal_pointer (&out);
}

static void
load_in_thread (GTask *task, gpointer source, gpointer path, GCancellable *cancellable)
{
  GError *error = NULL;
  LsRunsFile *file = read_file (path, &error);
  if (file)
    g_task_return_pointer (task, file, (GDestroyNotify) ls_runs_file_free);
  else
    g_task_return_error (task, error);
}

void
ls_runs_file_load_async (const char *path, GAsyncReadyCallback callback, gpointer data)
{
  g_autoptr (GTask) task = g_task_new (NULL, NULL, callback, data);
  g_task_set_task_data (task, g_strdup (path), g_free);
  g_task_run_in_thread (task, load_in_thread);
}

LsRunsFile *
ls_runs_file_load_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
