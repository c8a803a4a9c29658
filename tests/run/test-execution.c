/* run --slow: every row of a kernel as it is executed, as text and as JSON, forwards and backwards. */
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run/execution.h"
#include "run/fault.h"

static char *directory, *sum_program, *const_program;

static char *
run (int expected, const char *first, ...)
{
  g_autoptr (GPtrArray) argv = g_ptr_array_new ();
  g_autoptr (GError) error = NULL;
  char *out = NULL;
  g_autofree char *err = NULL;
  int status;
  g_ptr_array_add (argv, (gpointer) g_getenv ("LAZYSCOPE_CLI"));
  g_ptr_array_add (argv, (gpointer) "run");
  va_list arguments;
  va_start (arguments, first);
  for (const char *a = first; a; a = va_arg (arguments, const char *))
    g_ptr_array_add (argv, (gpointer) a);
  va_end (arguments);
  g_ptr_array_add (argv, NULL);
  g_spawn_sync (NULL, (char **) argv->pdata, NULL, G_SPAWN_DEFAULT, NULL, NULL, &out, &err, &status, &error);
  g_assert_no_error (error);
  if (!WIFEXITED (status) || WEXITSTATUS (status) != expected)
    g_error ("wait status %d: %s", status, err);
  if (expected == 0)
    return out;
  g_assert_cmpstr (out, ==, "");
  g_free (out);
  return g_steal_pointer (&err);
}

#define HEAD "   step  row op          loops            register             memory\n"

static void
test_const (void)
{
  g_autofree char *out = run (0, const_program, "--slow", NULL);
  g_assert_cmpstr (out, ==, "kernel 1, E_3\n" HEAD
    "      1    4 RANGE       i=0\n"
    "      2    6 LOAD        i=0              r6 = 1               data1[0] is 1\n"
    "      3    8 ADD         i=0              r8 = 3\n"
    "      4    9 STORE       i=0                                   data0[0] = 3, was 0\n"
    "      5   10 ENDRANGE    i=1                                   one more iteration\n"
    "      6    6 LOAD        i=1              r6 = 2               data1[1] is 2\n"
    "      7    8 ADD         i=1              r8 = 4\n"
    "      8    9 STORE       i=1                                   data0[1] = 4, was 0\n"
    "      9   10 ENDRANGE    i=2                                   one more iteration\n"
    "     10    6 LOAD        i=2              r6 = 3               data1[2] is 3\n"
    "     11    8 ADD         i=2              r8 = 5\n"
    "     12    9 STORE       i=2                                   data0[2] = 5, was 0\n"
    "     13   10 ENDRANGE    i=3                                   the loop ends\n"
    "13 steps, all of the kernel's\n");
}

static void
test_sum (void)
{
  g_autofree char *out = run (0, sum_program, "--slow", NULL);
  g_assert_cmpstr (out, ==, "kernel 1, r_3\n" HEAD
    "      1    6 DEFINE_ACC                   r6 = 0.0\n"
    "      2    7 RANGE       i=0\n"
    "      3    9 LOAD        i=0              r9 = 1.5             data1[0] is 1.5\n"
    "      4   10 ADD         i=0              r10 = 1.5\n"
    "      5   11 PHI         i=0              r11 = 1.5\n"
    "      6   12 ENDRANGE    i=1                                   one more iteration\n"
    "      7    9 LOAD        i=1              r9 = 2.0             data1[1] is 2.0\n"
    "      8   10 ADD         i=1              r10 = 3.5\n"
    "      9   11 PHI         i=1              r11 = 3.5\n"
    "     10   12 ENDRANGE    i=2                                   one more iteration\n"
    "     11    9 LOAD        i=2              r9 = 3.0             data1[2] is 3.0\n"
    "     12   10 ADD         i=2              r10 = 6.5\n"
    "     13   11 PHI         i=2              r11 = 6.5\n"
    "     14   12 ENDRANGE    i=3                                   the loop ends\n"
    "     15   13 STORE                                             data0[0] = 6.5, was 0.0\n"
    "15 steps, all of the kernel's\n");
}

static void
test_window (void)
{
  g_autofree char *back = run (0, const_program, "--slow", "--kernel", "1", "--rows", "5:2", NULL);
  g_assert_cmpstr (back, ==, "kernel 1, E_3\n" HEAD
    "      5   10 ENDRANGE    i=1                                   one more iteration\n"
    "      4    9 STORE       i=0                                   data0[0] = 3, was 0\n"
    "      3    8 ADD         i=0              r8 = 3\n"
    "      2    6 LOAD        i=0              r6 = 1               data1[0] is 1\n"
    "more steps follow step 5: --rows 6:1005\n");
  g_autofree char *past = run (0, const_program, "--slow", "--rows", "100:200", NULL);
  g_assert_cmpstr (past, ==, "kernel 1, E_3\n" HEAD "13 steps, all of the kernel's\n");
  /* work items stand where loops would */
  g_autofree char *items = run (0, const_program, "--slow", "--target", "metal", "--rows", "3:4", NULL);
  g_assert_cmpstr (items, ==, "kernel 1, E_3\n" HEAD
    "      3    9 STORE       i=0                                   data0[0] = 3, was 0\n"
    "      4    6 LOAD        i=1              r6 = 2               data1[1] is 2\n"
    "more steps follow step 4: --rows 5:1004\n");
}

static void
test_json (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *out = run (0, sum_program, "--slow", "--rows", "15:3", "--json", NULL);
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_assert_true (json_parser_load_from_data (parser, out, -1, &error));
  g_assert_no_error (error);
  JsonObject *all = json_node_get_object (json_parser_get_root (parser));
  g_assert_cmpint (json_object_get_int_member (all, "steps"), ==, 15);
  g_assert_true (json_object_get_boolean_member (all, "ended"));
  JsonArray *rows = json_object_get_array_member (all, "rows");
  g_assert_cmpuint (json_array_get_length (rows), ==, 13);
  JsonObject *store = json_array_get_object_element (rows, 0), *load = json_array_get_object_element (rows, 12);
  JsonObject *written = json_object_get_object_member (store, "memory"), *loop;
  g_assert_cmpstr (json_object_get_string_member (store, "op"), ==, "STORE");
  g_assert_cmpstr (json_object_get_string_member (written, "access"), ==, "written");
  g_assert_true (json_array_get_double_element (json_object_get_array_member (written, "value"), 0) == 6.5);
  g_assert_true (json_array_get_double_element (json_object_get_array_member (written, "was"), 0) == 0);
  g_assert_cmpint (json_object_get_int_member (load, "step"), ==, 3);
  loop = json_array_get_object_element (json_object_get_array_member (load, "loops"), 0);
  g_assert_cmpint (json_object_get_int_member (loop, "row"), ==, 7);
  g_assert_cmpint (json_object_get_int_member (loop, "value"), ==, 0);
}

static void
test_wrong (void)
{
  static const char *const rows[] = { "", "1", "0:3", "3:0", "a:b", "1:2:3", "1:1000001", "-1:2", "1:99999999999999999999" };
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree char *option = g_strconcat ("--rows=", rows[i], NULL);
    g_autofree char *err = run (2, const_program, "--slow", option, NULL);
    g_assert_nonnull (strstr (err, "--rows"));
  }
  g_autofree char *alone = run (2, const_program, "--rows", "1:2", NULL);
  g_assert_nonnull (strstr (alone, "--slow"));
  g_autofree char *kernel = run (2, const_program, "--slow", "--kernel", "7", NULL);
  g_assert_nonnull (strstr (kernel, "there is no kernel 7"));
}

/* A list that reads past its buffer: the steps up to there are kept, and the fault is reported. */
static void
test_offscreen (void)
{
  g_autoptr (GError) error = NULL;
  LsContext *ctx = ls_context_new ();
  LsDType pointer = ls_dtype_ptr (LS_INT32, LS_SPACE_GLOBAL, 4);
  LsUOp *data = ls_uop_new0 (ctx, LS_OP_DEFINE_GLOBAL, pointer, ls_arg_int (0)),
        *four = ls_uop_new0 (ctx, LS_OP_CONST, LS_INT32, ls_arg_int (4)),
        *one = ls_uop_new0 (ctx, LS_OP_CONST, LS_INT32, ls_arg_int (1)),
        *sum = ls_uop_new2 (ctx, LS_OP_ADD, LS_INT32, four, one, ls_arg_none ()),
        *index = ls_uop_new2 (ctx, LS_OP_INDEX, pointer, data, sum, ls_arg_none ()),
        *load = ls_uop_new1 (ctx, LS_OP_LOAD, LS_INT32, index, ls_arg_none ());
  LsUOp *list[] = { data, four, one, sum, index, load };
  gint32 memory[4] = { 0 };
  LsBuffer buffer = { .dtype = LS_INT32, .n = 4, .nbytes = sizeof memory, .data = (guint8 *) memory }, *buffers[] = { &buffer };
  g_autoptr (LsExecution) x = ls_execution_run (G_N_ELEMENTS (list), list, 1, buffers, 1, 100, &error);
  g_assert_no_error (error);
  g_assert_error (x->error, LS_FAULT, LS_FAULT_OUTSIDE);
  g_assert_nonnull (strstr (x->error->message, "(LOAD): 1 element at index 5 of buffer 0, which has 4"));
  g_assert_cmpuint (x->n_steps, ==, 2);
  g_assert_cmpuint (x->error_place, ==, 5);
  g_assert_cmpuint (x->rows->len, ==, 2);
  g_assert_false (x->ended);
  ls_context_unref (ctx);
}

static char *
write_program (const char *name, const char *text)
{
  char *path = g_build_filename (directory, name, NULL);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  return path;
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  directory = g_dir_make_tmp ("lazyscope-slow-XXXXXX", NULL);
  const_program = write_program ("const.py", "from tinygrad import Tensor\nprint((Tensor([1, 2, 3]) + 2).tolist())\n");
  sum_program = write_program ("sum.py", "from tinygrad import Tensor\nprint(Tensor([1.5, 2.0, 3.0]).sum().item())\n");
  g_test_add_func ("/execution/const", test_const);
  g_test_add_func ("/execution/sum", test_sum);
  g_test_add_func ("/execution/window", test_window);
  g_test_add_func ("/execution/json", test_json);
  g_test_add_func ("/execution/wrong", test_wrong);
  g_test_add_func ("/execution/outside", test_offscreen);
  int status = g_test_run ();
  g_unlink (const_program);
  g_unlink (sum_program);
  g_rmdir (directory);
  g_free (const_program);
  g_free (sum_program);
  g_free (directory);
  return status;
}
