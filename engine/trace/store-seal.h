/* Seals: digests of a recording's tables, by which later edits are found.
 *
 * Every row has a digest. A table's seal adds up those of its rows, once plainly and once by the row's place, modulo the prime 2^61 -
 * 1: a row that is replaced is taken out and added again, the order of writing does not matter, and from the two differences the
 * place of a single edited row follows. There is no key: who edits a file and seals it again is not found.
 */
#pragma once
#include "store-read-private.h"

typedef struct { guint64 n, sum, placed; } LsSeal;
typedef guint64 LsRowDigest;      /* of the values of a row so far; 0 at its beginning */

/* Tables by number: those of LsTable, then those that are read by hand. */
enum { LS_SEAL_NODES = LS_N_TABLES, LS_SEAL_STEPS, LS_SEAL_LINKS, LS_SEAL_SETTINGS, LS_SEAL_META, LS_N_SEALS };
const LsTable *ls_seal_table (guint seal);

enum { LS_DIGEST_NULL = 1, LS_DIGEST_INT, LS_DIGEST_DOUBLE, LS_DIGEST_TEXT, LS_DIGEST_BLOB };
G_GNUC_EXTENSION typedef unsigned __int128 LsWide;

/* The two halves of a product of 64 by 64 bits, folded: every bit of the factors reaches every bit of the result. */
static inline guint64
ls_digest_mix (guint64 a, guint64 b)
{
  LsWide product = (LsWide) (a ^ G_GUINT64_CONSTANT (0xa0761d6478bd642f)) * (b ^ G_GUINT64_CONSTANT (0xe7037ed1a0b428db));
  return (guint64) product ^ (guint64) (product >> 64);
}

static inline void ls_row_digest_null (LsRowDigest *digest) { *digest = ls_digest_mix (*digest + LS_DIGEST_NULL, 0); }
static inline void ls_row_digest_int  (LsRowDigest *digest, gint64 value) {
  *digest = ls_digest_mix (*digest + LS_DIGEST_INT, (guint64) value); }
void ls_row_digest_double (LsRowDigest *digest, double value);
void ls_row_digest_text   (LsRowDigest *digest, const char *text, gsize n);
void ls_row_digest_blob   (LsRowDigest *digest, gconstpointer data, gsize n);

static inline guint64 ls_seal_place (gint64 owner, gint64 number) {
  return ((guint64) owner << 32 | (guint32) number) & ((G_GUINT64_CONSTANT (1) << 60) - 1); }
void ls_seal_add    (LsSeal *seal, guint64 place, LsRowDigest row);
void ls_seal_remove (LsSeal *seal, guint64 place, LsRowDigest row);
/* The place of the one row in which they differ: FALSE where more than one does, or none. */
gboolean ls_seal_find (const LsSeal *then, const LsSeal *now, guint64 *place);

/* The place of a row of meta, whose key is text. */
guint64 ls_seal_place_of_key (const char *key);
/* "…": of a table's seal, of all of them, and of the latter chained to the one before ("" of the first). Free with g_free. */
char *ls_seal_text    (const LsSeal *seal);
char *ls_seal_content (const LsSeal seals[LS_N_SEALS]);
char *ls_seal_chain   (const char *before, guint64 flush, guint64 rows, const char *content);
/* "calls 53, bindings 4": by the tables' numbers. Free with g_free. */
char *ls_seal_row_counts (const guint64 n[LS_N_SEALS]);
/* The seal of the current contents of the file's table. FALSE with the error set. */
gboolean ls_reader_seal (LsReader *r, const LsTable *table, LsSeal *out);
