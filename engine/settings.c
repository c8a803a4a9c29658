/* The settings table and its text form. */
#include "settings.h"

#include "ir/sentence.h"

#include "ir/uop.h"

#include <string.h>

#define X(name, word) word,
static const char *const words_ACC[] = { LS_ACC_TABLE (X) NULL };
#undef X

const LsSettingInfo ls_setting_infos[] = {
#define X(name, def, from, to, sentence) { #name, def, from, to, sentence, G_STRUCT_OFFSET (LsSettings, name), TRUE, NULL },
#define L(name, def, from, to, sentence) { #name, def, from, to, sentence, G_STRUCT_OFFSET (LsSettings, name), FALSE, NULL },
#define W(name, def, sentence) { #name, LS_##name##_##def, 0, G_N_ELEMENTS (words_##name) - 2, sentence, \
                                 G_STRUCT_OFFSET (LsSettings, name), \
                                 TRUE, words_##name },
  LS_SETTING_TABLE (X, L, W)
#undef W
#undef L
#undef X
  { NULL, 0, 0, 0, NULL, 0, FALSE, NULL },
};

static gboolean
parse (const LsSettingInfo *info, const char *text, gint64 *value)
{
  for (*value = info->from; info->words && *value <= info->to; ++*value)
    if (g_ascii_strcasecmp (text, info->words[*value]) == 0)
      return TRUE;
  return !info->words && g_ascii_string_to_signed (text, 10, info->from, info->to, value, NULL);
}

/* "a whole number from 0", "0 or 1", "a whole number from 0 to 7", "one of these: scalar, vector" */
static char *
range_text (const LsSettingInfo *info)
{
  if (info->words) {
    g_autofree char *words = g_strjoinv (", ", (char **) info->words);
    return g_strdup_printf ("one of these: %s", words);
  }
  if (info->to == 1)
    return g_strdup (LS_TEMPLATE ("0 or 1"));
  return info->to == G_MAXINT32 ? g_strdup_printf ("a whole number from %" G_GINT64_FORMAT, info->from) :
         g_strdup_printf ("a whole number from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT, info->from, info->to);
}

const LsProfileInfo ls_profile_infos[LS_N_PROFILES] = {
#define X(NAME, name, max_expr, acc, ...) { name, max_expr, LS_ACC_##acc, __VA_ARGS__ },
  LS_PROFILE_TABLE (X)
#undef X
};

const char *
ls_profile_name (LsProfile profile)
{
  return ls_profile_infos[profile].name;
}

/* Free with g_free. */
static char *
profiles_text (void)
{
  GString *known = g_string_new (NULL);
  for (guint i = 0; i < LS_N_PROFILES; i++)
    g_string_append_printf (known, "%s%s", i == 0 ? "" : i == LS_N_PROFILES - 1 ? " and " : ", ", ls_profile_infos[i].name);
  return g_string_free (known, FALSE);
}

static gboolean
set_profile (LsSettings *s, const char *name)
{
  for (guint i = 0; i < LS_N_PROFILES; i++)
    if (strcmp (name, ls_profile_infos[i].name) == 0) {
      s->CLASSIC = i == LS_PROFILE_CLASSIC;
      s->MODERN = i == LS_PROFILE_MODERN;
      s->MAX_EXPR = ls_profile_infos[i].max_expr;
      s->ACC = ls_profile_infos[i].acc;
      s->LOOP_NAMES = ls_profile_infos[i].loop_names;
      return TRUE;
    }
  return FALSE;
}

#define PROFILE "profile"      /* of the environment; PROFILE is another setting of tinygrad's */

void
ls_settings_init (LsSettings *settings)
{
  for (const LsSettingInfo *i = ls_setting_infos; i->name; i++)
    G_STRUCT_MEMBER (gint64, settings, i->offset) = i->def;
  if (g_getenv (PROFILE))
    set_profile (settings, g_getenv (PROFILE));
  for (const LsSettingInfo *i = ls_setting_infos; i->name; i++) {
    const char *env = g_getenv (i->name);
    gint64 value;
    if (env && parse (i, env, &value))
      G_STRUCT_MEMBER (gint64, settings, i->offset) = value;
  }
  const char *unplanned = g_getenv ("NO_MEMORY_PLANNER");      /* tinygrad's name */
  if (unplanned && *unplanned && strcmp (unplanned, "0") != 0)
    settings->MEMORY_PLAN = 0;
}

char *
ls_settings_ignored (void)
{
  GString *text = g_string_new (NULL);
  LsSettings unused;
  if (g_getenv (PROFILE) && !set_profile (&unused, g_getenv (PROFILE))) {
    g_autofree char *known = profiles_text ();
    g_string_append_printf (text, "%s=%s in the environment is ignored: the profiles are %s\n", PROFILE, g_getenv (PROFILE), known);
    g_unsetenv (PROFILE);
  }
  for (const LsSettingInfo *i = ls_setting_infos; i->name; i++) {
    const char *env = g_getenv (i->name);
    gint64 value;
    if (!env || parse (i, env, &value))
      continue;
    g_autofree char *range = range_text (i);
    g_string_append_printf (text, "%s=%s in the environment is ignored: it must be %s\n", i->name, env, range);
    g_unsetenv (i->name);
  }
  return g_string_free (text, text->len == 0);
}

char *
ls_setting_text (const LsSettings *settings, const LsSettingInfo *info)
{
  gint64 value = G_STRUCT_MEMBER (gint64, settings, info->offset);
  return info->words ? g_strconcat (info->name, "=", info->words[value], NULL) : g_strdup_printf ("%s=%" G_GINT64_FORMAT, info->name,
                                                                                                  value);
}

gboolean
ls_settings_set (LsSettings *settings, const char *assignment, GError **error)
{
  const char *eq = strchr (assignment, '=');
  if (!eq) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "'%s': a setting must be NAME=VALUE", assignment);
    return FALSE;
  }
  g_autofree char *name = g_strndup (assignment, eq - assignment);
  if (g_ascii_strcasecmp (name, "profile") == 0)
  {
    g_autofree char *known = set_profile (settings, eq + 1) ? NULL : profiles_text ();
    if (known)
      g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "'profile=%s': the profiles are %s", eq + 1, known);
    return known == NULL;
  }
  for (const LsSettingInfo *i = ls_setting_infos; i->name; i++)
    if (g_ascii_strcasecmp (i->name, name) == 0) {
      gint64 value;
      if (!parse (i, eq + 1, &value)) {
        g_autofree char *range = range_text (i);
        g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "'%s': the value must be %s", assignment, range);
        return FALSE;
      }
      G_STRUCT_MEMBER (gint64, settings, i->offset) = value;
      return TRUE;
    }
  GString *known = g_string_new (NULL);
  for (const LsSettingInfo *i = ls_setting_infos; i->name; i++)
    g_string_append_printf (known, "%s%s", known->len ? ", " : "", i->name);
  g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "there is no setting '%s'; there are profile, %s", name, known->str);
  g_string_free (known, TRUE);
  return FALSE;
}
