/* Reading variants. lazyscope-cli(1) explains each part of one. */
#include "variant.h"

#include <string.h>

#include "codegen/codegen.h"
#include "ir/number.h"
#include "pipeline.h"
#include "run/run.h"
#include "trace/what-if.h"

void
ls_variant_init (LsVariant *v)
{
  memset (v, 0, sizeof *v);
  ls_settings_init (&v->settings);
  v->target = ls_targets[0];
}

void
ls_variant_clear (LsVariant *v)
{
  g_clear_pointer (&v->options, g_free);
  g_clear_pointer (&v->cflags, g_free);
  g_clear_pointer (&v->passes, g_free);
  g_clear_pointer (&v->c_files, g_free);
  g_clear_pointer (&v->schedule_choices, g_free);
  g_clear_pointer (&v->rules, g_free);
  g_clear_pointer (&v->disabled, g_free);
}

void
ls_variant_copy (LsVariant *to, const LsVariant *from)
{
  *to = *from;
  to->options = g_strdup (from->options);
  to->cflags = g_strdup (from->cflags);
  to->passes = g_strdup (from->passes);
  to->c_files = g_strdup (from->c_files);
  to->schedule_choices = g_strdup (from->schedule_choices);
  to->rules = g_strdup (from->rules);
  to->disabled = g_strdup (from->disabled);
}

/* "k3:", or 0: the kernel that it names; *rest is the text after it. */
static guint
kernel_prefix (const char *text, const char **rest)
{
  const char *at = text + (text[0] == 'k');
  guint64 n;
  *rest = text;
  if (at == text || !ls_number_uint (&at, 10, G_MAXINT, &n) || n == 0 || *at != ':')
    return 0;
  *rest = at + 1;
  return (guint) n;
}

/* The items of a list with a separator that name the kernel, else those that name none. NULL: there are none. */
static char *
items_of_kernel (const char *list, const char *between, guint kernel, gboolean *named)
{
  g_auto (GStrv) items = g_strsplit (list ? list : "", between, -1);
  g_autoptr (GString) own = g_string_new (NULL);
  g_autoptr (GString) all = g_string_new (NULL);
  gboolean any = list && !*list;      /* "opt=": none at all */
  *named = FALSE;
  for (char **item = items; *item && list; item++) {
    const char *rest;
    guint of = kernel_prefix (*item, &rest);
    if (of != 0 && of != kernel)
      continue;
    g_string_append_printf (of ? own : all, "%s%s", between, rest);
    any = TRUE;
    *named |= of != 0;
  }
  const GString *chosen = *named ? own : all;
  return any ? g_strdup (chosen->len ? chosen->str + 1 : "") : NULL;
}

char *
ls_options_of_kernel (const char *options, guint kernel, gboolean *named)
{
  return items_of_kernel (options, ",", kernel, named);
}

char *
ls_c_file_of_kernel (const char *c_files, guint kernel, gboolean *named)
{
  gboolean own;
  g_autofree char *files = items_of_kernel (c_files, "\n", kernel, &own);
  if (named)
    *named = own;
  const char *last = files ? strrchr (files, '\n') : NULL;
  return files ? g_strdup (last ? last + 1 : files) : NULL;
}

/* One more of a list, for a kernel or (0) for all. */
static void
add_item (char **list, const char *between, guint kernel, const char *text)
{
  g_autofree char *item = kernel ? g_strdup_printf ("k%u:%s", kernel, text) : g_strdup (text), *before = *list;
  *list = before ? g_strjoin (between, before, item, NULL) : g_strdup (item);
}

static gboolean
add_option (LsVariant *v, const char *item, const char *text, guint kernel, GError **error)
{
  g_autoptr (GArray) parsed = ls_opts_parse (text, error);
  if (!parsed)
    return FALSE;
  add_item (&v->options, ",", kernel, text);
  return TRUE;
}

static gboolean
add_choice (LsVariant *v, const char *text, GError **error)
{
  LsWhatIf what_if;
  if (!ls_what_if_parse (text, &what_if, error))
    return FALSE;
  ls_what_if_clear (&what_if);
  add_item (&v->schedule_choices, "\n", 0, text);
  return TRUE;
}

static gboolean
add_flags (LsVariant *v, const char *flags, GError **error)
{
  g_autoptr (GError) own = NULL;
  if (!ls_compiler_check_flags (flags, &own)) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "cflags=%s: %s", flags, own->message);
    return FALSE;
  }
  char *all = v->cflags ? g_strjoin (" ", v->cflags, flags, NULL) : g_strdup (flags);
  g_free (v->cflags);
  v->cflags = all;
  return TRUE;
}

/* A list of passes has commas, which separate the parts of a variant: there they are semicolons. */
static gboolean
take_passes (LsVariant *v, const char *passes, GError **error)
{
  g_autoptr (GError) own = NULL;
  if (!ls_compiler_check_passes (passes, &own)) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "llvm=%s: %s", passes, own->message);
    return FALSE;
  }
  g_free (v->passes);
  v->passes = g_strdelimit (g_strdup (passes), ";", ',');
  return TRUE;
}

static gboolean
apply_part (LsVariant *v, const char *spec, const char *item, GError **error)
{
  const char *rest;
  guint kernel = kernel_prefix (item, &rest);
  if (g_str_has_prefix (rest, "opt="))
    return add_option (v, item, rest + 4, kernel, error);
  if (g_str_has_prefix (rest, "c=") && rest[2]) {
    g_autofree char *file = g_canonicalize_filename (rest + 2, NULL);      /* a program runs in its own folder */
    add_item (&v->c_files, "\n", kernel, file);
    return TRUE;
  }
  if (g_str_has_prefix (item, "schedule="))
    return add_choice (v, item + 9, error);
  if (g_str_has_prefix (item, "without=") && item[8]) {
    add_item (&v->disabled, "\n", 0, item + 8);
    return TRUE;
  }
  if (g_str_has_prefix (item, "rules=") && item[6]) {
    g_autofree char *file = g_canonicalize_filename (item + 6, NULL);
    add_item (&v->rules, "\n", 0, file);
    return TRUE;
  }
  if (kernel) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "'%s': only opt= and c= can name a kernel, as in k%u:opt=UPCAST:0:4", item, kernel);
    return FALSE;
  }
  if (g_str_has_prefix (item, "compiler=")) {
    v->compiler = g_intern_string (item + 9);
    v->named = TRUE;
    return TRUE;
  }
  if (g_str_has_prefix (item, "target=")) {
    const LsTarget *target = ls_target_find (item + 7);
    g_autofree char *known = ls_target_list (", ");
    if (!target)
      g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "there is no target '%s'; there are %s", item + 7, known);
    else
      v->target = target;
    return target != NULL;
  }
  if (g_str_has_prefix (item, "cflags="))
    return add_flags (v, item + 7, error);
  if (g_str_has_prefix (item, "llvm="))
    return take_passes (v, item + 5, error);
  if (g_str_has_prefix (item, "native=")) {
    v->not_native = item[7] == '0';
    if (strlen (item) == 8 && (item[7] == '0' || item[7] == '1'))
      return TRUE;
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "'%s': native takes 0 or 1", item);
    return FALSE;
  }
  if (strchr (item, '='))
    return ls_settings_set (&v->settings, item, error);
  g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "--variant %s: '%s' is not one of compiler=C, target=T, cflags=FLAGS, llvm=PASSES, "
                                                "native=0, [kN:]opt=NAME:AXIS:AMOUNT, [kN:]c=FILE.c, schedule=rN:ACTION:REASON@LINE.CALL, "
                                                "without=RULE, rules=FILE.rules and NAME=VALUE",
                                                spec, item);
  return FALSE;
}

gboolean
ls_variant_apply (LsVariant *v, const char *spec, GError **error)
{
  g_auto (GStrv) items = g_strsplit (spec, ",", -1);
  for (char **item = items; *item; item++)
    if ((**item || items[1]) && !apply_part (v, spec, *item, error))
      return FALSE;
  return TRUE;
}

gboolean
ls_variant_complete (LsVariant *v, GError **error)
{
  if (!v->compiler) {      /* one that is linked to the runner is always there */
    const LsCompiler *first = ls_compiler_default (v->target->name);
    gboolean missing = first->how == LS_COMPILER_LOADED && !ls_compiler_available (first->name, NULL);
    v->compiler = (missing ? ls_compiler_reference () : first)->name;
  }
  const LsCompiler *compiler = ls_compiler_find (v->compiler);
  if (!compiler) {
    g_autofree char *names = ls_compiler_list (NULL, ", ");
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "there is no compiler '%s'; there are %s", v->compiler, names);
    return FALSE;
  }
  if (!ls_compiler_takes (compiler, v->target->name)) {
    g_autofree char *names = ls_compiler_list (v->target->name, " or ");
    gboolean is_text = ls_compiler_default (v->target->name)->target == NULL;
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, is_text ? "target %s is only generated, not compiled here: use --compiler %s"
                                                          : "target %s has other compilers: use --compiler %s", v->target->name, names);
    return FALSE;
  }
  const LsCompiler *timer = ls_variant_timer (v);
  if ((v->cflags || v->not_native) && !timer->optimizes) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, v->named ? "%s is for llvm, clang and gcc; the compiler is %s"
                                                           : "%s is for llvm, clang and gcc; the compiler is %s, because none of them is "
                                                             "installed", v->cflags ? "cflags=" : "native=", timer->name);
    return FALSE;
  }
  g_autofree char *flag = NULL;
  if (!ls_compiler_has_flags (timer, v->cflags, &flag)) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "cflags=%s: flag '%s' is for clang and gcc; llvm has -O0, -O1, -O2 and -O3",
                 v->cflags, flag);
    return FALSE;
  }
  g_autofree char *why = NULL;
  if (v->passes && (timer->how != LS_COMPILER_LOADED || !ls_compiler_available (timer->name, &why))) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "llvm= is for compiler llvm; the compiler is %s%s%s", timer->name, why ? ": " : "",
                 why ? why : "");
    return FALSE;
  }
  return TRUE;
}

gboolean
ls_variant_has_rules (const LsVariant *v)
{
  return v->rules || v->disabled;
}

LsRuleLibrary *
ls_variant_library (const LsVariant *v, GError **error)
{
  g_auto (GStrv) files = g_strsplit (v->rules ? v->rules : "", "\n", -1), disabled = g_strsplit (v->disabled ? v->disabled : "", "\n", -1);
  return ls_rule_library_new (ls_pipeline_rules (), (const char *const *) files, (const char *const *) disabled, error);
}

const LsCompiler *
ls_variant_timer (const LsVariant *v)
{
  if (v->named)
    return ls_compiler_find (v->compiler);
  const LsCompiler *timer = ls_compiler_for_times (v->target->name);
  /* the texts of the other profiles are what is to be timed, and clang and gcc have more flags */
  gboolean reads = ls_compiler_reads (timer, v->target->name), is_profile = ls_settings_profile (&v->settings) != LS_PROFILE_DEFAULT,
           own = !v->passes && (is_profile || !ls_compiler_has_flags (timer, v->cflags, NULL));
  return !reads && own ? ls_compiler_for_text (v->target->name) : timer;
}

char *
ls_variant_flags (const LsVariant *v, const char *compiler)
{
  const LsCompiler *row = ls_compiler_find (compiler);
  g_autofree char *passes = v->passes && row->how == LS_COMPILER_LOADED ? g_strdup_printf (LS_PASSES_FLAG "%s", v->passes) : NULL,
                  *all = passes ? g_strjoin (" ", passes, v->cflags, NULL) : NULL;
  return ls_compiler_options (row, !v->not_native, all ? all : v->cflags);
}
