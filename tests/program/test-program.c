/* Programs: Python's features, error messages, limits, and recordings. */
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "ask/ask.h"
#include "fixture.h"
#include "program/program.h"

/* The program's output, and its error's report after it. */
static char *
run_with (const char *text, const char *settings, const char *name)
{
  g_autoptr (LsSession) session = fixture_session (&(FixtureRun) { .settings = settings });
  g_autoptr (GError) error = NULL;
  session->recording = FALSE;
  gboolean ok = ls_session_run_program (session, text, name, &error);
  g_assert_true (ok == (error == NULL));
  if (ok)
    return g_strdup (session->out->str);
  g_assert_cmpstr (session->trace->error, ==, error->message);
  return g_strconcat (session->out->str, error->message, NULL);
}

static char *run (const char *text) { return run_with (text, NULL, "t.py"); }

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
#define IMPORT "from tinygrad import Tensor, dtypes\n"

/* Python's features work; the language itself is CPython's and is not tested here. */
static void
test_python (void)
{
  static const Row rows[] = {
    { "", "" },
    { "print(1)", "1\n" },
    { "\xef\xbb\xbfprint('bom')\r\nprint('crlf')\r\n", "bom\ncrlf\n" },
    { "class A:\n  def __init__(self, n): self.n = n\n  @property\n  def twice(self): return 2 * self.n\nprint(A(3).twice)\n", "6\n" },
    { "def count():\n  n = 0\n  while True:\n    yield n\n    n += 1\nfor i in count():\n  if i > 2: break\n  print(i, end=' ')\n",
      "0 1 2 " },
    { "import contextlib, collections, functools, json, itertools\n@contextlib.contextmanager\ndef m():\n  yield json.dumps({'a': [1, "
      "None]})\nwith m() as x: print(x)\n",
      "{\"a\": [1, null]}\n" },
    { "try:\n  1 / 0\nexcept ZeroDivisionError as e:\n  print('caught', e)\nfinally: print('done')\n", "caught division by zero\ndone\n" },
    { "import sys\nprint(__name__, sys.argv)\nsys.stdout.write('raw\\n')\nprint('flushed', flush=True)\n",
      "__main__ ['t.py']\nraw\nflushed\n" },
    { "import sys\nprint('x')\nsys.exit()\nprint('y')\n", "x\n" },
    { "import sys\nsys.exit(3)\n", "t.py: error: the program ended itself with status 3" },
    { "raise SystemExit('no data')\n", "no data" },
    { "from __future__ import annotations\nmatch [1, 2]:\n  case [a, b]: print(f'{a=} {b:>3}', {k: v for k, v in zip('ab', (1, 2))})\n",
      "a=1   2 {'a': 1, 'b': 2}\n" },
    { IMPORT "class Layer:\n  def __init__(self): self.w = Tensor([[1., 2.], [3., 4.]])\n  def __call__(self, x): return (x @ "
             "self.w).relu()\n"
      "net = [Layer() for _ in range(2)]\nx = Tensor([[1., -1.]])\nfor l in net: x = l(x)\nprint(x.tolist())\n", "[[0.0, 0.0]]\n" },
  };
  CHECK (rows);
}

static void
test_errors (void)
{
  static const Row rows[] = {
    { "a = Tensor([1])\n", "t.py:1:5: error: NameError: name 'Tensor' is not defined\na = Tensor([1])\n    ^~~~~~\nhint: from tinygrad "
                           "import Tensor" },
    { "print(math.pi)\n", "t.py:1:7: error: NameError: name 'math' is not defined\nprint(math.pi)\n      ^~~~\nhint: import math" },
    { IMPORT "if True:\n    a = tensr([1])\n", "t.py:3:9: error: NameError: name 'tensr' is not defined\n    a = tensr([1])\n        "
                                               "^~~~~\nhint: did you mean 'Tensor'?" },
    { "x = 1 +\n", "t.py:1:8: error: invalid syntax\nx = 1 +\n       ^" },
    { "print((1, 2)\n", "t.py:1:6: error: '(' was never closed\nprint((1, 2)\n     ^" },
    { "if True:\nprint(1)\n", "t.py:2:1: error: expected an indented block after 'if' statement on line 1\nprint(1)\n^~~~~" },
    { "print('ä', 1 / 0)\n", "t.py:1:12: error: ZeroDivisionError: division by zero\nprint('ä', 1 / 0)\n           ^~~~~" },
    { "x = [1]\nx[5]\n", "t.py:2:1: error: IndexError: list index out of range\nx[5]\n^~~~" },
    { "import jsno\n", "t.py:1:1: error: ModuleNotFoundError: No module named 'jsno'\n"
      "import jsno\n^~~~~~~~~~~\nhint: did you mean 'json'?" },
    { "import numpyy\n", "t.py:1:1: error: ModuleNotFoundError: No module named 'numpyy'\nimport numpyy\n^~~~~~~~~~~~~\nhint: packages "
      "(of Python 3.11) are found next to the program, in PYTHONPATH, in an active virtual environment, and without one among those of "
      "Debian (apt install python3-NAME)" },
    { "from tinygrad.helpers import prodd\n", "t.py:1:1: error: ImportError: cannot import name 'prodd' from 'tinygrad.helpers'\nfrom "
                                              "tinygrad.helpers import prodd\n^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\nhint: did you mean "
                                              "'prod'?" },
    { "from tinygrad import wallclock\n", "t.py:1:1: error: ImportError: cannot import name 'wallclock' from 'tinygrad'\nfrom tinygrad "
                                          "import wallclock\n^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
      "hint: tinygrad is Lazyscope's own here, and has no 'wallclock'" },
    { IMPORT "x = Tensor.eye(2)\nx.sum().backward()\nx.grad.tolist()\n",
      "t.py:4:1: error: AttributeError: 'NoneType' object has no attribute 'tolist'\nx.grad.tolist()\n^~~~~~~~~~~~~\nhint: backward "
      "gives a grad to tensors that have memory: a tensor of constants only has none, unless it is made with requires_grad=True or "
      "cloned" },
    { "import tinygrad.optim\n", "t.py:1:1: error: ModuleNotFoundError: No module named 'tinygrad.optim': Lazyscope's own tinygrad is "
                                 "without it\nimport tinygrad.optim\n^~~~~~~~~~~~~~~~~~~~~\nhint: did you mean 'tinygrad.nn.optim'?" },
    { "import tinygrad.tensr\n", "t.py:1:1: error: ModuleNotFoundError: No module named 'tinygrad.tensr': Lazyscope's own tinygrad is "
                                 "without it\nimport tinygrad.tensr\n^~~~~~~~~~~~~~~~~~~~~\nhint: did you mean 'tinygrad.tensor'?" },
    { "import maths\n", "t.py:1:1: error: ModuleNotFoundError: No module named 'maths'\nimport maths\n^~~~~~~~~~~~\nhint: did you mean "
                        "'math'?" },
    { "def f(n):\n  raise ValueError('no') from KeyError('k')\nf(1)\n",
      "Traceback (most recent call last):\n  File \"t.py\", line 3, in <module>\n    f(1)\nt.py:2:3: error: ValueError: no\n  raise "
      "ValueError('no') from KeyError('k')\n"
      "  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\nnote: raised while this was handled: KeyError: 'k'" },
  };
  CHECK (rows);
}

/* Errors of tensors name the operation and both shapes, at their place; the library's frames are folded. */
static void
test_tensor_errors (void)
{
  static const struct { const char *line, *column, *says; } rows[] = {
    { "print(Tensor([[1,2,3]]) + Tensor([1,2,3,4]))", "7", "(1, 3)" },
    { "x = Tensor.zeros(2, 3).reshape(7)", "5", "(2, 3)" },
    { "Tensor.zeros(2, 3) @ Tensor.zeros(4, 5)", "1", "(4, 5)" },
    { "a = Tensor([[1, 2], [3]])", "5", "2 and 1 items" },
    { "x = Tensor([1.0]).sum(axes=0)", "5", "axes" },
    { "x = Tensor([1.0]).rleu()", "5", "hint: did you mean 'relu'?" },
    { "if Tensor([1]): pass", "1", "bool" },
    { "x = Tensor.zeros(10**9, 10**9, 10**9)", "5", "too large" },
    { "x = Tensor([1]).reshape(-1, -1)", "5", "" },
    { "x = Tensor.zeros(2, 3).permute(0, 0)", "5", "permut" },
    { "x = Tensor.zeros(2, 3).sum(axis=2)", "5", "2" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree char *program = g_strconcat (IMPORT, rows[i].line, "\n", NULL), *output = run (program);
    g_autofree char *begin = g_strdup_printf ("t.py:2:%s: error: ", rows[i].column);
    if (!g_str_has_prefix (output, begin) || !strstr (output, rows[i].says))
      g_test_fail_printf ("%s\n%s", program, output);
  }
  g_autofree char *output = run (IMPORT "def f(x):\n  return x.reshape(7)\ny = f(Tensor([1, 2]))\n");
  g_assert_true (g_str_has_prefix (output, "Traceback (most recent call last):\n  File \"t.py\", line 4, in <module>\n    y = "
                                           "f(Tensor([1, 2]))\nt.py:3:10: error: "));
  g_assert_null (strstr (output, "library/"));
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

/* Nested, endless and greedy programs end with an error that says so. */
static void
test_limits (void)
{
  static const struct { const char *before, *unit; guint n; const char *after, *says; } rows[] = {
    { "x = ", "(", 100000, "1", "too many nested parentheses" },
    { "x = ", "-", 100000, "1", "error: " },
    { "x = ", "not ", 100000, "1", "error: " },
    { "x = 1", " + 1", 100000, "", "error: RecursionError" },
    { "if 1: pass\n", "elif 1: pass\n", 100000, "", "error: " },
    { "def f(n): return f(n + 1)\n", "", 0, "f(0)", "RecursionError" },
    { "while True: pass", "", 0, "", "ran longer than 1 s" },
    { "while True:\n  try:\n    while True: pass\n  except Exception: pass", "", 0, "", "ran longer than 1 s" },
    { "x = []\n", "", 0, "while True: x.append('a' * 10**6)", "out of memory" },
    { "x = [0] * 10**12", "", 0, "", "out of memory" },
    { "while True: print('x' * 10**6)", "", 0, "", "error: the program " },      /* printed too much, or for too long */
    { IMPORT "x = Tensor([1.])\nwhile True: x = x + 1", "", 0, "", "error: " },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree char *program = repeated (rows[i].before, rows[i].unit, rows[i].n, rows[i].after);
    g_autofree char *output = run_with (program, strcmp (rows[i].says, "out of memory") == 0 ? "TIME_S=60 MEMORY_MB=300"
                                                                                             : "TIME_S=1 MEMORY_MB=300", "t.py");
    gsize n = strlen (output);
    if (!strstr (n > 3000 ? output + n - 3000 : output, rows[i].says))
      g_test_fail_printf ("%s%s...: %.300s", rows[i].before, rows[i].unit, output);
  }
}

/* A run knows nothing of the one before it, and a tensor does not outlive its own. */
static void
test_apart (void)
{
  g_autofree char *one = run ("import math, sys\nmath.kept = 1\nx = 5\nsys.path.append('here')\n"),
                  *two = run ("import sys\nprint('here' in sys.path)\nprint(x)\n");
  g_assert_cmpstr (one, ==, "");
  g_assert_true (g_str_has_prefix (two, "False\nt.py:3:7: error: NameError: name 'x' is not defined"));
  g_autofree char *keep = run (IMPORT "import math\nmath.kept = Tensor([1.])\n"), *use = run ("import math\nprint(math.kept + 1)\n");
  g_assert_cmpstr (keep, ==, "");
  g_assert_nonnull (strstr (use, "belongs to a run that has ended"));
}

/* Modules next to a program are its own: found first, recorded, forgotten after the run. */
/* The library outlives a run, and the next finds it as it was imported. */
static void
test_library_restored (void)
{
  static const Row rows[] = {
    { "import tinygrad, tinygrad.nn, tinygrad.helpers as h, tinygrad.random as r\nfrom tinygrad import Tensor, dtypes, GlobalCounters\n"
      "Tensor.twice = lambda x: x + x\nTensor.relu = None\ndel tinygrad.reduce.Reduce.sum\nTensor.train.mode = 7\ndtypes.default_float = "
      "dtypes.float64\nh.prod = max\nh.extra = 1\n"
      "h.DEBUG.value = 5\nh.DEBUG.own = 1\nGlobalCounters.before[0] = "
      "99\nh.ContextVar._cache.clear()\nTensor.manual_seed(3)\ntinygrad.Tensor = int\ntinygrad.nn = 1\n"
      "import sys\nsys.modules['tinygrad.helpers'] = None\nsys.modules['tinygrad.own'] = sys\nprint(Tensor([2.0]).twice().tolist())\n",
                                                     "[4.0]\n" },
    { "import sys, tinygrad, tinygrad.nn, tinygrad.helpers as h, tinygrad.random as r\nfrom tinygrad import Tensor, dtypes, nn, "
      "GlobalCounters\n"
      "print(hasattr(Tensor, 'twice'), Tensor([-1.0, 2.0]).relu().sum().item(), Tensor([1.5]).dtype, h.prod([2, 3]), hasattr(h, 'extra'), "
      "h.DEBUG.value, hasattr(h.DEBUG, 'own'))\n"
      "print(len(h.ContextVar._cache) > 9, r._State.seed, tinygrad.Tensor is Tensor, tinygrad.nn is nn, 'tinygrad.own' in sys.modules, "
      "hasattr(Tensor.train, 'mode'), GlobalCounters.before[0])\n",
      "False 2.0 dtypes.float 6 False 0 False\nTrue None True True False False 0\n" },
    { IMPORT "class Mine(Tensor):\n  def relu(self): return 'mine'\nprint(Mine([1.0]).relu(), Tensor.__subclasses__() == [Mine])\n",
      "mine True\n" },
    { IMPORT "print(Tensor.__subclasses__())\n", "[]\n" },
  };
  CHECK (rows);
}

static void
test_modules (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("lazyscope-XXXXXX", &error);
  g_assert_no_error (error);
  g_autofree char *module = g_build_filename (folder, "parts.py", NULL), *program = g_build_filename (folder, "main.py", NULL);
  const char *text = IMPORT "from parts import twice\nprint(twice(Tensor([1, 2])).tolist())\n";
  g_assert_true (g_file_set_contents (program, text, -1, NULL));
  for (int k = 2; k <= 3; k++) {
    g_autofree char *body = g_strdup_printf ("def twice(x):\n  y = x * %d\n  return y\n", k),
                    *printed = g_strdup_printf ("[%d, %d]\n", k, 2 * k);
    g_assert_true (g_file_set_contents (module, body, -1, NULL));
    g_autoptr (LsSession) session = fixture_session (&(FixtureRun) { NULL });
    g_assert_true (ls_session_run_program (session, text, program, &error));
    g_assert_cmpstr (session->out->str, ==, printed);
    const LsTrace *trace = session->trace;
    gboolean own = FALSE, library = FALSE, bound = FALSE;
    for (guint i = 0; i < trace->files->len; i++) {
      const LsProgramFile *f = &g_array_index (trace->files, LsProgramFile, i);
      own = own || (strcmp (f->name, module) == 0 && strcmp (f->text, body) == 0 && !f->library);
      library = library || f->library;
    }
    for (guint i = 0; i < trace->bindings->len; i++) {
      const LsNameBinding *b = &g_array_index (trace->bindings, LsNameBinding, i);
      bound = bound || strcmp (b->name, "y") == 0;
    }
    g_assert_true (own && library && bound);
  }
  g_assert_cmpint (g_remove (module), ==, 0);
  g_assert_cmpint (g_remove (program), ==, 0);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

/* A bound name is recorded with the node that it was a view of then, and its memory. */
static void
test_bindings (void)
{
  g_autoptr (LsSession) session = fixture_session (&(FixtureRun) { NULL });
  g_assert_true (ls_session_run_program (session, IMPORT "a = Tensor.arange(6).float().clone()\nb = a.reshape(2, 3).T\na.realize()\nc = "
                                                         "b[1:]\nd = b + 1\n", "t.py", NULL));
  LsTrace *trace = session->trace;
  static const struct { const char *name; gboolean computed; const char *view; } rows[] = {
    { "a", FALSE, "View(shape=(6,), strides=(1,), offset=0, mask=None, contiguous=True)" },
    { "b", FALSE, "View(shape=(3, 2), strides=(1, 3), offset=0, mask=None, contiguous=False)" },
    { "c", TRUE, "View(shape=(2, 2), strides=(1, 3), offset=1, mask=None, contiguous=False)" },
    { "d", FALSE, "View(shape=(3, 2), strides=(2, 1), offset=0, mask=None, contiguous=True)" },
  };
  g_assert_cmpuint (trace->bindings->len, ==, G_N_ELEMENTS (rows));
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    const LsNameBinding *b = &g_array_index (trace->bindings, LsNameBinding, i), *a = &g_array_index (trace->bindings, LsNameBinding, 0);
    g_auto (LsBoundName) bound = { NULL };
    g_assert_cmpstr (b->name, ==, rows[i].name);
    g_assert_true (ls_bound_name (trace, b, &bound));
    g_autofree char *expected = g_strdup_printf ("ShapeTracker(views=(%s,))", rows[i].view);
    g_assert_cmpstr (bound.view, ==, expected);
    g_assert_cmpint (b->base == a->base, ==, i < 3);
    g_assert_cmpint (b->buffer != G_MAXUINT, ==, rows[i].computed);
  }
}

/* A bound UOp is recorded with its node and said as an expression. */
static void
test_bound_uops (void)
{
  g_autoptr (LsSession) session = fixture_session (&(FixtureRun) { NULL });
  g_assert_true (ls_session_run_program (session, "from tinygrad.uop.ops import UOp, UPat\ni = UOp.variable('i', 0, 15)\n"
                                                  "x = UPat.var('x')\nfor k in range(2):\n  e = i * 4 + k\n", "t.py", NULL));
  LsTrace *trace = session->trace;
  static const char *const rows[][2] = { { "i", "i" }, { "e", "i*4+0" }, { "e", "i*4+1" } };
  g_assert_cmpuint (trace->bindings->len, ==, G_N_ELEMENTS (rows));
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    const LsNameBinding *b = &g_array_index (trace->bindings, LsNameBinding, i);
    g_auto (LsBoundName) bound = { NULL };
    g_assert_cmpstr (b->name, ==, rows[i][0]);
    g_assert_true (b->base == LS_NO_NODE && b->buffer == G_MAXUINT);
    g_assert_true (ls_bound_name (trace, b, &bound));
    g_assert_cmpstr (bound.expr, ==, rows[i][1]);
  }
  g_autoptr (LsTrace) statements = ls_trace_statements (trace);      /* a graph after each: of the import, i, x, the loop, e twice */
  g_assert_cmpuint (statements->passes->len, ==, 6);
}

/* Any text gives a result or a report that names the file. */
static void
test_garbage (void)
{
  static const char *const words[] = { "x", "Tensor", "(", ")", "[", "]", "=", "==", "+", "-", "*", "/", "//", "%", "@", "&", ".", ",", ":",
                                       ";", "\n",
    "\n    ", "\n  ", "1", "2.5", "1e400", "'a'", "f'{x}'", "f'{", "'''", "\\", "#", "for", "in", "if", "else", "elif", "def", "lambda",
    "return", "import", "from",
    "print", "None", "True", "not", "and", "or", "is", "...", "{", "}", "!", ":=", "->", "sum", "reshape", "dtypes", "float", "\xff",
    "\xc3", "é", "0x", "1_", "~", "\t" };
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  guint n_bad = 0;
  for (guint i = 0; i < 2000; i++) {
    g_autoptr (GString) text = g_string_new (NULL);
    guint n = g_rand_int_range (rand, 1, 30);
    for (guint k = 0; k < n; k++) {
      if (i % 4 == 0)
        g_string_append_c (text, (char) g_rand_int_range (rand, 1, 256));
      else
        g_string_append_printf (text, "%s%s", words[g_rand_int_range (rand, 0, G_N_ELEMENTS (words))], i % 4 == 1 ? " " : "");
    }
    g_autofree char *output = run (text->str);
    n_bad += strstr (output, "t.py:") != NULL;
  }
  g_assert_cmpuint (n_bad, >, 1000);
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
    for (guint i = 0; i < 60; i++) {
      g_autoptr (LsSession) session = fixture_session (&(FixtureRun) { .settings = "TIME_S=10 MEMORY_MB=500" });
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
      if (!ls_session_run_program (session, changed->str, "m.py", &error) && !strstr (error->message, "m.py:"))
        g_error ("%s\n%s", changed->str, error->message);
    }
  }
}

static const LsCall *
call_named (LsTrace *trace, const char *name)
{
  for (guint i = 0; i < trace->calls->len; i++)
    if (strcmp (g_array_index (trace->calls, LsCall, i).name, name) == 0)
      return &g_array_index (trace->calls, LsCall, i);
  g_error ("there is no call %s", name);
}

static const char *
file_of (LsTrace *trace, gint file)
{
  return file < 0 ? "" : g_array_index (trace->files, LsProgramFile, file).name;
}

/* Statements by turn, what they bound, and calls with their places: the program's own function, then add -> _broadcasted -> reshape. */
static void
test_recording (void)
{
  g_autoptr (LsSession) session = fixture_session (&(FixtureRun) { NULL });
  g_assert_true (ls_session_run_program (session, IMPORT "x = Tensor([1, 2, 3])\ndef f(a):\n  b = a + 2\n  return b\nfor i in range(2):\n "
                                                         " y = f(x) * i\n\nprint(7)\n", "t.py", NULL));
  LsTrace *trace = session->trace;
  const LsCall *calls = (const LsCall *) (gpointer) trace->calls->data, *f = call_named (trace, "f"), *add = call_named (trace, "add"),
               *both = call_named (trace, "_broadcasted");
  g_assert_cmpint (f->parent, ==, -1);
  g_assert_cmpuint (f->line, ==, 7);
  g_assert_cmpuint (f->column, ==, 7);
  g_assert_cmpstr (f->args, ==, "int(3,)");
  g_assert_cmpuint (f->def_line, ==, 3);
  g_assert_cmpstr (file_of (trace, f->def_file), ==, "t.py");
  g_assert_true (&calls[add->parent] == f);
  g_assert_cmpuint (add->line, ==, 4);
  g_assert_cmpuint (add->file_line, ==, 4);
  g_assert_cmpuint (add->file_column, ==, 7);
  g_assert_true (g_str_has_prefix (file_of (trace, add->def_file), "library/"));
  g_assert_true (&calls[both->parent] == add);
  g_assert_true (g_str_has_prefix (file_of (trace, both->file), "library/"));
  g_assert_cmpuint (both->line, ==, 4);
  /* each iteration of the loop's body that called a function has its row */
  guint turns = 0, times = 0, bound = 0;
  for (guint i = 0; i < trace->statements->len; i++) {
    const LsStatement *s = &g_array_index (trace->statements, LsStatement, i);
    if (s->line == 7) {
      g_assert_cmpstr (s->text, ==, "y = f(x) * i");
      g_assert_cmpuint (s->turn, ==, ++turns);
      times = MAX (times, s->times);
    }
    if (s->line == 6)
      g_assert_cmpuint (s->end_line, ==, 7);
  }
  g_assert_cmpuint (turns, ==, 2);
  g_assert_cmpuint (times, ==, 2);
  for (guint i = 0; i < trace->bindings->len; i++)
    bound += strcmp (g_array_index (trace->bindings, LsNameBinding, i).name, "y") == 0;
  g_assert_cmpuint (bound, ==, 2);
  /* the ADD was made during add itself */
  gboolean found = FALSE;
  for (guint i = 0; i < trace->node_calls->len; i++) {
    const LsNodeCall *made = &g_array_index (trace->node_calls, LsNodeCall, i);
    for (guint32 node = made->node; node <= made->node + made->more; node++)
      found = found || (&calls[made->call] == add && ls_context_node (trace->ctx, node)->op == LS_OP_ADD);
  }
  g_assert_true (found);
  g_assert_cmpstr (trace->program_name, ==, "t.py");
  g_assert_cmpstr (trace->std_out, ==, "7\n");
}

/* A call for each activation of a function, wherever its frame is: in iterations of a loop, within itself, of a generator that
 * continues. The same again when the text is run again. */
static void
test_activations (void)
{
  static const char text[] = IMPORT "def f(a, n):\n  return a if n == 0 else f(a + 1, n - 1)\ndef g(a):\n  for i in range(3):\n    yield "
                                    "a * i\n"
                                    "y = x = Tensor([1, 2])\nfor i in range(3):\n  y = f(x, 2)\nfor z in g(x):\n  y = y + z\n";
  for (int again = 0; again < 3; again++) {
    g_autoptr (LsSession) session = fixture_session (&(FixtureRun) { NULL });
    g_assert_true (ls_session_run_program (session, again == 1 ? IMPORT "\n\nprint(Tensor([1]) + 1)\n" : text, "t.py", NULL));
    if (again == 1)
      continue;
    guint outer = 0, inner = 0, generator = 0;
    for (guint i = 0; i < session->trace->calls->len; i++) {
      const LsCall *call = &g_array_index (session->trace->calls, LsCall, i);
      if (strcmp (call->name, "g") == 0)
        generator++;
      if (strcmp (call->name, "f") != 0)
        continue;
      *(call->parent < 0 ? &outer : &inner) += 1;
      g_assert_cmpuint (call->line, ==, call->parent < 0 ? 9 : 3);
      g_assert_cmpstr (call->args, ==, call->parent < 0 ? "int(2,), 2" : "int(2,), 1");
    }
    g_assert_cmpuint (outer, ==, 3);
    g_assert_cmpuint (inner, ==, 3);
    g_assert_cmpuint (generator, ==, 3);
    guint64 times[12] = { 0 };      /* by line */
    static const guint64 expected[12] = { 0, 1, 1, 9, 1, 1, 3, 1, 1, 3, 1, 3 };
    for (guint i = 0; i < session->trace->statements->len; i++) {
      const LsStatement *s = &g_array_index (session->trace->statements, LsStatement, i);
      times[s->line] = MAX (times[s->line], s->times);
    }
    for (guint line = 0; line < G_N_ELEMENTS (times); line++)
      g_assert_cmpuint (times[line], ==, expected[line]);
  }
}

/* Numbers among arguments are written as %g writes them. */
static void
test_arguments (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);
  g_autoptr (GString) text = g_string_new (IMPORT "for v in (0.5, -0.0, 1e6, 999999.0, 999999.5, 1e-4, 9.9e-5, -0.05, 0.1, 123456.5");
  g_autoptr (LsSession) session = fixture_session (&(FixtureRun) { NULL });
  for (guint i = 0; i < 500; i++) {
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    double f = g_rand_int_range (rand, -2000000, 2000000) / pow (10, g_rand_int_range (rand, 0, 9)) * (i % 5 == 0 ? 1 + 1e-9 : 1);
    g_string_append_printf (text, ", %s", g_ascii_formatd (number, sizeof number, "%.17g", f));
  }
  g_string_append (text, "):\n  Tensor([float(v)]) + 1\n  print(f'{float(v):g}')\n");
  g_assert_true (ls_session_run_program (session, text->str, "t.py", NULL));
  g_auto (GStrv) printed = g_strsplit (session->out->str, "\n", -1);
  guint n = 0;
  for (guint i = 0; i < session->trace->calls->len; i++) {
    const LsCall *call = &g_array_index (session->trace->calls, LsCall, i);
    if (strcmp (call->name, "Tensor") != 0)
      continue;
    g_autofree char *begin = g_strdup_printf ("a new tensor, [%s]", printed[n++]);
    if (!g_str_has_prefix (call->args, begin))
      g_test_fail_printf ("%s, not %s", call->args, begin);
  }
  g_assert_cmpuint (n, ==, 510);
}

static void
test_arrays (void)
{
  static const Row rows[] = {
    { IMPORT "print(Tensor([3]).numpy(), Tensor([1.0, 2.0]).numpy(), Tensor(5).numpy(), Tensor([0.1, 0.25, -3.0]).numpy())\n",
      "[3] [1. 2.] 5 [ 0.1   0.25 -3.  ]\n" },
    { IMPORT "print(Tensor([[1, -20], [300, 4]]).numpy())\n", "[[  1 -20]\n [300   4]]\n" },
    { IMPORT "print(Tensor([True, False]).numpy(), Tensor([1e-10, 1.0]).numpy(), Tensor([]).numpy())\n",
      "[ True False] [1.e-10 1.e+00] []\n" },
    { IMPORT "print(Tensor([float('nan'), 1.5, float('-inf')]).numpy(), Tensor([1/3]).numpy())\n", "[ nan  1.5 -inf] [0.33333334]\n" },
    { IMPORT "print(Tensor([list(range(30))]).numpy())\n",
      "[[ 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23\n  24 25 26 27 28 29]]\n" },
    { IMPORT "print(Tensor(list(range(2000))).numpy())\n", "[   0    1    2 ... 1997 1998 1999]\n" },
    { IMPORT "x = Tensor([[1.0, 2.0]])\nprint(x, x.shape, x.dtype, x.ndim, x.numel(), x.tolist(), x[0, 1].item(), len(x), [r.tolist() for "
             "r in x])\n",
      "<Tensor <UOp CPU (1, 2) float> on CPU with grad None> (1, 2) dtypes.float 2 2 [[1.0, 2.0]] 2.0 1 [[1.0, 2.0]]\n" },
    { IMPORT "print(Tensor([1/3]).tolist(), Tensor([0.1], dtype=dtypes.half).tolist(), Tensor([18446744073709551615], "
             "dtype=dtypes.uint64).tolist(), Tensor([]).tolist())\n",
      "[0.3333333432674408] [0.0999755859375] [18446744073709551615] []\n" },
    /* a float of 8 bits between two casts rounds: 17 needs 5 digits, which e4m3 does not have, nor e5m2 the 4 of 9 */
    { IMPORT "print([Tensor([17, -100, 3, 9], dtype=i).cast(d).cast(dtypes.float32).tolist() for i in [dtypes.int8, dtypes.int16] for d in "
             "[dtypes.fp8e4m3, dtypes.fp8e5m2, dtypes.half]])\n",
      "[[16.0, -96.0, 3.0, 9.0], [16.0, -96.0, 3.0, 8.0], [17.0, -100.0, 3.0, 9.0], "
      "[16.0, -96.0, 3.0, 9.0], [16.0, -96.0, 3.0, 8.0], [17.0, -100.0, 3.0, 9.0]]\n" },
  };
  CHECK (rows);
}

#define RULES "from tinygrad import dtypes\nfrom tinygrad.uop.ops import Ops, PatternMatcher, UOp, UPat, graph_rewrite\na = " \
              "UOp.variable('a', 0, 9)\nx = UPat.var('x')\n"
#define WHY(expression) RULES "try: print(" expression ")\nexcept Exception as e: print(type(e).__name__, e)\n"

/* Rules of the program: text, functions, both orders; errors are reported where the rule is made. */
static void
test_rules (void)
{
  static const Row rows[] = {
    { RULES "pm = PatternMatcher([(x + 0, lambda x: x), (x * 1, lambda x: x)])\nprint(graph_rewrite((a * 1 + 0) * 1, pm) is a, "
            "pm.rewrite(a + 0) is a, pm.rewrite(a + 1))\n", "True True None\n" },
    { RULES "print(graph_rewrite(a + 0, PatternMatcher('x:int32 + 0 -> x')) is a, graph_rewrite(a + 0, PatternMatcher('x:float + 0.0 -> "
            "x')) is a)\n", "True False\n" },
    { RULES "pm = PatternMatcher([(UPat(Ops.ADD, src=(UPat.cvar('c'), x)), lambda c, x: x * c.arg)])\nprint(pm.rewrite(a + 3), "
            "pm.rewrite(3 + a).expression(9))\n", "None (a*3)\n" },
    { RULES "pm = PatternMatcher([(UPat(Ops.ADD, name='u'), lambda ctx, u: ctx.append(u.arg))])\nseen = []\ngraph_rewrite(a + 1 + 2, pm, "
            "ctx=seen)\nprint(seen)\n", "[None, None]\n" },
    { RULES "pm = PatternMatcher([(x * 2, lambda x: x + x)]) + PatternMatcher([(UPat.var('y') + UPat.var('y'), lambda y: y * "
            "4)])\nprint(graph_rewrite(a * 2, pm).expression(9))\n", "(a*4)\n" },
    { RULES "print(x.match(a) if False else UPat(Ops.ADD, src=(x, UPat.cvar('c'))).match(a + 7)[0]['c'].arg, (a + 7).vmax, (a + "
            "7).substitute({a: a.const_like(1)}).simplify().arg)\n", "7 16 8\n" },
    { WHY ("graph_rewrite(a + 0, PatternMatcher([(x + 0, lambda x: 1 // 0)]))"), "ZeroDivisionError integer division or modulo by zero\n" },
    { WHY ("graph_rewrite(a + 0, PatternMatcher([(x + 0, lambda x: 5)]))"), "TypeError expected a UOp, not a int\n" },
    { WHY ("PatternMatcher([(x + 0, lambda y: y)])"), "ValueError the rule's function asks for 'y', which its pattern does not bind: x\n" },
    { WHY ("PatternMatcher([(x, lambda x: x)])"), "ValueError the pattern of a rule must begin with an op\n" },
    { WHY ("PatternMatcher('ADD(x -> x')"), "ValueError in the text of the rules: expected ')'\n    line-5-1: ADD(x -> x\n                "
                                            "    ^\n" },
    { WHY ("graph_rewrite(a + 1, PatternMatcher([(UPat(Ops.ADD, name='u'), lambda u: u + 1)]))"),
      "RuntimeError the rewrite with rules-of-line-5 does not end: the result of line-5-1 contains its own match (ADD, node 2)\n" },
    { WHY ("graph_rewrite(a + 1, PatternMatcher([(UPat(Ops.ADD, name='u'), lambda u: u.cast(dtypes.float))]))"),
      "ValueError t.py:5: rule line-5-1, step 1: it makes CAST node 3 from ADD node 2, and dtype dtypes.float from dtypes.int; a "
      "result must have the dtype of the node that it replaces\n" },
    { WHY ("graph_rewrite(a + 1, 'x + 0 -> x')"), "TypeError graph_rewrite: rules are a PatternMatcher, not a str\n" },
  };
  CHECK (rows);
}

/* Steps by a function are recorded with its text, and asked of nobody once the run is over. */
static void
test_rules_recorded (void)
{
  g_autoptr (LsSession) session = fixture_session (&(FixtureRun) { NULL });
  g_assert_true (ls_session_run_program (session, RULES "graph_rewrite(a + 0, PatternMatcher([(x + 0,\n  lambda x: x)]))\nprint((a * "
                                                        "1).simplify() is a)\n", "t.py", NULL));
  LsTrace *trace = session->trace;
  g_assert_cmpstr (trace->std_out, ==, "True\n");
  const LsPass *pass = trace->passes->pdata[0];
  g_assert_cmpstr (pass->name, ==, "graph_rewrite@5");
  g_assert_cmpuint (pass->steps->len, ==, 1);
  const LsLink *link = &g_array_index (pass->links, LsLink, g_array_index (pass->steps, guint32, 0));
  const LsTraceRule *rule = trace->rules->pdata[link->rule];
  g_assert_cmpstr (rule->name, ==, "line-5-1");
  g_assert_cmpstr (rule->sentence, ==, "lambda x: x");
  g_assert_cmpuint (rule->line, ==, 6);
  g_assert_cmpstr (rule->text, ==, "ADD(x, 0) -> build line_5_1(x)");
  LsUOp *node = ls_context_node (trace->ctx, link->before), *result;
  LsBinding bindings[4];
  guint n;
  g_assert_cmpuint (ls_rule_match (trace->library, (guint) link->rule, trace->ctx, node, bindings, 4), ==, 1);
  g_assert_false (ls_rule_apply (trace->library, (guint) link->rule, trace->ctx, node, NULL, &result, bindings, 4, &n));
}

#define TEXTS RULES "b = UOp.variable('b', 0, 9)\n(a + b).render(simplify=False)\npm = PatternMatcher([(x * 2, lambda x: x), " \
              "(UPat(Ops.ADD, name='u'), lambda ctx, u: f'{ctx[u.src[0]]} and {ctx[u.src[1]]}')])\nnames = {a: 'a', b: 'b'}\n" \
              "pm.rewrite(a + b, names)\npm.rewrite(a - b, names)\n" \
              "UPat(Ops.MUL, src=(x, UPat(Ops.CONST, arg=2, name='c'))).match(b * 2)\nt = (a + b).replace(tag='seen')\n"

static const LsPass *
pass_named (const LsTrace *trace, const char *name)
{
  for (guint i = 0; i < trace->passes->len; i++)
    if (g_str_equal (((const LsPass *) trace->passes->pdata[i])->name, name))
      return trace->passes->pdata[i];
  g_assert_not_reached ();
}

/* The result of a step is a NOOP with the text. */
static void
check_text_step (LsTrace *trace, const LsPass *pass, guint step, LsOp of, const char *text)
{
  const LsLink *link = ls_pass_step_link (pass, step);
  const LsUOp *before = ls_context_node (trace->ctx, link->before), *after = ls_context_node (trace->ctx, link->after);
  g_assert_cmpint (before->op, ==, of);
  g_assert_cmpint (after->op, ==, LS_OP_NOOP);
  g_assert_cmpstr (after->arg.str, ==, text);
  g_assert_true (after->dtype == before->dtype);
}

static void
check_texts (LsTrace *trace)
{
  const LsPass *render = pass_named (trace, "render@6"), *fired = pass_named (trace, "rewrite@9"), *none = pass_named (trace, "rewrite@10"),
               *match = pass_named (trace, "match@11");
  g_assert_cmpuint (render->steps->len, ==, 3);
  check_text_step (trace, render, 1, LS_OP_DEFINE_VAR, "a");
  check_text_step (trace, render, 2, LS_OP_DEFINE_VAR, "b");
  check_text_step (trace, render, 3, LS_OP_ADD, "(a+b)");
  g_autoptr (LsGraph) text = ls_pass_graph (trace, render, 2);
  g_autofree char *expression = ls_expr_print (NULL, text->root, 0);
  g_assert_cmpstr (expression, ==, "(a+b)");
  g_assert_cmpuint (fired->steps->len, ==, 1);
  check_text_step (trace, fired, 1, LS_OP_ADD, "a and b");
  g_assert_cmpuint (none->steps->len, ==, 0);
  g_assert_cmpuint (match->steps->len, ==, 1);
  LsBinding bindings[4];
  g_assert_cmpuint (ls_step_bindings (trace, match, 1, bindings, 4), ==, 2);
  g_assert_cmpstr (bindings[1].name, ==, "c");
  const LsPass *ones[] = { fired, none, match };
  for (guint i = 0; i < G_N_ELEMENTS (ones); i++) {
    g_autoptr (LsVisits) visits = ls_pass_visits (trace, ones[i]);
    g_autoptr (LsVisitAsked) asked = ls_visit_asked_new (trace, ones[i], visits, 0, FALSE);
    g_assert_cmpint (ones[i]->mode, ==, LS_REWRITE_ONE);
    g_assert_true (visits->whole);
    g_assert_cmpuint (visits->visits->len, ==, 1);
    g_assert_cmpuint (ls_visit_asked_n (asked), ==, ones[i] != none);      /* it is a SUB, and no rule is for that op */
  }
  const LsUOp *tagged = ls_context_node (trace->ctx, g_array_index (trace->bindings, LsNameBinding, trace->bindings->len - 1).node);
  g_assert_cmpstr (ls_tag_text (tagged->tag), ==, "seen");
}

/* How a node becomes text, and what rules do at a single node, are passes; they are the same in the file. */
static void
test_texts_recorded (void)
{
  g_autoptr (LsSession) session = fixture_session (&(FixtureRun) { NULL });
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("lazyscope-XXXXXX", &error), *path = g_build_filename (folder, "texts.lscope", NULL);
  g_assert_true (ls_session_run_program (session, TEXTS, "t.py", &error));
  check_texts (session->trace);
  g_assert_true (ls_trace_save (session->trace, path, &error));
  g_autoptr (LsTrace) trace = ls_trace_load (path, &error);
  g_assert_no_error (error);
  check_texts (trace);
  g_autoptr (LsBisect) bisected = ls_bisect (trace, &error);
  g_assert_true (bisected && !bisected->found && bisected->n_unjudged == 0);      /* a text has no value */
  g_remove (path);
  g_rmdir (folder);
}

/* Contents and their digests are those of a buffer's last version, and only a recording asks for them. */
static void
test_contents (void)
{
  static const char text[] = IMPORT "x = Tensor.ones(40000, dtype=dtypes.int32).contiguous().realize()\nx.assign(x * 3).realize()\n"
                             "y = Tensor([1, 2]).clone().realize()\n";
  g_autofree gint32 *threes = g_new (gint32, 40000);
  for (guint i = 0; i < 40000; i++)
    threes[i] = 3;
  g_autofree char *digest = g_compute_checksum_for_data (G_CHECKSUM_SHA256, (const guint8 *) threes, 40000 * sizeof *threes);
  for (int recording = 0; recording < 2; recording++) {
    g_autoptr (LsSession) session = fixture_session (&(FixtureRun) { NULL });
    session->recording = recording;
    g_assert_true (ls_session_run_program (session, text, "t.py", NULL));
    ls_session_finish (session);
    guint n_kept = 0, n_digests = 0;
    for (guint i = 0; i < session->trace->buffers->len; i++) {
      const LsTraceBuffer *b = session->trace->buffers->pdata[i];
      n_kept += b && b->data;
      n_digests += b && g_strcmp0 (b->digest, digest) == 0;
    }
    g_assert_cmpuint (n_digests, ==, recording);
    g_assert_true ((n_kept > 0) == recording);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/program/python", test_python);
  g_test_add_func ("/program/errors", test_errors);
  g_test_add_func ("/program/tensor-errors", test_tensor_errors);
  g_test_add_func ("/program/limits", test_limits);
  g_test_add_func ("/program/apart", test_apart);
  g_test_add_func ("/program/library-restored", test_library_restored);
  g_test_add_func ("/program/modules", test_modules);
  g_test_add_func ("/program/bindings", test_bindings);
  g_test_add_func ("/program/bound-uops", test_bound_uops);
  g_test_add_func ("/program/garbage", test_garbage);
  g_test_add_func ("/program/mutations", test_mutations);
  g_test_add_func ("/program/recording", test_recording);
  g_test_add_func ("/program/contents", test_contents);
  g_test_add_func ("/program/activations", test_activations);
  g_test_add_func ("/program/arguments", test_arguments);
  g_test_add_func ("/program/arrays", test_arrays);
  g_test_add_func ("/program/rules", test_rules);
  g_test_add_func ("/program/rules-recorded", test_rules_recorded);
  g_test_add_func ("/program/texts-recorded", test_texts_recorded);
  return g_test_run ();
}
