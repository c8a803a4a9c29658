"""Sums with acc=scalar and acc=vector, compiled with -O2 and 16-byte vectors, and with the machine's widest; and large ones against reading the same memory.

Rounds in which all take turns; of each the best, which other work on the machine does not change. A round of a small sum is many calls, so that the clock has time; a large one is
read whole by a loop that only loads (several vectors at a time), which is what one thread can read.

Usage: accumulators.py LAZYSCOPE_CLI [COMPILER] [ROUNDS]
"""
import ctypes
import os
import re
import subprocess
import sys
import tempfile

FLAGS = {"16-byte vectors": ["-O2", "-march=native", "-mno-avx"], "the widest": ["-O2", "-march=native"]}
ALWAYS = ["-fwrapv", "-fno-strict-aliasing", "-ffp-contract=off", "-shared", "-fPIC"]
PROGRAM = 'from tinygrad import Tensor\nx = ((Tensor.arange({n}) * 7 % 1024).cast("float") * 0.0009765625).clone().realize()\nx.sum().realize()\n'
HARNESS = """
#include <time.h>
static double now (void) { struct timespec t; clock_gettime (CLOCK_MONOTONIC, &t); return t.tv_sec * 1e9 + t.tv_nsec; }
double ls_time (float *out, const float *in, int calls)
{
  double begin = now ();
  for (int i = 0; i < calls; i++) { NAME (out, in); __asm__ volatile ("" : : : "memory"); }
  return (now () - begin) / calls;
}
"""
PROBE = """
typedef float wide __attribute__((aligned (4), vector_size (64)));
__attribute__((noinline)) static void probe (float *out, const float *in)
{
  wide a = { 0 }, b = { 0 }, c = { 0 }, d = { 0 };
  for (long i = 0; i < SIZE; i += 64) {
    a += *(const wide *) (in + i); b += *(const wide *) (in + i + 16); c += *(const wide *) (in + i + 32); d += *(const wide *) (in + i + 48);
  }
  a = a + b + c + d;
  *out = a[0] + a[7] + a[15];
}
"""


def source(cli, folder, n, acc):
    """The text of the kernel that sums n floats, and its name."""
    path = os.path.join(folder, f"{n}.py")
    with open(path, "w") as file:
        file.write(PROGRAM.format(n=n))
    text = subprocess.run([cli, "show", path, "--kernel", "2", "--stage", "source", "--set", f"acc={acc}"], capture_output=True, text=True, check=True).stdout
    text = text[text.index("void "):]
    return text, re.match(r"void (\w+)", text).group(1)


def build(compiler, flags, folder, text, name, n):
    """The function that times so many calls of the kernel."""
    stem = os.path.join(folder, f"k{len(os.listdir(folder))}")
    with open(stem + ".c", "w") as file:
        file.write(text + HARNESS.replace("NAME", name))
    subprocess.run([compiler, *flags, *ALWAYS, f"-DSIZE={n}L", stem + ".c", "-o", stem + ".so"], check=True)
    function = ctypes.CDLL(stem + ".so").ls_time
    function.restype = ctypes.c_double
    return function


def main():
    """Prints a line for each size and kind of vectors."""
    cli, compiler, rounds = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "clang", int(sys.argv[3]) if len(sys.argv) > 3 else 25
    with tempfile.TemporaryDirectory() as folder:
        for n in [1 << 12, 1 << 13, 1 << 24, 1 << 26]:
            data, out, calls = (ctypes.c_float * (n + 64))(), (ctypes.c_float * 16)(), max(1, (1 << 22) // n)
            address = (ctypes.addressof(data) + 63) & ~63
            ctypes.memset(data, 0x3f, ctypes.sizeof(data))
            for kind, flags in FLAGS.items():
                runs = {acc: build(compiler, flags, folder, *source(cli, folder, n, acc), n) for acc in ("scalar", "vector")}
                runs["probe"] = build(compiler, FLAGS["the widest"], folder, PROBE, "probe", n)
                times = {name: [] for name in runs}
                for _ in range(rounds + 2):
                    for name, run in runs.items():
                        times[name].append(run(out, ctypes.c_void_p(address), calls))
                best = {name: min(t[2:]) / 1e3 for name, t in times.items()}
                print(f"{n:9} floats, {kind:16} scalar {best['scalar']:10.3f} us, vector {best['vector']:10.3f} us, probe {best['probe']:10.3f} us: "
                      f"{best['scalar'] / best['vector']:5.1f} x, {100 * best['probe'] / best['vector']:4.0f} % of the probe", flush=True)


if __name__ == "__main__":
    main()
