/* Programs end to end: every program in data/ gives the shapes, dtypes and values of the JSON file next to it, with each installed
 * compiler and with the reference interpreter.
 *
 * Integers and bools are exact. Floats may differ by a part of the tensor's largest magnitude: 3e-6, of half and bfloat16 1e-3 and 8e-3,
 * of double 1e-12. The program's output is compared word by word, its floats as those of the printed tensors. The files expressions_*
 * are short expressions over small tensors of every dtype.
 */
#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>

#include "ir/eval.h"
#include "fixture.h"

typedef struct { char *path; const char *compiler; } Case;

static double
tolerance (const char *dtype)
{
  return strcmp (dtype, "half") == 0 ? 1e-3 : strcmp (dtype, "bfloat16") == 0 ? 8e-3 : strcmp (dtype, "double") == 0 ? 1e-12 : 3e-6;
}

/* The numbers of a nested array, in order. */
static void
flatten (JsonNode *node, GArray *out)
{
  if (JSON_NODE_HOLDS_ARRAY (node)) {
    JsonArray *array = json_node_get_array (node);
    for (guint i = 0; i < json_array_get_length (array); i++)
      flatten (json_array_get_element (array, i), out);
    return;
  }
  GType type = json_node_get_value_type (node);
  LsScalar v[2] = { { .i = 0 }, { .f = 0 } };      /* as an integer, as a float */
  if (type == G_TYPE_BOOLEAN)
    v[0].i = json_node_get_boolean (node);
  else if (type == G_TYPE_INT64)
    v[0].i = json_node_get_int (node);
  v[1].f = type == G_TYPE_STRING ? g_ascii_strtod (json_node_get_string (node), NULL) : type == G_TYPE_DOUBLE
           ? json_node_get_double (node) : (double) v[0].i;
  g_array_append_vals (out, v, 2);
}

static void
check_output (LsSession *session, const Case *c, guint index, const LsOutput *output, JsonObject *expected)
{
  const char *dtype = json_object_get_string_member (expected, "dtype");
  JsonArray *dims = json_object_get_array_member (expected, "shape");
  g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (LsScalar));
  g_assert_cmpstr (ls_dtype_name (output->dtype), ==, dtype);
  g_assert_cmpuint (output->n_dims, ==, json_array_get_length (dims));
  for (guint i = 0; i < output->n_dims; i++)
    g_assert_cmpint (output->dims[i], ==, json_array_get_int_element (dims, i));
  flatten (json_object_get_member (expected, "value"), values);
  gint64 n = ls_shape_size ((LsShape) { output->n_dims, output->dims });
  g_assert_cmpuint (values->len, ==, 2 * n);
  if (n == 0)
    return;
  LsBuffer *buffer = session->buffers->pdata[output->buffer];
  LsScalar *numbers = (LsScalar *) values->data;
  double largest = 0;
  for (gint64 i = 0; i < n; i++)
    if (isfinite (numbers[2 * i + 1].f))
      largest = MAX (largest, fabs (numbers[2 * i + 1].f));
  for (gint64 i = 0; i < n; i++) {
    LsScalar got = ls_scalar_load (buffer->dtype, buffer->data + i * ls_dtype_itemsize (buffer->dtype));
    double want = numbers[2 * i + 1].f;
    gboolean same = !ls_dtype_is_float (buffer->dtype) ? got.i == numbers[2 * i].i
                  : isnan (want) ? isnan (got.f) : got.f == want || fabs (got.f - want) <= largest * tolerance (dtype);
    if (!same)
      g_error ("%s with %s: output %u, element %" G_GINT64_FORMAT ": %.9g (%" G_GINT64_FORMAT "), expected %.9g", c->path, c->compiler,
               index, i,
               got.f, got.i, want);
  }
}

/* --- what is printed --- */

/* The text in words, which are numbers and the texts between them; blanks separate them and are not words. How many fill a line is the
 * printer's choice, which depends on a number's last digit. */
static GPtrArray *
words_of (const char *text)
{
  GPtrArray *words = g_ptr_array_new_with_free_func (g_free);
  for (const char *p = text; *p;) {
    char *end;
    gboolean starts = g_ascii_isdigit (*p) || ((*p == '-' || *p == '.') && (g_ascii_isdigit (p[1]) || p[1] == '.'));
    if (g_ascii_isspace (*p)) {
      p++;
      continue;
    }
    if (starts)
      g_ascii_strtod (p, &end);
    else
      end = (char *) p + (g_ascii_isalpha (*p) ? strspn (p, G_CSET_a_2_z G_CSET_A_2_Z "_0123456789") : 1);
    g_ptr_array_add (words, g_strndup (p, (gsize) (end - p)));
    p = end;
  }
  return words;
}

static gboolean
is_float_word (const char *word, double *value)
{
  char *end;
  *value = g_ascii_strtod (word, &end);
  return *word && !*end && strpbrk (word, ".en") != NULL;
}

/* Floats within a part of the largest magnitude of those that are printed with them: of one pair of outer brackets, or alone. */
static void
check_printed (const Case *c, const char *printed, const char *expected, double part)
{
  g_autoptr (GPtrArray) got = words_of (printed), want = words_of (expected);
  int depth = 0;
  double largest = 0;
  for (guint i = 0, first = 0; i < want->len; i++) {
    const char *word = want->pdata[i];
    double value;
    depth += (*word == '[' || *word == '(') - (*word == ']' || *word == ')');
    if (is_float_word (word, &value) && isfinite (value))
      largest = MAX (largest, fabs (value));
    if (depth > 0)
      continue;
    for (; first <= i; first++) {
      const char *x = first < got->len ? got->pdata[first] : "nothing", *y = want->pdata[first];
      double a, b;
      gboolean floats = is_float_word (x, &a) && is_float_word (y, &b), same = floats && (a == b || fabs (a - b) <= largest * part);
      if (!same && strcmp (x, y) != 0)
        g_error ("%s with %s prints '%s' as word %u where '%s' was expected:\n%sinstead of\n%s", c->path, c->compiler, x, first, y, printed,
                 expected);
    }
    largest = 0;
  }
  g_assert_cmpuint (got->len, ==, want->len);
}

static void
test_case (gconstpointer data)
{
  const Case *c = data;
  g_autofree char *json_path = g_strconcat (c->path, ".json", NULL), *py_path = g_strconcat (c->path, ".py", NULL), *why = NULL;
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GError) error = NULL;
  if (!ls_compiler_available (c->compiler, &why)) {
    g_test_skip (why ? why : "the compiler is not installed");
    return;
  }
  json_parser_load_from_file (parser, json_path, &error);
  g_assert_no_error (error);
  JsonObject *expected = json_node_get_object (json_parser_get_root (parser));
  g_autoptr (LsSession) session = FIXTURE_RUN (.file = py_path, .compiler = c->compiler);
  JsonArray *outputs = json_object_get_array_member (expected, "outputs"), *lines = json_object_get_array_member (expected, "stdout");
  double part = 1e-7;      /* of printed digits */
  g_assert_cmpuint (session->trace->outputs->len, ==, json_array_get_length (outputs));
  for (guint i = 0; i < session->trace->outputs->len; i++) {
    JsonObject *output = json_array_get_object_element (outputs, i);
    check_output (session, c, i, &g_array_index (session->trace->outputs, LsOutput, i), output);
    part = MAX (part, tolerance (json_object_get_string_member (output, "dtype")));
  }
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint i = 0; i < json_array_get_length (lines); i++)
    g_string_append_printf (text, "%s\n", json_array_get_string_element (lines, i));
  check_printed (c, session->out->str, text->str, part);
}

static void
free_case (gpointer data)
{
  Case *c = data;
  g_free (c->path);
  g_free (c);
}

static int
by_path (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

int
main (int argc, char **argv)
{
  static const char *const compilers[] = { "tcc", "llvm", "clang", "interp" };
  g_test_init (&argc, &argv, NULL);
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_test_build_filename (G_TEST_DIST, "data", NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, &error);
  g_assert_no_error (error);
  for (const char *name; (name = g_dir_read_name (dir)); )
    if (g_str_has_suffix (name, ".py"))
      g_ptr_array_add (names, g_strndup (name, strlen (name) - 3));
  g_ptr_array_sort (names, by_path);
  for (guint i = 0; i < names->len; i++)
    for (guint k = 0; k < G_N_ELEMENTS (compilers); k++) {
      Case *c = g_new (Case, 1);
      g_autofree char *test = g_strdup_printf ("/cases/%s/%s", (char *) names->pdata[i], compilers[k]);
      *c = (Case) { g_build_filename (folder, names->pdata[i], NULL), compilers[k] };
      g_test_add_data_func_full (test, c, test_case, free_case);
    }
  return g_test_run ();
}
