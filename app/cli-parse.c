/* Reading the options of the sub-commands by their table, and refusing those that a command has no use for. */
#include "cli.h"
#include "options.h"
#include "run/compiler.h"

#include <string.h>

static char *
describe_settings (void)
{
  GString *s = g_string_new (_("Settings (--set NAME=VALUE, or an environment variable of that name):"));
  g_string_append_printf (s, "\n  profile=classic|modern|default\n      %s\n", _(LS_PROFILE_SENTENCE));
  for (const LsSettingInfo *i = ls_setting_infos; i->name; i++)
    if (i->words)
      g_string_append_printf (s, "  %s=%s\n      %s\n", i->name, i->words[i->def], ls_shown (i->sentence));
    else
      g_string_append_printf (s, "  %s=%" G_GINT64_FORMAT "\n      %s\n", i->name, i->def, ls_shown (i->sentence));
  g_string_append_printf (s, "\n%s\n", _("Targets:"));
  for (const LsTarget *const *target = ls_targets; *target; target++)
    g_string_append_printf (s, "  %-7s %s\n", (*target)->name, ls_shown ((*target)->sentence));
  g_string_append_printf (s, "\n%s\n", _("Compilers:"));
  for (const LsCompiler *c = ls_compilers; c->name; c++)
    g_string_append_printf (s, "  %-7s %s\n", c->name, ls_shown (c->sentence));
  g_string_append_printf (s, "\n%s", _("lazyscope-cli(1) is the manual."));
  return g_string_free (s, FALSE);
}

/* --- the table --- */

static const struct { const char *name; char letter; LsCliKind kind; int least; guint program, recording; const char *arg, *help;
                      gsize offset; } rows[] = {
#define X(member, name, letter, kind, least, program, recording, arg, help) { name, letter, kind, least, program, recording, arg, help, \
                                                                              G_STRUCT_OFFSET (LsCliOptions, member) },
#include "options.def"
#undef X
};

/* "tcc, clang, gcc or interp" */
static char *
with_or (char *list)
{
  g_autofree char *names = list;
  char *last = strrchr (names, ',');
  if (!last)
    return g_steal_pointer (&names);
  *last = '\0';
  return g_strdup_printf (_("%s or %s"), names, last + 2);
}

/* The description of an option, which stays allocated. */
static const char *
help_of (guint option)
{
  static char *targets, *compilers;
  if (rows[option].help)
    return ls_shown (rows[option].help);
  if (!targets) {
    targets = with_or (ls_target_list (", "));
    compilers = with_or (ls_compiler_list (NULL, ", "));
  }
  return option == LS_OPTION_target_name ? targets : compilers;
}

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
  if (again)
    return ls_cli_refuse (error, "--%s is given twice", rows[row].name);
  o->given |= G_GUINT64_CONSTANT (1) << row;
  switch (rows[row].kind) {
  case FLAG:
    *(gboolean *) member = TRUE;
    return TRUE;
  case NUMBER:
    if (!g_ascii_string_to_signed (value, 10, rows[row].least, G_MAXINT, &number, NULL))
      return ls_cli_refuse (error, "--%s takes a number of at least %d, not '%s'", rows[row].name, rows[row].least, value);
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
  ls_variant_clear (&o->how);
}

gboolean
ls_cli_refuse (GError **error, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  if (error)
    *error = g_error_new_valist (LS_ERROR, LS_ERROR_USAGE, format, args);
  va_end (args);
  return FALSE;
}

/* Why an option is an error here, and which commands use it. */
static void
not_used (const LsCliOptions *o, guint row, GError **error)
{
  guint users = rows[row].program | rows[row].recording;
  if (o->recorded && rows[row].program & 1u << o->mode) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "%s: %s is a recording, which is not "
                                                  "run again; --%s is for a program (.py) (%s)", ls_cli_mode_names[o->mode],
                 o->places[0].file, rows[row].name, help_of (row));
    return;
  }
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (guint i = 0; i < LS_CLI_N_MODES; i++)
    if (users & 1u << i)
      g_ptr_array_add (names, (gpointer) ls_cli_mode_names[i]);
  g_ptr_array_add (names, NULL);
  g_autofree char *who = g_strjoinv (", ", (char **) names->pdata);
  g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "%s does not use --%s, which is for %s: %s", ls_cli_mode_names[o->mode], rows[row].name,
               who, help_of (row));
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
    if (g_ascii_strncasecmp (*set, "profile=", 8) != 0 && g_ascii_strncasecmp (*set, "MODERN=", 7) != 0)
      return ls_cli_refuse (error, "%s: %s is a recording, which is not run again; --set %s is for a program (.py). For a recording, "
                                   "only profile can be set: the style and numbering of listings",
                            ls_cli_mode_names[o->mode], o->places[0].file, *set);
  if (command != LS_CLI_DIFF && command != LS_CLI_COMPARE && o->variants && o->variants[1])
    return ls_cli_refuse (error, "%s runs one variant: give one --variant with "
                                 "commas. diff takes two variants, compare any number", ls_cli_mode_names[o->mode]);
  return TRUE;
}

/* --- files and places --- */

/* Takes the parts of a place, as if given by options. */
static gboolean
take_place (LsCliOptions *o, const char *link, GError **error)
{
  const LsPlace *place = &o->places[0];
  const struct { guint row, number; const char *text; } parts[] = {
    { LS_OPTION_kernel, place->at.kernel, NULL }, { LS_OPTION_pass, LS_PLACE_NONE, place->at.pass },
    { LS_OPTION_step, place->at.step, NULL },
    { LS_OPTION_node, place->node == LS_NO_NODE ? LS_PLACE_NONE : place->node, NULL },
  };
  if (place->base.kernel != LS_PLACE_NONE && o->mode != LS_CLI_SHARE)
    return ls_cli_refuse (error, "%s uses one place, but '%s' has a second "
                                 "one after the ~; diff and share compare places", ls_cli_mode_names[o->mode], link);
  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++) {
    g_autofree char *number = parts[i].number == LS_PLACE_NONE ? NULL : g_strdup_printf ("%u", parts[i].number);
    const char *value = parts[i].text ? parts[i].text : number;
    if (value && o->given >> parts[i].row & 1)
      return ls_cli_refuse (error, "'%s' and --%s both name the %s", link, rows[parts[i].row].name, rows[parts[i].row].name);
    if (value && !set_option (o, parts[i].row, value, error))
      return FALSE;
  }
  return TRUE;
}

#define MOST_TEXT (64u << 20)      /* bytes of a program on standard input */

/* -c TEXT replaces a file. */
static void
take_command (LsCliOptions *o, int *argc, char ***argv)
{
  static char *files[3];
  if (!o->command || *argc > 1)
    return;
  files[0] = (*argv)[0];
  files[1] = (char *) "<string>";
  ls_cli_give_program (files[1], g_strdup (o->command));
  *argv = files;
  *argc = 2;
}

/* FILE - is standard input. */
static gboolean
read_standard_input (GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);
  char part[8192];
  gsize n;
  while ((n = fread (part, 1, sizeof part, stdin)) > 0 && text->len <= MOST_TEXT)
    g_string_append_len (text, part, (gssize) n);
  if (ferror (stdin) || text->len > MOST_TEXT || strlen (text->str) != text->len) {
    const char *why = ferror (stdin) ? LS_TEMPLATE ("standard input cannot be read")
                      : text->len > MOST_TEXT ? LS_TEMPLATE ("standard input is not a program: it is longer than 64 MB")
                                              : LS_TEMPLATE ("standard input is not a program: it contains NUL bytes");
    g_set_error_literal (error, LS_ERROR, LS_ERROR_FILE, why);
    return FALSE;
  }
  ls_cli_give_program ("<stdin>", g_strdup (text->str));
  return TRUE;
}

static gboolean
take_files (LsCliOptions *o, LsCliMode command, guint n, char **files, GError **error)
{
  static const guint most[] = {
#define X(id, name, run, files, ...) files,
    LS_CLI_COMMAND_TABLE (X)
#undef X
  };
  if (n < 1)
    return ls_cli_refuse (error, command == LS_CLI_BENCH || o->mode == LS_CLI_RUN
                          ? "%s: a file is needed: a program (.py)"
                          : "%s: a file is needed: a program (.py) or a recording (.lscope)", ls_cli_mode_names[command]);
  if (n > most[command])
    return ls_cli_refuse (error, "%s: too many files: '%s'", ls_cli_mode_names[command], files[most[command]]);
  /* these say that a recording is not a program */
  o->recorded = command != LS_CLI_BENCH && o->mode != LS_CLI_RUN && o->mode != LS_CLI_SEARCHED;
  for (o->n_files = 0; o->n_files < n;) {
    LsPlace *place = &o->places[o->n_files];
    char *link = files[o->n_files++];
    if (!ls_place_parse_link (link, place, error) || (command != LS_CLI_DIFF && !take_place (o, link, error)))
      return FALSE;
    if (strcmp (place->file, "-") == 0) {
      if (!ls_cli_is_given ("<stdin>") && !read_standard_input (error))      /* it can be read once */
        return FALSE;
      g_free (place->file);
      place->file = g_strdup ("<stdin>");
    }
    files[o->n_files - 1] = place->file;
    o->recorded &= ls_cli_is_recording (place->file);
    if (command == LS_CLI_DIFF && place->at.kernel != LS_PLACE_NONE)
      o->mode = LS_CLI_PLACES;
  }
  return TRUE;
}

/* Parses argv of a command by the table of options.def. Afterwards argv has the files without their places. What a place names is as
 * if its option had been given, which must not be given beside it. A diff's variants are left to it. FALSE with LS_ERROR_USAGE, also
 * for an option that the command does not use of such files. */
static gboolean
parse (LsCliOptions *o, LsCliMode command, const char *summary, int *argc, char ***argv, GError **error)
{
  memset (o, 0, sizeof *o);
  ls_variant_init (&o->how);
  g_autofree char *ignored = ls_settings_ignored ();
  if (ignored)
    fprintf (stderr, "lazyscope-cli: %s", ignored);
  o->mode = command;
  o->kernel = o->step = o->debug = o->line = o->uop = o->from = o->node = -1;
  o->max = 64;
  o->context = 2;
  o->repeats = 15;
  o->seconds = command == LS_CLI_SEARCH || command == LS_CLI_RUN ? 12 : 4;
  o->search = 2;
  /* every option is known to every command, so that one in the wrong place is not just unknown */
  GOptionEntry entries[LS_N_OPTIONS + 1] = { { NULL } };
  for (guint i = 0; i < LS_N_OPTIONS; i++) {
    gboolean hidden = !((rows[i].program | rows[i].recording) & bits_of_command (command)),
             file = rows[i].kind == PATH || rows[i].kind == PATHS;
    int flags = (hidden ? G_OPTION_FLAG_HIDDEN : 0) | (rows[i].kind == FLAG ? G_OPTION_FLAG_NO_ARG
                                                                            : 0) | (file ? G_OPTION_FLAG_FILENAME : 0);
    entries[i] = (GOptionEntry) { rows[i].name, rows[i].letter, flags, G_OPTION_ARG_CALLBACK, (gpointer) on_option, help_of (i),
                                  rows[i].arg };
  }
  /* the help then says "lazyscope-cli show [OPTION…] FILE" */
  g_autofree char *program = g_strdup_printf ("lazyscope-cli %s", ls_cli_mode_names[command]), *description = describe_settings ();
  g_set_prgname (program);
  g_autoptr (GOptionContext) context = g_option_context_new (command == LS_CLI_DIFF ? "FILE…" : "FILE");
  GOptionGroup *group = g_option_group_new ("main", "", "", o, NULL);
  g_option_group_add_entries (group, entries);
  g_option_context_set_main_group (context, group);
  g_option_context_set_summary (context, _(summary));
  g_option_context_set_description (context, description);
  g_autoptr (GError) own = NULL;
  if (!g_option_context_parse (context, argc, argv, &own))
    return ls_cli_refuse (error, "%s; '%s --help' lists the options", own->message, program);
  if (o->slow && command == LS_CLI_RUN)
    o->mode = LS_CLI_SLOW;
  else if (ls_cli_given (o, search) && command == LS_CLI_RUN)
    o->mode = LS_CLI_SEARCHED;
  take_command (o, argc, argv);
  if (!take_files (o, command, (guint) *argc - 1, *argv + 1, error) || !check_used (o, command, error))
    return FALSE;
  if (o->command && !ls_cli_is_given ((*argv)[1]))
    return ls_cli_refuse (error, "--command gives the program; '%s' is a second one", (*argv)[1]);
  if (o->debug > 7)
    return ls_cli_refuse (error, "--debug takes 0 to 7");
  if (o->debug < 0)
    o->debug = (int) CLAMP (o->how.settings.DEBUG, 0, 7);
  if (o->record && !*o->record)
    return ls_cli_refuse (error, "--record takes the name of a file, such as OUT.lscope");
  return ls_cli_settle (o, error);
}

int
ls_cli_command (LsCliMode command, int argc, char **argv)
{
  static const LsCliCommand *const commands[] = {
#define X(id, name, command, ...) &command,
    LS_CLI_COMMAND_TABLE (X)
#undef X
  };
  LsCliOptions o;
  GError *error = NULL;
  int status = LS_EXIT_DONE;
  if (parse (&o, command, commands[command]->help, &argc, &argv, &error))
    status = commands[command]->run (&o, argv + 1, &error);
  ls_cli_clear (&o);
  return error ? ls_cli_fail (error) : status;
}
