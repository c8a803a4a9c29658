#include "page.h"
#include "graph/layout/hues.h"
#include "picture.h"
#include "words.h"

#include <glib/gi18n.h>
#include <string.h>

GResource *ls_share_get_resource (void);

void
ls_page_text (GString *out, const char *before, const char *text, const char *after)
{
  g_autofree char *valid = g_utf8_make_valid (text ? text : "", -1), *escaped = g_markup_escape_text (valid, -1);
  g_string_append_printf (out, "%s%s%s", before, escaped, after);
}

GBytes *
ls_page_resource (const char *name)
{
  g_autofree char *path = g_strconcat ("/org/lazyscope/share/", name, NULL);
  GBytes *bytes = g_resource_lookup_data (ls_share_get_resource (), path, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
  g_assert (bytes);
  return bytes;
}

void
ls_page_hues (GString *out, gboolean dark)
{
  static const char *const kinds[LS_N_DIFF] = { "same", "added", "removed", "changed", "moved" };
  const LsHues *h = ls_hues (dark, FALSE);
  g_string_append_printf (out, "--ground:#%06x;--text:#%06x;--dim:#%06x;--edge:#%06x;--capture:#%06x;--chosen:#%06x;--panel:#%06x;",
                          h->ground, h->text, h->dim, h->edge, h->capture, h->chosen, h->panel);
  for (guint i = 0; i < LS_N_DIFF; i++)
    g_string_append_printf (out, "--%s:#%06x;--%s-fill:#%06x;", kinds[i], h->kinds[2 * i], kinds[i], h->kinds[2 * i + 1]);
  for (guint i = 0; i < LS_N_CLASSES; i++)
    g_string_append_printf (out, "--class-%u:#%06x;", i, h->classes[i]);
  for (guint i = 0; i < LS_N_AXIS; i++)
    g_string_append_printf (out, "--axis-%u:#%06x;", i + 1, ls_axis_types[i].colors[dark ? 1 : 0]);
}

void
ls_page_class_rules (GString *out)
{
  for (guint i = 0; i < LS_N_CLASSES; i++)
    g_string_append_printf (out, ".c%u .stripe{fill:var(--class-%u)}.c%u.strong .box{stroke:var(--class-%u)}\n", i, i, i, i);
  for (guint i = 1; i <= LS_N_AXIS; i++)
    g_string_append_printf (out, ".a%u path{stroke:var(--axis-%u)}.loop.a%u .in,.a%u .d{fill:var(--axis-%u)}\n", i, i, i, i, i);
}

static char *
style (void)
{
  g_autoptr (GBytes) css = ls_page_resource ("page.css");
  g_autoptr (GBytes) picture = ls_page_resource ("picture.css");
  GString *out = g_string_new (":root{color-scheme:light dark;");
  ls_page_hues (out, FALSE);
  g_string_append (out, "}\n@media (prefers-color-scheme:dark){:root{");
  ls_page_hues (out, TRUE);
  g_string_append (out, "}}\n");
  ls_page_class_rules (out);
  g_string_append (out, g_bytes_get_data (css, NULL));      /* resources end with a NUL */
  g_string_append (out, g_bytes_get_data (picture, NULL));
  return g_string_free (out, FALSE);
}

/* 'sha256-…' of a text, as a policy names it. Free with g_free. */
static char *
hash_of (const char *text, gsize n)
{
  guint8 digest[32];
  gsize size = sizeof digest;
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  g_checksum_update (sum, (const guchar *) text, (gssize) n);
  g_checksum_get_digest (sum, digest, &size);
  g_autofree char *base = g_base64_encode (digest, size);
  return g_strdup_printf ("'sha256-%s'", base);
}

char *
ls_page_new (const char *title, const char *body, const char *script, const char *data)
{
  g_autofree char *css = style (), *css_hash = hash_of (css, strlen (css));
  g_autoptr (GBytes) js = ls_page_resource (script);
  g_autofree char *js_hash = hash_of (g_bytes_get_data (js, NULL), g_bytes_get_size (js));
  GString *s = g_string_sized_new (strlen (body) + strlen (data) + 32768);
  g_autofree char *language = ls_words_language (), *words = ls_words_of (g_bytes_get_data (js, NULL));      /* resources end with a NUL */
  ls_page_text (s, "<!DOCTYPE html>\n<html lang=\"", language, "\">");
  g_string_append_printf (s, "<head><meta charset=\"utf-8\">\n"
                             "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src %s; script-src %s; "
                             "base-uri 'none'; form-action 'none'\">\n"
                             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n", css_hash, js_hash);
  ls_page_text (s, "<title>", title, "</title>\n");
  g_string_append_printf (s, "<style>%s</style></head>\n%s", css, body);
  g_string_append_printf (s, "<script type=\"application/json\" id=\"data\">{\"words\":%s%s%s</script>\n<script>", words,
                          data[1] == '}' ? "" : ",", data + 1);
  g_string_append_len (s, g_bytes_get_data (js, NULL), (gssize) g_bytes_get_size (js));
  g_string_append (s, "</script>\n");
  g_string_append (s, "</body></html>\n");
  return g_string_free (s, FALSE);
}

/* --- a page with a film --- */

/* Pages are sent to others: only the file's name of a path is in them. */
char *
ls_page_file_name (const char *path)
{
  return path && *path ? g_path_get_basename (path) : g_strdup ("");
}

/* The message of a run that failed, without the program's folder. Free with g_free. */
static char *
error_text (const LsTrace *trace)
{
  g_autofree char *name = ls_page_file_name (trace->program_name);
  g_autoptr (GString) text = g_string_new (trace->error);
  if (trace->program_name && *trace->program_name)
    g_string_replace (text, trace->program_name, name, 0);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

void
ls_page_add_program (GString *members, const LsTrace *trace)
{
  g_autofree char *name = ls_page_file_name (trace->program_name), *error = error_text (trace);
  g_string_append (members, "\"program\":");
  ls_json_quote (members, trace->program_text);
  g_string_append (members, ",\"program_name\":");
  ls_json_quote (members, name);
  g_string_append (members, ",\"output\":");
  ls_json_quote (members, trace->std_out);
  g_string_append (members, ",\"error\":");
  ls_json_quote (members, error);
  g_string_append (members, ",\n");
}

gboolean
ls_page_check_size (const LsFilm *film, const char *what, GError **error)
{
  if (ls_film_size (film) <= LS_PAGE_MOST)
    return TRUE;
  g_set_error (error, LS_ERROR, LS_ERROR_FILE, "the page of %s exceeds %u MB after %u steps; share a shorter pass, or the picture of "
                                               "one step (show --format svg)", what, LS_PAGE_MOST >> 20,
               ls_film_n (film));
  return FALSE;
}

/* A note on an incomplete or failed recording, for readers of its page. */
static void
append_note (GString *body, const LsTrace *trace)
{
  if (!trace->complete)
    ls_page_text (body, "<p class=\"note\">", _("The recording ends before its program did; the recorded part is shown."), "</p>\n");
  g_autofree char *error = error_text (trace);
  g_autofree char *failed = g_strdup_printf (_("The program failed: %s"), error);
  if (*error)
    ls_page_text (body, "<p class=\"note\">", failed, "</p>\n");
}

char *
ls_page_film (LsFilm *film, const LsFilmPage *page)
{
  gboolean walk = strcmp (page->kind, "walk") == 0;
  g_autoptr (GString) body = g_string_new (NULL), data = g_string_new ("{\"kind\":");
  g_string_append_printf (body, "<body class=\"film %s\">\n", page->kind);
  ls_page_text (body, "<header><h1>", page->title, "</h1>");
  ls_page_text (body, "<p id=\"place\">", page->place, "</p>\n<div id=\"bar\"></div></header>\n");
  append_note (body, page->trace);
  if (page->note)
    ls_page_text (body, "<p class=\"note\">", page->note, "</p>\n");
  ls_page_text (body, "<noscript><p class=\"note\">", walk ? _("This is the picture of one statement. Stepping through the others, "
                                                               "selecting nodes, the list of statements, rows, calls, source and "
                                                               "program need scripts, which are disabled here. Open the page in a "
                                                               "browser with scripts enabled: it loads nothing from the network.")
                                                        : _("This is the picture of one step. Stepping through the others, selecting "
                                                            "nodes, the list of steps, rows, source and program need scripts, which "
                                                            "are disabled here. Open the page in a browser with scripts enabled: it "
                                                            "loads nothing from the network."),
                "</p></noscript>\n");
  ls_page_text (body, "<main><nav id=\"list\"></nav>\n<section id=\"centre\"><div id=\"card\"><p class=\"say\">", page->sentence,
                "</p></div>\n<div id=\"stage\">");
  ls_picture_append (body, page->scene, page->layout);
  g_string_append (body, "</div></section>\n<aside id=\"side\"></aside></main>\n");
  ls_json_quote (data, page->kind);
  g_string_append (data, ",\"title\":");
  ls_json_quote (data, page->title);
  g_string_append (data, ",\"place\":");
  ls_json_quote (data, page->place);
  g_string_append_printf (data, ",\"start\":%u,\n", page->start);
  g_string_append_len (data, page->members->str, (gssize) page->members->len);
  ls_film_write (film, data);
  g_string_append_c (data, '}');
  return ls_page_new (page->title, body->str, "page.js", data->str);
}
