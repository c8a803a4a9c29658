/* Options of a run: as words of a command line, and in short. */
#include "run-options.h"
#include "ir/sentence.h"
#include "pipeline/variant.h"

#include <glib/gi18n.h>
#include <string.h>

/* The members in the order of the command line. how: how its words are split into options. */
typedef enum { WHOLE, BY_SPACE, BY_LINE } Parts;
static const struct { gsize offset; const char *option, *prefix; Parts parts; } members[] = {
  { G_STRUCT_OFFSET (LsRunOptions, compiler), "--compiler", "", WHOLE },
  { G_STRUCT_OFFSET (LsRunOptions, target), "--target", "", WHOLE },
  { G_STRUCT_OFFSET (LsRunOptions, profile), "--set", "profile=", WHOLE },
  { G_STRUCT_OFFSET (LsRunOptions, kernels), "--variant", "", WHOLE },
  { G_STRUCT_OFFSET (LsRunOptions, settings), "--set", "", BY_SPACE },
  { G_STRUCT_OFFSET (LsRunOptions, disabled), "--disable", "", BY_SPACE },
  { G_STRUCT_OFFSET (LsRunOptions, rules), "--rules", "", BY_LINE },
};

static char **
member (const LsRunOptions *options, gsize i)
{
  return &G_STRUCT_MEMBER (char *, options, members[i].offset);
}

LsRunOptions *
ls_run_options_copy (const LsRunOptions *options)
{
  LsRunOptions *copy = g_new0 (LsRunOptions, 1);
  for (gsize i = 0; options && i < G_N_ELEMENTS (members); i++)
    *member (copy, i) = g_strdup (*member (options, i));
  return copy;
}

void
ls_run_options_free (LsRunOptions *options)
{
  for (gsize i = 0; options && i < G_N_ELEMENTS (members); i++)
    g_free (*member (options, i));
  g_free (options);
}

gboolean
ls_run_options_equal (const LsRunOptions *a, const LsRunOptions *b)
{
  g_auto (GStrv) x = ls_run_options_words (a), y = ls_run_options_words (b);
  return g_strv_equal ((const char *const *) x, (const char *const *) y);
}

/* The parts of a member that have a meaning. Free with g_strfreev. */
static char **
parts_of (const LsRunOptions *options, gsize i)
{
  const char *text = options ? *member (options, i) : NULL;
  g_autoptr (GStrvBuilder) out = g_strv_builder_new ();
  g_auto (GStrv) parts = !text ? NULL : members[i].parts == WHOLE ? g_strsplit (text, "\n", 1)
                                                                  : g_strsplit_set (text, members[i].parts == BY_LINE ? "\n" : " \t\n", -1);
  for (guint k = 0; parts && parts[k]; k++)
    if (*g_strstrip (parts[k]))
      g_strv_builder_add (out, parts[k]);
  return g_strv_builder_end (out);
}

char **
ls_run_options_words (const LsRunOptions *options)
{
  g_autoptr (GStrvBuilder) out = g_strv_builder_new ();
  for (gsize i = 0; i < G_N_ELEMENTS (members); i++) {
    g_auto (GStrv) parts = parts_of (options, i);
    for (guint k = 0; parts[k]; k++) {
      g_autofree char *word = g_strconcat (members[i].prefix, parts[k], NULL);
      g_strv_builder_add_many (out, members[i].option, word, NULL);
    }
  }
  return g_strv_builder_end (out);
}

/* A word as a shell takes it: those of plain letters as they are. */
static void
append_word (GString *to, const char *word)
{
  g_autofree char *quoted = word[strspn (word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./:=,+@%-")] ||
                            !*word ? g_shell_quote (word) : g_strdup (word);
  g_string_append_printf (to, "%s%s", to->len ? " " : "", quoted);
}

char *
ls_run_options_command (const LsRunOptions *options, const char *program)
{
  g_auto (GStrv) words = ls_run_options_words (options);
  GString *out = g_string_new ("lazyscope-cli");
  append_word (out, "run");
  append_word (out, program);
  for (guint i = 0; words[i]; i++)
    append_word (out, words[i]);
  return g_string_free (out, FALSE);
}

/* For C files, "k3:c=/folder/mine.c", their names: "k3:c=mine.c". */
static char *
without_folders (const char *kernels)
{
  g_autoptr (GRegex) folders = g_regex_new ("(^|,|:)c=[^,]*/", 0, 0, NULL);
  return g_regex_replace (folders, kernels, -1, 0, "\\1c=", 0, NULL);
}

char *
ls_run_options_describe (const LsRunOptions *options)
{
  g_autoptr (GStrvBuilder) out = g_strv_builder_new ();
  for (gsize i = 0; i < G_N_ELEMENTS (members); i++) {
    g_auto (GStrv) parts = parts_of (options, i);
    for (guint k = 0; parts[k]; k++) {
      g_autofree char *base = members[i].parts == BY_LINE ? g_path_get_basename (parts[k]) : g_str_equal (members[i].option, "--variant")
                              ? without_folders (parts[k]) : NULL;
      g_autofree char *without = g_str_equal (members[i].option, "--disable") ? g_strdup_printf (_("without %s"), parts[k]) : NULL;
      g_strv_builder_add (out, base ? base : without ? without : parts[k]);
    }
  }
  g_auto (GStrv) list = g_strv_builder_end (out);
  return g_strjoinv (" · ", list);
}

char *
ls_run_options_check (const LsRunOptions *options)
{
  g_autoptr (GError) error = NULL;
  LsVariant variant;
  ls_variant_init (&variant);
  gboolean ok = !options->kernels || ls_variant_apply (&variant, options->kernels, &error);
  ls_variant_clear (&variant);
  g_auto (GStrv) items = g_strsplit (ok && options->kernels ? options->kernels : "", ",", -1);
  for (guint i = 0; items[i]; i++) {      /* the program runs in a folder of its own */
    const char *file = g_str_has_prefix (items[i], "c=") ? items[i] + 2 : strstr (items[i], ":c=") ? strstr (items[i], ":c=") + 3 : NULL;
    if (file && !g_path_is_absolute (file))
      return g_strdup_printf (_("%s: give the absolute path of a C file"), items[i]);
  }
  return ok ? NULL : ls_sentence_shown (error->message);
}

char *
ls_run_options_variant (const LsRunOptions *options, guint kernel, gboolean c_files)
{
  g_autoptr (GString) out = g_string_new (NULL);
  LsVariant variant;
  ls_variant_init (&variant);
  gboolean ok = !options->kernels || ls_variant_apply (&variant, options->kernels, NULL);
  g_autofree char *file = ok && c_files ? ls_c_file_of_kernel (variant.c_files, kernel, NULL) : NULL;
  ls_variant_clear (&variant);
  const struct { const char *name, *list, *between; } lists[] = {
    { "compiler", options->compiler, "\n" }, { "without", options->disabled, " \t\n" }, { "rules", options->rules, "\n" },
    { "c", file, "\n" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (lists) && ok; i++) {
    g_auto (GStrv) items = g_strsplit_set (lists[i].list ? lists[i].list : "", lists[i].between, -1);
    for (guint k = 0; items[k]; k++) {
      ok = ok && !strchr (items[k], ',');      /* of a file's name */
      if (*g_strstrip (items[k]))
        g_string_append_printf (out, "%s%s=%s", out->len ? "," : "", lists[i].name, items[k]);
    }
  }
  return ok ? g_strdup (out->str) : NULL;
}
