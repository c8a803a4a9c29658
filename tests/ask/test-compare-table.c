/* What the table of kernels × runs says: of rows made up here, also where a claim must not be made. */
#include "measure/compare-table.h"

#include <math.h>
#include <string.h>

static const char *const names[] = { "as it is", "k3:opt=UPCAST:0:4", "NOOPT=1", NULL };

static LsKernelRow *
new_row (double control_low, double control_high)
{
  LsKernelRow *k = ls_kernel_row_new (3);
  k->kernel = 3;
  k->line = 5;
  k->name = g_strdup ("t");
  k->words = g_strdup ("transpose");
  k->control = (control_low + control_high) / 2;
  k->control_low = control_low;
  k->control_high = control_high;
  k->n_rounds = 24;
  k->cells[0].timed = TRUE;
  k->cells[0].verdict = LS_TIME_FIRST;
  k->cells[0].ns = 1000;
  return k;
}

static void
set (LsKernelRow *k, guint i, LsTimeVerdict verdict, double ratio, double low, double high, double behind_low)
{
  k->cells[i] = (LsRunCell) { .timed = TRUE, .verdict = verdict, .ns = 1000 * ratio, .ratio = ratio, .ratio_low = low, .ratio_high = high,
                              .behind_low = behind_low, .equality = LS_EQUAL_BITS };
}

static void
assert_says (LsKernelRow *k, const char *own, const char *whole)
{
  const LsKernelRow *rows[] = { k };
  g_autoptr (GPtrArray) verdict = ls_kernel_row_verdict (k, names), all = ls_kernel_rows_verdict (rows, 1, names);
  g_autofree char *text = ls_kernel_rows_text (verdict, FALSE), *of_all = ls_kernel_rows_text (all, FALSE);
  g_assert_cmpstr (text, ==, own);
  if (whole)
    g_assert_cmpstr (of_all, ==, whole);
  ls_kernel_row_free (k);
}

static void
test_fastest (void)
{
  LsKernelRow *k = new_row (0.99, 1.02);
  set (k, 1, LS_TIME_FASTER, 0.73, 0.57, 0.95, NAN);
  set (k, 2, LS_TIME_SLOWER, 1.5, 1.4, 1.6, 1.8);
  g_assert_cmpuint (ls_kernel_row_fastest (k), ==, 1);
  assert_says (k, "UPCAST:0:4 is fastest: 0.73 of the time [0.57, 0.95], same bits.",
               "UPCAST:0:4 is fastest on t (line 5): 0.73 of the time of “as it is” [0.57, 0.95], same bits.");
  /* two that are faster: the second is behind the first for certain, or it is not */
  for (guint sure = 0; sure < 2; sure++) {
    k = new_row (0.99, 1.02);
    set (k, 1, LS_TIME_FASTER, 0.73, 0.57, 0.95, 1);
    set (k, 2, LS_TIME_FASTER, 0.75, 0.6, 0.9, sure ? 1.01 : 0.98);
    assert_says (k, sure ? "UPCAST:0:4 is fastest: 0.73 of the time [0.57, 0.95], same bits."
                         : "UPCAST:0:4 is faster: 0.73 of the time [0.57, 0.95], same bits. It is not surely faster than NOOPT=1.", NULL);
  }
  k = new_row (0.99, 1.02);
  set (k, 1, LS_TIME_SLOWER, 1.3, 1.2, 1.4, 1.2);
  set (k, 2, LS_TIME_SLOWER, 1.2, 1.1, 1.3, 1.1);
  assert_says (k, "“as it is” is fastest: NOOPT=1 takes 1.20 times as long [1.10, 1.30].", NULL);
}

/* The baseline against itself shows as much. */
static void
test_withheld (void)
{
  LsKernelRow *k = new_row (0.58, 2.93);
  set (k, 1, LS_TIME_FASTER, 0.73, 0.57, 0.99, NAN);
  set (k, 2, LS_TIME_SLOWER, 1.9, 1.4, 2.4, NAN);
  g_assert_cmpint (ls_kernel_row_is (k, 1), ==, 0);
  g_assert_cmpint (ls_kernel_row_is (k, 2), ==, 0);
  assert_says (k, "No run is surely faster than “as it is”. The 0.73 of UPCAST:0:4 is withheld: “as it is” timed against itself "
                  "gives [0.58, 2.93].",
               "No run is surely faster than “as it is” on t (line 5). The 0.73 of UPCAST:0:4 is withheld: “as it is” timed against itself "
               "gives [0.58, 2.93].");
  /* outside of the control it is said; a verdict that is not there is not made of a ratio */
  k = new_row (0.58, 2.93);
  set (k, 1, LS_TIME_SLOWER, 3.62, 1.91, 7, NAN);
  set (k, 2, LS_TIME_UNCLEAR, 0.5, 0.3, 1.2, NAN);
  g_assert_cmpint (ls_kernel_row_is (k, 1), ==, -1);
  g_assert_cmpint (ls_kernel_row_is (k, 2), ==, 0);
  g_assert_cmpuint (ls_kernel_row_fastest (k), ==, 0);
  assert_says (k, "No run is surely faster than “as it is”. The interval of NOOPT=1 is [0.30, 1.20].", NULL);
}

/* Times of other values are no times of this kernel. */
static void
test_others (void)
{
  LsKernelRow *k = new_row (0.99, 1.01);
  set (k, 1, LS_TIME_OTHER, 0.2, 0.1, 0.3, NAN);
  k->cells[1].equality = LS_EQUAL_DIFFERS;
  k->cells[2].error = "SIGSEGV";
  g_assert_cmpuint (ls_kernel_row_fastest (k), ==, 0);
  assert_says (k, "UPCAST:0:4 computes other values, so its time does not count. NOOPT=1 failed: SIGSEGV", NULL);
  k = new_row (0.99, 1.01);
  k->cells[1].same_text = k->cells[2].same_text = TRUE;
  assert_says (k, "Same code in every run.", "All runs have the same code in every kernel.");
  k = new_row (0.99, 1.01);
  k->cells[0].timed = FALSE;
  k->cells[1].same_text = TRUE;
  assert_says (k, "The code differs; not measured yet.", "The code of 1 kernel differs; it is not measured yet.");
  k = new_row (0.99, 1.01);
  k->cells[1].absent = TRUE;
  k->cells[2].same_text = TRUE;
  assert_says (k, "UPCAST:0:4 has no such kernel.", NULL);
}

/* Of several kernels the one on which most time is saved is named. */
static void
test_whole (void)
{
  LsKernelRow *small = new_row (0.99, 1.01), *large = new_row (0.99, 1.01), *open = new_row (0.99, 1.01);
  set (small, 1, LS_TIME_FASTER, 0.5, 0.4, 0.6, NAN);
  set (large, 1, LS_TIME_FASTER, 0.9, 0.8, 0.95, NAN);
  small->cells[2].same_text = large->cells[2].same_text = TRUE;
  large->cells[0].ns = 100000;
  large->cells[1].ns = 90000;
  large->kernel = 4;
  open->cells[0].timed = FALSE;
  g_free (large->name);
  large->name = g_strdup ("p");
  const LsKernelRow *rows[] = { small, large, open };
  g_autoptr (GPtrArray) two = ls_kernel_rows_verdict (rows, 2, names), three = ls_kernel_rows_verdict (rows, 3, names);
  g_autofree char *of_two = ls_kernel_rows_text (two, FALSE), *of_three = ls_kernel_rows_text (three, FALSE);
  g_assert_cmpstr (of_two, ==, "k3:opt=UPCAST:0:4 is fastest on p (line 5): 0.90 of the time of “as it is” [0.80, 0.95], same bits. "
                               "2 of the 2 kernels that differ have a run that is faster.");
  g_assert_true (g_str_has_suffix (of_three, "1 of the 3 kernels that differ are not measured yet."));
  ls_kernel_row_free (small);
  ls_kernel_row_free (large);
  ls_kernel_row_free (open);
}

static void
test_names (void)
{
  static const struct { const char *name; guint kernel; const char *expected; } cases[] = {
    { "k3:opt=UPCAST:0:4", 3, "UPCAST:0:4" }, { "k3:opt=UPCAST:0:4", 4, "k3:opt=UPCAST:0:4" }, { "opt=UPCAST:0:4", 2, "UPCAST:0:4" },
    { "opt=", 2, "opt=" }, { "opt=UPCAST:0:4,opt=UNROLL:0:4", 1, "opt=UPCAST:0:4,opt=UNROLL:0:4" }, { "NOOPT=1", 1, "NOOPT=1" },
    { "as it is", 1, "as it is" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *name = ls_kernel_row_run_name (cases[i].name, cases[i].kernel);
    g_assert_cmpstr (name, ==, cases[i].expected);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/compare-table/fastest", test_fastest);
  g_test_add_func ("/compare-table/withheld", test_withheld);
  g_test_add_func ("/compare-table/others", test_others);
  g_test_add_func ("/compare-table/whole", test_whole);
  g_test_add_func ("/compare-table/names", test_names);
  return g_test_run ();
}
