/* Answers as rows: a record of every kind of cell as JSON, CSV, text and keys, and read back; readings of anything. */
#include "answer/read.h"

#include <math.h>
#include <string.h>

typedef struct { const char *name; double ns; gint64 count; gboolean chosen; int which; const char *note; } Item;
typedef struct { Item *items; guint n; } Whole;

static const char *const names[] = { "none", "bits", "other", NULL };

#define ITEM(X) \
  X (id, INT, index, TRUE, "Its number", .title = "row", .width = 3) \
  X (name, TEXT, i->name, TRUE, "Its name", .title = "name", .width = -6, LS_MEMBER (Item, name)) \
  X (ns, NUMBER, i->ns, !isnan (i->ns), "Nanoseconds", .title = "time", .width = 6, .format = "%.1f", LS_MEMBER (Item, ns)) \
  X (count, INT, i->count < 0 ? LS_NOTHING : i->count, TRUE, "How many", LS_MEMBER (Item, count)) \
  X (which, NAME, i->which, TRUE, "Which", .names = names, LS_MEMBER (Item, which)) \
  X (ratio, RATIO, ((LsValueRatio) { 2, i->ns, 3 }), TRUE, "A ratio") \
  X (chosen, BOOL, i->chosen, TRUE, "Is it chosen?", LS_MEMBER (Item, chosen)) \
  X (note, OWNED, g_strconcat ("<", i->name, ">", NULL), TRUE, "What else", .title = "", .only_text = TRUE)
LS_RECORD (item_answer, ITEM, const Item *i = row;)

#define TIMES(X) \
  X (name, TEXT, i->name, TRUE, "Name of a stage") \
  X (value, NUMBER, i->ns, TRUE, "Its time")
LS_RECORD (times_answer, TIMES, const Item *i = row;)

static const double numbers[] = { 1.5, NAN, -INFINITY };
static const char *const texts[] = { "a", "b, \"c\"" };
static const gint64 dims[] = { 2, 1 };
static const float values[] = { 1, 2 };

#define WHOLE(X) \
  X (items, LIST, ls_list_of (w->n, w->items, sizeof (Item)), TRUE, "Items", .of = &item_answer, .lines = TRUE) \
  X (first, ROW, w->items, w->n > 0, "The first one", .of = &item_answer) \
  X (times, MAP, ls_list_of (w->n, w->items, sizeof (Item)), TRUE, "Times", .of = &times_answer) \
  X (numbers, LIST, ls_list_of (3, numbers, sizeof (double)), TRUE, "Numbers", .item = LS_CELL_NUMBER) \
  X (texts, LIST, ls_list_of (2, texts, sizeof (char *)), TRUE, "Texts", .item = LS_CELL_TEXT) \
  X (large, SCALAR, ((LsValueScalar) { LS_UINT64, { .i = -1 } }), TRUE, "The largest integer") \
  X (dtype, DTYPE, LS_FLOAT, TRUE, "A dtype") \
  X (huge, NUMBER, 0x1p1000, TRUE, "A large number") \
  X (tensor, TENSOR, ((LsValueTensor) { LS_FLOAT, (const guint8 *) values, 2, dims }), TRUE, "Values") \
  X (nothing, TEXT, NULL, TRUE, "Nothing")
LS_RECORD (whole_answer, WHOLE, const Whole *w = row;)

static Item items[] = { { "x,y", 1.25, 7, TRUE, 1, NULL }, { "z", NAN, -1, FALSE, 2, NULL } };
static const Whole whole = { items, 2 };

static void
test_json (void)
{
  g_autofree char *text = ls_answer_json (&whole_answer, &whole, &(LsAnswering) { 0 });
  g_assert_cmpstr (text, ==,
                   "{\"items\":[{\"id\":0,\"name\":\"x,y\",\"ns\":1.25,\"count\":7,\"which\":\"bits\",\"ratio\":2.0,\"ratio_low\":1.25,"
                   "\"ratio_high\":3.0,\"chosen\":true},{\"id\":1,\"name\":\"z\",\"count\":null,\"which\":\"other\",\"ratio\":2.0,"
                   "\"ratio_low\":\"nan\",\"ratio_high\":3.0,\"chosen\":false}],"
                   "\"first\":{\"id\":0,\"name\":\"x,y\",\"ns\":1.25,\"count\":7,\"which\":\"bits\",\"ratio\":2.0,"
                   "\"ratio_low\":1.25,\"ratio_high\":3.0,\"chosen\":true},\"times\":{\"x,y\":1.25,\"z\":\"nan\"},"
                   "\"numbers\":[1.5,\"nan\",\"-inf\"],\"texts\":[\"a\",\"b, \\\"c\\\"\"],\"large\":\"18446744073709551615\","
                   "\"dtype\":\"dtypes.float\",\"huge\":1.0715086071862673e+301,\"tensor\":[[1.0],[2.0]],\"nothing\":null}");
}

static void
test_text (void)
{
  LsList list = ls_list_of (2, items, sizeof (Item));
  g_autofree char *csv = ls_answer_csv (&whole_answer, &whole, &(LsAnswering) { 0 });
  g_autofree char *table = ls_answer_table (&item_answer, &list, &(LsAnswering) { 0 });
  g_autofree char *keys = ls_answer_keys (&whole_answer), *cell = ls_answer_cell (&item_answer, &items[1], 1, &(LsAnswering) { 0 }, "note");
  g_assert_cmpstr (csv, ==, "id,name,ns,count,which,ratio,ratio_low,ratio_high,chosen\r\n0,\"x,y\",1.25,7,bits,2,1.25,3,true\r\n"
                            "1,z,,,other,2,nan,3,false\r\n");
  g_assert_cmpstr (table, ==, "row name     time \n  0 x,y       1.2 <x,y>\n  1 z           - <z>\n");
  g_assert_cmpstr (keys, ==, "items (id, name, ns, count, which, ratio, ratio_low, ratio_high, chosen), first (id, name, ns, count, which, "
                             "ratio, ratio_low, ratio_high, chosen), times (*), numbers, texts, large, dtype, huge, tensor, nothing");
  g_assert_cmpstr (cell, ==, "<z>");
}

/* A written answer is read back, into a struct too. */
static void
test_read (void)
{
  g_autofree char *text = ls_answer_json (&whole_answer, &whole, &(LsAnswering) { 0 });
  g_autoptr (GError) error = NULL;
  g_autoptr (LsReading) reading = ls_reading_new (&whole_answer, text, -1, &error);
  g_assert_no_error (error);
  LsRow row = ls_reading_row (reading);
  g_autoptr (GStringChunk) strings = g_string_chunk_new (64);
  g_assert_cmpuint (ls_read_n (row, "items"), ==, 2);
  for (guint i = 0; i < 2; i++) {
    Item back;
    memset (&back, 0x55, sizeof back);
    ls_read_take (ls_read_at (row, "items", i), &back, strings);
    g_assert_cmpstr (back.name, ==, items[i].name);
    g_assert_true (back.ns == items[i].ns || (isnan (back.ns) && isnan (items[i].ns)));
    g_assert_cmpint (back.count, ==, items[i].count);
    g_assert_cmpint (back.which, ==, items[i].which);
    g_assert_cmpint (back.chosen, ==, items[i].chosen);
  }
  g_assert_true (isnan (ls_read_number_at (row, "numbers", 1)));
  g_assert_true (isinf (ls_read_number_at (row, "numbers", 2)));
  g_assert_cmpstr (ls_read_text_at (row, "texts", 1), ==, texts[1]);
  g_assert_false (ls_read_has (row, "nothing"));
  LsValueRatio ratio = ls_read_ratio (ls_read_row (row, "first"), "ratio");
  g_assert_true (ratio.ratio == 2 && ratio.low == 1.25 && ratio.high == 3);
  g_autoptr (GArray) tensor = ls_read_scalars (row, "tensor"), large = ls_read_scalars (row, "large");
  const LsReadScalar *scalars = (const LsReadScalar *) (gpointer) tensor->data;
  g_assert_cmpuint (tensor->len, ==, 2);
  g_assert_true (!scalars[1].is_integer && scalars[1].number == 2);
  g_assert_true (g_array_index (large, LsReadScalar, 0).is_integer && g_array_index (large, LsReadScalar, 0).integer == -1);
  g_assert_true (ls_read_has_list (row, "items") && !ls_read_has_list (row, "first"));
  g_autofree char *again = ls_reading_text (reading);
  g_autoptr (LsReading) second = ls_reading_new (&whole_answer, again, -1, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (ls_read_n (ls_reading_row (second), "items"), ==, 2);
}

/* Other programs' JSON: what is of another kind is as if it were missing. */
static void
test_odd (void)
{
  static const char *const bad[] = { "", "[", "7", "null", "[{}]", "{\"items\":" };
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autoptr (GError) error = NULL;
    g_assert_null (ls_reading_new (&whole_answer, bad[i], -1, &error));
    g_assert_nonnull (error);
  }
  g_autoptr (LsReading) odd = ls_reading_new (&whole_answer, "{\"items\":[7,null,"
                                              "{\"ns\":\"fast\",\"id\":\"one\",\"name\":[],\"which\":\"no\"}],"
                                              "\"first\":[],\"numbers\":{},\"texts\":[1,\"x\"],\"unknown\":1}", -1, NULL);
  LsRow row = ls_reading_row (odd), item = ls_read_at (row, "items", 2);
  g_assert_cmpuint (ls_read_n (row, "items"), ==, 3);
  g_assert_null (ls_read_at (row, "items", 0).object);
  g_assert_null (ls_read_at (row, "items", 99).object);
  g_assert_true (isnan (ls_read_number (ls_read_at (row, "items", 0), "ns")));
  g_assert_true (isnan (ls_read_number (item, "ns")));
  g_assert_cmpint (ls_read_int (item, "id"), ==, 0);
  g_assert_null (ls_read_text (item, "name"));
  g_assert_null (ls_read_row (row, "first").object);
  g_assert_cmpuint (ls_read_n (row, "numbers"), ==, 0);
  g_assert_null (ls_read_scalars (row, "tensor"));
  g_assert_null (ls_read_text_at (row, "texts", 0));
  g_assert_cmpstr (ls_read_text_at (row, "texts", 1), ==, "x");
  g_test_expect_message ("lazyscope", G_LOG_LEVEL_CRITICAL, "*item_answer has no field speed*");
  ls_read_number (item, "speed");
  g_test_assert_expected_messages ();
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/answer/json", test_json);
  g_test_add_func ("/answer/text", test_text);
  g_test_add_func ("/answer/read", test_read);
  g_test_add_func ("/answer/odd", test_odd);
  return g_test_run ();
}
