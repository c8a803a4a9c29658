/* Reading an answer's JSON back, by the record that wrote it: numbers that are not finite are the strings "nan", "inf" and "-inf", and a
 * value that is missing, or of another kind than in the record, is NaN, 0, FALSE or NULL.
 *
 * A reading names fields of its record only: another name is a mistake of this program, and a critical warning.
 */
#pragma once
#include "answer.h"

typedef struct LsReading LsReading;

/* A row of a reading, which it belongs to. Its object is NULL where there is none, and everything in it missing. */
typedef struct { const LsRecord *record; gpointer object; } LsRow;

/* NULL, with G_IO_ERROR_INVALID_DATA, for text that is not JSON or not an object. n: bytes, or -1 for all. */
LsReading  *ls_reading_new    (const LsRecord *record, const char *text, gssize n, GError **error);
/* From a file. An error of its text is json-glib's, which begins with the path; one of the file GLib's. */
LsReading  *ls_reading_load   (const LsRecord *record, const char *path, GError **error);
LsReading  *ls_reading_ref    (LsReading *reading);
void        ls_reading_unref  (LsReading *reading);
char       *ls_reading_text   (const LsReading *reading);      /* the JSON again. Free with g_free */
LsRow       ls_reading_row    (const LsReading *reading);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsReading, ls_reading_unref)

gboolean    ls_read_has       (LsRow row, const char *field);      /* it is there, and not null */
gboolean    ls_read_has_list  (LsRow row, const char *field);      /* it is there, and a list */
double      ls_read_number    (LsRow row, const char *field);
gint64      ls_read_int       (LsRow row, const char *field);      /* exactly */
guint       ls_read_count     (LsRow row, const char *field);      /* from 0 to G_MAXINT */
gboolean    ls_read_bool      (LsRow row, const char *field);
const char *ls_read_text      (LsRow row, const char *field);
LsRow       ls_read_row       (LsRow row, const char *field);      /* ROW and NODE */
/* Lists. */
guint       ls_read_n         (LsRow row, const char *field);
LsRow       ls_read_at        (LsRow row, const char *field, guint i);
double      ls_read_number_at (LsRow row, const char *field, guint i);
const char *ls_read_text_at   (LsRow row, const char *field, guint i);
/* A scalar of a list as text: "1.5", "nan", "True". Free with g_free. */
char       *ls_read_scalar_at (LsRow row, const char *field, guint i);
/* A RATIO with its interval, NaN where there is none. */
LsValueRatio ls_read_ratio    (LsRow row, const char *field);

/* The scalars of a SCALAR or TENSOR, those of inner lists in order: integers exactly, and everything as a number, NaN where it is not
 * one. LsReadScalar; NULL: the field is missing. Free with g_array_unref. */
typedef struct { gboolean is_integer; gint64 integer; double number; } LsReadScalar;
GArray      *ls_read_scalars  (LsRow row, const char *field);

/* Fills the members of a struct that its record's fields name by LS_MEMBER. Texts are kept in strings. A missing value is NaN, -1 for an
 * integer, FALSE, the first name or NULL. */
void         ls_read_take     (LsRow row, gpointer into, GStringChunk *strings);

extern const LsRecord ls_node_answer;
