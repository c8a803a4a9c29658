"""Kernels with the options that the heuristic chooses, against those of another build and against the best of a grid of options; compiled with -O2 -march=native.

Rounds in which all take turns; of each the best. Options of the grid: none, UPCAST of one or two axes, UNROLL of the last reduced one.

Usage: kernels.py LAZYSCOPE_CLI [--other CLI] [--grid] [--compiler clang] [--set NAME=VALUE] [KERNEL…]
"""
import argparse
import ctypes
import itertools
import os
import re
import subprocess
import tempfile

PROGRAMS = {      # what is realized, and which of its kernels
    "matmul of 512": ("e(512,512) @ e(512,512)", 1), "matmul of 1024": ("e(1024,1024) @ e(1024,1024)", 1), "a @ b.T of 512": ("e(512,512) @ e(512,512).T", 1),
    "a.T @ b of 512": ("e(512,512).T @ e(512,512)", 1), "matrix by vector": ("e(4096,4096) @ e(4096)", 1), "vector by matrix": ("e(4096) @ e(4096,4096)", 1),
    "attention's q @ k": ("e(8,256,64) @ e(8,256,64).permute(0,2,1)", 1), "attention's @ v": ("e(8,256,256) @ e(8,256,64)", 1),
    "transpose": ("e(4096,4096).T.contiguous()", 1), "a + a.T": ("(e(2048,2048) + e(2048,2048).T).contiguous()", 1), "column sums": ("e(4096,4096).sum(0)", 1),
    "row sums": ("e(4096,4096).sum(1)", 1), "softmax's maximum": ("e(4096,4096).softmax()", 1), "softmax's sum": ("e(4096,4096).softmax()", 2),
    "softmax's division": ("e(4096,4096).softmax()", 3), "layernorm's mean": ("e(4096,1024).layernorm()", 1), "layernorm's variance": ("e(4096,1024).layernorm()", 2),
    "layernorm's rest": ("e(4096,1024).layernorm()", 3), "conv2d": ("e(8,32,56,56).conv2d(e(64,32,3,3), padding=1)", 1), "channel means": ("e(8,32,56,56).mean((0,2,3))", 1),
    "max_pool2d": ("e(8,32,64,64).max_pool2d(2)", 1), "gelu": ("e(2**22).gelu().contiguous()", 1), "add": ("(e(2**24)*2 + e(2**24)).contiguous()", 1),
    "bias and relu": ("(e(1024,1024) + e(1024)).relu().contiguous()", 1),
}
ALWAYS = ["-O2", "-march=native", "-fwrapv", "-fno-strict-aliasing", "-ffp-contract=off", "-w", "-shared", "-fPIC"]
HARNESS = """
#include <time.h>
static double now (void) { struct timespec t; clock_gettime (CLOCK_MONOTONIC, &t); return t.tv_sec * 1e9 + t.tv_nsec; }
double ls_time (void **b, int calls)
{
  double begin = now ();
  for (int i = 0; i < calls; i++) { NAME (ARGUMENTS); __asm__ volatile ("" : : : "memory"); }
  return (now () - begin) / calls;
}
"""


class Kernels:
    """Builds and times the variants of a kernel."""

    def __init__(self, folder, compiler, sets):
        self.folder, self.compiler, self.sets, self.buffers = folder, compiler, sets, {}
        self.names = itertools.count()

    def show(self, cli, name, stage, more=()):
        """What the stage of the kernel gave, and what was refused."""
        text, kernel = PROGRAMS[name]
        path = os.path.join(self.folder, "p.py")
        with open(path, "w") as file:
            file.write(f"from tinygrad import Tensor\ne = lambda *s: Tensor.empty(*s)\n({text}).realize()\n")
        command = [cli, "show", path, "--kernel", str(kernel), "--stage", stage, "--set", "TIMEOUT_MS=60000", "--compiler", self.compiler, *self.sets, *more]
        ran = subprocess.run(command, capture_output=True, text=True, check=True)
        return ran.stdout, ran.stderr

    def build(self, cli, name, options=None):
        """A function that times so many calls, or None where an option was refused."""
        more = () if options is None else ["--variant", ",".join("opt=" + o for o in options)] if options else ["--set", "NOOPT=1"]
        source, refused = self.show(cli, name, "source", more)
        if "refused" in refused and re.search(rf"kernel {PROGRAMS[name][1]} ", refused):
            return None
        listing, _ = self.show(cli, name, "listing", more)
        sizes = [int(n) for n in re.findall(r"DEFINE_GLOBAL\s*: dtypes\.\w+\.ptr\((\d+)\)", listing)]
        function = re.search(r"void (\w+)\(", source).group(1)
        stem = os.path.join(self.folder, f"k{next(self.names)}")
        with open(stem + ".c", "w") as file:
            file.write(source + HARNESS.replace("NAME", function).replace("ARGUMENTS", ", ".join(f"b[{i}]" for i in range(len(sizes)))))
        subprocess.run([self.compiler, *ALWAYS, stem + ".c", "-o", stem + ".so", "-lm"], check=True)
        time = ctypes.CDLL(stem + ".so").ls_time
        time.restype = ctypes.c_double
        pointers = (ctypes.c_void_p * len(sizes))()
        for i, n in enumerate(sizes):
            buffer = self.buffers.setdefault((i, n), (ctypes.c_char * (n * 8 + 64))())
            ctypes.memset(buffer, 0, n * 8)
            pointers[i] = (ctypes.addressof(buffer) + 63) & ~63
        return lambda calls: time(pointers, calls)

    def grid(self, cli, name):
        """Sequences of options that the kernel may take."""
        listing, _ = self.show(cli, name, "listing", ["--set", "NOOPT=1"])
        ranges = sorted({(int(a), int(t)) for a, t in re.findall(r"RANGE\s*: dtypes\.\w+\s+\[.*?\]\s+\((\d+), (\d+), 0\)", listing)})
        loops, reduces = [a for a, t in ranges if t == 0], [a for a, t in ranges if t == 3]
        yield []
        for axis in loops:
            yield from ([f"UPCAST:{axis}:{n}"] for n in (4, 8, 16, 64, 128))
        for one, two in itertools.combinations(loops, 2):
            yield from ([f"UPCAST:{one}:{n}", f"UPCAST:{two}:{m}"] for n, m in ((4, 4), (4, 16), (8, 8), (8, 16), (16, 4), (16, 8)))
        for axis in reduces[-1:]:
            yield from ([f"UNROLL:{axis}:{n}"] for n in (4, 8, 16, 32, 64))


def best_of(runs, rounds=5):
    """The best time of each in turns, of calls that take 30 ms together."""
    first = {name: run(1) for name, run in runs.items()}
    times = {name: run(1) for name, run in runs.items()}
    for _ in range(rounds):
        for name, run in runs.items():
            times[name] = min(times[name], first[name], run(max(1, int(3e7 / max(times[name], 1)))))
    return times


def main():
    """Prints a line for each kernel."""
    parser = argparse.ArgumentParser()
    parser.add_argument("cli")
    parser.add_argument("kernels", nargs="*")
    parser.add_argument("--other")
    parser.add_argument("--grid", action="store_true")
    parser.add_argument("--compiler", default="clang")
    parser.add_argument("--set", action="append", default=[])
    given = parser.parse_intermixed_args()
    with tempfile.TemporaryDirectory() as folder:
        k = Kernels(folder, given.compiler, [x for s in given.set for x in ("--set", s)])
        for name in given.kernels or PROGRAMS:
            runs = {"chosen": k.build(given.cli, name)}
            if given.other:
                runs["other"] = k.build(given.other, name)
            for options in k.grid(given.cli, name) if given.grid else ():
                run = k.build(given.cli, name, options)
                if run:
                    runs[" ".join(options) or "none"] = run
            times = best_of(runs)
            grid = {o: t for o, t in times.items() if o not in ("chosen", "other")}
            line = f"{name:22} {times['chosen'] / 1e3:10.1f} us"
            if given.other:
                line += f", the other's {times['other'] / 1e3:10.1f} us: {times['other'] / times['chosen']:6.2f} x"
            if grid:
                best = min(grid, key=grid.get)
                line += f", best of {len(grid)} {grid[best] / 1e3:10.1f} us: {times['chosen'] / grid[best]:5.2f} x it ({best})"
            print(line, flush=True)


if __name__ == "__main__":
    main()
