"""Programs whose values depended on the options, as programs and as recordings; and vectors of profile=classic by a compiler that has them.

Usage: test-values.py LAZYSCOPE_CLI
"""
import math
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
VECTORS = "from tinygrad import Tensor\nx = (Tensor.arange(64).cast('float') * 0.5).reshape(8, 8).clone().realize()\nprint((x * 3).tolist()[1])\n"
# program: the numbers that it prints, and by how much of themselves they may be off: a rounding of half (2^-11) and of bfloat16 (2^-8)
WANTED = {"max-gradient-half.py": ([1 / 33000, 1 / 33000, 1 / 5000, 1 / 5000, 1 / 5000, 1 / 5000], 2 ** -8), "pow-gradient.py": ([0.25, -0.25, -math.inf], 0)}
OPTIONS = [[], ["--set", "NOOPT=1"], ["--set", "ACC=scalar"]]


def run(cli, *args):
    return subprocess.run([cli, *args], capture_output=True, text=True)


def numbers(text):
    return [float(word.strip("[],")) for word in text.split()]


def main(cli):
    with tempfile.TemporaryDirectory() as folder:
        recording = os.path.join(folder, "r.lscope")
        for name, (want, bound) in WANTED.items():
            for options in OPTIONS:
                r = run(cli, "run", os.path.join(HERE, name), "--record", recording, *options)
                got = numbers(r.stdout)
                assert r.returncode == 0 and len(got) == len(want), f"{name} {options}: {r.stdout}{r.stderr}"
                assert all(a == b or abs(a - b) <= bound * abs(b) for a, b in zip(got, want)), f"{name} {options}: {got} is not {want}"
                v = run(cli, "verify", recording)
                assert v.returncode == 0, f"{name} {options}: verify ends with {v.returncode}: {v.stdout}{v.stderr}"
        if not shutil.which("clang"):
            print("clang is not installed: vectors of profile=classic are not compiled")
            return
        program = os.path.join(folder, "vectors.py")
        with open(program, "w") as f:
            f.write(VECTORS)
        r = run(cli, "run", program, "--variant", "profile=classic,target=c,compiler=clang,DEVECTORIZE=0,opt=UPCAST:1:4")
        assert r.returncode == 0 and "refuses" not in r.stderr and numbers(r.stdout) == [1.5 * i for i in range(8, 16)], r.stdout + r.stderr


main(sys.argv[1])
