/* Seals a recording again after it was edited, as a forger would: differences that verify finds then are not from the seal. */
#pragma once
#include "trace/store-seal.h"

static void
reseal (const char *path)
{
  g_autoptr (LsContext) ctx = ls_context_new ();
  g_autoptr (LsTrace) trace = ls_trace_new (ctx);
  GError *local = NULL;
  LsReader r = { .path = path, .trace = trace, .version = LS_STORE_VERSION, .error = &local };
  LsSeal seals[LS_N_SEALS];
  g_assert_cmpint (sqlite3_open (path, &r.db), ==, SQLITE_OK);
  g_autoptr (GString) sql = g_string_new ("PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY; BEGIN; DELETE FROM seals; DELETE FROM "
                                          "sealed_tables;");
  for (guint i = 0; i < LS_N_SEALS; i++) {
    if (!ls_reader_seal (&r, ls_seal_table (i), &seals[i]))
      g_error ("%s", local->message);
    g_autofree char *digest = ls_seal_text (&seals[i]);
    g_string_append_printf (sql, "INSERT INTO sealed_tables VALUES ('%s', %" G_GUINT64_FORMAT ", '%s');", ls_seal_table (i)->name,
                            seals[i].n, digest);
  }
  g_autofree char *content = ls_seal_content (seals), *chain = ls_seal_chain ("", 1, 1, content);
  g_string_append_printf (sql, "INSERT INTO seals VALUES (1, 1, '%s', '%s'); COMMIT", content, chain);
  g_assert_cmpint (sqlite3_exec (r.db, sql->str, NULL, NULL, NULL), ==, SQLITE_OK);
  sqlite3_close (r.db);
}
