/* An answer is rows: the data of a command or a pane is described once, as a table of fields next to the question.
 *
 * A record is the fields of one kind of row. The table gives JSON output (ls_answer_json) and input (read.h), CSV, text tables
 * and the manual's list of keys; a new field is one line of its table:
 *
 *   #define CANDIDATE(X) \
 *     X (options, TEXT, c->options, TRUE, "The options, \"\" for none.", .title = "options", .width = -44) \
 *     X (ns, NUMBER, c->ns, !isnan (c->ns), "Median time of one call, in ns.")
 *   LS_RECORD (ls_candidate_answer, CANDIDATE, const LsCandidate *c = row;)
 *
 * X (name, kind, value, present, sentence, …): value and present are expressions of C over the declarations in LS_RECORD;
 * `answer`, `row` and `index` exist in all. A field that is not present is left out. Further arguments are members of LsField.
 */
#pragma once
#include "ir/cell.h"
#include "ir/eval.h"
#include "ir/uop.h"

/* n values in sequence, of size bytes each; size 0: pointers to them. base is not owned. */
typedef struct {
  guint         n;
  gconstpointer base;
  gsize         size;
} LsList;

typedef struct { LsDType dtype; LsScalar value; } LsValueScalar;
typedef struct { double ratio, low, high; } LsValueRatio;
typedef struct { LsDType dtype; const guint8 *data; guint n_dims; const gint64 *dims; } LsValueTensor;

typedef struct LsValue {
  gboolean present;
  union {
    gint64        integer;
    double        number;
    const char   *text;
    char         *owned;
    LsDType       dtype;
    LsValueScalar scalar;
    LsValueRatio  ratio;
    gconstpointer row;
    LsList        list;
    LsValueTensor tensor;
  };
} LsValue;

typedef struct LsRecord LsRecord;

/* The subject of an answer, for the expressions of its rows. */
typedef struct {
  LsContext    *ctx;      /* of nodes; NULL where there are none */
  gconstpointer data;     /* what the rows of an answer have in common: its recording, its whole; or NULL */
  struct LsOwned **kept;   /* of ls_answer_keep; NULL outside of a record's get */
} LsAnswering;

/* For the expressions of a row: value, which is freed when the row is written. Values that a row computes live as long as it. */
gpointer ls_answer_keep (const LsAnswering *answer, gpointer value, GDestroyNotify free_value);

/* Windows and pages show a number with its unit. */
typedef enum { LS_UNIT_PLAIN, LS_UNIT_NS, LS_UNIT_MS, LS_UNIT_PERCENT, LS_UNIT_TENTHS } LsUnit;

/* Marks a text for translation by the code that shows it. */
#define LS_TITLE(text) text

typedef struct {
  const char     *name;       /* key in JSON, heading in CSV */
  LsCellKind      kind;
  const char     *sentence;   /* what it is, with its unit */
  const LsRecord *of;         /* ROW, LIST, MAP */
  LsCellKind      item;       /* LIST without of */
  const char     *title;      /* heading of the text table; NULL: it is not in it */
  int             width;      /* of its column there, in characters; negative: to the left */
  const char     *format;     /* of NUMBER and INT in text, for printf; NULL: "%g", "%" G_GINT64_FORMAT */
  char         *(*text) (const LsValue *value);      /* in text, in place of format; NULL: by format. Free with g_free */
  const char     *column;     /* LS_TITLE: its heading where windows and pages have it as a column; NULL: they have not */
  guint           place;      /* of that column among the others */
  gboolean        fills;      /* it takes the room that is left */
  LsUnit          unit;       /* how a number reads there */
  gboolean        lines;      /* LIST with .of: its rows are the lines of the CSV, after the other fields of the row that it is in */
  gboolean        only_text;  /* it is made of other fields, for tables: JSON and CSV do not have it */
  const char *const *names;   /* NAME; ends with NULL */
  guint           at, size;   /* LS_MEMBER: where a struct has it, for ls_read_take; size 0: it has not */
} LsField;

struct LsRecord {
  const char    *name;
  guint          n;
  const LsField *fields;
  void         (*get) (const LsAnswering *answer, gconstpointer row, guint index, LsValue *value);      /* fills n values */
};

#define LS_VALUE_INT(v, x)    ((v)->integer = (gint64) (x))
#define LS_VALUE_NUMBER(v, x) ((v)->number = (x))
#define LS_VALUE_BOOL(v, x)   ((v)->integer = (x) ? 1 : 0)
#define LS_VALUE_TEXT(v, x)   ((v)->text = (x))
#define LS_VALUE_OWNED(v, x)  ((v)->owned = (x))
#define LS_VALUE_NAME(v, x)   ((v)->integer = (gint64) (x))
#define LS_VALUE_DTYPE(v, x)  ((v)->dtype = (x))
#define LS_VALUE_NODE(v, x)   ((v)->integer = (gint64) (x))
#define LS_VALUE_SCALAR(v, x) ((v)->scalar = (x))
#define LS_VALUE_RATIO(v, x)  ((v)->ratio = (x))
#define LS_VALUE_ROW(v, x)    ((v)->row = (x))
#define LS_VALUE_LIST(v, x)   ((v)->list = (x))
#define LS_VALUE_MAP(v, x)    ((v)->list = (x))
#define LS_VALUE_TENSOR(v, x) ((v)->tensor = (x))
#define LS_FIELD_GET(field, kind, value_of, when, ...) \
  if ((value->present = (when))) \
    LS_VALUE_##kind (value, value_of); \
  value++;
#define LS_FIELD_ROW(field, kind_of, value, when, sentence_of, ...) \
  { .name = #field, .kind = LS_CELL_##kind_of, .sentence = sentence_of, __VA_ARGS__ },

/* The member of a struct that a field is: INT is a member of 4 or 8 bytes or an enum, NUMBER a double, TEXT a const char *. */
#define LS_MEMBER(type, member) .at = G_STRUCT_OFFSET (type, member), .size = sizeof (((type *) NULL)->member)

/* Defines the record NAME, with external linkage, from a table ROWS (X); … are declarations for its expressions. LS_INNER_RECORD: only
 * this file names it. */
#define LS_RECORD(NAME, ROWS, ...)       LS_RECORD_PARTS (NAME, ROWS, __VA_ARGS__) const LsRecord NAME = LS_RECORD_OF (NAME);
#define LS_INNER_RECORD(NAME, ROWS, ...) LS_RECORD_PARTS (NAME, ROWS, __VA_ARGS__) static const LsRecord NAME = LS_RECORD_OF (NAME);
#define LS_RECORD_OF(NAME)               { #NAME, G_N_ELEMENTS (NAME##_fields), NAME##_fields, NAME##_get }
#define LS_RECORD_PARTS(NAME, ROWS, ...) \
  static void \
  NAME##_get (const LsAnswering *answer G_GNUC_UNUSED, gconstpointer row G_GNUC_UNUSED, guint index G_GNUC_UNUSED, LsValue *value) \
  { \
    __VA_ARGS__ \
    ROWS (LS_FIELD_GET) \
  } \
  static const LsField NAME##_fields[] = { ROWS (LS_FIELD_ROW) };

static inline LsList ls_list_array    (const GArray *a) { return a ? (LsList) { a->len, a->data, g_array_get_element_size ((GArray *) a) }
                                                                 : (LsList) { 0 }; }
static inline LsList ls_list_pointers (const GPtrArray *a) { return a ? (LsList) { a->len, a->pdata, 0 } : (LsList) { 0 }; }
static inline LsList ls_list_of       (guint n, gconstpointer base, gsize size) { return (LsList) { n, base, size }; }
/* n rows that are only numbers: the expressions look at index. */
static inline LsList ls_list_numbers  (guint n) { return (LsList) { n, NULL, 0 }; }
static inline gconstpointer
ls_list_at (const LsList *l, guint i)
{
  return !l->base ? NULL : l->size ? (const guint8 *) l->base + i * l->size : ((const gpointer *) l->base)[i];
}

/* The row as JSON in one line. Free with g_free. */
char *ls_answer_json  (const LsRecord *record, gconstpointer row, const LsAnswering *answer);
/* The rows of its list that has .lines, else the row itself, as CSV (RFC 4180): a line of headings, then a line for each row. Other
 * fields that are rows or lists are JSON. Free with g_free. */
char *ls_answer_csv   (const LsRecord *record, gconstpointer row, const LsAnswering *answer);
/* A list of rows as a text table of the fields that have a title, with a line of headings. Free with g_free. */
char *ls_answer_table (const LsRecord *record, const LsList *rows, const LsAnswering *answer);
/* One field of a row as the table has it, without padding. Free with g_free; NULL: there is no such field, or it is not present. */
char *ls_answer_cell  (const LsRecord *record, gconstpointer row, guint index, const LsAnswering *answer, const char *field);
/* The same as text says it, without field->text and field->format. */
typedef char *(*LsFieldText) (const LsField *field, const LsValue *value);
char *ls_answer_cell_by (const LsRecord *record, gconstpointer row, guint index, const LsAnswering *answer, const LsField *field,
                         LsFieldText text);
/* The fields that are columns of windows and pages, by place; how many of max there are. */
guint ls_record_columns (const LsRecord *record, const LsField **fields, guint max);
/* The keys of the record's JSON, those of an object in parentheses after its name: "kernels (name, stage_ms (*)), error". Free with
 * g_free. */
char *ls_answer_keys  (const LsRecord *record);
const LsField *ls_record_field (const LsRecord *record, const char *name);      /* NULL: it has none of that name */
