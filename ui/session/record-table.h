/* The columns of a table that shows an answer: the fields of its record that have a .column. */
#pragma once
#include "answer/answer.h"
#include "kit/table.h"

#define LS_RECORD_COLUMNS 12

typedef struct {
  const LsRecord *record;
  guint           n;
  const LsField  *fields[LS_RECORD_COLUMNS];
  LsTableColumn   columns[LS_RECORD_COLUMNS];      /* of ls_table_new */
} LsRecordColumns;

void  ls_record_columns_init (LsRecordColumns *self, const LsRecord *record);
/* Is it the field of that name? */
gboolean ls_record_column_is (const LsRecordColumns *self, guint column, const char *name);
/* A cell: numbers with their units, names and texts cut off after a line or so. Free with g_free. */
char *ls_record_column_text  (const LsRecordColumns *self, gconstpointer row, guint index, gconstpointer data, guint column);
