/* Loops are closed by backward jumps. Reads the texts of x86-64 instructions; of other machines it finds none. */
#include "hot-loop.h"

#include <stdlib.h>
#include <string.h>

typedef struct { guint first, last, depth; gboolean inner; } Loop;

static GArray *
find_loops (const GArray *code)
{
  GArray *loops = g_array_new (FALSE, FALSE, sizeof (Loop));
  for (guint i = 0; i < code->len; i++) {
    const LsInstruction *x = &g_array_index (code, LsInstruction, i);
    const char *space = strchr (x->text, ' ');
    if (x->text[0] != 'j' || !space || strncmp (space + 1, "0x", 2) != 0)
      continue;
    guint64 to = g_ascii_strtoull (space + 1, NULL, 16);
    for (guint k = 0; k <= i; k++)
      if (g_array_index (code, LsInstruction, k).address == to) {
        Loop loop = { k, i, 0, TRUE };
        g_array_append_val (loops, loop);
      }
  }
  for (guint i = 0; i < loops->len; i++)
    for (guint k = 0; k < loops->len; k++) {
      Loop *a = &g_array_index (loops, Loop, i), *b = &g_array_index (loops, Loop, k);
      if (i != k && a->first <= b->first && b->last <= a->last && (a->first != b->first || a->last != b->last)) {
        a->inner = FALSE;
        b->depth++;
      }
    }
  return loops;
}

static const char *const moves[] = { "mov", "vmov", "lea", "push", "pop", "vzeroupper", "vbroadcast", "vpbroadcast", "vinsert", "vextract",
                                     "vperm", "vunpck", "unpck", "vshuf", "shuf", "pshuf", "vpshuf", "vpunpck", "punpck", "lddqu", NULL };

/* The width that a floating or vector instruction computes with, or 0. */
static guint
arithmetic_bits (const char *text)
{
  for (guint k = 0; moves[k]; k++)
    if (g_str_has_prefix (text, moves[k]))
      return 0;
  const char *space = strchr (text, ' ');
  if (!space || !strstr (text, "mm"))
    return 0;
  gsize n = (gsize) (space - text);
  if (n > 2 && text[n - 2] == 's' && (text[n - 1] == 's' || text[n - 1] == 'd') && text[0] != 'p' && strncmp (text, "vp", 2) != 0)
    return text[n - 1] == 's' ? 32 : 64;
  return strstr (text, "zmm") ? 512 : strstr (text, "ymm") ? 256 : strstr (text, "xmm") ? 128 : 0;
}

static void
name_registers (const char *text, guint32 *vectors, GHashTable *general)
{
  static const char *const names[] = { "ax", "bx", "cx", "dx", "si", "di", "bp", "sp", NULL };
  for (const char *at = text; (at = strstr (at, "mm"));) {
    at += 2;
    if (g_ascii_isdigit (*at))
      *vectors |= 1u << (atoi (at) & 31);
  }
  const char *operands = strchr (text, ' ');
  for (const char *at = operands; at && *at; at++) {
    if (at[0] == 'r' && g_ascii_isdigit (at[1]))
      g_hash_table_add (general, GINT_TO_POINTER (100 + atoi (at + 1)));
    for (guint k = 0; names[k]; k++)
      if ((at[0] == 'r' || at[0] == 'e') && strncmp (at + 1, names[k], 2) == 0)
        g_hash_table_add (general, GUINT_TO_POINTER (k + 1));
  }
}

static void
describe (const GArray *code, LsHotLoop *h)
{
  guint32 vectors = 0;
  g_autoptr (GHashTable) general = g_hash_table_new (NULL, NULL);
  for (guint i = h->first; i <= h->last && i < code->len; i++) {
    const char *text = g_array_index (code, LsInstruction, i).text;
    guint bits = arithmetic_bits (text);
    h->n++;
    h->vector_bits = MAX (h->vector_bits, bits);
    h->n_arithmetic += bits > 0;
    h->n_memory += strchr (text, '[') && !g_str_has_prefix (text, "lea") && !g_str_has_prefix (text, "nop");
    name_registers (text, &vectors, general);
  }
  h->vector_registers = (guint) __builtin_popcount (vectors);
  h->general_registers = g_hash_table_size (general);
}

LsHotLoop
ls_hot_loop (const GArray *code)
{
  LsHotLoop best = { FALSE, 0, code->len ? code->len - 1 : 0, 0 };
  guint best_depth = 0;
  g_autoptr (GArray) loops = find_loops (code);
  if (code->len == 0)
    return best;
  for (guint i = 0; i < loops->len; i++) {
    const Loop *loop = &g_array_index (loops, Loop, i);
    LsHotLoop h = { TRUE, loop->first, loop->last };
    if (!loop->inner)
      continue;
    describe (code, &h);
    /* next to the vector loop there is often a scalar loop for the remaining iterations */
    if (!best.found || loop->depth > best_depth || (loop->depth == best_depth && (h.vector_bits > best.vector_bits ||
                                                                                  (h.vector_bits == best.vector_bits &&
                                                                                   h.n_arithmetic > best.n_arithmetic)))) {
      best = h;
      best_depth = loop->depth;
    }
  }
  if (!best.found)
    describe (code, &best);
  return best;
}
