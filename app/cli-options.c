/* Options of the sub-commands, and opening what they name. */
#include "cli.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static gboolean
no_target (const char *name, GError **error)
{
  g_autofree char *known = ls_target_list (", ");
  g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "there is no target '%s'; there are %s", name, known);
  return FALSE;
}

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
      if (!o->target)
        return no_target (*item + 7, error);
    } else if (!strchr (*item, '=')) {
      g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "--variant %s: '%s' is none of compiler=C, target=T, opt=NAME:AXIS:AMOUNT and NAME=VALUE", spec, *item);
      return FALSE;
    } else if (!ls_settings_set (&o->settings, *item, error)) {
      return FALSE;
    }
  }
  return TRUE;
}

/* What is not named is the table's first that fits. */
static gboolean
complete (LsCliOptions *o, GError **error)
{
  if (!o->compiler)
    o->compiler = ls_compiler_default (o->target->name)->name;
  const LsCompiler *compiler = ls_compiler_find (o->compiler);
  if (!compiler) {
    g_autofree char *names = ls_compiler_list (NULL, ", ");
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "there is no compiler '%s'; there are %s", o->compiler, names);
    return FALSE;
  }
  if (!ls_compiler_takes (compiler, o->target->name)) {
    g_autofree char *names = ls_compiler_list (o->target->name, " or ");
    gboolean is_text = ls_compiler_default (o->target->name)->target == NULL;
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "target %s %s: it runs with --compiler %s only", o->target->name,
                 is_text ? "is text here" : "has other compilers", names);
    return FALSE;
  }
  return TRUE;
}

gboolean
ls_cli_apply_variant (LsCliOptions *o, const char *spec, GError **error)
{
  g_autoptr (GString) opts = g_string_new (o->opts);
  if (!apply_variant (o, spec, opts, error))
    return FALSE;
  g_free (o->opts);
  o->opts = opts->len ? g_strdup (opts->str) : NULL;
  return complete (o, error);
}

char *
ls_cli_split_link (char *link)
{
  char *hash = NULL;
  if (g_file_test (link, G_FILE_TEST_EXISTS))
    return NULL;
  for (char *p = strchr (link, '#'); p && !hash; p = strchr (p + 1, '#')) {
    g_autofree char *left = g_strndup (link, (gsize) (p - link));
    if (g_file_test (left, G_FILE_TEST_IS_REGULAR))
      hash = p;
  }
  if (hash)
    *hash = 0;
  return hash ? hash + 1 : NULL;
}

static gboolean
take_position (LsCliOptions *o, char *link, GError **error)
{
  const char *position = ls_cli_split_link (link);
  if (!position)
    return TRUE;      /* opening it says what is wrong */
  g_auto (GStrv) parts = g_strsplit (position, "/", -1);
  guint n = g_strv_length (parts);
  guint64 kernel = 0, step = 0;
  if (n < 1 || n > 3 || !g_ascii_string_to_unsigned (parts[0], 10, 0, G_MAXINT, &kernel, NULL) || (n > 1 && !*parts[1]) ||
      (n > 2 && !g_ascii_string_to_unsigned (parts[2], 10, 0, G_MAXINT, &step, NULL))) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "'%s' is no position; it is written KERNEL, KERNEL/PASS or KERNEL/PASS/STEP, such as 2/simplify/117", position);
    return FALSE;
  }
  if (o->kernel < 0)
    o->kernel = (int) kernel;
  if (n > 1 && !o->pass)
    o->pass = g_strdup (parts[1]);
  if (n > 2 && o->step < 0)
    o->step = (int) step;
  return TRUE;
}

static char *
describe_settings (void)
{
  GString *s = g_string_new ("Settings (--set NAME=VALUE, or an environment variable of that name):\n  profile=classic|modern|default\n      The early-2024 forms, the mid-2025 ones, or our own.\n");
  for (const LsSettingInfo *i = ls_setting_infos; i->name; i++)
    g_string_append_printf (s, "  %s=%" G_GINT64_FORMAT "\n      %s\n", i->name, i->def, i->sentence);
  g_string_append (s, "\nTargets:\n");
  for (const LsTarget *const *t = ls_targets; *t; t++)
    g_string_append_printf (s, "  %-7s %s\n", (*t)->name, (*t)->sentence);
  g_string_append (s, "\nCompilers:\n");
  for (const LsCompiler *c = ls_compilers; c->name; c++)
    g_string_append_printf (s, "  %-7s %s\n", c->name, c->sentence);
  g_string_append (s, "\nlazyscope-cli(1) is the manual.");
  return g_string_free (s, FALSE);
}

gboolean
ls_cli_parse (LsCliOptions *o, const char *command, const char *summary, int *argc, char ***argv, GError **error)
{
  return ls_cli_parse_more (o, command, summary, &(LsCliMore) { NULL, 1, 1, FALSE }, argc, argv, error);
}

gboolean
ls_cli_parse_more (LsCliOptions *o, const char *command, const char *summary, const LsCliMore *more, int *argc, char ***argv, GError **error)
{
  enum { RUN = 1, SHOW = 2, STEPS = 4, VERIFY = 8, BENCH = 16, BLAME = 32, VALUES = 64, WHY_NOT = 128, RULES = 256, BISECT = 512, DIFF = 1024, ALL = 2047 };
  enum { PLACED = SHOW | STEPS | BLAME | VALUES | WHY_NOT, RECORDS = ALL & ~(BENCH | VALUES | BISECT | DIFF) };      /* of a place; whose run is recorded */
  static const struct { const char *name; int bit; } commands[] = { { "run", RUN }, { "show", SHOW }, { "steps", STEPS }, { "verify", VERIFY }, { "bench", BENCH },
    { "blame", BLAME }, { "values", VALUES }, { "why-not", WHY_NOT }, { "rules", RULES }, { "bisect", BISECT }, { "diff", DIFF } };
  g_autofree char *target = NULL, *compiler = NULL, *targets = ls_target_list (" or "), *compilers = ls_compiler_list (NULL, ", ");
  g_auto (GStrv) sets = NULL;
  int command_bit = 0;
  memset (o, 0, sizeof *o);
  ls_settings_init (&o->settings);
  o->debug = (int) CLAMP (o->settings.DEBUG, 0, 7);
  o->kernel = o->step = -1;
  for (gsize i = 0; i < G_N_ELEMENTS (commands); i++)
    if (strcmp (commands[i].name, command) == 0)
      command_bit = commands[i].bit;
  int kernel = G_MININT, step = G_MININT, repeats = G_MININT;
  const struct { int commands; GOptionEntry entry; } table[] = {
    { PLACED, { "kernel", 'k', 0, G_OPTION_ARG_INT, &kernel, "Kernel, from 1; 0 is the tensor level", "K" } },
    { SHOW, { "stage", 's', 0, G_OPTION_ARG_STRING, &o->stage, "program, schedule, tree, listing, procedure, source, exprs, compile, timing, or the name of a pass", "S" } },
    { PLACED & ~BLAME, { "pass", 'p', 0, G_OPTION_ARG_STRING, &o->pass, "Pass, such as simplify or simplify#2", "P" } },
    { SHOW | VALUES | WHY_NOT, { "step", 'n', 0, G_OPTION_ARG_INT, &step, "Step of the pass; 0 is its input", "N" } },
    { STEPS, { "rule", 'r', 0, G_OPTION_ARG_STRING, &o->rule, "Only steps of this rule", "R" } },
    { WHY_NOT, { "rule", 'r', 0, G_OPTION_ARG_STRING, &o->rule, "The rule", "R" } },
    { SHOW, { "format", 'f', 0, G_OPTION_ARG_STRING, &o->format, "text, json, dot, svg or png", "F" } },
    { BENCH, { "repeats", 0, 0, G_OPTION_ARG_INT, &repeats, "Runs to measure", "N" } },
    { ALL, { "json", 0, 0, G_OPTION_ARG_NONE, &o->json, "Prints JSON", NULL } },
    { RECORDS, { "debug", 0, 0, G_OPTION_ARG_INT, &o->debug, "Prints more on stderr while a program runs: 1 schedule, 2 kernels, 3 trees and options, 4 listing and source, 5 passes, 6 graphs, 7 every rewrite", "N" } },
    { RECORDS, { "record", 0, 0, G_OPTION_ARG_FILENAME, &o->record, "Writes a recording", "OUT.lscope" } },
    { ALL, { "target", 0, 0, G_OPTION_ARG_STRING, &target, targets, "T" } },
    { ALL, { "compiler", 0, 0, G_OPTION_ARG_STRING, &compiler, compilers, "C" } },
    { ALL, { "variant", 0, 0, G_OPTION_ARG_STRING_ARRAY, &o->variants, "Comma-separated: compiler=C, target=T, opt=UPCAST:0:4, NAME=VALUE", "SPEC" } },
    { ALL, { "set", 0, 0, G_OPTION_ARG_STRING_ARRAY, &sets, "Sets a setting, see below", "NAME=VALUE" } },
    { ALL, { "rules", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &o->rules, "Adds a rule file; one named like a built-in file replaces it", "FILE" } },
    { ALL, { "disable", 0, 0, G_OPTION_ARG_STRING_ARRAY, &o->disabled, "Leaves a rule out", "RULE" } },
  };
  GOptionEntry entries[G_N_ELEMENTS (table) + 1] = { { NULL } };
  for (gsize i = 0, n = 0; i < G_N_ELEMENTS (table); i++)
    if (table[i].commands & command_bit)
      entries[n++] = table[i].entry;
  /* the help then says "lazyscope-cli show [OPTION…] FILE" */
  g_autofree char *program = g_strdup_printf ("lazyscope-cli %s", command), *description = describe_settings ();
  g_set_prgname (program);
  g_autoptr (GOptionContext) context = g_option_context_new (more->max_files > 1 ? "FILE…" : "FILE");
  g_option_context_set_summary (context, summary);
  g_option_context_set_description (context, description);
  if (more->entries)
    g_option_context_add_main_entries (context, more->entries, NULL);
  g_option_context_add_main_entries (context, entries, NULL);
  g_autoptr (GError) own = NULL;
  gboolean parsed = g_option_context_parse (context, argc, argv, &own);
  if (!parsed) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "%s; '%s --help' lists the options", own->message, program);
    return FALSE;
  }
  guint n_files = (guint) *argc - 1;
  if (n_files < more->min_files) {
    const char *what = command_bit & (RUN | BENCH) ? "a program (.py)" : "a program (.py) or a recording (.lscope)";
    if (more->min_files == 1)
      g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "%s: a file is needed: %s", command, what);
    else
      g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "%s: %u files are needed, each %s", command, more->min_files, what);
    return FALSE;
  }
  if (n_files > more->max_files) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "%s: '%s' is one file too many", command, (*argv)[1 + more->max_files]);
    return FALSE;
  }
  const struct { const char *name; int given, low; int *to; } numbers[] = { { "--kernel", kernel, 0, &o->kernel }, { "--step", step, 0, &o->step }, { "--repeats", repeats, 1, &o->repeats } };
  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++) {
    if (numbers[i].given == G_MININT)
      continue;
    if (numbers[i].given < numbers[i].low) {
      g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "%s takes a number from %d", numbers[i].name, numbers[i].low);
      return FALSE;
    }
    *numbers[i].to = numbers[i].given;
  }
  if (n_files == 1 && !more->keep_positions && command_bit & PLACED && !take_position (o, (*argv)[1], error))
    return FALSE;
  if (o->debug < 0 || o->debug > 7) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "--debug takes 0 to 7");
    return FALSE;
  }
  if (o->record && !*o->record) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "--record takes the name of a file, such as OUT.lscope");
    return FALSE;
  }
  o->target = target ? ls_target_find (target) : ls_targets[0];
  if (!o->target)
    return no_target (target, error);
  if (compiler)
    o->compiler = g_intern_string (compiler);
  for (char **s = sets; s && *s; s++)
    if (!ls_settings_set (&o->settings, *s, error))
      return FALSE;
  for (char **v = o->variants; v && *v && !more->keep_variants; v++)
    if (!ls_cli_apply_variant (o, *v, error))
      return FALSE;
  return complete (o, error);
}

void
ls_cli_clear (LsCliOptions *o)
{
  g_free (o->opts);
  g_strfreev (o->rules);
  g_strfreev (o->disabled);
  g_strfreev (o->variants);
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
    g_autoptr (GString) others = g_string_new (NULL);
    for (const LsCompiler *c = ls_compilers; c->name; c++)
      if (ls_compiler_available (c->name, NULL))
        g_string_append_printf (others, "%s%s", others->len ? ", " : "", c->name);
    g_set_error (error, LS_ERROR, LS_ERROR_COMPILE, "compiler %s: %s; there %s --compiler %s", o->compiler, why ? why : "not available",
                 strchr (others->str, ',') ? "are" : "is", others->str);
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

/* A recording is known by its content; a file that is not there, by its name. */
gboolean
ls_cli_is_recording (const char *file)
{
  char head[16] = { 0 };
  FILE *f = fopen (file, "rb");
  if (!f)
    return g_str_has_suffix (file, ".lscope");
  gsize n = fread (head, 1, sizeof head, f);
  fclose (f);
  return g_str_has_suffix (file, ".lscope") || (n == 16 && memcmp (head, "SQLite format 3", 16) == 0);
}

gboolean
ls_cli_check_recording (const LsCliOptions *o, const char *file, GError **error)
{
  const char *given = o->record ? "--record" : o->variants ? "--variant" : o->rules ? "--rules" : o->disabled ? "--disable" : NULL;
  if (given)
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "%s is a recording, which is read as it is; %s is for a program (.py), which is run", file, given);
  return given == NULL;
}

gboolean
ls_cli_read_program (const char *file, char **text, GError **error)
{
  GStatBuf st;
  gsize n;
  if (g_stat (file, &st) != 0) {
    g_set_error (error, LS_ERROR, LS_ERROR_FILE, "%s: %s", file, g_strerror (errno));
    return FALSE;
  }
  if (S_ISDIR (st.st_mode)) {
    g_set_error (error, LS_ERROR, LS_ERROR_FILE, "%s is a directory", file);
    return FALSE;
  }
  if (ls_cli_is_recording (file)) {
    g_set_error (error, LS_ERROR, LS_ERROR_FILE, "%s is a recording, not a program; show, steps and verify read recordings", file);
    return FALSE;
  }
  g_autoptr (GError) own = NULL;
  if (!g_file_get_contents (file, text, &n, &own)) {
    g_set_error (error, LS_ERROR, LS_ERROR_FILE, "%s cannot be read: %s", file, own->message);
    return FALSE;
  }
  if (strlen (*text) != n) {
    g_clear_pointer (text, g_free);
    g_set_error (error, LS_ERROR, LS_ERROR_FILE, "%s is no program: it contains NUL bytes", file);
    return FALSE;
  }
  return TRUE;
}

gboolean
ls_cli_run_session (const LsCliOptions *o, LsSession *s, const char *text, const char *file, GError **error)
{
  ls_cli_debug_attach (s, o->debug);
  s->writer = o->record ? ls_trace_writer_new (s->trace, o->record, error) : NULL;
  if (o->record && !s->writer)
    return FALSE;
  gboolean ok = ls_session_run_program (s, text, file, error);
  ls_session_finish (s);
  return ok;
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

gboolean
ls_cli_check_kernel (const LsCliOptions *o, LsTrace *trace, guint from, GError **error)
{
  guint n = trace->kernels->len;
  if (o->kernel < 0 || ((guint) o->kernel >= from && (guint) o->kernel <= n))
    return TRUE;
  if (n == 0)
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "there is no kernel %d; the program made none", o->kernel);
  else
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "there is no kernel %d; there %s %u, numbered from 1", o->kernel, n == 1 ? "is" : "are", n);
  return FALSE;
}

LsPass *
ls_cli_pass (const LsCliOptions *o, LsTrace *trace, GError **error)
{
  guint kernel = o->kernel < 0 ? (trace->kernels->len ? 1 : 0) : (guint) o->kernel;
  if (!ls_cli_check_kernel (o, trace, 0, error))
    return NULL;
  LsKernel *k = ls_trace_kernel (trace, kernel);
  if (k && k->same_as > 0)
    kernel = (guint) k->same_as;
  LsPass *pass = ls_trace_pass (trace, kernel, o->pass);
  if (!pass && o->kernel < 0)
    pass = ls_trace_pass (trace, 0, o->pass);      /* a stage of the tensor level */
  if (!pass) {
    g_autoptr (GString) names = g_string_new (NULL);
    for (guint i = 0; i < trace->passes->len && names->len < 400; i++) {
      LsPass *p = trace->passes->pdata[i];
      if (p->kernel == kernel)
        g_string_append_printf (names, "%s%s", names->len ? ", " : "", p->name);
    }
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "kernel %u has no pass '%s'; it has %s", kernel, o->pass, names->len ? names->str : "none");
    return NULL;
  }
  if (o->step > (int) ls_pass_n_steps (pass)) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "pass %s of kernel %u has %u steps, so there is no step %d", pass->name, pass->kernel, ls_pass_n_steps (pass), o->step);
    return NULL;
  }
  return pass;
}
