/* Parsing goes from the end: the text before the last '?' or '~' is split off, so that each part is read once. */
#include "place.h"

#include <string.h>

#define EMPTY_POINT ((LsPlacePoint) { LS_PLACE_NONE, NULL, LS_PLACE_NONE })
#define NODE "node="
#define ESCAPED "/~?%"      /* in a pass's name */

void
ls_place_clear (LsPlace *place)
{
  g_free (place->file);
  g_free (place->at.pass);
  g_free (place->base.pass);
  *place = (LsPlace) LS_PLACE_INIT;
}

static gboolean
same_point (const LsPlacePoint *a, const LsPlacePoint *b)
{
  return a->kernel == b->kernel && a->step == b->step && g_strcmp0 (a->pass, b->pass) == 0;
}

gboolean
ls_place_equal (const LsPlace *a, const LsPlace *b)
{
  return g_strcmp0 (a->file, b->file) == 0 && same_point (&a->at, &b->at) && same_point (&a->base, &b->base) && a->node == b->node;
}

/* --- printing --- */

static void
print_point (GString *out, const LsPlacePoint *point)
{
  g_string_append_printf (out, "%u", point->kernel);
  if (point->pass)
    g_string_append_c (out, '/');
  for (const char *p = point->pass; p && *p; p++)
    g_string_append_printf (out, strchr (ESCAPED, *p) ? "%%%02X" : "%c", *p);
  if (point->pass && point->step != LS_PLACE_NONE)
    g_string_append_printf (out, "/%u", point->step);
}

char *
ls_place_print (const LsPlace *place)
{
  GString *out = g_string_new (place->file);
  if (place->at.kernel == LS_PLACE_NONE)
    return g_string_free (out, FALSE);
  if (place->file)
    g_string_append_c (out, '#');
  print_point (out, &place->at);
  if (place->base.kernel != LS_PLACE_NONE) {
    g_string_append_c (out, '~');
    print_point (out, &place->base);
  }
  if (place->node != LS_NO_NODE)
    g_string_append_printf (out, "?" NODE "%u", place->node);
  return g_string_free (out, FALSE);
}

LsPlace
ls_place_of (const LsPosition *at, const LsPosition *base)
{
  LsPlace place = LS_PLACE_INIT;
  place.at = (LsPlacePoint) { at->pass->kernel, g_strdup (at->pass->name), at->step };
  if (base)
    place.base = (LsPlacePoint) { base->pass->kernel, g_strdup (base->pass->name), base->step };
  return place;
}

char *
ls_position_print (const LsPosition *position)
{
  g_auto (LsPlace) place = ls_place_of (position, NULL);
  return ls_place_print (&place);
}

/* --- parsing --- */

static gboolean
parse_number (const char *text, guint max, guint *out)
{
  guint64 n;
  if (!g_ascii_string_to_unsigned (text, 10, 0, max, &n, NULL))
    return FALSE;
  *out = (guint) n;
  return TRUE;
}

/* NULL for a text that is not a name. */
static char *
parse_name (const char *text)
{
  g_autoptr (GString) name = g_string_new (NULL);
  for (const char *p = text; *p; p++) {
    int high = *p == '%' ? g_ascii_xdigit_value (p[1]) : 0, low = *p == '%' && high >= 0 ? g_ascii_xdigit_value (p[2]) : 0;
    if (high < 0 || low < 0 || (*p == '%' && high + low == 0))
      return NULL;
    g_string_append_c (name, *p == '%' ? (char) (16 * high + low) : *p);
    p += *p == '%' ? 2 : 0;
  }
  return name->len ? g_strdup (name->str) : NULL;
}

/* The error in it, or NULL. Free with g_free. */
static char *
parse_point (const char *text, LsPlacePoint *out)
{
  g_auto (GStrv) parts = g_strsplit (text, "/", -1);
  guint n = g_strv_length (parts);
  if (n == 0)
    return g_strdup ("a kernel's number is missing");
  if (n > 3)
    return g_strdup_printf ("'%s' has more than three parts", text);
  if (!parse_number (parts[0], G_MAXINT, &out->kernel))
    return g_strdup_printf ("'%s' is not a kernel's number", parts[0]);
  if (n > 1 && !(out->pass = parse_name (parts[1])))
    return g_strdup_printf ("'%s' is not a pass's name", parts[1]);
  if (n > 2 && !parse_number (parts[2], G_MAXINT, &out->step))
    return g_strdup_printf ("'%s' is not a step's number", parts[2]);
  return NULL;
}

/* The same for all parts that may follow a file. */
static char *
parse_rest (const char *text, LsPlace *out)
{
  g_autofree char *left = g_strdup (text);
  char *node = strchr (left, '?'), *base = NULL;
  if (node)
    *node++ = 0;
  if ((base = strchr (left, '~')))
    *base++ = 0;
  char *wrong = parse_point (left, &out->at);
  if (!wrong && base)
    wrong = parse_point (base, &out->base);
  if (!wrong && node && (!g_str_has_prefix (node, NODE) || !parse_number (node + strlen (NODE), LS_NO_NODE - 1, &out->node)))
    wrong = g_strdup_printf ("expected node= and a node's number after the '?', not '%s'", node);
  return wrong;
}

gboolean
ls_place_parse (const char *text, LsPlace *out, GError **error)
{
  *out = (LsPlace) LS_PLACE_INIT;
  g_autofree char *wrong = parse_rest (text, out);
  if (!wrong)
    return TRUE;
  ls_place_clear (out);
  g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "'%s' is not a place: %s; a place is KERNEL, KERNEL/PASS or KERNEL/PASS/STEP, such as "
               "2/simplify/117 (kernel 0 is the tensor level), optionally followed by ~ and a second place to compare with, "
               "and by ?node=17", text, wrong);
  return FALSE;
}

char *
ls_place_split (const char *link, const char **rest)
{
  const char *hash = NULL;
  gboolean whole = g_file_test (link, G_FILE_TEST_EXISTS);
  for (const char *p = link + strlen (link); !whole && !hash && p-- > link;) {
    g_autofree char *left = *p == '#' ? g_strndup (link, (gsize) (p - link)) : NULL;
    if (left && g_file_test (left, G_FILE_TEST_IS_REGULAR))
      hash = p;
  }
  for (const char *p = whole || hash ? NULL : strchr (link, '#'); p && !hash; p = strchr (p + 1, '#')) {
    g_auto (LsPlace) place = LS_PLACE_INIT;
    if (ls_place_parse (p + 1, &place, NULL))
      hash = p;
  }
  *rest = hash ? hash + 1 : NULL;
  return hash ? g_strndup (link, (gsize) (hash - link)) : g_strdup (link);
}

gboolean
ls_place_parse_link (const char *text, LsPlace *out, GError **error)
{
  const char *rest;
  char *file = ls_place_split (text, &rest);
  *out = (LsPlace) LS_PLACE_INIT;
  gboolean ok = !rest || ls_place_parse (rest, out, error);
  out->file = file;
  return ok;
}

/* --- resolving --- */

/* The pass that is rendered: the last rewrite pass; for a kernel without one, the first of its passes. */
static const LsPass *
last_rewrite (LsTrace *trace, guint kernel)
{
  const LsPass *found = NULL;
  for (guint i = 0; i < trace->passes->len; i++) {
    const LsPass *p = trace->passes->pdata[i];
    if (p->kernel == kernel && p->parent < 0 && (p->kind == LS_PASS_REWRITE || !found))
      found = p;
  }
  return found;
}

static char *
names_of_passes (LsTrace *trace, guint kernel)
{
  g_autoptr (GString) names = g_string_new (NULL);
  for (guint i = 0; i < trace->passes->len && names->len < 400; i++) {
    const LsPass *p = trace->passes->pdata[i];
    if (p->kernel == kernel)
      g_string_append_printf (names, "%s%s", names->len ? ", " : "", p->name);
  }
  return g_strdup (names->len ? names->str : "none");
}

gboolean
ls_place_resolve (const LsPlacePoint *point, LsTrace *trace, LsPosition *out, GError **error)
{
  guint n = trace->kernels->len;
  if (point->kernel > n) {
    if (n == 0)
      g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "there is no kernel %u; the program made none", point->kernel);
    else
      g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "there is no kernel %u; there %s %u, numbered from 1", point->kernel,
                   n == 1 ? "is" : "are", n);
    return FALSE;
  }
  const LsKernel *k = ls_trace_kernel (trace, point->kernel);
  guint kernel = k && k->same_as > 0 ? (guint) k->same_as : point->kernel;      /* whose code it uses; its schedule is its own */
  const LsPass *pass = point->pass ? ls_trace_pass (trace, point->kernel, point->pass) : last_rewrite (trace, kernel);
  if (!pass && kernel != point->kernel)
    pass = ls_trace_pass (trace, kernel, point->pass);
  if (!pass) {
    g_autofree char *names = names_of_passes (trace, kernel);
    if (point->pass)
      g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "kernel %u has no pass '%s'; it has %s", kernel, point->pass, names);
    else
      g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "kernel %u has no passes", kernel);
    return FALSE;
  }
  guint last = ls_pass_n_steps (pass), step = point->step == LS_PLACE_NONE ? last : point->step;
  if (step > last) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "pass %s of kernel %u has %u steps, so there is no step %u", pass->name, pass->kernel,
                 last, step);
    return FALSE;
  }
  *out = (LsPosition) { trace, pass, step };
  return TRUE;
}

#define SCHEME "lazyscope:"

char *
ls_place_uri (const char *file, const char *place)
{
  g_autofree char *path = g_canonicalize_filename (file, NULL), *in_file = g_uri_escape_string (path, "/", FALSE),
                  *in_place = g_uri_escape_string (place, "/~?=", FALSE);
  return g_strdup_printf (SCHEME "%s#%s", in_file, in_place);
}

char *
ls_place_of_uri (const char *uri)
{
  const char *rest = g_str_has_prefix (uri, SCHEME) ? uri + strlen (SCHEME) : NULL, *mark = rest ? strchr (rest, '#') : NULL;
  if (!rest || *rest != '/')
    return NULL;
  g_autofree char *file = g_uri_unescape_segment (rest, mark, NULL), *place = mark ? g_uri_unescape_string (mark + 1, NULL) : NULL;
  return !file || (mark && !place) ? NULL : place ? g_strconcat (file, "#", place, NULL) : g_steal_pointer (&file);
}
