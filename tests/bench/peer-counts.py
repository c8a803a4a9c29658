"""Kernels and peak memory of programs, ours against those of a checkout of tinygrad (its CPU backend), as rows of tests/kernel-counts.md.

Kernels are launches without copies. Peak memory is ours as planned: the block that intermediate buffers share, and the largest sum of the other buffers
that are in use at one kernel; the peer's is the largest number of bytes that its buffers had at one time.

Usage: peer-counts.py LAZYSCOPE_CLI TINYGRAD_CHECKOUT PROGRAM.py…
"""
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile

PEER = """
import sys, tinygrad.device as device
from tinygrad.helpers import GlobalCounters
most, allocate = [0], device.Buffer.allocate
def allocated(self, *a, **k):
  made = allocate(self, *a, **k)
  most[0] = max(most[0], GlobalCounters.mem_used)
  return made
device.Buffer.allocate = allocated
exec(compile(open(sys.argv[1]).read().replace('.numpy()', '.tolist()'), sys.argv[1], 'exec'), {'__name__': '__main__', '__file__': sys.argv[1]})
print('\\n=== most', most[0])
"""
BYTES = {"bool": 1, "char": 1, "uchar": 1, "short": 2, "ushort": 2, "half": 2, "__bf16": 2, "int": 4, "uint": 4, "float": 4, "long": 8, "ulong": 8, "double": 8}


def ours(cli, path, folder):
    record = os.path.join(folder, "r.lscope")
    if os.path.exists(record):
        os.remove(record)
    ran = subprocess.run([cli, "run", path, "--record", record, "--json"], capture_output=True, text=True)
    if ran.returncode != 0:
        sys.exit(f"{path}: {ran.stderr}")
    kernels = len(json.loads(ran.stdout)["kernels"])
    with sqlite3.connect(record) as data:
        buffers = data.execute("SELECT dtype, n_elements, plan_offset, first_use, last_use, role, id FROM buffers WHERE role != 'host'").fetchall()
        used = data.execute("SELECT buffer, MIN(kernel) FROM arguments GROUP BY buffer").fetchall()
    of_kernel = dict(used)      # an input is copied when a kernel needs it
    sized = [(BYTES.get(dtype, 4) * n, offset, of_kernel.get(number, first) if role == "input" else first, last)
             for dtype, n, offset, first, last, role, number in buffers]
    block = max((offset + size for size, offset, _, _ in sized if offset >= 0), default=0)
    return kernels, block + max((sum(size for size, offset, first, last in sized if offset < 0 and first <= k <= last) for k in range(kernels + 1)), default=0)


def peers(checkout, path):
    environment = dict(os.environ, DEV="CPU", DEBUG="2", THREADS="0", PYTHONPATH=checkout, NO_COLOR="1")
    ran = subprocess.run([sys.executable, "-c", PEER, path], capture_output=True, text=True, env=environment)
    said = re.sub(r"\x1b\[[0-9;]*m", "", ran.stdout)
    most = re.search(r"=== most (\d+)", said)
    if not most:
        return None, None      # its library refuses the program
    return len(re.findall(r"\*\*\* CPU +\d+ (?!copy|view)\S+ ", said)), int(most[1])


def main():
    cli, checkout, *programs = sys.argv[1:]
    print("| program | kernels | tinygrad's | peak bytes | tinygrad's |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for path in programs:
            (kernels, memory), (of_peer, most) = ours(cli, path, folder), peers(checkout, path)
            more = " *" if of_peer is not None and kernels > of_peer else ""
            print(f"| {os.path.basename(path)[:-3]}{more} | {kernels} | {'–' if of_peer is None else of_peer} | {memory:,} | {'–' if most is None else f'{most:,}'} |", flush=True)


main()
