"""Inputs whose calls, ends or settings were recorded or reported falsely: each as a program (output, status, stderr) and as a recording (verify).

Usage: test-program.py LAZYSCOPE_CLI
"""
import json
import os
import random
import sqlite3
import subprocess
import sys
import tempfile

FOLDER = os.path.dirname(os.path.abspath(__file__))
JIT = "TinyJit calls its function each time; it does not capture"
ROWS = [      # file, printed, in stderr ("": nothing)
    ("unpack.py", "[4.0, 6.0]\n", ""),
    ("comprehension.py", "[3.0, 7.0]\n", ""),
    ("for-in-module.py", "[[5.0, 8.0], [7.0, 10.0]]\n", ""),
    ("at-exit.py", "[3.0, 4.0]\natexit [2.0]\nclosing [3.0, 4.0]\ndel [4.0]\n", ""),
    ("bom.py", "[2.0]\n", ""),
    ("thread-at-exit.py", "late\nbye\ndel\n", ""),
    ("freed.py", "freed\nafter\n[3.0]\n", ""),
    ("context.py", "4096.0\n", ""),
    ("jit.py", 5 * "py\n" + "[1, 2, 3, 4, 5]\n[2, 2, 2, 2, 1]\n", JIT),
]
IDLE = ["FAST_IDIV=1", "HOIST=1", "FUSE_LOOPS=1", "TRANSCENDENTAL=2", "NOLOCALS=1", "THREADS=4", "DEVECTORIZE=0"]
ACTS = ["EXPAND_SSA=1", "MAX_EXPR=1"]
EXITS = [      # text, status, stderr
    ("import sys; sys.exit(3)", 3, ""), ("import sys; sys.exit(259)", 3, ""), ("import sys; sys.exit(-1)", 255, ""), ("import sys; sys.exit(256)", 0, ""), ("import sys; sys.exit()", 0, ""),
    ("import sys; sys.exit('no data')", 1, "no data\n"), ("raise SystemExit(True)", 1, ""), ("import sys, atexit; atexit.register(print, 'bye'); sys.exit(5)", 5, ""),
]
BLOCKS = [      # of a long program
    "x = x + 1", "if True:\n    x = x * 2\nelse:\n    x = None", "def f(a, b: Undefined = 2) -> Undefined:\n    return a + b\n\nx = f(x)", '"""\nnot = a statement\n"""', "x = (x +\n1 -\n1)", "x = x \\\n+ 0",
    "text = f'''\nfor {1 + 1}\n'''", "@staticmethod\ndef g(): return 1", "class A:\n    y: int = 1", "x -= 3; y = x", "while True:\n    x = x + 0\n    break", "if text: pass\nelif x is None:\n    pass",
    "a, *b = 1, 2, x", "'a text that is not a docstring'",
]
LINES = [      # of a long program in which each line is a statement
    "x = x + 1", "y = x.reshape((2, 1)).sum(axis=1)", "z = [x * i for i in range(2)]", "x.realize()", "n = x == y", "x = (x) if n is not None else y", "print(len(z))", "", "assert(len(z))", "t = x, y",
    "y = x.sum(axis=0, keepdim=True) + y[0]",
]
wrong = []


def run(*arguments, **environment):
    return subprocess.run([sys.argv[1], *arguments], capture_output=True, text=True, timeout=60, env={**os.environ, **environment})


def check(what, got, wanted):
    if got != wanted:
        wrong.append(f"{what}: {got!r}, expected {wanted!r}")


def check_said(what, err, part, times=1):
    check(f"{what}: stderr {err!r}: how often {part!r}", err.count(part), times)


def long_program(length):
    lines = ["'''The program's docstring.'''", "from __future__ import annotations", "from tinygrad import Tensor", "x = y = Tensor([1, 2])", "text = ''"]
    while len(lines) < length:
        lines += random.Random(len(lines)).choice(BLOCKS).split("\n") + ["x = x.realize()"] * (len(lines) % 97 == 0)
    return "\n".join(lines) + "\ndef f(a): return a\n"


def rows_of(recording):
    """A recording's statements of a program without times."""
    db = sqlite3.connect(recording)
    queries = ["SELECT id, line, end_line, replace(text, '  # a comment', ''), turn, times, bound FROM statements", "SELECT * FROM bindings", "SELECT * FROM calls WHERE def_file != -1", "SELECT * FROM node_calls"]
    return [db.execute(query).fetchall() for query in queries]


def main():
    with tempfile.TemporaryDirectory() as folder:
        recording, text = os.path.join(folder, "r.lscope"), os.path.join(folder, "t.py")
        for name, printed, said in ROWS:
            path = os.path.join(FOLDER, name)
            for more in (), ("--record", recording), ("--compiler", "interp", "--record", recording):
                ran = run("run", path, *more)
                check(f"{name} {more}", (ran.stdout, ran.returncode), (printed, 0))
                check_said(name, ran.stderr, said) if said else check(f"{name}: stderr", ran.stderr, "")
                if more:
                    verified = run("verify", recording)
                    check(f"{name}: verify {verified.stdout}", (verified.returncode, "proved" in verified.stdout), (0, True))
        # Context(NOOPT=1) chooses the same options as the setting does, and the recording says so.
        context = os.path.join(FOLDER, "context.py")
        options = []
        for more in ("--set", "NOOPT=1"), ():
            run("run", context, "--record", recording, *more)
            shown = run("show", recording, "--kernel", "2", "--stage", "source").stdout
            options.append(shown[shown.find("{"):])      # the function's body
        check("context.py: source", options[1], options[0])
        with open(text, "w") as file:
            file.write("from tinygrad import Tensor\nfrom tinygrad.helpers import Context\nt = Tensor([1, 2, 3])\nfor i in range(2):\n  with Context(BEAM=2, DEBUG=4): print((t + 1).tolist())\nprint((t + 2).tolist())\n")
        ran = run("run", text, GRAPH="1", SAVE_SCHEDULE="1")
        for part in ("Context(BEAM=2): Lazyscope has no such setting", "GRAPH=1 in the environment", "SAVE_SCHEDULE=1 in the environment", "*** TCC"):
            check_said("Context", ran.stderr, part)      # the second kernel is realized outside
        # settings that a run has once: of the environment they count, and a block is told that they do not
        with open(text, "w") as file:
            file.write("from tinygrad import Tensor\nfrom tinygrad.helpers import Context\nx = Tensor([1., 2.]).realize()\nwith Context(MULTIOUTPUT=0): Tensor.realize(x + 1, x * 2)\n")
        check_said("Context", run("run", text).stderr, "Context(MULTIOUTPUT=0): a run has one value of this setting")
        kernels = [len(json.loads(run("run", text, "--json", MULTIOUTPUT=one).stdout)["kernels"]) for one in ("1", "0")]
        check("MULTIOUTPUT in the environment", kernels, [1, 2])
        check("MULTIOUTPUT in the environment: a warning", "no such setting" in run("run", text, MULTIOUTPUT="0").stderr, False)
        with open(text, "w") as file:
            file.write("from tinygrad import Tensor\na, b = Tensor([[1., 2], [3, 4]])\nprint(((a + b) * 2 + a * b).tolist())\n")
        for setting in IDLE:
            check_said(setting, run("run", text, "--set", setting).stderr, f"{setting} has no effect")
        for setting in ACTS:
            check_said(setting, run("run", text, "--set", setting).stderr, "no effect", 0)
        check_said("metal", run("run", text, "--target", "metal", "--set", "DEVECTORIZE=0").stderr, "DEVECTORIZE=0 has no effect")
        check_said("cflags", run("run", text, "--compiler", "tcc", "--variant", "cflags=-O3").stderr, "cflags= is for llvm, clang and gcc")
        # A Context that changes no code, a setting under which some kernels change, more kernels than are made again, options and files of one kernel, flags that nobody takes.
        head = "from tinygrad import Tensor\nfrom tinygrad.helpers import Context\na = Tensor([1, 2, 3]).realize()\n"
        for program, more, said in (
            ("with Context(NOOPT=1): print((a + 1).tolist())", (), "Context(NOOPT=1) has no effect: the code of all kernels is the same without it"),
            ("with Context(NOOPT=1): print((Tensor([[1.0] * 64] * 64).realize() + 1).sum().item())", (), None),
            ("with Context(NOOPT=1): b = a + 1\nprint(b.tolist())", (), "Context(NOOPT=1) has no effect: no kernel was made with it"),
            ("with Context(SPEC=1): print((a + 1).tolist())", (), None),
            ("with Context(NOOPT=1): print((a + 1).tolist())\nprint((a * 7).tolist())", ("--set", "FMA=1"), "FMA=1 has no effect: the code of all kernels is the same without it"),
            ("with Context(NOOPT=1): print((Tensor([[1.0] * 64] * 64).realize() + 1).sum().item())\nb = a.float()\nprint((b * 7 + a).tolist())", ("--set", "FMA=1"), None),
            ("for i in range(201): (a.float() + float(i)).realize()", ("--set", "FAST_IDIV=1"), "FAST_IDIV=1 has no effect on the 200 kernels that were also made without it; the others were not checked"),
            ("print((a + 1).tolist())", ("--set", "FMA=1", "--variant", "k1:opt="), "FMA=1 has no effect"),
            ("print((a + 1).tolist())", ("--set", "MERGE_VIEWS=0"), None),
            ("print((a + a).tolist())", ("--set", "MERGE_VIEWS=0"), "MERGE_VIEWS=0 has no effect"),
            ("print((a + 1).tolist())", ("--variant", "cflags=-O3"), "cflags=-O3 has no effect"),
            ("print((a + 1).tolist())", ("--compiler", "gcc", "--variant", "cflags=-O3"), None),
            ("print((a + 1).tolist())", ("--keep-buffers",), "--keep-buffers has no effect"),
        ):
            with open(text, "w") as file:
                file.write(head + program + "\n")
            ran = run("run", text, *more)
            check_said(program, ran.stderr, said) if said else check(f"{program} {more}: stderr", ran.stderr, "")
            check(f"{program} {more}: status", ran.returncode, 0)
        for program, status, said in EXITS:
            with open(text, "w") as file:
                file.write(program + "\n")
            ran = run("run", text)
            check(program, (ran.returncode, ran.stderr), (status, said))
        # Large buffers are kept on request.
        with open(text, "w") as file:
            file.write("from tinygrad import Tensor\nx = Tensor.arange(30000).contiguous().realize()\nprint((x + 1).sum().item())\n")
        for more, status in ((), 5), (("--keep-buffers",), 0):
            run("run", text, "--record", recording, *more)
            with open(recording, "rb") as file:
                kept = (29999).to_bytes(4, "little") in file.read()      # the last element of x
            verified = run("verify", recording)
            check(f"keep-buffers {more}: kept", kept, status == 0)
            check(f"keep-buffers {more}: {verified.stdout}", verified.returncode in (0, status), True)      # a digest may do, too
        # An error of a module next to the program; a program that imports itself.
        with open(os.path.join(folder, "beside.py"), "w") as file:
            file.write("def f(x):\n    return x.reshape(7)\n")
        with open(os.path.join(folder, "broken.py"), "w") as file:
            file.write("def f(:\n    pass\n")
        for program, status in ("import beside\nbeside.f(Tensor([1, 2]))", 1), ("import broken", 1), ("def f(n): return f(n + 1)\nf(0)", 1), ("import t\nprint((Tensor([1, 2]) + 1).tolist())", 0), ("import t, beside\nt.beside.f(Tensor([1, 2]))", 1):
            with open(text, "w") as file:
                file.write("from tinygrad import Tensor\n" + program + "\n")
            for name in text, os.path.relpath(text):
                check(f"{program} {name}: status", run("run", name, "--record", recording).returncode, status)
                verified = run("verify", recording)
                check(f"{program} {name}: {verified.stdout} {verified.stderr}", verified.returncode, 0)
        # A long program is compiled in parts: whatever stands where a part would begin, it says the same as without a recording, on the same lines.
        for length in 2500, 6000:
            for end, status in ("print(__doc__, x.tolist(), y.tolist(), f.__annotations__)", 0), ("x.reshape(5)", 1), ("x = = 3", 1), ("else:", 1):
                with open(text, "w") as file:
                    file.write(long_program(length) + end + "\n")
                plain, recorded = run("run", text), run("run", text, "--record", recording)
                check(f"{length} lines, then {end}: status", plain.returncode, status)
                check(f"{length} lines, then {end}", (recorded.returncode, recorded.stdout, recorded.stderr), (plain.returncode, plain.stdout, plain.stderr))
                if status == 0:
                    verified = run("verify", recording)
                    check(f"{length} lines: {verified.stdout}", verified.returncode, 0)
        # Lines that are statements have their marks in the text, others in its tree (a comment sends them there): the recording is the same.
        head = ["from tinygrad import Tensor", "x = Tensor([1, 2])", "y = x * 2", "z = n = [x]"]
        lines = head + [random.Random(at).choice(LINES) for at in range(3500)]
        lines += ["x = x + 1"] * (4000 - len(lines)) + ["x = (x +", "1)", "x = (", "y[0])"] + ["y = x * 2"] * 1000 + ["print(x.tolist())"]
        said = []
        for comment in "", "  # a comment":
            with open(text, "w") as file:
                file.write("\n".join(line + comment * (line != "") for line in lines) + "\n")
            recorded, verified = run("run", text, "--record", recording), run("verify", recording)
            check(f"lines{comment}: {recorded.stderr} {verified.stdout}", (recorded.returncode, verified.returncode), (0, 0))
            said.append((recorded.stdout, rows_of(recording)))
        check("lines: output", said[0][0], said[1][0])
        for name, marked, by_tree in zip(("statements", "bindings", "calls", "node_calls"), said[0][1], said[1][1]):
            differ = [pair for pair in zip(marked, by_tree) if pair[0] != pair[1]]
            check(f"lines: {name}", (len(marked), differ[:2]), (len(by_tree), []))
        with open(text, "w") as file:
            file.write("\n".join(lines + ["x.reshape(5)", "y = x"]) + "\n")
        plain, recorded = run("run", text), run("run", text, "--record", recording)
        check("lines, one with an error", (recorded.returncode, recorded.stdout, recorded.stderr), (1, plain.stdout, plain.stderr))
        check_said("lines, one with an error", plain.stderr, f"t.py:{len(lines) + 1}:1")
        # A step of training is proved without them: what kernels wrote into large buffers is computed again and compared by digest.
        for more in (), ("--set", "profile=classic"):
            run("run", os.path.join(FOLDER, "lenet.py"), "--record", recording, *more)
            verified = run("verify", recording, "--json")
            answer = json.loads(verified.stdout)
            check(f"lenet {more}: {answer}", (verified.returncode, answer["verdict"], answer["by_digest"] > 5), (0, "proved", True))
        # The digest of a kernel's result is changed.
        with sqlite3.connect(recording) as db:
            before = db.execute("SELECT digest FROM buffers WHERE digest IS NOT NULL ORDER BY id DESC LIMIT 1").fetchone()[0]
            db.execute("UPDATE buffers SET digest = ? WHERE digest = ?", (before[::-1], before))
        check("lenet, another digest", run("verify", recording).returncode, 3)
    print("\n".join(wrong) or "all as expected")
    sys.exit(bool(wrong))


main()
