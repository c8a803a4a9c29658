"""Kernel time of reduces under settings: big reduces in two stages, variances in one pass.

The settings take turns, and the least time of each is kept: other processes only make a run slower. The time is that of all kernels but the one
that makes the input.

Usage: reduces.py LAZYSCOPE_CLI [ROUNDS]
"""
import json
import os
import subprocess
import sys
import tempfile

HEAD = "from tinygrad import Tensor\nx = (Tensor.arange({n}) * 7 % 1000).cast('float').contiguous(){shape}.realize()\n"
SPLIT = [("sum of 2^24 floats", 1 << 24, "", "x.sum()"), ("sum of 2^20 floats", 1 << 20, "", "x.sum()"), ("sum of 2^16 floats", 1 << 16, "", "x.sum()"),
         ("4 columns of 2^20", 1 << 22, ".reshape(1 << 20, 4)", "x.sum(0)"), ("16 rows of 2^18", 1 << 22, ".reshape(16, 1 << 18)", "x.sum(1)"),
         ("maximum of 2^22", 1 << 22, "", "x.max()")]
VARIANCES = [("var, 4096 rows of 256", 1 << 20, ".reshape(4096, 256)", "x.var(1)"), ("var, 16 rows of 2^18", 1 << 22, ".reshape(16, 1 << 18)", "x.var(1)"),
             ("layernorm, 4096 rows of 256", 1 << 20, ".reshape(4096, 256)", "x.layernorm()"), ("layernorm, 16 rows of 2^18", 1 << 22, ".reshape(16, 1 << 18)", "x.layernorm()")]


def milliseconds(cli, program, settings):
    """Of the kernels after the first, in one run of the program."""
    argv = [cli, "run", program, "--json", "--compiler", "clang", "--set", "REPEATS=15"]
    for setting in settings.split():
        argv += ["--set", setting]
    ran = subprocess.run(argv, capture_output=True, text=True, check=True)
    return sum(k["run_ms"] for k in json.loads(ran.stdout)["kernels"][1:])


def measure(cli, rounds, cases, settings):
    """A line for each case: the least time with each of the settings."""
    with tempfile.TemporaryDirectory() as folder:
        for title, n, shape, expression in cases:
            path = os.path.join(folder, "program.py")
            with open(path, "w") as file:
                file.write(HEAD.format(n=n, shape=shape) + f"{expression}.realize()\n")
            least = {}
            for _ in range(rounds):
                for setting in settings:
                    least[setting] = min(least.get(setting, 1e9), milliseconds(cli, path, setting))
            print(f"{title}: " + ", ".join(f"{setting or 'default'} {ms:.3f} ms" for setting, ms in least.items()), flush=True)


if __name__ == "__main__":
    ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    measure(sys.argv[1], ROUNDS, SPLIT, ["", "SPLIT_REDUCEOP=1", "THREADS=2", "SPLIT_REDUCEOP=1 THREADS=2"])
    measure(sys.argv[1], ROUNDS, VARIANCES, ["", "WELFORD=1 FUSE_LOOPS=1", "DEVECTORIZE=0", "DEVECTORIZE=0 WELFORD=1 FUSE_LOOPS=1"])
