/* Options of the sub-commands, and opening what they name. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* "compiler=clang,opt=UPCAST:0:4,NAME=VALUE": one variant. */
static gboolean
apply_variant (LsCliOptions *o, const char *spec, GString *opts, GError **error)
{
  g_auto (GStrv) items = g_strsplit (spec, ",", -1);
  for (char **item = items; *item; item++) {
    if (g_str_has_prefix (*item, "opt=")) {
      g_string_append_printf (opts, "%s%s", opts->len ? "," : "", *item + 4);
    } else if (g_str_has_prefix (*item, "compiler=")) {
      o->compiler = g_intern_string (*item + 9);
    } else if (g_str_has_prefix (*item, "target=")) {
      o->target = ls_target_find (*item + 7);
      if (!o->target) {
        g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "there is no target '%s'", *item + 7);
        return FALSE;
      }
    } else if (**item && !ls_settings_set (&o->settings, *item, error)) {
      return FALSE;
    }
  }
  return TRUE;
}

gboolean
ls_cli_parse (LsCliOptions *o, const char *command, const char *summary, int *argc, char ***argv, GError **error)
{
  g_autofree char *target = NULL, *compiler = NULL;
  g_auto (GStrv) sets = NULL, variants = NULL;
  memset (o, 0, sizeof *o);
  ls_settings_init (&o->settings);
  o->debug = (int) o->settings.DEBUG;
  o->kernel = o->step = -1;
  GOptionEntry entries[] = {
    { "debug", 0, 0, G_OPTION_ARG_INT, &o->debug, "Prints more on stderr: 1 schedule, 2 kernels, 3 trees and options, 4 listing and source, 5 passes, 6 graphs, 7 every rewrite", "N" },
    { "record", 0, 0, G_OPTION_ARG_FILENAME, &o->record, "Writes a recording", "OUT.lscope" },
    { "target", 0, 0, G_OPTION_ARG_STRING, &target, "c or metal", "T" },
    { "compiler", 0, 0, G_OPTION_ARG_STRING, &compiler, "tcc, clang, gcc or interp", "C" },
    { "variant", 0, 0, G_OPTION_ARG_STRING_ARRAY, &variants, "Comma-separated: compiler=…, opt=UPCAST:0:4, NAME=VALUE", "SPEC" },
    { "set", 0, 0, G_OPTION_ARG_STRING_ARRAY, &sets, "Sets a setting, or profile=classic|modern", "NAME=VALUE" },
    { "rules", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &o->rules, "Adds a rule file; one named like a built-in file replaces it", "FILE" },
    { "disable", 0, 0, G_OPTION_ARG_STRING_ARRAY, &o->disabled, "Leaves a rule out", "RULE" },
    { "json", 0, 0, G_OPTION_ARG_NONE, &o->json, "Prints JSON", NULL },
    { "kernel", 'k', 0, G_OPTION_ARG_INT, &o->kernel, "Kernel, from 1; 0 is the tensor level", "K" },
    { "stage", 's', 0, G_OPTION_ARG_STRING, &o->stage, "program, schedule, tree, listing, procedure, source, timing or the name of a pass", "S" },
    { "pass", 'p', 0, G_OPTION_ARG_STRING, &o->pass, "Pass, such as simplify or simplify#2", "P" },
    { "step", 'n', 0, G_OPTION_ARG_INT, &o->step, "Step of the pass; 0 is its input", "N" },
    { "rule", 'r', 0, G_OPTION_ARG_STRING, &o->rule, "Only steps of this rule", "R" },
    { "format", 'f', 0, G_OPTION_ARG_STRING, &o->format, "text, json, dot, svg or png", "F" },
    { "repeats", 0, 0, G_OPTION_ARG_INT, &o->repeats, "Runs to measure", "N" },
    { NULL },
  };
  g_autofree char *parameters = g_strdup_printf ("%s FILE", command);
  g_autoptr (GOptionContext) context = g_option_context_new (parameters);
  g_option_context_set_summary (context, summary);
  g_option_context_add_main_entries (context, entries, NULL);
  g_autoptr (GError) own = NULL;
  if (!g_option_context_parse (context, argc, argv, &own)) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "%s", own->message);
    return FALSE;
  }
  if (*argc != 2) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, *argc < 2 ? "%s: a file is needed: a program (.py) or a recording (.lscope)" : "%s: only one file can be given", command);
    return FALSE;
  }
  if (o->debug < 0 || o->debug > 7) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "--debug takes 0 to 7");
    return FALSE;
  }
  o->target = ls_target_find (target ? target : "c");
  if (!o->target) {
    g_autofree char *known = g_strjoinv (", ", (char **) ls_target_names ());
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "there is no target '%s'; there are %s", target, known);
    return FALSE;
  }
  if (compiler)
    o->compiler = g_intern_string (compiler);
  for (char **s = sets; s && *s; s++)
    if (!ls_settings_set (&o->settings, *s, error))
      return FALSE;
  g_autoptr (GString) opts = g_string_new (NULL);
  for (char **v = variants; v && *v; v++)
    if (!apply_variant (o, *v, opts, error))
      return FALSE;
  if (opts->len)
    o->opts = g_strdup (opts->str);
  /* text targets run by the interpreter, which needs no device */
  if (!o->compiler)
    o->compiler = o->target->has_local ? "interp" : "tcc";
  gboolean known = FALSE;
  for (const char *const *n = ls_compiler_names (); *n; n++)
    known |= strcmp (*n, o->compiler) == 0;
  if (!known) {
    g_autofree char *names = g_strjoinv (", ", (char **) ls_compiler_names ());
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "there is no compiler '%s'; there are %s", o->compiler, names);
    return FALSE;
  }
  if (o->target->has_local && strcmp (o->compiler, "interp") != 0) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "target %s is text here: it runs with --compiler interp only", o->target->name);
    return FALSE;
  }
  return TRUE;
}

void
ls_cli_clear (LsCliOptions *o)
{
  g_free (o->opts);
  g_strfreev (o->rules);
  g_strfreev (o->disabled);
  g_free (o->record);
  g_free (o->pass);
  g_free (o->stage);
  g_free (o->rule);
  g_free (o->format);
}

LsSession *
ls_cli_session (const LsCliOptions *o, GError **error)
{
  g_autofree char *why = NULL;
  if (!ls_compiler_available (o->compiler, &why)) {
    g_set_error (error, LS_ERROR, LS_ERROR_COMPILE, "compiler %s: %s; try --compiler tcc or interp", o->compiler, why ? why : "not available");
    return NULL;
  }
  g_autoptr (LsRuleLibrary) library = ls_rule_library_new ((const char *const *) o->rules, (const char *const *) o->disabled, error);
  if (!library)
    return NULL;
  if (o->opts) {
    g_autoptr (GArray) parsed = ls_session_check_options (o->opts, error);
    if (!parsed)
      return NULL;
  }
  LsSession *s = ls_session_new (&o->settings, o->target, o->compiler, library);
  s->options = g_strdup (o->opts);
  return s;
}

gboolean
ls_cli_read_program (const char *file, char **text, GError **error)
{
  g_autoptr (GError) own = NULL;
  gsize n;
  if (!g_file_get_contents (file, text, &n, &own)) {
    g_set_error (error, LS_ERROR, LS_ERROR_FILE, "%s", own->message);
    return FALSE;
  }
  if (strlen (*text) != n) {
    g_clear_pointer (text, g_free);
    g_set_error (error, LS_ERROR, LS_ERROR_FILE, "%s is no program: it contains NUL bytes", file);
    return FALSE;
  }
  return TRUE;
}

static gboolean
is_recording (const char *file)
{
  char head[16] = { 0 };
  FILE *f = fopen (file, "rb");
  if (!f)
    return g_str_has_suffix (file, ".lscope");
  gsize n = fread (head, 1, sizeof head, f);
  fclose (f);
  return g_str_has_suffix (file, ".lscope") || (n == 16 && memcmp (head, "SQLite format 3", 16) == 0);
}

LsTrace *
ls_cli_open (const LsCliOptions *o, const char *file, GError **error)
{
  if (is_recording (file))
    return ls_trace_load (file, error);
  g_autofree char *text = NULL;
  if (!ls_cli_read_program (file, &text, error))
    return NULL;
  g_autoptr (LsSession) s = ls_cli_session (o, error);
  if (!s || !ls_session_run_program (s, text, file, error))
    return NULL;
  ls_session_finish (s);
  return ls_trace_ref (s->trace);
}

int
ls_cli_fail (GError *error)
{
  gboolean report = error->domain == LS_ERROR && (error->code == LS_ERROR_PROGRAM || error->code == LS_ERROR_SYNTAX || strstr (error->message, ": error: "));
  fprintf (stderr, "%s%s\n", report ? "" : "lazyscope-cli: ", error->message);
  int code = error->domain == LS_ERROR && error->code == LS_ERROR_USAGE ? LS_EXIT_USAGE :
             error->domain == LS_ERROR && (error->code == LS_ERROR_INTERNAL || error->code == LS_ERROR_SPEC) ? LS_EXIT_BROKEN : LS_EXIT_WRONG;
  g_error_free (error);
  return code;
}

/* json-glib writes 1e+300 as 1e+300.0, which is no JSON: the ".0" after an exponent goes. */
static void
mend_exponents (char *text)
{
  gboolean in_string = FALSE;
  char *to = text;
  for (char *p = text; *p;) {
    if (*p == '"')
      in_string = !in_string;
    if (*p == '\\' && in_string && p[1])
      *to++ = *p++;
    if (!in_string && *p == 'e' && (p[1] == '+' || p[1] == '-') && g_ascii_isdigit (p[2])) {
      *to++ = *p++;
      do
        *to++ = *p++;
      while (g_ascii_isdigit (*p));
      if (p[0] == '.' && p[1] == '0')
        p += 2;
      continue;
    }
    *to++ = *p++;
  }
  *to = 0;
}

void
ls_cli_print_json (JsonBuilder *builder)
{
  g_autoptr (JsonGenerator) generator = json_generator_new ();
  JsonNode *root = json_builder_get_root (builder);
  json_generator_set_root (generator, root);
  g_autofree char *text = json_generator_to_data (generator, NULL);
  mend_exponents (text);
  puts (text);
  json_node_unref (root);
}

void
ls_json_add_number (JsonBuilder *b, double value)
{
  if (isnan (value))
    json_builder_add_string_value (b, "nan");
  else if (isinf (value))
    json_builder_add_string_value (b, value > 0 ? "inf" : "-inf");
  else
    json_builder_add_double_value (b, value);
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

LsPass *
ls_cli_pass (const LsCliOptions *o, LsTrace *trace, GError **error)
{
  guint kernel = o->kernel < 0 ? (trace->kernels->len ? 1 : 0) : (guint) o->kernel;
  if (kernel > trace->kernels->len) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "there is no kernel %u; the recording has %u", kernel, trace->kernels->len);
    return NULL;
  }
  LsKernel *k = ls_trace_kernel (trace, kernel);
  if (k && k->same_as > 0)
    kernel = (guint) k->same_as;
  LsPass *pass = ls_trace_pass (trace, kernel, o->pass);
  if (!pass) {
    GString *names = g_string_new (NULL);
    for (guint i = 0; i < trace->passes->len; i++) {
      LsPass *p = trace->passes->pdata[i];
      if (p->kernel == kernel)
        g_string_append_printf (names, "%s%s", names->len ? ", " : "", p->name);
    }
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "kernel %u has no pass '%s'; it has %s", kernel, o->pass, names->str);
    g_string_free (names, TRUE);
    return NULL;
  }
  if (o->step > (int) ls_pass_n_steps (pass)) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "pass %s of kernel %u has %u steps, so there is no step %d", pass->name, kernel, ls_pass_n_steps (pass), o->step);
    return NULL;
  }
  return pass;
}
