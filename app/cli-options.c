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
  g_autofree char *known = g_strjoinv (", ", (char **) ls_target_names ());
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

/* Text targets run by the interpreter, which needs no device. */
static gboolean
complete (LsCliOptions *o, GError **error)
{
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

static char *
describe_settings (void)
{
  GString *s = g_string_new ("Settings (--set NAME=VALUE, or an environment variable of that name):\n  profile=classic|modern|default\n      The early-2024 forms, the mid-2025 ones, or our own.\n");
  for (const LsSettingInfo *i = ls_setting_infos; i->name; i++)
    g_string_append_printf (s, "  %s=%" G_GINT64_FORMAT "\n      %s\n", i->name, i->def, i->sentence);
  g_string_append (s, "\nlazyscope-cli(1) is the manual.");
  return g_string_free (s, FALSE);
}

/* --- the table --- */

enum {
#define X(id, ...) id = 1 << LS_CLI_##id,
  LS_CLI_COMMAND_TABLE (X)
  LS_CLI_MODE_TABLE (X)
#undef X
};

static const char *const mode_names[] = {
#define X(id, name, run, files, sentence) name,
  LS_CLI_COMMAND_TABLE (X)
#undef X
#define X(id, of, name) name,
  LS_CLI_MODE_TABLE (X)
#undef X
};

typedef enum { FLAG, NUMBER, TEXT, PATH, TEXTS, PATHS } Kind;

static const struct { const char *name; char letter; Kind kind; int least; guint program, recording; const char *arg, *help; gsize offset; } rows[] = {
#define X(member, name, letter, kind, least, program, recording, arg, help) { name, letter, kind, least, program, recording, arg, help, G_STRUCT_OFFSET (LsCliOptions, member) },
#include "options.def"
#undef X
};

/* The options that a command's help lists: its own and those of its modes. */
static guint
bits_of_command (LsCliMode command)
{
  guint bits = 1u << command;
#define X(id, of, name) bits |= command == LS_CLI_##of ? id : 0;
  LS_CLI_MODE_TABLE (X)
#undef X
  return bits;
}

static void
append_text (char ***texts, const char *value)
{
  guint n = *texts ? g_strv_length (*texts) : 0;
  *texts = g_renew (char *, *texts, n + 2);
  (*texts)[n] = g_strdup (value);
  (*texts)[n + 1] = NULL;
}

static gboolean
set_option (LsCliOptions *o, guint row, const char *value, GError **error)
{
  gpointer member = (char *) o + rows[row].offset;
  gboolean many = rows[row].kind == TEXTS || rows[row].kind == PATHS, again = (o->given >> row & 1) && !many && rows[row].kind != FLAG;
  gint64 number;
  if (again) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "--%s is given twice", rows[row].name);
    return FALSE;
  }
  o->given |= G_GUINT64_CONSTANT (1) << row;
  switch (rows[row].kind) {
  case FLAG:
    *(gboolean *) member = TRUE;
    return TRUE;
  case NUMBER:
    if (!g_ascii_string_to_signed (value, 10, rows[row].least, G_MAXINT, &number, NULL)) {
      g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "--%s takes a number from %d, not '%s'", rows[row].name, rows[row].least, value);
      return FALSE;
    }
    *(int *) member = (int) number;
    return TRUE;
  case TEXTS:
  case PATHS:
    append_text (member, value);
    return TRUE;
  default:
    *(char **) member = g_strdup (value);
    return TRUE;
  }
}

static gboolean
on_option (const char *name, const char *value, gpointer o, GError **error)
{
  guint row = 0;
  while (row < LS_N_OPTIONS && (name[1] == '-' ? strcmp (rows[row].name, name + 2) != 0 : rows[row].letter != name[1]))
    row++;
  return set_option (o, row, value, error);
}

void
ls_cli_clear (LsCliOptions *o)
{
  for (guint i = 0; i < LS_N_OPTIONS; i++) {
    gpointer member = (char *) o + rows[i].offset;
    if (rows[i].kind == TEXT || rows[i].kind == PATH)
      g_free (*(char **) member);
    else if (rows[i].kind == TEXTS || rows[i].kind == PATHS)
      g_strfreev (*(char ***) member);
  }
  for (guint i = 0; i < o->n_files; i++)
    ls_place_clear (&o->places[i]);
  g_free (o->opts);
}

/* Why an option is an error here, and who has a use for it. */
static void
not_used (const LsCliOptions *o, guint row, GError **error)
{
  guint users = rows[row].program | rows[row].recording;
  if (o->recorded && rows[row].program & 1u << o->mode) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "%s: %s is a recording, which is read as it is; --%s is for a program (.py), which is run (%s)", mode_names[o->mode],
                 o->places[0].file, rows[row].name, rows[row].help);
    return;
  }
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (guint i = 0; i < LS_CLI_N_MODES; i++)
    if (users & 1u << i)
      g_ptr_array_add (names, (gpointer) mode_names[i]);
  g_ptr_array_add (names, NULL);
  g_autofree char *who = g_strjoinv (", ", (char **) names->pdata);
  g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "%s does not use --%s, which is for %s: %s", mode_names[o->mode], rows[row].name, who, rows[row].help);
}

static gboolean
check_used (const LsCliOptions *o, LsCliMode command, GError **error)
{
  for (guint i = 0; i < LS_N_OPTIONS; i++)
    if (o->given >> i & 1 && !((o->recorded ? rows[i].recording : rows[i].program) & 1u << o->mode)) {
      not_used (o, i, error);
      return FALSE;
    }
  for (char **set = o->sets; o->recorded && set && *set; set++)
    if (g_ascii_strncasecmp (*set, "profile=", 8) != 0 && g_ascii_strncasecmp (*set, "MODERN=", 7) != 0) {
      g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "%s: %s is a recording, which is read as it is; --set %s is for a program (.py), which is run. Of a recording, profile "
                   "says how a listing is printed", mode_names[o->mode], o->places[0].file, *set);
      return FALSE;
    }
  if (command != LS_CLI_DIFF && o->variants && o->variants[1]) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "%s runs one variant: what --variant says is one list with commas. diff takes two and compares them", mode_names[o->mode]);
    return FALSE;
  }
  return TRUE;
}

/* --- files and places --- */

/* What a place names, as if by options. */
static gboolean
take_place (LsCliOptions *o, const char *link, GError **error)
{
  const LsPlace *place = &o->places[0];
  const struct { guint row, number; const char *text; } parts[] = {
    { LS_OPTION_kernel, place->at.kernel, NULL }, { LS_OPTION_pass, LS_PLACE_NONE, place->at.pass }, { LS_OPTION_step, place->at.step, NULL },
    { LS_OPTION_node, place->node == LS_NO_NODE ? LS_PLACE_NONE : place->node, NULL },
  };
  if (place->base.kernel != LS_PLACE_NONE) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "%s looks at one place: it does not use what '%s' compares with after the ~; diff compares them", mode_names[o->mode], link);
    return FALSE;
  }
  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++) {
    g_autofree char *number = parts[i].number == LS_PLACE_NONE ? NULL : g_strdup_printf ("%u", parts[i].number);
    const char *value = parts[i].text ? parts[i].text : number;
    if (value && o->given >> parts[i].row & 1) {
      g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "'%s' and --%s both name the %s", link, rows[parts[i].row].name, rows[parts[i].row].name);
      return FALSE;
    }
    if (value && !set_option (o, parts[i].row, value, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
take_files (LsCliOptions *o, LsCliMode command, guint n, char **files, GError **error)
{
  static const guint most[] = {
#define X(id, name, run, files, sentence) files,
    LS_CLI_COMMAND_TABLE (X)
#undef X
  };
  if (n < 1) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "%s: a file is needed: %s", mode_names[command],
                 command == LS_CLI_BENCH || o->mode == LS_CLI_RUN ? "a program (.py)" : "a program (.py) or a recording (.lscope)");
    return FALSE;
  }
  if (n > most[command]) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "%s: '%s' is one file too many", mode_names[command], files[most[command]]);
    return FALSE;
  }
  o->recorded = command != LS_CLI_BENCH && o->mode != LS_CLI_RUN;      /* these say that a recording is no program */
  for (o->n_files = 0; o->n_files < n;) {
    LsPlace *place = &o->places[o->n_files];
    char *link = files[o->n_files++];
    if (!ls_place_parse_link (link, place, error) || (command != LS_CLI_DIFF && !take_place (o, link, error)))
      return FALSE;
    files[o->n_files - 1] = place->file;
    o->recorded &= ls_cli_is_recording (place->file);
    if (command == LS_CLI_DIFF && place->at.kernel != LS_PLACE_NONE)
      o->mode = LS_CLI_PLACES;
  }
  return TRUE;
}

gboolean
ls_cli_parse (LsCliOptions *o, LsCliMode command, const char *summary, int *argc, char ***argv, GError **error)
{
  memset (o, 0, sizeof *o);
  ls_settings_init (&o->settings);
  o->mode = command;
  o->kernel = o->step = o->debug = o->line = o->uop = o->from = o->node = o->place = -1;
  o->max = 64;
  o->context = 2;
  o->repeats = 15;
  /* every option is known to every command, so that one in the wrong place is not just unknown */
  GOptionEntry entries[LS_N_OPTIONS + 1] = { { NULL } };
  for (guint i = 0; i < LS_N_OPTIONS; i++) {
    gboolean hidden = !((rows[i].program | rows[i].recording) & bits_of_command (command)), file = rows[i].kind == PATH || rows[i].kind == PATHS;
    int flags = (hidden ? G_OPTION_FLAG_HIDDEN : 0) | (rows[i].kind == FLAG ? G_OPTION_FLAG_NO_ARG : 0) | (file ? G_OPTION_FLAG_FILENAME : 0);
    entries[i] = (GOptionEntry) { rows[i].name, rows[i].letter, flags, G_OPTION_ARG_CALLBACK, (gpointer) on_option, rows[i].help, rows[i].arg };
  }
  /* the help then says "lazyscope-cli show [OPTION…] FILE" */
  g_autofree char *program = g_strdup_printf ("lazyscope-cli %s", mode_names[command]), *description = describe_settings ();
  g_set_prgname (program);
  g_autoptr (GOptionContext) context = g_option_context_new (command == LS_CLI_DIFF ? "FILE…" : "FILE");
  GOptionGroup *group = g_option_group_new ("main", "", "", o, NULL);
  g_option_group_add_entries (group, entries);
  g_option_context_set_main_group (context, group);
  g_option_context_set_summary (context, summary);
  g_option_context_set_description (context, description);
  g_autoptr (GError) own = NULL;
  if (!g_option_context_parse (context, argc, argv, &own)) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "%s; '%s --help' lists the options", own->message, program);
    return FALSE;
  }
  if (o->slow && command == LS_CLI_RUN)
    o->mode = LS_CLI_SLOW;
  if (!take_files (o, command, (guint) *argc - 1, *argv + 1, error) || !check_used (o, command, error))
    return FALSE;
  if (o->debug > 7) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "--debug takes 0 to 7");
    return FALSE;
  }
  if (o->debug < 0)
    o->debug = (int) CLAMP (o->settings.DEBUG, 0, 7);
  if (o->record && !*o->record) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "--record takes the name of a file, such as OUT.lscope");
    return FALSE;
  }
  o->target = ls_target_find (o->target_name ? o->target_name : "c");
  if (!o->target)
    return no_target (o->target_name, error);
  if (o->compiler_name)
    o->compiler = g_intern_string (o->compiler_name);
  for (char **s = o->sets; s && *s; s++)
    if (!ls_settings_set (&o->settings, *s, error))
      return FALSE;
  if (command == LS_CLI_BENCH && o->variants && strstr (*o->variants, "compiler=")) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "bench measures the stages before a compiler: it does not use compiler= in --variant %s; run --json has a kernel's times", *o->variants);
    return FALSE;
  }
  if (command != LS_CLI_DIFF && o->variants && !ls_cli_apply_variant (o, *o->variants, error))
    return FALSE;
  return complete (o, error);
}

LsSession *
ls_cli_session (const LsCliOptions *o, GError **error)
{
  g_autofree char *why = NULL;
  if (!ls_compiler_available (o->compiler, &why)) {
    g_autoptr (GString) others = g_string_new (NULL);
    for (const char *const *n = ls_compiler_names (); *n; n++)
      if (ls_compiler_available (*n, NULL))
        g_string_append_printf (others, "%s%s", others->len ? ", " : "", *n);
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
