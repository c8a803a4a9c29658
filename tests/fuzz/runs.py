"""Whole runs, at random: programs and the options that they are run with, against an independent model.

A program is a chain of tensor operations on whole numbers that every dtype here holds, so that any order of sums gives the same; the same operations are done beside it on
plain lists (Array below, which knows nothing of views). It is run with a compiler, a profile, a target, settings, options of kernels, a number of repeats,
sometimes written to a recording that another process reads all the while and that is verified afterwards. What it prints must be the model's, whatever the options;
a warning on stderr is allowed, an error is not.

Decisions of schedules are turned around in some of them, one after the other: reduces fused with reduces, values stored or not.

Usage: runs.py LAZYSCOPE_CLI [--seed N] [--seconds S] [--count N] [--keep FOLDER] [--recorded SHARE] [--turned SHARE]
"""
import argparse
import glob
import itertools
import json
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import threading

COMPILERS = 12 * ["tcc"] + 6 * ["interp"] + (4 * ["llvm"] if glob.glob("/usr/lib/*/libLLVM*.so*") else []) + ["clang", "gcc"]      # the last two take a hundred times as long
OPTIONS = ["UPCAST:0:2", "UPCAST:0:4", "UPCAST:1:4", "UNROLL:0:2", "UNROLL:0:4", "UNROLL:1:8", "UNROLL:0:16", "UPCAST:0:8", "LOCAL:0:2", "GROUP:0:2", "GROUP:1:2", "GROUP:0:3", "PADTO:0:4", "PADTO:1:8", "PADTO:2:3", "SWAP:0:1", "TILE:0:1", "TILE:0:2", "TILE:1:1", "SWAP:1:2", "SWAP:0:2", "THREAD:0:2", "THREAD:1:3"]
SETTINGS = ["NOOPT=1", "MERGE_VIEWS=0", "EXPAND_SSA=1", "SPEC=1", "SPEC=2", "REPEATS=3", "MAX_EXPR=40", "UPCAST_MAX=16", "ACC=scalar", "ACC=vector", "DEVECTORIZE=0", "FMA=1", "THREADS=2", "FAST_IDIV=1",
            "FUSE=0", "FUSE=0", "MULTIOUTPUT=0", "LAZYCACHE=0", "SPLIT_REDUCEOP=1 REDUCEOP_SPLIT_THRESHOLD=16", "FUSE_LOOPS=1", "UNROLL_LOOPS=2", "UNROLL_LOOPS=5", "UNROLL_LOOPS=16", "PROPAGATE=1", "HOIST=1", "TRANSCENDENTAL=0"]
SIZES = [1, 1, 2, 3, 4, 5, 7, 8, 16, 17, 32, 33]
LIMITS = [0, 1, 64, 255, 256, 257, 1023, 1025]
BITS = {"int8": 8, "int16": 16, "int32": 32, "int64": 64, "uint8": 8, "uint16": 16, "uint32": 32, "uint64": 64, "float16": None, "float32": None}
EXACT = {"float16": 2048, "float32": 1 << 20}      # whole numbers up to here are themselves, and their sums in any order


class Array:
    """A tensor as a flat list of Python's integers with a shape: the model. Every operation copies."""

    def __init__(self, shape, values, dtype):
        self.shape, self.dtype = tuple(shape), dtype
        self.values = [self.fit(v) for v in values]

    def fit(self, value):
        """The value in the dtype: integers wrap; floats are small enough to be themselves."""
        bits = BITS[self.dtype]
        if bits is None:
            return value
        value &= (1 << bits) - 1
        return value - (1 << bits) if self.dtype[0] == "i" and value >> (bits - 1) else value

    def indices(self):
        """Every index, row-major."""
        return itertools.product(*map(range, self.shape))

    def at(self, index):
        """The value at an index."""
        place = 0
        for i, n in zip(index, self.shape):
            place = place * n + i
        return self.values[place]

    def of(self, shape, source, value=None):
        """An array whose element at each index is self's at source(index), or value(index)."""
        indices = itertools.product(*map(range, shape))
        return Array(shape, [value(i) if value else self.at(source(i)) for i in indices], self.dtype)

    def binary(self, other, function):
        """Element by element with an array of the same shape, or a number."""
        values = other.values if isinstance(other, Array) else [other] * len(self.values)
        return Array(self.shape, map(function, self.values, values), self.dtype)

    def permute(self, order):
        """Axis i of the result is axis order[i] of self."""
        return self.of([self.shape[a] for a in order], lambda index: [index[order.index(a)] for a in range(len(order))])

    def flip(self, axis):
        """Backwards along an axis."""
        return self.of(self.shape, lambda index: [n - 1 - i if a == axis else i for a, (i, n) in enumerate(zip(index, self.shape))])

    def pad(self, pairs):
        """Zeros around it: a pair (before, after) for each axis."""
        def value(index):
            inner = [i - before for i, (before, _) in zip(index, pairs)]
            return self.at(inner) if all(0 <= i < n for i, n in zip(inner, self.shape)) else 0
        return self.of([n + before + after for n, (before, after) in zip(self.shape, pairs)], None, value)

    def shrink(self, pairs):
        """From begin to end of each axis."""
        return self.of([end - begin for begin, end in pairs], lambda index: [i + begin for i, (begin, _) in zip(index, pairs)])

    def expand(self, axis, n):
        """An axis of length 1, n times."""
        return self.of([n if a == axis else m for a, m in enumerate(self.shape)], lambda index: [0 if a == axis else i for a, i in enumerate(index)])

    def reduce(self, axis, function, start):
        """Along an axis, which goes."""
        shape = [n for a, n in enumerate(self.shape) if a != axis]
        def value(index):
            total = start
            for k in range(self.shape[axis]):
                total = function(total, self.at([*index[:axis], k, *index[axis:]]))
            return total
        return self.of(shape, None, value)

    def matmul(self, other):
        """Of two matrices."""
        return Array([self.shape[0], other.shape[1]], [sum(self.at((i, k)) * other.at((k, j)) for k in range(self.shape[1]))
                                                       for i in range(self.shape[0]) for j in range(other.shape[1])], self.dtype)

    def nested(self):
        """As tolist gives it."""
        def take(shape, values):
            if not shape:
                return float(values[0]) if self.dtype in EXACT else values[0]
            step = len(values) // shape[0] if shape[0] else 0
            return [take(shape[1:], values[i * step:(i + 1) * step]) for i in range(shape[0])]
        return take(self.shape, self.values)


class Program:
    """A random program and what it must print."""

    def __init__(self, rand):
        self.rand, self.lines, self.printed = rand, ["from tinygrad import Tensor, dtypes"], []
        self.names = itertools.count()
        self.tensors = [self.make() for _ in range(rand.randint(1, 3))]
        if rand.random() < 0.08:
            self.many()
        for _ in range(rand.randint(2, 9)):
            self.step()
        self.show(self.tensors[-1])

    def add(self, text, array):
        """A statement that binds a new name to what the model has as array."""
        name = f"t{next(self.names)}"
        self.lines.append(f"{name} = ({text})" + self.rand.choice(["", "", "", ".realize()", ".contiguous()", ".clone()"]))
        return name, array

    def make(self):
        """A tensor of its own: of a list, or counted."""
        rand, dtype = self.rand, self.rand.choice(list(BITS))
        shape = [rand.choice(LIMITS)] if rand.random() < 0.12 else [rand.choice(SIZES) for _ in range(rand.randint(1, 3))]
        n = 1
        for size in shape:
            n *= size
        if n > 3000:
            shape, n = [3, 5], 15
        if rand.random() < 0.3 and (dtype != "float16" or n < 300):
            return self.add(f"Tensor.arange({n}).cast(dtypes.{dtype}).reshape({tuple(shape)})", Array(shape, range(n), dtype))
        low = 0 if dtype[0] == "u" else -9
        values = [rand.randint(low, 9) for _ in range(n)]
        text = f"Tensor({values}, dtype=dtypes.{dtype})" if n else f"Tensor.zeros({n}, dtype=dtypes.{dtype})"
        return self.add(f"{text}.reshape({tuple(shape)})", Array(shape, values, dtype))

    def many(self):
        """A kernel of more arguments than a call of tcc holds."""
        n = self.rand.choice([31, 130, 260, 300])
        self.lines.append(f"many = [Tensor([i % 7, 1], dtype=dtypes.int32).realize() for i in range({n})]")
        self.lines.append("total = many[0]\nfor one in many[1:]: total = total + one")
        self.tensors.append(("total", Array([2], [sum(i % 7 for i in range(n)), n], "int32")))

    def step(self):
        """An operation on one of the tensors."""
        rand = self.rand
        name, a = rand.choice(self.tensors)
        axis = rand.randrange(len(a.shape)) if a.shape else None
        small = len(a.values) <= 3000 and all(abs(v) < 30000 for v in a.values)
        kinds = ["add", "same", "where", "maximum", "neg"] if small else ["neg"]
        kinds += ["sum", "max", "permute", "flip", "pad", "shrink", "expand", "flat", "matmul"] if a.shape and small else []
        kinds += ["min", "argmax", "cumsum", "cat", "slice", "write"] if a.shape and small else []
        kinds += ["cast", "equal"] if small else []
        kinds += ["floordiv", "mod", "bits", "shift"] if small and a.dtype not in EXACT else []
        if a.dtype == "float16" and any(abs(v) > 300 for v in a.values):
            kinds = ["neg"]
        kind = rand.choice(kinds)
        number = rand.randint(0, 5)
        if kind == "add":
            made = self.add(f"{name} * {number} + {number + 1}", a.binary(number, lambda x, y: x * y + y + 1))
        elif kind == "same":
            others = [(m, b) for m, b in self.tensors if b.shape == a.shape and b.dtype == a.dtype and all(abs(v) < 1000 for v in b.values)]
            other, b = rand.choice(others or [(name, a)])
            sign, function = rand.choice([("+", lambda x, y: x + y), ("-", lambda x, y: x - y)])
            made = self.add(f"{name} {sign} {other}", a.binary(b, function))
        elif kind == "where":
            made = self.add(f"({name} < {number}).where({name}, {name} - 1)", a.binary(number, lambda x, y: x if x < y else x - 1))
        elif kind == "maximum":
            made = self.add(f"{name}.maximum({number})", a.binary(number, max))
        elif kind == "neg":
            made = self.add(f"0 - {name}", a.binary(0, lambda x, _: -x))      # there is one zero here
        elif kind == "sum":
            made = self.add(f"{name}.sum(axis={axis}).cast({name}.dtype)", a.reduce(axis, lambda x, y: x + y, 0))
        elif kind == "max":
            if not a.shape[axis]:
                return
            made = self.add(f"{name}.max(axis={axis})", a.reduce(axis, max, -10**9))
        elif kind == "permute":
            order = rand.sample(range(len(a.shape)), len(a.shape))
            made = self.add(f"{name}.permute({tuple(order)})", a.permute(order))
        elif kind == "flip":
            made = self.add(f"{name}.flip({axis})", a.flip(axis))
        elif kind == "pad":
            pairs = [(rand.randint(0, 2), rand.randint(0, 2)) for _ in a.shape]
            made = self.add(f"{name}.pad({tuple(pairs)})", a.pad(pairs))
        elif kind == "shrink":
            pairs = [tuple(sorted((rand.randint(0, n), rand.randint(0, n)))) for n in a.shape]
            made = self.add(f"{name}.shrink({tuple(pairs)})", a.shrink(pairs))
        elif kind == "expand":
            shape = [*a.shape, 1]
            made = self.add(f"{name}.reshape({tuple(shape)}).expand({tuple([*a.shape, number])})", Array(shape, a.values, a.dtype).expand(len(a.shape), number))
        elif kind == "flat":
            made = self.add(f"{name}.reshape(-1)" if a.values else f"{name}.reshape(0)", Array([len(a.values)], a.values, a.dtype))
        elif kind in ("min", "argmax", "cumsum", "cat", "slice", "write"):
            made = self.along(kind, name, a, axis)
        elif kind in ("cast", "equal", "floordiv", "mod", "bits", "shift"):
            made = self.each(kind, name, a)
        else:
            if len(a.shape) != 2 or a.shape[0] * a.shape[0] * a.shape[1] > 20000:
                return
            made = self.add(f"({name} @ {name}.permute(1, 0)).cast({name}.dtype)", a.matmul(a.permute([1, 0])))
        if not made or any(abs(v) > EXACT.get(made[1].dtype, 1 << 70) for v in made[1].values):
            return
        self.tensors.append(made)
        if rand.random() < 0.3:
            self.show(made)

    def along(self, kind, name, a, axis):
        """An operation along an axis; None where the shape has no room for it."""
        rand, n = self.rand, a.shape[axis]
        if kind == "min" and n:
            return self.add(f"{name}.min(axis={axis})", a.reduce(axis, min, 10**9))
        if kind == "argmax" and n:
            def value(index):
                column = [a.at([*index[:axis], k, *index[axis:]]) for k in range(n)]
                return column.index(max(column))
            shape = [m for b, m in enumerate(a.shape) if b != axis]
            return self.add(f"{name}.argmax(axis={axis})", Array(shape, [value(i) for i in itertools.product(*map(range, shape))], "int32"))
        if kind == "cumsum":
            total = a.of(a.shape, None, lambda index: sum(a.at([*index[:axis], k, *index[axis + 1:]]) for k in range(index[axis] + 1)))
            return self.add(f"{name}.cumsum({axis}).cast({name}.dtype)", total)
        if kind == "cat":
            shape = [2 * m if b == axis else m for b, m in enumerate(a.shape)]
            double = a.of(shape, lambda index: [i % n if b == axis else i for b, i in enumerate(index)])
            return self.add(rand.choice([f"{name}.cat({name}, dim={axis})", f"{name}.repeat({tuple(2 if b == axis else 1 for b in range(len(a.shape)))})"]), double)
        if kind == "slice" and n:
            begin, step = rand.randint(0, n - 1), rand.choice([1, 2, 3, -1, -2])
            kept = range(n)[begin::step]
            shape = [len(kept) if b == axis else m for b, m in enumerate(a.shape)]
            index = ", ".join([":"] * axis + [f"{begin}::{step}"])
            return self.add(f"{name}[{index}]", a.of(shape, lambda index: [kept[i] if b == axis else i for b, i in enumerate(index)]))
        if kind == "write" and n:
            end, value = rand.randint(1, n), rand.randint(0, 9)
            written = f"t{next(self.names)}"
            self.lines += [f"{written} = {name}.clone().realize()", f"{written}[{', '.join([':'] * axis + [f':{end}'])}] = {value}"]
            return written, a.of(a.shape, None, lambda index: value if index[axis] < end else a.at(index))
        return None

    def each(self, kind, name, a):
        """An operation on each element."""
        rand, unsigned = self.rand, a.dtype[0] == "u"
        number = rand.choice([2, 3, 7] if unsigned else [2, 3, 7, -2, -3])
        if kind == "cast":
            dtype = rand.choice(list(BITS))
            fits = dtype not in EXACT or all(abs(v) <= 300 for v in a.values)
            if not fits or (a.dtype in EXACT and not all(0 <= v <= 127 for v in a.values)):
                return None
            return self.add(f"{name}.cast(dtypes.{dtype})", Array(a.shape, a.values, dtype))
        if kind == "equal":
            return self.add(f"({name} == {abs(number)}).cast({name}.dtype)", a.binary(abs(number), lambda x, y: int(x == y)))
        if kind == "floordiv":
            return self.add(f"{name} // {number}", a.binary(number, lambda x, y: x // y))
        if kind == "mod":
            return self.add(f"{name} % {number}", a.binary(number, lambda x, y: x % y))
        if kind == "bits":
            sign, function = rand.choice([("&", lambda x, y: x & y), ("|", lambda x, y: x | y), ("^", lambda x, y: x ^ y)])
            return self.add(f"{name} {sign} {abs(number)}", a.binary(abs(number), function))
        sign, function = rand.choice([("<<", lambda x, y: x << y), (">>", lambda x, y: x >> y)])
        return self.add(f"{name} {sign} {abs(number)}", a.binary(abs(number), function))

    def show(self, tensor):
        """Prints it."""
        name, array = tensor
        self.lines.append(f"print({name}.tolist())")
        self.printed.append(str(array.nested()))

    def text(self):
        return "\n".join(self.lines) + "\n"


def options(rand):
    """A random sequence of options; those that a target or compiler cannot take are not among them."""
    argv, target = [], rand.random()
    if target < 0.1:
        argv += ["--target", "metal"]
    elif target < 0.15:
        argv += ["--target", "llvm"]
    else:
        argv += ["--compiler", rand.choice(COMPILERS)]
    profile = rand.random()
    for setting in rand.sample(SETTINGS, rand.randint(0, 3)):
        for one in setting.split():
            argv += ["--set", one]
    if profile < 0.2:
        argv += ["--set", rand.choice(["profile=classic", "profile=modern"])]
    elif rand.random() < 0.3:
        argv += ["--variant", ",".join("opt=" + option for option in rand.choices(OPTIONS, k=rand.randint(1, 4)))]
    return argv


def turned(cli, path, argv, rand):
    """The options with up to four decisions of the program's schedules turned around, rather those that fuse."""
    for _ in range(rand.randint(1, 4)):
        shown = subprocess.run([cli, "show", path, "--stage", "schedule", "--json", *argv], capture_output=True, text=True, timeout=120)
        names = [d["what_if"] for d in json.loads(shown.stdout)["decisions"] if "what_if" in d] if shown.returncode == 0 else []
        names = [n for n in names if ":fuse:" in n or ":inline:" in n] * 4 + names
        if not names:
            break
        choice, more = "schedule=" + rand.choice(names), list(argv)
        if "--variant" in more:
            more[more.index("--variant") + 1] += "," + choice
        else:
            more += ["--variant", choice]
        tried = subprocess.run([cli, "show", path, "--stage", "schedule", *more], capture_output=True, text=True, timeout=120)
        if "the value is stored all the same" not in tried.stderr and "has one reduce" not in tried.stderr:
            argv = more
    return argv


class Reader(threading.Thread):
    """Reads a recording all the while it is written."""

    def __init__(self, path):
        super().__init__()
        self.path, self.done, self.error = path, threading.Event(), None

    def run(self):
        while not self.done.is_set():
            if not os.path.exists(self.path):
                continue
            try:
                db = sqlite3.connect(f"file:{self.path}?mode=ro", uri=True, timeout=5)
                if db.execute("SELECT count(*) FROM sqlite_master WHERE name = 'kernels'").fetchone()[0]:
                    db.execute("SELECT count(*), max(number) FROM kernels").fetchone()
                db.close()
            except sqlite3.OperationalError as error:
                if "unable to open" not in str(error):
                    self.error = str(error)


def run_one(cli, seed, folder, recorded=0.3, turn=0.2):
    """Runs the program of a seed. What is wrong with it, or None; and what was run."""
    rand = random.Random(seed)
    program, argv = Program(rand), options(rand)
    path, recording, reader = os.path.join(folder, "p.py"), os.path.join(folder, "p.lscope"), None
    with open(path, "w") as file:
        file.write(program.text())
    if rand.random() < turn:
        argv = turned(cli, path, argv, rand)
    command = [cli, "run", path, *argv]
    if rand.random() < recorded:
        if os.path.exists(recording):
            os.unlink(recording)
        command += ["--record", recording]
        reader = Reader(recording)
        reader.start()
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        return "it does not end", program, argv
    finally:
        if reader:
            reader.done.set()
            reader.join()
    wrong = None
    if ran.returncode != 0 and "is not installed" not in ran.stderr:
        wrong = f"exit status {ran.returncode}: {ran.stderr.strip()[-400:]}"
    lines = ran.stdout.replace("-0.0", "0.0").split("\n")[:-1]      # the model has one zero; a sum of a single term is that term
    departs = "Results may differ" in ran.stderr      # a profile's text, and it says so
    if not wrong and ran.returncode == 0 and lines != program.printed and not departs:
        at = next((i for i, (x, y) in enumerate(zip(lines, program.printed)) if x != y), min(len(lines), len(program.printed)))
        wrong = f"output {at} is\n{lines[at:at + 1]}\nand must be\n{program.printed[at:at + 1]}"
    elif not wrong and reader and reader.error:
        wrong = f"a reader was told: {reader.error}"
    elif not wrong and reader and ran.returncode == 0:
        verified = subprocess.run([cli, "verify", recording], capture_output=True, text=True, timeout=120)
        unjudged = [line for line in verified.stdout.splitlines() if line.startswith("not judged: ")]
        if verified.returncode != 0 and not (verified.returncode == 5 and unjudged == ["not judged: contents of large buffers, which are not kept"]):
            wrong = f"verify gives {verified.returncode}: {verified.stdout[-400:]}{verified.stderr[-200:]}"
    return wrong, program, command


def main():
    """Runs until the time or the count is over. Exit status 1 when something was wrong."""
    import time
    parser = argparse.ArgumentParser()
    parser.add_argument("cli")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--count", type=int, default=1 << 30)
    parser.add_argument("--keep")
    parser.add_argument("--recorded", type=float, default=0.3, help="how many of them are recorded, read meanwhile, and verified")
    parser.add_argument("--turned", type=float, default=0.2, help="in how many of them decisions of schedules are turned around")
    given = parser.parse_args()
    end, n, n_wrong = time.monotonic() + given.seconds, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        while n < given.count and time.monotonic() < end and n_wrong < 10:
            seed = given.seed + n
            wrong, program, command = run_one(os.path.abspath(given.cli), seed, folder, given.recorded, given.turned)
            n += 1
            if not wrong:
                continue
            n_wrong += 1
            print(f"seed {seed}: {' '.join(command)}\n{wrong}\n{program.text()[:3000]}", flush=True)
            if given.keep:
                os.makedirs(given.keep, exist_ok=True)
                with open(os.path.join(given.keep, f"{seed}.py"), "w") as file:
                    file.write(f"# {' '.join(command)}\n{program.text()}")
    print(f"{n} programs, {n_wrong} wrong")
    return n_wrong > 0


if __name__ == "__main__":
    sys.exit(main())
