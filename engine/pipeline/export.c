/* A recorded run as C.
 *
 * Kernels are the texts that were recorded; those of different code that have one name get their number before it, and what stands before
 * a function (declarations, conversions of half) is written once. Each buffer that a kernel reads or writes, or that was read, is an
 * array; those that no kernel wrote have the contents that were recorded. Python's control flow and its formatting are not exported: the
 * program launches the kernels in the order of the run, and prints the values that `run --json` lists as `outputs`.
 */
#include "export.h"

#include "ir/eval.h"
#include "launch.h"
#include "settings.h"

#include <math.h>
#include <string.h>

#define MOST_BYTES ((guint64) 64 << 20)      /* of contents that are written as numbers */

typedef struct {
  LsTrace    *trace;
  GString    *out;
  GHashTable *said;         /* declarations that were written */
  guint8     *used;         /* of each buffer: it is an array */
  guint8     *written;      /* by a kernel */
  guint64     bytes;
  GError    **error;
} Export;

static const char printing[] =
  "/* --- printing, as `run --json` does --- */\n\n"
  "enum { REAL, SMALL, BOOLEAN, SIGNED, UNSIGNED };\n\n"
  "static void\nput_real (double x)\n{\n"
  "  char text[64];\n"
  "  if (x != x || x - x != 0) {\n"
  "    printf (x != x ? \"\\\"nan\\\"\" : x > 0 ? \"\\\"inf\\\"\" : \"\\\"-inf\\\"\");\n"
  "    return;\n  }\n"
  "  sprintf (text, \"%.17g\", x);\n"
  "  printf (\"%s%s\", text, strpbrk (text, \".e\") ? \"\" : \".0\");\n}\n\n"
  "/* A float of e bits of exponent and m of mantissa; without infinities, the largest code is NaN. */\n"
  "static double\nsmall (unsigned u, int e, int m, int infinities)\n{\n"
  "  int most = (1 << e) - 1, bias = most >> 1, exponent = (int) (u >> m) & most, mantissa = (int) u & ((1 << m) - 1);\n"
  "  double zero = 0, x = mantissa + (exponent ? 1 << m : 0);\n"
  "  if (exponent == most && (infinities || mantissa == (1 << m) - 1))\n"
  "    x = mantissa || !infinities ? zero / zero : 1 / zero;\n"
  "  for (int k = (exponent ? exponent : 1) - bias - m; k > 0; k--)\n    x *= 2;\n"
  "  for (int k = (exponent ? exponent : 1) - bias - m; k < 0; k++)\n    x /= 2;\n"
  "  return u >> (e + m) & 1 ? -x : x;\n}\n\n"
  "static void\nput_one (int kind, int size, int e, int m, int infinities, const unsigned char *at)\n{\n"
  "  float f;\n  double d;\n  signed char s1;\n  short s2;\n  int s4;\n  long long s8;\n  unsigned short u2;\n  unsigned u4;\n"
  "  unsigned long long u8;\n"
  "  if (kind == REAL && size == 4) {\n    memcpy (&f, at, 4);\n    put_real (f);\n"
  "  } else if (kind == REAL) {\n    memcpy (&d, at, 8);\n    put_real (d);\n"
  "  } else if (kind == BOOLEAN) {\n    printf (*at ? \"true\" : \"false\");\n"
  "  } else if (size == 1) {\n    memcpy (&s1, at, 1);\n"
  "    if (kind == SMALL)\n      put_real (small (*at, e, m, infinities));\n"
  "    else\n      printf (\"%d\", kind == SIGNED ? s1 : *at);\n"
  "  } else if (size == 2) {\n    memcpy (&s2, at, 2);\n    memcpy (&u2, at, 2);\n"
  "    if (kind == SMALL)\n      put_real (small (u2, e, m, infinities));\n"
  "    else\n      printf (\"%d\", kind == SIGNED ? s2 : u2);\n"
  "  } else if (size == 4) {\n    memcpy (&s4, at, 4);\n    memcpy (&u4, at, 4);\n"
  "    if (kind == SIGNED)\n      printf (\"%d\", s4);\n    else\n      printf (\"%u\", u4);\n"
  "  } else {\n    memcpy (&s8, at, 8);\n    memcpy (&u8, at, 8);\n"
  "    if (kind == SIGNED || s8 >= 0)\n      printf (\"%lld\", s8);\n    else\n      printf (\"\\\"%llu\\\"\", u8);\n  }\n}\n\n"
  "static const unsigned char *\n"
  "put (int kind, int size, int e, int m, int infinities, const unsigned char *at, int n, const long *dims)\n{\n"
  "  if (n == 0) {\n    put_one (kind, size, e, m, infinities, at);\n    return at + size;\n  }\n"
  "  printf (\"[\");\n"
  "  for (long i = 0; i < dims[0]; i++) {\n    if (i)\n      printf (\",\");\n"
  "    at = put (kind, size, e, m, infinities, at, n - 1, dims + 1);\n  }\n"
  "  printf (\"]\");\n  return at;\n}\n\n";

/* How elements of a type are written in C and printed. */
typedef struct { const char *c, *kind; int e, m, infinities; } Type;

static Type
type_of (LsDType dtype)
{
  switch (ls_dtype_base (dtype)) {
  case LS_BASE_BOOL:     return (Type) { "_Bool", "BOOLEAN", 0, 0, 0 };
  case LS_BASE_INT8:     return (Type) { "signed char", "SIGNED", 0, 0, 0 };
  case LS_BASE_UINT8:    return (Type) { "unsigned char", "UNSIGNED", 0, 0, 0 };
  case LS_BASE_INT16:    return (Type) { "short", "SIGNED", 0, 0, 0 };
  case LS_BASE_UINT16:   return (Type) { "unsigned short", "UNSIGNED", 0, 0, 0 };
  case LS_BASE_INT32:    return (Type) { "int", "SIGNED", 0, 0, 0 };
  case LS_BASE_UINT32:   return (Type) { "unsigned int", "UNSIGNED", 0, 0, 0 };
  case LS_BASE_INT64:    return (Type) { "long", "SIGNED", 0, 0, 0 };
  case LS_BASE_UINT64:   return (Type) { "unsigned long", "UNSIGNED", 0, 0, 0 };
  case LS_BASE_HALF:     return (Type) { "unsigned short", "SMALL", 5, 10, 1 };
  case LS_BASE_BFLOAT16: return (Type) { "unsigned short", "SMALL", 8, 7, 1 };
  case LS_BASE_FP8E4M3:  return (Type) { "unsigned char", "SMALL", 4, 3, 0 };
  case LS_BASE_FP8E5M2:  return (Type) { "unsigned char", "SMALL", 5, 2, 1 };
  case LS_BASE_DOUBLE:   return (Type) { "double", "REAL", 0, 0, 0 };
  default:               return (Type) { "float", "REAL", 0, 0, 0 };
  }
}

static const LsTraceBuffer *
buffer_at (const LsTrace *trace, guint id)
{
  return id < trace->buffers->len ? trace->buffers->pdata[id] : NULL;
}

/* The buffer whose memory it is: its own, or that of the one that it is a part of, from element *start on. */
static guint
memory_of (const LsTrace *trace, guint id, guint64 *start)
{
  const LsTraceBuffer *b = buffer_at (trace, id);
  for (*start = 0; b && b->whole; b = buffer_at (trace, id)) {
    *start += b->start;
    id = b->whole - 1;
  }
  return id;
}

static gboolean
refuse (Export *e, LsError code, const char *format, ...) G_GNUC_PRINTF (3, 4);

static gboolean
refuse (Export *e, LsError code, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error_literal (e->error, LS_ERROR, code, text);
  return FALSE;
}

/* --- kernels --- */

static const LsKernel *
code_of (const LsTrace *trace, const LsKernel *k)
{
  return k->same_as > 0 ? ls_trace_kernel ((LsTrace *) trace, (guint) k->same_as) : k;
}

/* Where the text defines its function, "void NAME(" at the beginning of a line; or NULL. */
static const char *
find_function (const char *source, const char *name)
{
  g_autofree char *head = g_strdup_printf ("void %s(", name), *spaced = g_strdup_printf ("void %s (", name);
  for (const char *line = source; line; line = strchr (line, '\n') ? strchr (line, '\n') + 1 : NULL)
    if (g_str_has_prefix (line, head) || g_str_has_prefix (line, spaced))
      return line;
  return NULL;
}

/* What stands before the function, declaration by declaration; each once in a file. */
static void
add_declarations (Export *e, const char *text, gsize n)
{
  g_autofree char *before = g_strndup (text, n);
  g_auto (GStrv) lines = g_strsplit (before, "\n", -1);
  g_autoptr (GString) one = g_string_new (NULL);
  for (char **line = lines; *line; line++) {
    gsize length = strlen (*line);
    if (length == 0 && one->len == 0)
      continue;
    g_string_append_printf (one, "%s\n", *line);
    gboolean ends = **line == '}' || **line == '#' || (length && (*line)[length - 1] == ';' && **line != ' ');
    if (!ends)
      continue;
    if (g_hash_table_add (e->said, g_strdup (one->str))) {
      gboolean helper = g_str_has_prefix (one->str, "static inline ");      /* not all are called */
      g_string_append_printf (e->out, "%s%s", helper ? "__attribute__((unused)) " : "", one->str);
    }
    g_string_truncate (one, 0);
  }
  if (one->len)
    g_string_append (e->out, one->str);
}

static gboolean
add_kernel (Export *e, const LsKernel *k)
{
  const char *name = k->name, *at = k->source ? find_function (k->source, name) : NULL;
  if (!at && k->source && (at = strstr (k->source, "void ")))      /* written by hand */
    name = NULL;
  if (!at)
    return refuse (e, LS_ERROR_USAGE, "kernel %u (%s) has no C text to be exported", k->number, k->name);
  g_autofree char *own = name ? NULL : g_strndup (at + 5, strcspn (at + 5, " ("));
  name = name ? name : own;
  g_string_append_printf (e->out, "/* --- kernel %u%s%s --- */\n", k->number, *k->options ? ": " : "", k->options);
  if (strstr (k->source, "vector_size") && g_hash_table_add (e->said, g_strdup ("vectors")))
    g_string_append (e->out, "#ifdef __TINYC__\n#error \"these kernels have vectors, which this compiler does not have: export with "
                             "DEVECTORIZE=1\"\n#endif\n");
  add_declarations (e, k->source, (gsize) (at - k->source));
  g_string_append_printf (e->out, "static void k%u_%s%s", k->number, name, at + 5 + strlen (name));
  if (e->out->str[e->out->len - 1] != '\n')
    g_string_append_c (e->out, '\n');
  g_string_append_c (e->out, '\n');
  return TRUE;
}

static char *
function_of (const LsKernel *code)
{
  const char *at = find_function (code->source, code->name), *hand = at ? NULL : strstr (code->source, "void ");
  g_autofree char *own = hand ? g_strndup (hand + 5, strcspn (hand + 5, " (")) : g_strdup (code->name);
  return g_strdup_printf ("k%u_%s", code->number, own);
}

/* The arguments that the function takes, and which of them are values of variables. */
static void
add_launch (Export *e, const LsKernel *k)
{
  const LsKernel *code = code_of (e->trace, k);
  g_autoptr (GPtrArray) list = g_ptr_array_new ();
  g_autoptr (GString) arguments = g_string_new (NULL);
  g_autofree char *function = function_of (code);
  g_autofree guint8 *takes = g_new0 (guint8, k->buffers->len + 1);
  for (guint i = 0; i < code->listing->len; i++) {
    const LsUOp *u = ls_context_node (e->trace->ctx, g_array_index (code->listing, guint32, i));
    gint64 number = u && u->op == LS_OP_DEFINE_GLOBAL ? u->arg.i : u && u->op == LS_OP_DEFINE_VAR ? u->arg.var->position : -1;
    if (u)
      g_ptr_array_add (list, (gpointer) u);
    if (number >= 0 && number < k->buffers->len)
      takes[number] = u->op == LS_OP_DEFINE_VAR ? 2 : 1;
  }
  for (guint i = 0; i < k->buffers->len; i++) {
    guint64 start;
    guint memory = memory_of (e->trace, g_array_index (k->buffers, guint, i), &start);
    const char *comma = arguments->len ? ", " : "";
    if (takes[i] == 2)
      g_string_append_printf (arguments, "%sb%u[0]", comma, memory);
    else if (takes[i] && start)
      g_string_append_printf (arguments, "%s(void *) (b%u + %" G_GUINT64_FORMAT ")", comma, memory, start);
    else if (takes[i])
      g_string_append_printf (arguments, "%s(void *) b%u", comma, memory);
  }
  guint threads = ls_launch_threads (list);
  if (threads)
    g_string_append_printf (e->out, "  for (int t = 0; t < %u; t++)\n    %s (%s, t);\n", threads, function, arguments->str);
  else
    g_string_append_printf (e->out, "  %s (%s);\n", function, arguments->str);
}

/* --- buffers --- */

static void
add_number (GString *out, LsDType dtype, const guint8 *at, const Type *type)
{
  LsScalar v = ls_scalar_load (dtype, at);
  if (type->e) {      /* the code of a small float */
    guint code = ls_dtype_itemsize (dtype) == 1 ? *at : at[0] | (guint) at[1] << 8;
    g_string_append_printf (out, "%u", code);
  } else if (ls_dtype_is_float (dtype)) {
    g_string_append_printf (out, "%a%s", v.f, ls_dtype_itemsize (dtype) == 4 ? "f" : "");
  } else if (ls_dtype_base (dtype) == LS_BASE_UINT64) {
    g_string_append_printf (out, "%" G_GUINT64_FORMAT "ul", (guint64) v.i);
  } else if (v.i == G_MININT64) {
    g_string_append (out, "-9223372036854775807l-1");
  } else if (v.i == G_MININT32) {
    g_string_append (out, "-2147483647-1");
  } else {
    g_string_append_printf (out, "%" G_GINT64_FORMAT "%s", v.i, ls_dtype_itemsize (dtype) == 8 ? "l" : ls_dtype_base (dtype) ==
                            LS_BASE_UINT32 ? "u" : "");
  }
}

static gboolean
all_finite (const LsTraceBuffer *b)
{
  for (guint64 i = 0; ls_dtype_is_float (b->dtype) && i < b->n_elements; i++)
    if (!isfinite (ls_scalar_load (b->dtype, b->data + i * ls_dtype_itemsize (b->dtype)).f))
      return FALSE;
  return TRUE;
}

/* An array; with contents where no kernel makes them. C has no constant for an infinity or NaN: arrays with one are filled from their
 * bits. Arrays are not static, so that a compiler does not know their contents: clang computes functions of constants otherwise than the
 * library. */
static gboolean
add_buffer (Export *e, guint id, GString *fills)
{
  const LsTraceBuffer *b = buffer_at (e->trace, id);
  Type type = type_of (b->dtype);
  gsize size = ls_dtype_itemsize (b->dtype);
  guint64 n = MAX (b->n_elements, 1);
  gboolean constants = !e->written[id] && b->n_elements, bits = constants && b->data && !type.e && !all_finite (b);
  if (constants && (!b->data || b->n_data != b->n_elements * size))
    return refuse (e, LS_ERROR_FILE, "the contents of buffer %u, %" G_GUINT64_FORMAT " bytes that the program brought, were not kept: "
                   "export the program itself, or record it with --keep-buffers", id, b->n_elements * size);
  if (constants && (e->bytes += b->n_data) > MOST_BYTES)
    return refuse (e, LS_ERROR_FILE, "the program brought more than %u MB of data: that would be a text of hundreds of MB",
                   (guint) (MOST_BYTES >> 20));
  const char *of_bits = size == 4 ? "unsigned int" : "unsigned long";
  if (bits)
    g_string_append_printf (e->out, "const %s bits%u[%" G_GUINT64_FORMAT "] = {", of_bits, id, n);
  else
    g_string_append_printf (e->out, "%s b%u[%" G_GUINT64_FORMAT "] __attribute__((aligned(64)))%s", type.c, id, n,
                            constants ? " = {" : ";\n");
  for (guint64 i = 0; constants && i < b->n_elements; i++) {
    const guint8 *at = b->data + i * size;
    g_string_append (e->out, i % 8 ? " " : "\n  ");
    if (bits && size == 4)
      g_string_append_printf (e->out, "0x%08xu", *(const guint32 *) (gconstpointer) at);
    else if (bits)
      g_string_append_printf (e->out, "0x%016" G_GINT64_MODIFIER "xul", *(const guint64 *) (gconstpointer) at);
    else
      add_number (e->out, b->dtype, at, &type);
    g_string_append_c (e->out, ',');
  }
  if (constants)
    g_string_append (e->out, "\n};\n");
  if (bits) {
    g_string_append_printf (e->out, "%s b%u[%" G_GUINT64_FORMAT "] __attribute__((aligned(64)));\n", type.c, id, n);
    g_string_append_printf (fills, "  memcpy (b%u, bits%u, sizeof b%u);\n", id, id, id);
  }
  return TRUE;
}

/* Which buffers kernels and outputs need, and which of them kernels write. */
static gboolean
find_buffers (Export *e)
{
  for (guint i = 0; i < e->trace->kernels->len; i++) {
    const LsKernel *k = e->trace->kernels->pdata[i];
    if (k->run_error || !k->buffers->len)
      return refuse (e, LS_ERROR_USAGE, "kernel %u (%s) did not run: %s", k->number, k->name, k->run_error ? k->run_error : "?");
    for (guint a = 0; a < k->buffers->len; a++) {
      guint64 start;
      guint id = memory_of (e->trace, g_array_index (k->buffers, guint, a), &start);
      if (!buffer_at (e->trace, id))
        return refuse (e, LS_ERROR_FILE, "kernel %u has buffer %u, which is not in the recording", k->number, id);
      e->used[id] = TRUE;
      if (a == 0)
        e->written[id] = TRUE;
    }
  }
  for (guint i = 0; i < e->trace->outputs->len; i++) {
    guint64 start;
    guint id = memory_of (e->trace, g_array_index (e->trace->outputs, LsOutput, i).buffer, &start);
    const LsTraceBuffer *b = buffer_at (e->trace, id);
    if (b && strcmp (b->role, "part") == 0)
      return refuse (e, LS_ERROR_FILE, "tensor %u that the program read is a part of a buffer, and the recording does not say which: "
                     "export the program itself", i + 1);
    if (b)
      e->used[id] = TRUE;
  }
  return TRUE;
}

/* --- the whole --- */

static void
add_output (Export *e, guint i)
{
  const LsOutput *o = &g_array_index (e->trace->outputs, LsOutput, i);
  guint64 start;
  guint memory = memory_of (e->trace, o->buffer, &start);
  LsDType dtype = ls_dtype_strong (o->dtype);
  Type type = type_of (dtype);
  g_autoptr (GString) shape = g_string_new (NULL);
  for (guint d = 0; d < o->n_dims; d++)
    g_string_append_printf (shape, "%s%" G_GINT64_FORMAT, d ? "," : "", o->dims[d]);
  g_string_append_printf (e->out, "  printf (\"%s{\\\"shape\\\":[%s],\\\"dtype\\\":\\\"%s\\\",\\\"value\\\":\");\n", i ? "," : "[",
                          shape->str, ls_dtype_name (o->dtype));
  g_string_append_printf (e->out, "  put (%s, %d, %d, %d, %d, ", type.kind, (int) ls_dtype_itemsize (dtype), type.e, type.m,
                          type.infinities);
  if (buffer_at (e->trace, memory))
    g_string_append_printf (e->out, "(const unsigned char *) (b%u + %" G_GUINT64_FORMAT ")", memory, start);
  else
    g_string_append (e->out, "(const unsigned char *) \"\"");
  g_string_append_printf (e->out, ", %u, (const long[]) { %s });\n  printf (\"}\");\n", o->n_dims, o->n_dims ? shape->str : "0");
}

static gboolean
export (Export *e, const char *prelude)
{
  LsTrace *t = e->trace;
  g_autoptr (GString) fills = g_string_new (NULL);
  g_autofree char *name = t->program_name ? g_path_get_basename (t->program_name) : g_strdup ("?");
  g_strdelimit (name, "*/\n", '_');
  g_string_append_printf (e->out, "/* The kernels of %s and their launches, exported from a recorded run. It prints the tensors that "
                          "the program read.\n *   cc -O2 -fwrapv -fno-strict-aliasing -ffp-contract=off THIS.c -lm */\n\n"
                          "#include <stdio.h>\n"
                          "#include <string.h>\n\n#if defined __GNUC__ && !defined __clang__ && !defined __TINYC__\n"
                          "#pragma GCC diagnostic ignored \"-Wint-in-bool-context\"      /* products of booleans */\n#endif\n\n", name);
  if (*prelude)
    g_string_append_printf (e->out, "%s\n\n", prelude);
  for (guint i = 0; i < t->kernels->len; i++) {
    const LsKernel *k = t->kernels->pdata[i];
    if (strcmp (k->target, "c") != 0)
      return refuse (e, LS_ERROR_USAGE, "kernel %u is for target %s; only C is exported", k->number, k->target);
    if (k->same_as <= 0 && !add_kernel (e, k))
      return FALSE;
  }
  g_string_append (e->out, "/* --- buffers --- */\n\n");
  for (guint i = 0; i < t->buffers->len; i++)
    if (e->used[i] && !add_buffer (e, i, fills))
      return FALSE;
  if (t->outputs->len)
    g_string_append_printf (e->out, "\n%s", printing);
  g_string_append_printf (e->out, "int\nmain (void)\n{\n%s", fills->str);
  for (guint i = 0; i < t->kernels->len; i++)
    add_launch (e, t->kernels->pdata[i]);
  for (guint i = 0; i < t->outputs->len; i++)
    add_output (e, i);
  g_string_append_printf (e->out, "%s  return 0;\n}\n", t->outputs->len ? "  printf (\"]\\n\");\n" : "");
  return TRUE;
}

char *
ls_export_c (LsTrace *trace, GError **error)
{
  Export e = { trace, g_string_new (NULL), g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL),
               g_new0 (guint8, trace->buffers->len + 1), g_new0 (guint8, trace->buffers->len + 1), 0, error };
  LsSettings settings;
  ls_settings_init (&settings);
  for (guint i = 0; i < trace->settings->len; i++)
    ls_trace_take_setting (trace, i, &settings, NULL);
  const LsTarget *target = ls_target_find ("c");
  gboolean ok = FALSE;
  if (trace->kernels->len == 0)
    refuse (&e, LS_ERROR_USAGE, "the program has no kernels: there is nothing to export");
  else if (trace->error)
    refuse (&e, LS_ERROR_USAGE, "the program failed: its run is not whole");
  else {
    g_autoptr (GString) all = g_string_new (NULL);
    for (guint i = 0; i < trace->kernels->len; i++) {
      const LsKernel *k = trace->kernels->pdata[i];
      g_string_append_printf (all, "%s\n", k->source ? k->source : "");
    }
    g_autofree char *prelude = ls_render_prelude (target, &settings, all->str, LS_GIVEN_BY_TEXT);
    ok = find_buffers (&e) && export (&e, prelude);
  }
  g_hash_table_unref (e.said);
  g_free (e.used);
  g_free (e.written);
  return g_string_free (e.out, !ok);
}
