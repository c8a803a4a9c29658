/* String literals: escapes, pieces side by side, and the fields of f-strings. */
#include "parser-private.h"

#include <string.h>

/* The character that an escape at text[*i] (after the backslash) stands for. FALSE where it is malformed. */
static gboolean
append_escape (GString *out, const char *text, guint32 end, guint32 *i)
{
  static const char from[] = "nrtbfav0\\'\"", to[] = "\n\r\t\b\f\a\v\0\\'\"";
  char c = text[*i];
  guint digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
  const char *simple = strchr (from, c);
  if (c == '\n') {
    (*i)++;
    return TRUE;
  }
  if (digits == 0) {
    if (simple && c) {
      g_string_append_c (out, to[simple - from]);
      (*i)++;
    } else {
      g_string_append_c (out, '\\');      /* as Python: an unknown escape stays */
    }
    return TRUE;
  }
  gunichar value = 0;
  for (guint d = 1; d <= digits; d++) {
    if (*i + d >= end || !g_ascii_isxdigit (text[*i + d]))
      return FALSE;
    value = value << 4 | g_ascii_xdigit_value (text[*i + d]);
  }
  if (value == 0 || !g_unichar_validate (value))
    return FALSE;
  g_string_append_unichar (out, value);
  *i += digits + 1;
  return TRUE;
}

static LsAst *
text_node (LsParser *p, GString *text, guint32 pos)
{
  LsAst *node = ls_parser_node (p, LS_AST_CONST, pos);
  node->value = ls_value_str_n (&p->syntax->arena, text->str, text->len);
  g_string_truncate (text, 0);
  return node;
}

static gboolean parse_pieces (LsParser *p, guint32 start, guint32 end, gboolean is_raw, gboolean is_spec, GString *text, GPtrArray *items, guint32 *stopped);

/* A field from after its "{" on; returns where it ends, after its "}", or 0. */
static guint32
parse_field (LsParser *p, guint32 start, guint32 end, gboolean is_raw, GString *text, GPtrArray *items)
{
  LsLexer outer_lexer = p->lexer;
  LsToken outer_token = p->token;
  LsAst *field = ls_parser_node (p, LS_AST_FIELD, start);
  guint32 after = 0;
  gboolean shows_text = FALSE;
  if (!ls_parser_enter (p))
    return 0;
  ls_lexer_init_inner (&p->lexer, p->source, start, end);
  ls_parser_advance (p);
  field->a = ls_parser_adopt (p, field, ls_parse_expressions (p));
  if (!p->failed && ls_parser_at (p, LS_OP1 ('='))) {      /* f"{x = }": the text stands before the value */
    guint32 stop = p->token.end;
    while (stop < end && p->source->text[stop] == ' ')
      stop++;
    g_string_append_len (text, p->source->text + start, stop - start);
    shows_text = TRUE;
    ls_parser_advance (p);
  }
  if (text->len > 0)
    g_ptr_array_add (items, text_node (p, text, start));
  if (!p->failed && ls_parser_accept (p, LS_OP1 ('!'))) {
    if (p->token.kind != LS_TOKEN_NAME || p->token.end != p->token.start + 1 || !strchr ("rsa", p->source->text[p->token.start]))
      ls_parser_unexpected (p, "r or s");
    else {
      field->op = p->source->text[p->token.start];
      ls_parser_advance (p);
    }
  }
  if (!p->failed && ls_parser_at (p, LS_OP1 (':'))) {
    LsAst *spec = ls_parser_node (p, LS_AST_FORMAT, p->token.start);
    g_autoptr (GPtrArray) parts = g_ptr_array_new ();
    g_autoptr (GString) spec_text = g_string_new (NULL);
    guint32 begin = p->token.end;
    if (parse_pieces (p, begin, end, is_raw, TRUE, spec_text, parts, &after)) {
      if (spec_text->len > 0)
        g_ptr_array_add (parts, text_node (p, spec_text, begin));
      ls_parser_items (p, spec, parts);
      field->b = ls_parser_adopt (p, field, spec);
      shows_text = FALSE;
      after++;
    }
  } else if (!p->failed && ls_parser_at (p, LS_OP1 ('}'))) {
    after = p->token.end;
  } else if (!p->failed) {
    ls_parser_unexpected (p, "'}'");
  }
  if (shows_text && field->op == 0)
    field->op = 'r';
  ls_parser_leave (p);
  g_ptr_array_add (items, field);
  if (p->failed)
    return 0;
  p->lexer = outer_lexer;
  p->token = outer_token;
  return after;
}

/* The text and fields of an f-string, or of a format spec, which ends at "}". */
static gboolean
parse_pieces (LsParser *p, guint32 start, guint32 end, gboolean is_raw, gboolean is_spec, GString *text, GPtrArray *items, guint32 *stopped)
{
  const char *s = p->source->text;
  guint32 i = start;
  while (i < end) {
    char c = s[i];
    gboolean doubled = i + 1 < end && s[i + 1] == c;
    if (c == '{' && !(doubled && !is_spec)) {
      i = parse_field (p, i + 1, end, is_raw, text, items);
      if (i == 0)
        return FALSE;
      continue;
    }
    if (c == '}' && is_spec) {
      *stopped = i;
      return TRUE;
    }
    if ((c == '{' || c == '}') && doubled) {
      g_string_append_c (text, c);
      i += 2;
    } else if (c == '}') {
      ls_parser_fail (p, i, "write '}}' for a brace", "a single '}' in an f-string");
      return FALSE;
    } else if (c == '\\' && !is_raw && i + 1 < end) {
      guint32 at = i++;
      if (!append_escape (text, s, end, &i)) {
        ls_parser_fail (p, at, NULL, "this escape names no character");
        return FALSE;
      }
    } else {
      g_string_append_c (text, c);
      i++;
    }
  }
  if (is_spec) {
    ls_parser_fail (p, end, NULL, "the field's '}' is missing");
    return FALSE;
  }
  return TRUE;
}

LsAst *
ls_parse_strings (LsParser *p)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new ();
  g_autoptr (GString) text = g_string_new (NULL);
  guint32 pos = p->token.start;
  gboolean format = FALSE;
  while (p->token.kind == LS_TOKEN_STRING) {
    LsToken token = p->token;
    if (token.is_format) {
      format = TRUE;
      if (!parse_pieces (p, token.body_start, token.body_end, token.is_raw, FALSE, text, items, NULL))
        return NULL;
    } else {
      for (guint32 i = token.body_start; i < token.body_end;) {
        char c = p->source->text[i];
        if (c == '\\' && !token.is_raw && i + 1 < token.body_end) {
          guint32 at = i++;
          if (!append_escape (text, p->source->text, token.body_end, &i))
            return ls_parser_fail (p, at, NULL, "this escape names no character");
        } else {
          g_string_append_c (text, c);
          i++;
        }
      }
    }
    ls_parser_advance (p);
  }
  if (!format)
    return p->failed ? NULL : text_node (p, text, pos);
  if (text->len > 0)
    g_ptr_array_add (items, text_node (p, text, pos));
  LsAst *node = ls_parser_node (p, LS_AST_FORMAT, pos);
  ls_parser_items (p, node, items);
  return p->failed ? NULL : node;
}
