/* The rows that a flush writes of one table: gathered, then written by one statement that reads them where they stand. */
#pragma once
#include "store-seal.h"

typedef struct _LsStoreRows LsStoreRows;

LsStoreRows  *ls_store_rows_new     (void);
void          ls_store_rows_free    (LsStoreRows *rows);
/* Makes the rows known to a connection, which must be closed before they are freed. A result code of SQLite's. */
int           ls_store_rows_connect (LsStoreRows *rows, sqlite3 *db);
/* The statement that writes the rows that were gathered of a table. following: they are of a table without owners that has rows, and
 * their numbers follow its last one's, so that SQLite need not look where each belongs. NULL: SQLite says why. Free with
 * sqlite3_finalize. */
sqlite3_stmt *ls_store_rows_prepare (sqlite3 *db, const LsTable *table, gboolean following);
/* Begins to gather rows of that table. Written rows are added to its seal. digests: those of the rows by number (LsRowDigest), if they
 * may be written again; or NULL. */
void          ls_store_rows_begin   (LsStoreRows *rows, const LsTable *table, LsSeal *seal, GArray *digests);
/* row must stand where it is until the statement has run; number: from 0. */
void          ls_store_rows_add     (LsStoreRows *rows, guint owner, guint number, gconstpointer row);
guint         ls_store_rows_count   (const LsStoreRows *rows);
/* For the row that was added last, which must exist. */
gint64        ls_store_rows_last_key (const LsStoreRows *rows);
