/* The settings table and its text form. */
#include "settings.h"

#include "ir/uop.h"

#include <string.h>

const LsSettingInfo ls_setting_infos[] = {
#define X(name, def, sentence) { #name, def, sentence, G_STRUCT_OFFSET (LsSettings, name) },
  LS_SETTING_TABLE (X)
#undef X
  { NULL, 0, NULL, 0 },
};

void
ls_settings_init (LsSettings *settings)
{
  for (const LsSettingInfo *i = ls_setting_infos; i->name; i++) {
    const char *env = g_getenv (i->name);
    gint64 value = i->def;
    if (env && !g_ascii_string_to_signed (env, 10, 0, G_MAXINT32, &value, NULL))
      value = i->def;
    G_STRUCT_MEMBER (gint64, settings, i->offset) = value;
  }
}

static void
set_profile (LsSettings *s, gboolean classic, gboolean modern)
{
  s->CLASSIC = classic;
  s->MODERN = modern;
  s->MAX_EXPR = classic || modern ? 0 : 160;
}

gboolean
ls_settings_set (LsSettings *settings, const char *assignment, GError **error)
{
  const char *eq = strchr (assignment, '=');
  if (!eq) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "'%s': a setting is written NAME=VALUE", assignment);
    return FALSE;
  }
  g_autofree char *name = g_strndup (assignment, eq - assignment);
  if (g_ascii_strcasecmp (name, "profile") == 0) {
    gboolean classic = strcmp (eq + 1, "classic") == 0, modern = strcmp (eq + 1, "modern") == 0;
    if (!classic && !modern && strcmp (eq + 1, "default") != 0) {
      g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "'%s': there are the profiles classic, modern and default", assignment);
      return FALSE;
    }
    set_profile (settings, classic, modern);
    return TRUE;
  }
  for (const LsSettingInfo *i = ls_setting_infos; i->name; i++)
    if (g_ascii_strcasecmp (i->name, name) == 0) {
      gint64 value;
      if (!g_ascii_string_to_signed (eq + 1, 10, 0, G_MAXINT32, &value, NULL)) {
        g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "'%s': the value must be a whole number from 0", assignment);
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
