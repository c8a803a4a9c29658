/* Resolves the options of a run, and opens the files. cli-parse.c reads them. */
#include "program/program.h"
#include "pipeline/pipeline.h"
#include "trace/what-if.h"
#include "ask/ask.h"
#include "cli.h"
#include "options.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct { const char *name; char *text; } given_program;

gboolean
ls_cli_apply_variant (LsCliOptions *o, const char *spec, GError **error)
{
  if (!ls_variant_apply (&o->how, spec, error))
    return FALSE;
  if (o->how.c_files && o->mode != LS_CLI_RUN)
    return ls_cli_refuse (error, "%s does not use c=%s of a variant (a hand-written kernel), which is for run and compare",
                          ls_cli_mode_names[o->mode], o->how.c_files);
  if (ls_variant_has_rules (&o->how))
    return ls_cli_refuse (error, "%s does not use without= and rules= of a variant, which are for compare: use --disable RULE and "
                                 "--rules FILE", ls_cli_mode_names[o->mode]);
  return ls_variant_complete (&o->how, error);
}

gboolean
ls_cli_settle (LsCliOptions *o, GError **error)
{
  g_autofree char *target = o->target_name ? g_strconcat ("target=", o->target_name, NULL) : NULL,
                  *compiler = o->compiler_name ? g_strconcat ("compiler=", o->compiler_name, NULL) : NULL;
  if ((target && !ls_variant_apply (&o->how, target, error)) || (compiler && !ls_variant_apply (&o->how, compiler, error)))
    return FALSE;
  for (char **s = o->sets; s && *s; s++)
    if (!ls_settings_set (&o->how.settings, *s, error))
      return FALSE;
  if (o->mode != LS_CLI_DIFF && o->mode != LS_CLI_COMPARE && o->variants && !ls_cli_apply_variant (o, *o->variants, error))
    return FALSE;
  return ls_variant_complete (&o->how, error);
}

/* Times by an optimizing compiler. */
static void
take_timer (LsSession *s, const LsVariant *how)
{
  const LsCompiler *timer = ls_variant_timer (how);
  if (g_str_equal (timer->name, how->compiler)) {
    if (!timer->optimizes && !how->named && timer->how != LS_COMPILER_INTERPRETER)
      fprintf (stderr, _("note: no optimizing compiler is installed (libLLVM, clang or gcc): times are those of %s's code, which is not "
                         "optimized\n"), timer->name);
    return;
  }
  s->timer = timer->name;
  s->timer_flags = ls_variant_flags (how, timer->name);
}

LsSession *
ls_cli_session (const LsCliOptions *o, GError **error)
{
  g_autofree char *why = NULL;
  if (!ls_compiler_available (o->how.compiler, &why)) {
    g_autoptr (GString) others = g_string_new (NULL);
    for (const LsCompiler *c = ls_compilers; c->name; c++)
      if (ls_compiler_available (c->name, NULL))
        g_string_append_printf (others, "%s%s", others->len ? ", " : "", c->name);
    g_set_error (error, LS_ERROR, LS_ERROR_COMPILE, "compiler %s: %s; the available ones: --compiler %s", o->how.compiler,
                 why ? why : "it is not available", others->str);
    return NULL;
  }
  g_autoptr (LsRuleLibrary) library = ls_rule_library_new (ls_pipeline_rules (), (const char *const *) o->rules,
                                                           (const char *const *) o->disabled, error);
  if (!library)
    return NULL;
  LsSession *s = ls_session_new (&o->how.settings, o->how.target, o->how.compiler, library);
  s->options = g_strdup (o->how.options);
  s->c_files = g_strdup (o->how.c_files);
  s->schedule_choices = g_strdup (o->how.schedule_choices);
  s->flags = ls_variant_flags (&o->how, o->how.compiler);
  s->folder = g_strdup (given_program.name ? "." : NULL);
  if (!o->how.named && ls_compiler_find (s->compiler)->how == LS_COMPILER_LIBRARY && ls_variant_timer (&o->how)->optimizes) {
    s->quick = ls_variant_timer (&o->how)->name;
    s->quick_flags = ls_variant_flags (&o->how, s->quick);
  }
  if ((o->mode == LS_CLI_RUN || o->mode == LS_CLI_SEARCHED) && o->debug >= 2)
    take_timer (s, &o->how);
  return s;
}

/* A recording is known by its content; a file that is not there, by its name. */
gboolean
ls_cli_is_recording (const char *file)
{
  char head[16] = { 0 };
  FILE *f = g_file_test (file, G_FILE_TEST_IS_REGULAR) ? fopen (file, "rb") : NULL;
  if (!f)
    return g_str_has_suffix (file, ".lscope");
  gsize n = fread (head, 1, sizeof head, f);
  fclose (f);
  return g_str_has_suffix (file, ".lscope") || (n == 16 && memcmp (head, "SQLite format 3", 16) == 0);
}

gboolean
ls_cli_check_recording (const LsCliOptions *o, const char *file, GError **error)
{
  const char *given = o->variants && o->mode != LS_CLI_COMPARE ? "--variant" : o->rules ? "--rules" : o->disabled ? "--disable" : NULL;
  if (given)
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "%s is a recording, which is not run again; %s is for a program (.py)",
                 file, given);
  return given == NULL;
}

void
ls_cli_give_program (const char *name, char *text)
{
  g_free (given_program.text);
  given_program.name = name;
  given_program.text = text;
}

gboolean
ls_cli_is_given (const char *name)
{
  return g_strcmp0 (name, given_program.name) == 0;
}

static gboolean
read_text (const char *file, char **text, GError **error)
{
  GStatBuf st;
  gsize n;
  if (ls_cli_is_given (file)) {
    *text = g_strdup (given_program.text);
    return TRUE;
  }
  if (g_stat (file, &st) != 0) {
    g_set_error (error, LS_ERROR, LS_ERROR_FILE, "%s: %s", file, g_strerror (errno));
    return FALSE;
  }
  if (S_ISDIR (st.st_mode)) {
    g_set_error (error, LS_ERROR, LS_ERROR_FILE, "%s is a directory", file);
    return FALSE;
  }
  if (!S_ISREG (st.st_mode)) {
    g_set_error (error, LS_ERROR, LS_ERROR_FILE, "%s is not a regular file; put the program in one", file);
    return FALSE;
  }
  if (ls_cli_is_recording (file)) {
    g_set_error (error, LS_ERROR, LS_ERROR_FILE, "%s is a recording, not a program; show, steps and verify read recordings", file);
    return FALSE;
  }
  if (g_str_has_suffix (file, ".runs")) {
    g_set_error (error, LS_ERROR, LS_ERROR_FILE, "%s is a list of a window's runs, which lazyscope opens; give one of the recordings "
                                                 "next to it", file);
    return FALSE;
  }
  g_autoptr (GError) own = NULL;
  if (!g_file_get_contents (file, text, &n, &own)) {
    g_set_error (error, LS_ERROR, LS_ERROR_FILE, "%s cannot be read: %s", file, own->message);
    return FALSE;
  }
  if (strlen (*text) != n) {
    g_clear_pointer (text, g_free);
    g_set_error (error, LS_ERROR, LS_ERROR_FILE, "%s is not a program: it contains NUL bytes", file);
    return FALSE;
  }
  return TRUE;
}

gboolean
ls_cli_read_program (const char *file, char **text, GError **error)
{
  if (!read_text (file, text, error))
    return FALSE;
  ls_cli_supervise ();
  return TRUE;
}

static void
warn (const char *text)
{
  g_autofree char *shown = ls_sentence_shown (text);
  fprintf (stderr, _("warning: %s\n"), shown);
}

gboolean
ls_cli_run_session (const LsCliOptions *o, LsSession *s, const char *text, const char *file, GError **error)
{
  ls_cli_debug_attach (s, o->debug);
  s->keep_buffers = o->keep_buffers;
  s->writer = o->record ? ls_trace_writer_new (s->trace, o->record, error) : NULL;
  if (o->record && !s->writer)
    return FALSE;
  gboolean ok = ls_session_run_program (s, text, file, error);
  ls_session_finish (s);
  for (guint i = 0; i < s->notes->len; i++)
    warn (s->notes->pdata[i]);
  if (s->out_is_cut && s->writer)
    fprintf (stderr, _("warning: the recording holds only the first %d MB of the program's output\n"), LS_MOST_OUTPUT >> 20);
  if (ok)
    ls_cli_tell_idle (o, s);
  return ok;
}

/* Options for kernels that there are not. */
static void
tell_unused_options (LsSession *s, const char *what, const char *options, const char *between)
{
  g_auto (GStrv) items = g_strsplit (options ? options : "", between, -1);
  for (char **item = items; *item; item++)
    if (**item == 'k' && g_ascii_strtoull (*item + 1, NULL, 10) > s->trace->kernels->len)
      fprintf (stderr, ngettext ("warning: %s of %s is not used: there is %u kernel\n",
                                 "warning: %s of %s is not used: there are %u kernels\n", s->trace->kernels->len), what, *item,
               s->trace->kernels->len);
}

#define MOST_MADE_AGAIN 200      /* kernels, twice for each setting: 0.4 s at most */

/* Choices for realizations that there are not. */
static void
tell_unused_choices (LsSession *s)
{
  g_auto (GStrv) texts = g_strsplit (s->schedule_choices ? s->schedule_choices : "", "\n", -1);
  guint n = 0;
  for (guint i = 0; i < s->trace->passes->len; i++) {
    const LsPass *pass = s->trace->passes->pdata[i];
    n += pass->kernel == 0 && g_str_equal (pass->stage, ls_stage_infos[LS_STAGE_SCHEDULE].name);
  }
  for (char **text = texts; *text; text++) {
    LsWhatIf w;
    if (ls_what_if_parse (*text, &w, NULL) && w.realization > n)
      fprintf (stderr, ngettext ("warning: schedule=%s is not used: there is %u realization\n",
                                 "warning: schedule=%s is not used: there are %u realizations\n", n), *text, n);
    ls_what_if_clear (&w);
  }
}

/* text: "NOOPT=1"; who: where it was given, "NOOPT=1" or "Context(NOOPT=1)". */
static void
tell_idle_setting (LsSession *s, const LsSettingInfo *i, const char *changed, const char *who)
{
  guint looked;
  LsSettingEffect effect = ls_session_setting_effect (s, i, changed, MOST_MADE_AGAIN, &looked);
  if (effect == LS_EFFECT_ACTS || (effect == LS_EFFECT_UNKNOWN && looked <= MOST_MADE_AGAIN))
    return;
  if (looked == 0)
    fprintf (stderr, _("warning: %s has no effect: no kernel was made with it\n"), who);
  else if (looked > MOST_MADE_AGAIN)
    fprintf (stderr, _("warning: %s has no effect on the %u kernels that were also made without it; the others were not checked\n"), who,
             MOST_MADE_AGAIN);
  else
    fprintf (stderr, _("warning: %s has no effect: the code of all kernels is the same without it\n"), who);
}

/* Flags for a compiler that compiled nothing. */
static void
tell_unused_flags (const LsCliOptions *o, LsSession *s)
{
  gboolean used = s->trace->kernels->len == 0;
  for (guint i = 0; i < s->trace->kernels->len && !used; i++) {
    const LsKernel *k = s->trace->kernels->pdata[i];
    const LsCompiler *compiler = k->compiler ? ls_compiler_find (k->compiler) : NULL;
    used = compiler && compiler->optimizes;
  }
  if (!used && (o->how.cflags || o->how.not_native))
    fprintf (stderr, _("warning: %s%s has no effect: no kernel was compiled by a compiler with flags\n"),
             o->how.cflags ? "cflags=" : "native=0", o->how.cflags ? o->how.cflags : "");
}

/* Settings that change code, and changed none: those of the run, and those that the program changed. */
static void
tell_idle_settings (LsSession *s)
{
  g_autoptr (GPtrArray) changed = ls_session_changed_settings (s);
  gboolean of_profile = ls_settings_profile (&s->given) != LS_PROFILE_DEFAULT;
  for (const LsSettingInfo *i = ls_setting_infos; i->name && s->trace->kernels->len > 0; i++) {
    g_autofree char *text = ls_setting_text (&s->given, i);
    gboolean implied = of_profile && (i->offset == G_STRUCT_OFFSET (LsSettings, MAX_EXPR) ||
                                      i->offset == G_STRUCT_OFFSET (LsSettings, LOOP_NAMES) ||
                                      i->offset == G_STRUCT_OFFSET (LsSettings, ACC));
    if (i->of_code && !implied && G_STRUCT_MEMBER (gint64, &s->given, i->offset) != i->def)
      tell_idle_setting (s, i, NULL, text);
    for (guint k = 0; k < changed->len; k++) {
      gsize n = strlen (i->name);
      g_autofree char *who = g_strdup_printf ("Context(%s)", (char *) changed->pdata[k]);
      if (strncmp (changed->pdata[k], i->name, n) == 0 && ((char *) changed->pdata[k])[n] == '=')
        tell_idle_setting (s, i, changed->pdata[k], who);
    }
  }
}

void
ls_cli_tell_idle (const LsCliOptions *o, LsSession *s)
{
  tell_unused_options (s, "opt=", s->options, ",");
  tell_unused_options (s, "c=", s->c_files, "\n");
  tell_unused_choices (s);
  tell_idle_settings (s);
  if (o->keep_buffers && !o->record && o->mode == LS_CLI_RUN)
    fputs (_("warning: --keep-buffers has no effect: nothing is recorded without --record\n"), stderr);
  tell_unused_flags (o, s);
  if (!o->rules && !o->disabled)
    return;
  g_autoptr (GPtrArray) idle = ls_rules_without_effect (s->trace, s->library, (const char *const *) o->rules,
                                                        (const char *const *) o->disabled);
  for (guint i = 0; i < idle->len; i++)
    warn (idle->pdata[i]);
}

gboolean
ls_cli_finish_recording (LsSession *s, GError **error)
{
  if (s->writer && !ls_trace_writer_finish (g_steal_pointer (&s->writer), s->record_error ? NULL : error) && !s->record_error)
    return FALSE;
  if (s->record_error)
    g_set_error (error, LS_ERROR, LS_ERROR_FILE, "%s", s->record_error);
  return s->record_error == NULL;
}

LsTrace *
ls_cli_open (const LsCliOptions *o, const char *file, GError **error)
{
  if (ls_cli_is_recording (file))
    return ls_cli_check_recording (o, file, error) ? ls_trace_load (file, error) : NULL;
  g_autofree char *text = NULL;
  if (!ls_cli_read_program (file, &text, error))
    return NULL;
  g_autoptr (LsSession) s = ls_cli_session (o, error);
  if (!s)
    return NULL;
  gboolean ok = ls_cli_run_session (o, s, text, file, error);
  if (ok)
    ls_cli_debug_passes (s->trace, o->debug);
  if (!ls_cli_finish_recording (s, ok ? error : NULL))
    ok = FALSE;
  return ok ? ls_trace_ref (s->trace) : NULL;
}

int
ls_cli_fail (GError *error)
{
  gboolean report = error->domain == LS_ERROR && (error->code == LS_ERROR_PROGRAM || error->code == LS_ERROR_SYNTAX ||
                                                  strstr (error->message, ": error: "));
  g_autofree char *message = ls_sentence_shown (error->message);
  fprintf (stderr, "%s%s\n", report ? "" : "lazyscope-cli: ", message);
  int code = error->domain == LS_ERROR && error->code == LS_ERROR_USAGE ? LS_EXIT_USAGE :
             error->domain == LS_ERROR && (error->code == LS_ERROR_INTERNAL || error->code == LS_ERROR_SPEC)
             ? LS_EXIT_BROKEN : LS_EXIT_WRONG;
  g_error_free (error);
  return code;
}

char *
ls_cli_link (const LsTrace *trace, const char *place, int width)
{
  const char *no_color = g_getenv ("NO_COLOR");
  g_autofree char *padded = g_strdup_printf ("%*s", width, place);
  if (!trace->path || !isatty (STDOUT_FILENO) || (no_color && *no_color))
    return g_steal_pointer (&padded);
  g_autofree char *uri = ls_place_uri (trace->path, place);
  const char *begin = strstr (padded, place), *end = begin + strlen (place);
  return g_strdup_printf ("%.*s\033]8;;%s\033\\%s\033]8;;\033\\%s", (int) (begin - padded), padded, uri, place, end);
}

char *
ls_cli_padded (const char *text, int width)
{
  int bytes = (int) strlen (text), more = bytes - (int) g_utf8_strlen (text, -1);
  return g_strdup_printf ("%*s", width < 0 ? width - more : width + more, text);
}

char *
ls_cli_place (const LsPosition *at, int width)
{
  g_autofree char *place = ls_position_print (at);
  return ls_cli_link (at->trace, place, width);
}

gboolean
ls_cli_answer (const LsCliOptions *o, const LsRecord *record, gconstpointer row, LsContext *ctx, gconstpointer data)
{
  LsAnswering answer = { ctx, data };
  if (!o->json && !o->csv)
    return FALSE;
  g_autofree char *text = o->json ? ls_answer_json (record, row, &answer) : ls_answer_csv (record, row, &answer);
  if (o->json)
    puts (text);
  else
    fputs (text, stdout);
  return TRUE;
}

static int
compare_double (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;
  return x < y ? -1 : x > y;
}

double
ls_median (const double *values, guint n)
{
  if (n == 0)
    return 0;
  g_autofree double *sorted = g_memdup2 (values, n * sizeof *values);
  qsort (sorted, n, sizeof *sorted, compare_double);
  return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

gboolean
ls_cli_check_kernel (const LsCliOptions *o, LsTrace *trace, guint from, GError **error)
{
  guint n = trace->kernels->len;
  if (o->kernel < 0 || ((guint) o->kernel >= from && (guint) o->kernel <= n))
    return TRUE;
  if (n == 0)
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "there is no kernel %d; the program made none", o->kernel);
  else
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, n == 1 ? "there is no kernel %d; there is %u, numbered from 1"
                                                         : "there is no kernel %d; there are %u, numbered from 1", o->kernel, n);
  return FALSE;
}

gboolean
ls_cli_is_placed (const LsCliOptions *o)
{
  return o->pass || o->places[0].at.kernel != LS_PLACE_NONE;
}

LsPass *
ls_cli_pass (const LsCliOptions *o, LsTrace *trace, GError **error)
{
  guint kernel = o->kernel < 0 ? (trace->kernels->len ? 1 : 0) : (guint) o->kernel;
  if (o->kernel < 0 && o->pass && !ls_trace_pass (trace, kernel, o->pass) && ls_trace_pass (trace, 0, o->pass))
    kernel = 0;      /* a stage of the tensor level */
  const LsPlacePoint point = { kernel, o->pass, o->step < 0 ? LS_PLACE_NONE : (guint) o->step };
  LsPosition at;
  return ls_place_resolve (&point, trace, &at, error) ? trace->passes->pdata[at.pass->index] : NULL;
}

gboolean
ls_cli_take_recorded (LsCliOptions *o, LsTrace *trace, guint kernel, GError **error)
{
  const LsKernel *k = ls_trace_kernel (trace, kernel);
  for (guint i = 0; o->recorded && i < trace->settings->len; i++)
    if (!ls_trace_take_setting (trace, i, &o->how.settings, error))
      return FALSE;
  const LsTarget *target = o->recorded && k ? ls_target_find (k->target) : NULL;
  if (target)
    o->how.target = target;
  if (o->recorded && k && !o->variants && *k->options) {
    g_free (o->how.options);
    gboolean by_somebody = k->choices->len > 0 && !g_str_equal (g_array_index (k->choices, LsKernelOption, 0).chosen_by, "heuristic");
    o->how.options = by_somebody ? g_strdup (k->options) : NULL;
  }
  return TRUE;
}
