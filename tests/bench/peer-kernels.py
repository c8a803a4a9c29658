"""Times of the kernels of programs, ours against those that a checkout of tinygrad makes of the same text for its CPU backend: the same clang, one thread.

Rounds in turn, each a process of either; a kernel's time is its best of all rounds, and of the repeats in each (the peer's program is run REPEATS times over in its process,
so that its memory is warm as ours is). What fills the inputs (the kernels before those of the last realization's statement) is counted apart.

Usage: peer-kernels.py LAZYSCOPE_CLI TINYGRAD_CHECKOUT [--rounds N] [PROGRAM.py…]      without programs: those below
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

REPEATS = 4
FILLED = "x = ((Tensor.arange({n}) * 7 % 1021).cast('float') * 0.01 - 5).reshape({shape}).clone().realize()\n"
PROGRAMS = {
    "sum 2^24": FILLED.format(n=1 << 24, shape="4096, 4096") + "x.sum().realize()",
    "column sums 4096²": FILLED.format(n=1 << 24, shape="4096, 4096") + "x.sum(axis=0).realize()",
    "add 2^24": FILLED.format(n=1 << 24, shape="4096, 4096") + "y = (x * 2).clone().realize()\n(x + y).realize()",
    "transpose 4096²": FILLED.format(n=1 << 24, shape="4096, 4096") + "x.T.contiguous().realize()",
    "gelu 2^24": FILLED.format(n=1 << 24, shape="4096, 4096") + "x.gelu().realize()",
    "softmax 4096²": FILLED.format(n=1 << 24, shape="4096, 4096") + "x.softmax().realize()",
    "layernorm 4096×1024": FILLED.format(n=1 << 22, shape="4096, 1024") + "x.layernorm().realize()",
    "matmul 512": FILLED.format(n=1 << 18, shape="512, 512") + "y = (x * 2).clone().realize()\n(x @ y).realize()",
    "conv2d 8×32×56², 64 of 3×3": FILLED.format(n=8 * 32 * 56 * 56, shape="8, 32, 56, 56") +
    "w = ((Tensor.arange(64 * 32 * 9) * 5 % 29).cast('float') * 0.03).reshape(64, 32, 3, 3).clone().realize()\nx.conv2d(w, padding=1).realize()",
    "attention 8×256×64": FILLED.format(n=8 * 256 * 64, shape="8, 256, 64") + "y = (x * 0.5).clone().realize()\nx.scaled_dot_product_attention(y, y).realize()",
}


def ours(cli, path):
    """Milliseconds of each kernel, in order of launch."""
    ran = subprocess.run([cli, "run", path, "--compiler", "clang", "--set", f"REPEATS={REPEATS}", "--json"], capture_output=True, text=True)
    if ran.returncode != 0:
        sys.exit(f"{path}: {ran.stderr}")
    return [k["run_ms"] for k in json.loads(ran.stdout)["kernels"]]


def peers(checkout, path):
    """The same of the peer: the best of each place in the order over the repeats."""
    environment = dict(os.environ, DEV="CPU", DEBUG="2", NUM_CPU_THREADS="1", THREADS="0", PYTHONPATH=checkout, NO_COLOR="1")
    repeated = f"text = compile(open({path!r}).read(), 'program', 'exec')\nfor _ in range({REPEATS}):\n  print('\\n=== again', flush=True)\n  exec(text, {{}})\n"
    ran = subprocess.run([sys.executable, "-c", repeated], capture_output=True, text=True, env=environment)
    if ran.returncode != 0:
        sys.exit(f"{path}: {ran.stderr[-2000:]}")
    turns = []
    for line in re.sub(r"\x1b\[[0-9;]*m", "", ran.stdout).split("\n"):
        found = re.search(r"\*\*\* CPU +\d+ (?!copy)(\S+) .* tm +([0-9.]+)(us|ms|s)/", line)
        if line.startswith("=== again"):
            turns.append([])
        elif found:
            turns[-1].append(float(found[2]) * {"us": 1e-3, "ms": 1, "s": 1e3}[found[3]])
    if len({len(t) for t in turns}) != 1:
        sys.exit(f"{path}: the peer's turns have {[len(t) for t in turns]} kernels")
    return least(turns)


def least(turns):
    """The least of each place over turns of equal length."""
    return [min(of_kernel) for of_kernel in zip(*turns)]


def main():
    """A line a program, and the median of the ratios."""
    parser = argparse.ArgumentParser()
    parser.add_argument("cli")
    parser.add_argument("checkout")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("programs", nargs="*")
    arguments = parser.parse_args()
    texts = {os.path.basename(p): open(p).read() for p in arguments.programs} if arguments.programs else {n: "from tinygrad import Tensor\n" + t + "\n" for n, t in PROGRAMS.items()}
    ratios = []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "program.py")
        for name, text in texts.items():
            with open(path, "w") as file:
                file.write(text)
            rounds = [(ours(arguments.cli, path), peers(arguments.checkout, path)) for _ in range(arguments.rounds)]
            mine, theirs = least([r[0] for r in rounds]), least([r[1] for r in rounds])
            fills = text.count("clone()")
            work = sum(mine[fills:]), sum(theirs[fills:])
            ratios.append(work[1] / work[0])
            print(f"{name:30} ours {work[0]:9.3f} ms in {len(mine) - fills}, theirs {work[1]:9.3f} ms in {len(theirs) - fills}: {ratios[-1]:5.2f} ×; "
                  f"filling {sum(mine[:fills]):8.3f}, {sum(theirs[:fills]):8.3f} ms", flush=True)
    print(f"median {statistics.median(ratios):.2f} ×, least {min(ratios):.2f} ×")


main()
