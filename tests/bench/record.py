"""What writing a recording costs: programs of 1,001 small kernels run with and without --record, in turns.

The kernels of the first are all different, those of the second of one graph. Medians of wall time and of processor time (both processes), and the file's bytes a kernel.

Usage: record.py LAZYSCOPE_CLI [TIMES]
"""
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

PROGRAMS = {"different": "t + (i + 2)", "of one graph": "t + 2"}


def run(command):
    """Milliseconds of wall time and of processor time."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    wall, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall * 1e3, (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1e3


def main():
    """Prints a line for each program."""
    cli, times = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 9
    with tempfile.TemporaryDirectory() as folder:
        program, recording = os.path.join(folder, "p.py"), os.path.join(folder, "p.lscope")
        for name, step in PROGRAMS.items():
            with open(program, "w") as file:
                file.write(f"from tinygrad import Tensor\nt = Tensor([1, 2, 3]).realize()\nfor i in range(1001):\n    t = ({step}).realize()\nprint(t.tolist())\n")
            plain, recorded = [], []
            for _ in range(times):
                plain.append(run([cli, "run", program]))
                if os.path.exists(recording):
                    os.unlink(recording)
                recorded.append(run([cli, "run", program, "--record", recording]))
            wall, cpu = ([statistics.median(r[k] for r in recorded), statistics.median(p[k] for p in plain)] for k in (0, 1))
            print(f"1,001 kernels {name}: {wall[1]:.0f} ms, recorded {wall[0]:.0f} (+{wall[0] - wall[1]:.0f}); processor {cpu[1]:.0f} ms, {cpu[0]:.0f} (+{cpu[0] - cpu[1]:.0f}); "
                  f"{os.path.getsize(recording) / 1001 / 1000:.1f} kB a kernel")


main()
