"""LLVM's code of the kernels of kernels.py against clang's of the same rows: the ratio of the times with its interval, in interleaved rounds (lazyscope-cli compare).

Usage: llvm-clang.py LAZYSCOPE_CLI [--seconds N] [KERNEL…]      LAZYSCOPE_LLVM says which library
"""
import argparse
import json
import os
import subprocess
import tempfile

import kernels


def main():
    """Prints a line for each kernel and how many are clearly slower."""
    parser = argparse.ArgumentParser()
    parser.add_argument("cli")
    parser.add_argument("kernels", nargs="*")
    parser.add_argument("--seconds", default="2")
    given = parser.parse_intermixed_args()
    slower = 0
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "p.py")
        for name in given.kernels or kernels.PROGRAMS:
            text, kernel = kernels.PROGRAMS[name]
            with open(program, "w") as file:
                file.write("from tinygrad import Tensor\n\n\ndef e(*shape):\n    return Tensor.empty(*shape)\n\n\n"
                           f"({text}).realize()\n")
            done = subprocess.run([given.cli, "compare", program, "--set", "FUSE=0", "--kernel", str(kernel), "--seconds", given.seconds, "--json",
                                   "--variant", "compiler=clang", "--variant", "compiler=llvm"], capture_output=True, text=True)
            if done.returncode:
                print(f"{name:22} {done.stderr.strip()}", flush=True)
                continue
            v = json.loads(done.stdout)["variants"][1]
            slower += v["verdict"] == "slower"
            times = [v.get(key) for key in ("ratio", "ratio_low", "ratio_high")]
            text = "-" if any(not isinstance(t, float) for t in times) else "{:.3f} [{:.3f}, {:.3f}]".format(*times)
            print(f"{name:22} {text} {v['verdict']}, {v.get('equal')}, LLVM {v.get('version')}", flush=True)
    print(f"{slower} slower")


main()
