#include "record-table.h"
#include "kit/text.h"

#include <math.h>
#include <string.h>

#define MOST_CHARACTERS 200

void
ls_record_columns_init (LsRecordColumns *self, const LsRecord *record)
{
  self->record = record;
  self->n = ls_record_columns (record, self->fields, LS_RECORD_COLUMNS);
  for (guint i = 0; i < self->n; i++) {
    const LsField *f = self->fields[i];
    self->columns[i] = (LsTableColumn) { f->column, f->kind == LS_CELL_NUMBER || f->kind == LS_CELL_INT, f->fills };
  }
}

gboolean
ls_record_column_is (const LsRecordColumns *self, guint column, const char *name)
{
  return strcmp (self->fields[column]->name, name) == 0;
}

static char *
text_of (const LsField *field, const LsValue *v)
{
  double number = field->kind == LS_CELL_NUMBER ? v->number : (double) v->integer;
  if (field->kind == LS_CELL_NAME)
    return g_strdup (field->names[v->integer]);
  if (field->kind != LS_CELL_NUMBER && field->kind != LS_CELL_INT)
    return ls_text_cut (v->text ? v->text : "", MOST_CHARACTERS);
  if (isnan (number))
    return NULL;
  switch (field->unit) {
  case LS_UNIT_NS: return ls_text_ns (number);
  case LS_UNIT_MS: return ls_text_ns (number * 1e6);
  case LS_UNIT_PERCENT: return g_strdup_printf ("%.0f %%", number);
  case LS_UNIT_TENTHS: return g_strdup_printf ("%.1f %%", number);
  default: return field->kind == LS_CELL_INT ? ls_text_count ((guint64) v->integer) : g_strdup_printf ("%.3g", number);
  }
}

char *
ls_record_column_text (const LsRecordColumns *self, gconstpointer row, guint index, gconstpointer data, guint column)
{
  return ls_answer_cell_by (self->record, row, index, &(LsAnswering) { .data = data }, self->fields[column], text_of);
}
