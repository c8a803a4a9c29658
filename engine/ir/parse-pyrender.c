/* Reads pyrender text back. Names may be any identifiers; each is assigned once, before it is used, and the last line is
 * the root. Nodes inside of nodes nest as deep as MAX_DEPTH, more than pyrender writes. */
#include "print-private.h"
#include <string.h>

#define MAX_DEPTH 200

typedef struct {
  LsContext  *ctx;
  LsScan      s;
  GHashTable *names;
} Reader;

static LsUOp *read_node (Reader *r, guint depth);

static char *
read_name (Reader *r)
{
  ls_scan_space (&r->s);
  guint n = 0;
  while (g_ascii_isalnum (r->s.p[n]) || r->s.p[n] == '_')
    n++;
  if (!n || g_ascii_isdigit (*r->s.p)) {
    ls_scan_fail (&r->s, "a name is missing here");
    return NULL;
  }
  char *name = g_strndup (r->s.p, n);
  r->s.p += n;
  return name;
}

static LsUOp *
read_source (Reader *r, guint depth)
{
  ls_scan_space (&r->s);
  if (g_str_has_prefix (r->s.p, "UOp("))
    return read_node (r, depth);
  const char *start = r->s.p;
  g_autofree char *name = read_name (r);
  if (!name)
    return NULL;
  LsUOp *u = g_hash_table_lookup (r->names, name);
  if (!u) {
    r->s.p = start;
    ls_scan_fail (&r->s, "“%s” is not defined", name);
  }
  return u;
}

static gboolean
read_sources (Reader *r, GPtrArray *src, guint depth)
{
  while (!ls_scan_take (&r->s, ")")) {
    if (src->len && !ls_scan_need (&r->s, ","))
      return FALSE;
    if (src->len && ls_scan_take (&r->s, ")"))
      return TRUE;
    LsUOp *u = read_source (r, depth);
    if (!u)
      return FALSE;
    g_ptr_array_add (src, u);
  }
  return TRUE;
}

static gboolean
read_fields (Reader *r, LsDType dtype, LsOp op, GPtrArray *src, LsArg *arg, guint16 *tag, guint depth)
{
  LsScan *s = &r->s;
  while (!ls_scan_take (s, ")")) {
    if (!ls_scan_need (s, ","))
      return FALSE;
    if (ls_scan_take (s, "arg=")) {
      const char *start = s->p;
      g_autofree char *text = ls_scan_until (s, ",)");
      if (!ls_arg_parse (r->ctx, text, arg)) {
        s->p = start;
        return ls_scan_fail (s, "“%s” is not an argument", text);
      }
      if (op == LS_OP_CONST)
        *arg = ls_arg_fit (dtype, *arg);
    } else if (ls_scan_take (s, "tag=")) {
      g_autofree char *text = ls_scan_until (s, ",)");
      if (!ls_tag_parse (text, tag))
        return ls_scan_fail (s, "a tag must be a number below 32768, or a text in quotes");
    } else if (ls_scan_take (s, "(")) {
      if (!read_sources (r, src, depth + 1))
        return FALSE;
    } else
      return ls_scan_fail (s, "expected sources, arg= or tag=");
  }
  return TRUE;
}

static LsUOp *
read_node (Reader *r, guint depth)
{
  LsScan *s = &r->s;
  LsOp op;
  LsDType dtype;
  LsArg arg = ls_arg_none ();
  guint16 tag = 0;
  g_autoptr (GPtrArray) src = g_ptr_array_new ();
  if (depth > MAX_DEPTH) {
    ls_scan_fail (s, "nodes are nested too deeply");
    return NULL;
  }
  if (!ls_scan_need (s, "UOp(") || !ls_scan_op (s, &op) || !ls_scan_need (s, ","))
    return NULL;
  ls_scan_space (s);
  const char *start = s->p;
  g_autofree char *text = ls_scan_until (s, ",)");
  if (!ls_dtype_parse (text, &dtype)) {
    s->p = start;
    ls_scan_fail (s, "“%s” is not a dtype", text);
    return NULL;
  }
  if (!read_fields (r, dtype, op, src, &arg, &tag, depth))
    return NULL;
  int arity = ls_op_info (op)->arity;
  if (arity >= 0 && src->len != (guint) arity) {
    s->p = start;
    ls_scan_fail (s, "%s has %d source%s, not %u", ls_op_name (op), arity, arity == 1 ? "" : "s", src->len);
    return NULL;
  }
  return ls_uop_new_tag (r->ctx, op, dtype, src->len, (LsUOp *const *) src->pdata, arg, tag);
}

static LsUOp *
read_line (Reader *r)
{
  const char *start = r->s.p;
  g_autofree char *name = read_name (r);
  if (!name || !ls_scan_need (&r->s, "="))
    return NULL;
  LsUOp *u = read_source (r, 0);
  if (!u)
    return NULL;
  ls_scan_space (&r->s);
  if (*r->s.p && *r->s.p != '\n' && *r->s.p != '\r' && *r->s.p != '#') {
    ls_scan_fail (&r->s, "the line has text after its node");
    return NULL;
  }
  if (g_hash_table_contains (r->names, name)) {
    r->s.p = start;
    ls_scan_fail (&r->s, "“%s” is defined twice", name);
    return NULL;
  }
  g_hash_table_insert (r->names, g_steal_pointer (&name), u);
  return u;
}

/**
 * ls_pyrender_parse:
 * @ctx: where the nodes are made
 * @text: what ls_pyrender() wrote; empty lines and comments (#) are skipped
 * @error: (nullable): LS_ERROR_SYNTAX with line and column
 *
 * Returns: (nullable): the node of the last line
 */
LsUOp *
ls_pyrender_parse (LsContext *ctx, const char *text, GError **error)
{
  Reader r = { ctx, { text, text, "pyrender", error }, g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL) };
  LsUOp *root = NULL;
  gboolean ok = TRUE;
  while (ok && *r.s.p) {
    gsize blank = strspn (r.s.p, " \t\r");
    char c = r.s.p[blank];
    if (c && c != '\n' && c != '#') {
      LsUOp *u = read_line (&r);
      ok = u != NULL;
      if (u)
        root = u;
    }
    const char *end = strchr (r.s.p, '\n');
    if (ok)
      r.s.p = end ? end + 1 : r.s.p + strlen (r.s.p);
  }
  if (ok && !root)
    ls_scan_fail (&r.s, "there is no node");
  g_hash_table_unref (r.names);
  return ok ? root : NULL;
}
