/* The program language: what programs print, what errors say, and that no text whatever takes the evaluator down. */
#include <math.h>
#include <string.h>

#include "program/program.h"
#include "program/value.h"
#include "fixture.h"

/* What the program prints, and its error's report after it. */
static char *
run (const char *text)
{
  g_autoptr (LsSession) session = fixture_session (&(FixtureRun) { NULL });
  g_autoptr (GError) error = NULL;
  session->recording = FALSE;
  gboolean ok = ls_session_run_program (session, text, "t.py", &error);
  g_assert_true (ok == (error == NULL));
  if (ok)
    return g_strdup (session->out->str);
  g_assert_cmpstr (session->trace->error, ==, error->message);
  g_assert_cmpuint (session->trace->error_line, >=, 1);
  return g_strconcat (session->out->str, error->message, NULL);
}

typedef struct { const char *program, *output; } Row;

static void
check_rows (const Row *rows, guint n)
{
  for (guint i = 0; i < n; i++) {
    g_autofree char *output = run (rows[i].program);
    if (strcmp (output, rows[i].output) != 0)
      g_test_fail_printf ("program:\n%s\nprinted:\n%s\nexpected:\n%s", rows[i].program, output, rows[i].output);
  }
}
#define CHECK(rows) check_rows (rows, G_N_ELEMENTS (rows))

static void
test_numbers (void)
{
  static const Row rows[] = {
    { "print(1, -2, 1_000, 0x1F, 0b101, 0o17, 18446744073709551615)\n", "1 -2 1000 31 5 15 18446744073709551615\n" },
    { "print(1.0, 0.1, 1e-3, 1e22, 1e16, 123456789012345680.0, 1e15, 0.0001, 0.00001)\n", "1.0 0.1 0.001 1e+22 1e+16 1.2345678901234568e+17 1000000000000000.0 0.0001 1e-05\n" },
    { "print(-0.0, float('inf'), -float('inf'), float('nan'), 1/3, 2/3, 5e-324, 1.7976931348623157e308)\n",
      "-0.0 inf -inf nan 0.3333333333333333 0.6666666666666666 5e-324 1.7976931348623157e+308\n" },
    { "print(7 // 2, -7 // 2, 7 // -2, 7 % 3, -7 % 3, 7 % -3, 7.5 // 2, -7.5 % 2)\n", "3 -4 -4 1 2 -2 3.0 0.5\n" },
    { "print(2 ** 10, 2 ** -1, 2 ** 0.5, -2 ** 2, (-2) ** 2, 2 ** 3 ** 2)\n", "1024 0.5 1.4142135623730951 -4 4 512\n" },
    { "print(1 + 2 * 3, (1 + 2) * 3, 1 << 3 | 1, 6 & 3 ^ 1, ~5, 10 - 3 - 2, 2 * 3 % 4, -3 ** 2, 1 - -1)\n", "7 9 9 3 -6 5 2 -9 2\n" },
    { "print(True + True, True & False, 3 and 0, 0 or 'x', not 0, None, 1 == 1.0, True == 1)\n", "2 False 0 x True None True True\n" },
    { "print(1 < 2 < 3, 1 < 3 < 2, 3 > 2 == 2, 2 in [1, 2], 3 not in (1, 2), 'b' in 'abc', None is None, 1 is not None)\n",
      "True False True True True True True True\n" },
    { "print(int(3.9), int(-3.9), int('12'), float('1e-3'), bool([]), str(1.50), abs(-3), abs(-2.5))\n", "3 -3 12 0.001 False 1.5 3 2.5\n" },
    { "print(min(3, 1, 2), max([1, 5, 2]), sum([1, 2, 3]), sum([0.5], 1), len('abc'), len([1, [2, 3]]))\n", "1 5 6 1.5 3 2\n" },
    { "import math\nprint(math.pi, math.sqrt(16), math.floor(-1.5), math.ceil(1.2), math.prod([2, 3, 4]), math.log(8, 2))\n", "3.141592653589793 4.0 -2 2 24 3.0\n" },
  };
  CHECK (rows);
}

static void
test_values (void)
{
  static const Row rows[] = {
    { "print([1, 2.0, 'a', None, True], (1,), (), [], ('x', [1]))\n", "[1, 2.0, 'a', None, True] (1,) () [] ('x', [1])\n" },
    { "print('it\\'s', ['it\\'s', 'a\"b', 'new\\nline', 'back\\\\slash'])\n", "it's [\"it's\", 'a\"b', 'new\\nline', 'back\\\\slash']\n" },
    { "print('a' 'b', r'\\n', '''x\ny''', '\\x41\\u00e9')\n", "ab \\n x\ny Aé\n" },
    { "print(1, 2, sep='-', end='!')\nprint()\nprint('x', sep='')\n", "1-2!\nx\n" },
    { "x = [1, 2, 3, 4, 5]\nprint(x[0], x[-1], x[1:3], x[::-1], x[::2], x[10:], x[:-2], 'hello'[1:4], (1, 2, 3)[1:])\n",
      "1 5 [2, 3] [5, 4, 3, 2, 1] [1, 3, 5] [] [1, 2, 3] ell (2, 3)\n" },
    { "x = [1]\nx += [2, 3]\nx.append(4)\ny = x\ny[0] = 9\nprint(x, x * 2, [0] * 3 + [1], x.pop(), x)\n", "[9, 2, 3] [9, 2, 3, 4, 9, 2, 3, 4] [0, 0, 0, 1] 4 [9, 2, 3]\n" },
    { "print([i * i for i in range(6) if i % 2], [(i, j) for i in range(2) for j in 'ab'], [[0] * i for i in range(3)])\n",
      "[1, 9, 25] [(0, 'a'), (0, 'b'), (1, 'a'), (1, 'b')] [[], [0], [0, 0]]\n" },
    { "print(range(3), list(range(5, 0, -2)), tuple(range(2)), list(zip([1, 2], 'ab')), list(enumerate('xy', 1)))\n",
      "range(0, 3) [5, 3, 1] (0, 1) [(1, 'a'), (2, 'b')] [(1, 'x'), (2, 'y')]\n" },
    { "x = 3\nprint([x for x in range(x)], x, sum(x * 2 for x in [1, 2]))\n", "[0, 1, 2] 3 6\n" },
    { "x = 1.23456\nprint(f'{x:.2f} {x!r} {x:>10.3e}| {5:04d} {255:#>6x} {True} {\"a\"!r:>5} {{}} {x=} {1000000:,} {0.25:.1%} {-5:+d} {3:+}')\n",
      "1.23 1.23456  1.235e+00| 0005 ####ff True   'a' {} x=1.23456 1,000,000 25.0% -5 +3\n" },
    { "w = 8\nprint(f'{3.14159:{w}.{2}f}|{\"ab\":<{w}}|{\"ab\":^6}|{12345.678:,.1f}|{1.0:.3}')\n", "    3.14|ab      |  ab  |12,345.7|1.0\n" },
    { "from tinygrad import dtypes\nprint(dtypes.float32, dtypes.half, dtypes.int8, dtypes.float.itemsize, dtypes.long == dtypes.int64)\n",
      "dtypes.float dtypes.half dtypes.char 4 True\n" },
  };
  CHECK (rows);
}

static void
test_statements (void)
{
  static const Row rows[] = {
    { "a, (b, *c) = 1, (2, 3)\n", "t.py:1:8: error: nothing can be assigned to this\na, (b, *c) = 1, (2, 3)\n       ^" },
    { "a = b = [1]\nb += [2]\nx, y = y, x = 1, 2\nprint(a, x, y)\n", "[1, 2] 2 1\n" },
    { "for i in range(5):\n    if i == 1: continue\n    if i == 4:\n        break\n    print(i, end=' ')\n", "0 2 3 " },
    { "for i, (a, b) in enumerate([(1, 2), (3, 4)]):\n  print(i, a + b)\n", "0 3\n1 7\n" },
    { "def f(a, b=2, *rest):\n    return a + b, rest\nprint(f(1), f(1, b=5), f(1, 2, 3, 4), f(*[7, 8]))\n", "(3, ()) (6, ()) (3, (3, 4)) (15, ())\n" },
    { "def outer(n):\n  def inner(k):\n    return k * n\n  return inner\nprint(outer(3)(4), (lambda x, y=1: x - y)(5))\n", "12 4\n" },
    { "def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)\nprint(fib(15))\n", "610\n" },
    { "x = 5\nif x > 10: print('a')\nelif x > 3:\n  print('b')\nelse: print('c')\nif __name__ == '__main__': print('main')\n", "b\nmain\n" },
    { "x = (1 +\n     2)\ny = [1,\n  # a comment\n  2,\n]\nz = 1 + \\\n  1\nprint(x, y, z); print('same line')\n", "3 [1, 2] 2\nsame line\n" },
    { "def f(x: int, y: float = 1.0) -> float:\n    '''doc'''\n    z: int = x\n    return z + y\nprint(f(1))\n", "2.0\n" },
    { "import numpy as np, os\nfrom tinygrad import Tensor as T, dtypes as d\nfrom math import (pi,\n  sqrt as s)\nprint(T, d.int, pi > 3, s(4))\n",
      "<class 'tinygrad.tensor.Tensor'> dtypes.int True 2.0\n" },
    { "", "" },
    { "\n\n# nothing\n   \n", "" },
    { "print(1)", "1\n" },
    { "\xef\xbb\xbfprint('bom')\r\nprint('crlf')\r\n", "bom\ncrlf\n" },
  };
  CHECK (rows);
}

static void
test_errors (void)
{
  static const Row rows[] = {
    { "from tinygrad import Tensor\nif True:\n    a = tensr([1])\n",
      "t.py:3:9: error: name 'tensr' is not defined\n    a = tensr([1])\n        ^\nhint: did you mean 'Tensor'?" },
    { "x = Tensor([1]).rleu()\n", "t.py:1:17: error: a Tensor has no attribute 'rleu'\nx = Tensor([1]).rleu()\n                ^\nhint: did you mean 'relu'?" },
    { "x = Tensor([1.0]).sum(axes=0)\n", "t.py:1:19: error: sum() has no parameter 'axes'\nx = Tensor([1.0]).sum(axes=0)\n                  ^\nhint: did you mean 'axis'?" },
    { "print(Tensor([[1,2,3]]) + Tensor([1,2,3,4]))\n",
      "t.py:1:25: error: add: shapes (1, 3) and (4,) cannot be broadcast\nprint(Tensor([[1,2,3]]) + Tensor([1,2,3,4]))\n                        ^" },
    { "a = Tensor([[1, 2], [3]])\n", "t.py:1:5: error: lists of 2 and 1 items stand side by side\na = Tensor([[1, 2], [3]])\n    ^" },
    { "x = 1 +\n", "t.py:1:8: error: the line ends where an expression is expected\nx = 1 +\n       ^" },
    { "print((1, 2)\n", "t.py:1:6: error: this '(' is never closed\nprint((1, 2)\n     ^" },
    { "if True:\nprint(1)\n", "t.py:2:1: error: an indented block is expected here\nprint(1)\n^" },
    { "x = 1\n  y = 2\n", "t.py:2:3: error: this line is indented without a reason\n  y = 2\n  ^" },
    { "if 1:\n    x = 1\n  y = 2\n", "t.py:3:3: error: the indentation does not match any outer block\n  y = 2\n  ^" },
    { "while True:\n  pass\n", "t.py:1:1: error: 'while' is not part of the program language\nwhile True:\n^\nhint: use 'for ... in range(...)'" },
    { "x = {1: 2}\n", "t.py:1:5: error: dictionaries and sets are not part of the program language\nx = {1: 2}\n    ^\nhint: use a list or a tuple" },
    { "x = 'abc\n", "t.py:1:5: error: this string has no end\nx = 'abc\n    ^" },
    { "x = 123456789012345678901234567890\n",
      "t.py:1:5: error: integer out of range\nx = 123456789012345678901234567890\n    ^\nhint: integers go up to 2**64 - 1" },
    { "x = 2 ** 64\n", "t.py:1:7: error: integer out of range\nx = 2 ** 64\n      ^\nhint: integers go from -2**63 up to 2**64 - 1" },
    { "print('ä', 1 / 0)\n", "t.py:1:14: error: division by zero\nprint('ä', 1 / 0)\n             ^" },
    { "\tx = $\n", "t.py:1:2: error: this line is indented without a reason\n\tx = $\n\t^" },
    { "x = $\n", "t.py:1:5: error: this character has no meaning here\nx = $\n    ^" },
    { "import numpy as np\nnp.zeros(3)\n",
      "t.py:2:1: error: name 'np' is not defined\nnp.zeros(3)\n^\nhint: imports are ignored; a program has Tensor, dtypes and math" },
    { "print(1)\nTensor([1]).conv2d(2)\nprint(2)\n", "1\nt.py:2:13: error: Tensor.conv2d is not supported yet\nTensor([1]).conv2d(2)\n            ^" },
    { "if Tensor([1]): pass\n",
      "t.py:1:4: error: a tensor is not true or false: its values are not known yet\nif Tensor([1]): pass\n   ^\nhint: read its value with .item(), or choose elements with where" },
    { "x = [1]\nx[5]\n", "t.py:2:2: error: list index out of range: 5 of 1\nx[5]\n ^" },
    { "print(f'{1')\n", "t.py:1:11: error: the field ends where '}' is expected\nprint(f'{1')\n          ^" },
    { "a, b = 1, 2, 3\n", "t.py:1:1: error: 3 values cannot be assigned to 2 names\na, b = 1, 2, 3\n^" },
    { "def f(a): pass\nf()\n", "t.py:2:1: error: f() lacks its argument 'a'\nf()\n^" },
    { "return 1\n", "t.py:1:1: error: 'return' outside a function\nreturn 1\n^" },
    { "f(a=1, 2)\n", "t.py:1:8: error: a positional argument follows a keyword argument\nf(a=1, 2)\n       ^" },
    { "1 + 'a'\n", "t.py:1:3: error: '+' is not defined between int and str\n1 + 'a'\n  ^" },
    { "x = Tensor.zeros(2, 3).reshape(7)\n",
      "t.py:1:24: error: reshape: shape (2, 3) has 6 elements and cannot become (7,)\nx = Tensor.zeros(2, 3).reshape(7)\n                       ^" },
    { "Tensor.zeros(2, 3) @ Tensor.zeros(4, 5)\n",
      "t.py:1:20: error: matmul: shapes (2, 3) and (4, 5) do not fit: 3 columns against 4 rows\nTensor.zeros(2, 3) @ Tensor.zeros(4, 5)\n                   ^" },
  };
  CHECK (rows);
}

static char *
repeated (const char *before, const char *unit, guint n, const char *after)
{
  GString *s = g_string_new (before);
  for (guint i = 0; i < n; i++)
    g_string_append (s, unit);
  g_string_append (s, after);
  return g_string_free (s, FALSE);
}

/* Nested and endless programs end with an error that says so. */
static void
test_limits (void)
{
  static const struct { const char *before, *unit; guint n; const char *after, *says; } rows[] = {
    { "x = ", "(", 100000, "1", "nested too deeply" },
    { "x = ", "[", 100000, "", "nested too deeply" },
    { "x = ", "-", 100000, "1", "nested too deeply" },
    { "x = ", "not ", 100000, "1", "nested too deeply" },
    { "x = ", "lambda: ", 100000, "1", "nested too deeply" },
    { "x = ", "2**", 100000, "1", "nested too deeply" },
    { "x = ", "1 if 1 else ", 100000, "1", "nested too deeply" },
    { "x = ", "f(", 100000, "1", "nested too deeply" },
    { "x = ", "x[", 100000, "1", "nested too deeply" },
    { "x = 1", " + 1", 100000, "", "too long" },
    { "x = a", ".a", 100000, "", "too long" },
    { "x = a", "()", 100000, "", "too long" },
    { "x = 1", " < 1", 100000, "", "too many comparisons" },
    { "x = 1", " and 1", 100000, "", "too long" },
    { "if 1: pass\n", "elif 1: pass\n", 100000, "", "nested too deeply" },
    { "def f(n): return f(n + 1)\n", "", 0, "f(0)", "nested too deeply" },
    { "x = []\n", "", 0, "for i in range(10**9): x.append(i)", "takes too long" },
    { "x = [1, 2] * 2**63", "", 0, "", "takes too long" },
    { "x = [0] * 10**12", "", 0, "", "takes too long" },
    { "x = 'a' * 10**15", "", 0, "", "takes too long" },
    { "x = list(range(10**18))", "", 0, "", "takes too long" },
    { "x = range(10**18, -10**18, -1)\nx = range(2**63 - 1)", "", 0, "", "too large" },
    { "x = [0]\n", "x = [x, x]\n", 60, "print(x == [x])", "" },
    { "x = Tensor.zeros(10**9, 10**9, 10**9)", "", 0, "", "too large" },
    { "x = Tensor.zeros(1", ", 1", 100, ")", "too many sizes" },
    { "x = Tensor([1]).reshape(-1, -1)", "", 0, "", "only one size" },
    { "x = Tensor.arange(2**62)", "", 0, "", "too many elements" },
    { "x = Tensor(", "[", 80, "", "" },
    { "x = [1]\nfor i in range(70): x = [x]\nTensor(x)", "", 0, "", "nested too deeply" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree char *program = repeated (rows[i].before, rows[i].unit, rows[i].n, rows[i].after), *output = run (program);
    if (!strstr (output, rows[i].says))
      g_test_fail_printf ("%s%s...: %.300s", rows[i].before, rows[i].unit, output);
  }
}

/* Every operator between values of every kind gives a value or a report. */
static void
test_kinds (void)
{
  static const char *const values[] = { "None", "...", "True", "3", "2**63", "1.5", "'ab'", "[1, 2]", "(3,)", "range(3)", "print", "(lambda x: x)", "math", "math.pi", "dtypes.int", "Tensor",
    "Tensor([1, 2])", "Tensor([1, 2]).numpy()", "Tensor([1, 2]).sum", "[]", "''", "float('nan')", "slice(1, 2)" };
  static const char *const operators[] = { "+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "^", "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "in", "not in", "is", "is not", "and", "or" };
  guint n_reports = 0;
  for (guint a = 0; a < G_N_ELEMENTS (values); a++) {
    for (guint b = 0; b < G_N_ELEMENTS (values); b++)
      for (guint o = 0; o < G_N_ELEMENTS (operators); o++) {
        g_autofree char *program = g_strdup_printf ("x = %s %s %s\n", values[a], operators[o], values[b]), *output = run (program);
        if (*output && !g_str_has_prefix (output, "t.py:1:"))
          g_test_fail_printf ("%s%s", program, output);
        n_reports += *output != 0;
      }
    static const char *const others[] = { "-%s", "~%s", "not %s", "%s[0]", "%s[1:]", "%s()", "%s.x", "len(%s)", "str(%s)", "print(%s)", "[x for x in %s]", "f'{%s}'", "int(%s)", "float(%s)",
      "%s if %s else 1", "max(%s)", "list(%s)", "Tensor(%s)", "Tensor([1]).cast(%s)", "Tensor([1]).sum(axis=%s)", "Tensor([1]).reshape(%s)", "Tensor([1])[%s]", "range(%s)" };
    for (guint o = 0; o < G_N_ELEMENTS (others); o++) {
      g_auto (GStrv) parts = g_strsplit (others[o], "%s", -1);
      g_autofree char *text = g_strjoinv (values[a], parts), *program = g_strconcat ("x = ", text, "\n", NULL), *output = run (program);
      if (strstr (output, "internal"))
        g_test_fail_printf ("%s%s", program, output);
    }
  }
  g_test_message ("%u reports", n_reports);
}

/* Any bytes give a result or a report that begins with the file's name. */
static void
test_garbage (void)
{
  static const char *const words[] = { "x", "Tensor", "(", ")", "[", "]", "=", "==", "+", "-", "*", "**", "/", "//", "%", "@", "<<", "&", ".", ",", ":", ";", "\n",
    "\n    ", "\n  ", "1", "2.5", "1e400", "'a'", "f'{x}'", "f'{", "'''", "\\", "#", "for", "in", "if", "else", "elif", "def", "lambda", "return", "import", "from",
    "print", "range", "None", "True", "not", "and", "or", "is", "...", "{", "}", "!", ":=", "->", "sum", "reshape", "dtypes", "float", "\xff", "\xc3", "é", "0x", "1_", "~", "\t" };
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  guint n_ok = 0, n_bad = 0;
  for (guint i = 0; i < 20000; i++) {
    g_autoptr (GString) text = g_string_new (NULL);
    guint n = g_rand_int_range (rand, 1, 30);
    for (guint k = 0; k < n; k++) {
      if (i % 4 == 0)
        g_string_append_c (text, (char) g_rand_int_range (rand, 1, 256));
      else
        g_string_append_printf (text, "%s%s", words[g_rand_int_range (rand, 0, G_N_ELEMENTS (words))], i % 4 == 1 ? " " : "");
    }
    g_autofree char *output = run (text->str);
    if (strstr (output, "t.py:"))
      n_bad++;
    else
      n_ok++;
  }
  g_assert_cmpuint (n_bad, >, 10000);
  g_assert_cmpuint (n_ok, >, 0);
}

/* Programs that are nearly right: single bytes of the examples changed, dropped or doubled. */
static void
test_mutations (void)
{
  const char *programs = g_getenv ("LAZYSCOPE_PROGRAMS");
  g_autoptr (GRand) rand = g_rand_new_with_seed (11);
  g_autoptr (GDir) dir = programs ? g_dir_open (programs, 0, NULL) : NULL;
  if (!dir) {
    g_test_skip ("LAZYSCOPE_PROGRAMS names no folder");
    return;
  }
  for (const char *name; (name = g_dir_read_name (dir)); ) {
    g_autofree char *path = g_build_filename (programs, name, NULL), *text = NULL;
    gsize n;
    if (!g_str_has_suffix (name, ".py"))
      continue;
    g_assert_true (g_file_get_contents (path, &text, &n, NULL));
    for (guint i = 0; i < 150; i++) {
      g_autoptr (LsSession) session = fixture_session (&(FixtureRun) { NULL });
      g_autoptr (GError) error = NULL;
      g_autoptr (GString) changed = g_string_new_len (text, n);
      for (guint k = 0; k <= i % 3; k++) {
        gsize at = g_rand_int_range (rand, 0, changed->len);
        if (i % 2)
          g_string_erase (changed, at, 1);
        else
          changed->str[at] = (char) g_rand_int_range (rand, 1, 127);
      }
      session->execute = FALSE;
      if (!ls_session_run_program (session, changed->str, "m.py", &error) && !g_str_has_prefix (error->message, "m.py:"))
        g_error ("%s\n%s", changed->str, error->message);
    }
  }
}

static void
test_speed (void)
{
  g_autofree char *program = repeated ("x = Tensor([1.0, 2.0])\n", "x = x + 1.0\n", 100000, "print(x.shape)\n");
  g_autoptr (LsSession) session = fixture_session (&(FixtureRun) { NULL });
  g_autoptr (GTimer) timer = g_timer_new ();
  session->recording = FALSE;
  g_assert_true (ls_session_run_program (session, program, "t.py", NULL));
  g_test_minimized_result (g_timer_elapsed (timer, NULL), "100000 statements");
  g_assert_cmpfloat (g_timer_elapsed (timer, NULL), <, 2);
  g_assert_cmpstr (session->out->str, ==, "(2,)\n");
}

static const LsCall *
call_at (LsSession *session, guint i)
{
  g_assert_cmpuint (i, <, session->trace->calls->len);
  return &g_array_index (session->trace->calls, LsCall, i);
}

/* Statements, and calls with their parents: add -> _broadcasted -> expand -> reshape. */
static void
test_recording (void)
{
  static const struct { const char *name, *args; int parent; guint line; } expected[] = {
    { "Tensor", "int, (3,)", -1, 1 }, { "add", "int(3,), 2", -1, 3 }, { "_broadcasted", "int(3,), 2", 1, 3 }, { "expand", "int(), (3,)", 2, 3 },
    { "reshape", "int(), (1,)", 3, 3 },
  };
  g_autoptr (LsSession) session = fixture_session (&(FixtureRun) { NULL });
  session->recording = TRUE;
  g_assert_true (ls_session_run_program (session, "x = Tensor([1, 2, 3])\n# note\nfor i in range(1):\n  y = x + 2\n\nprint(7)\n", "t.py", NULL));
  LsTrace *trace = session->trace;
  g_assert_cmpuint (trace->statements->len, ==, 3);
  LsStatement *loop = &g_array_index (trace->statements, LsStatement, 1);
  g_assert_cmpuint (loop->line, ==, 3);
  g_assert_cmpuint (loop->end_line, ==, 4);
  g_assert_cmpstr (loop->text, ==, "for i in range(1):\n  y = x + 2");
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++) {
    const LsCall *call = call_at (session, i);
    g_assert_cmpstr (call->name, ==, expected[i].name);
    g_assert_cmpstr (call->args, ==, expected[i].args);
    g_assert_cmpint (call->parent, ==, expected[i].parent);
    g_assert_cmpuint (call->statement, ==, i == 0 ? 0 : 1);
    g_assert_cmpuint (call->line, ==, i == 0 ? 1 : 4);
  }
  /* The ADD was made during add itself, the EXPAND during expand. */
  const LsCall *add = call_at (session, 1);
  gboolean found = FALSE;
  for (guint i = 0; i < trace->node_calls->len; i++) {
    LsNodeCall *made = &g_array_index (trace->node_calls, LsNodeCall, i);
    if (made->node == add->node)
      found = made->call == 1;
  }
  g_assert_true (found);
  g_assert_cmpstr (trace->program_name, ==, "t.py");
  g_assert_cmpstr (trace->std_out, ==, "7\n");
}

static void
test_arrays (void)
{
  static const Row rows[] = {
    { "print(Tensor([3]).numpy(), Tensor([1.0, 2.0]).numpy(), Tensor(5).numpy(), Tensor([0.1, 0.25, -3.0]).numpy())\n",
      "[3] [1. 2.] 5 [ 0.1   0.25 -3.  ]\n" },
    { "print(Tensor([[1, -20], [300, 4]]).numpy())\n", "[[  1 -20]\n [300   4]]\n" },
    { "print(Tensor([True, False]).numpy(), Tensor([1e-10, 1.0]).numpy(), Tensor([]).numpy())\n", "[ True False] [1.e-10 1.e+00] []\n" },
    { "print(Tensor([float('nan'), 1.5, float('-inf')]).numpy(), Tensor([1/3]).numpy())\n", "[ nan  1.5 -inf] [0.33333334]\n" },
    { "print(Tensor([list(range(30))]).numpy())\n",
      "[[ 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23\n  24 25 26 27 28 29]]\n" },
    { "print(Tensor(list(range(2000))).numpy())\n", "[   0    1    2 ... 1997 1998 1999]\n" },
    { "x = Tensor([[1.0, 2.0]])\nprint(x, x.shape, x.dtype, x.ndim, x.numel(), x.tolist(), x[0, 1].item(), len(x), [r.tolist() for r in x])\n",
      "<Tensor <UOp CPU (1, 2) float> on CPU with grad None> (1, 2) dtypes.float 2 2 [[1.0, 2.0]] 2.0 1 [[1.0, 2.0]]\n" },
    { "print(Tensor([1/3]).tolist(), Tensor([0.1], dtype=dtypes.half).tolist(), Tensor([18446744073709551615], dtype=dtypes.uint64).tolist(), Tensor([]).tolist())\n",
      "[0.3333333432674408] [0.0999755859375] [18446744073709551615] []\n" },
  };
  CHECK (rows);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/program/numbers", test_numbers);
  g_test_add_func ("/program/values", test_values);
  g_test_add_func ("/program/statements", test_statements);
  g_test_add_func ("/program/errors", test_errors);
  g_test_add_func ("/program/limits", test_limits);
  g_test_add_func ("/program/kinds", test_kinds);
  g_test_add_func ("/program/garbage", test_garbage);
  g_test_add_func ("/program/mutations", test_mutations);
  g_test_add_func ("/program/speed", test_speed);
  g_test_add_func ("/program/recording", test_recording);
  g_test_add_func ("/program/arrays", test_arrays);
  return g_test_run ();
}
