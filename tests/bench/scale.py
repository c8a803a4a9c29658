"""What recording 10^5 statements costs: programs of so many constants, distinct statements and iterations of a loop, run with and without --record, in turns.

Medians of wall time, of processor time and of the largest process's peak memory; and the recording's size.

Usage: scale.py LAZYSCOPE_CLI [TIMES]
"""
import os
import statistics
import subprocess
import sys
import tempfile
import time

N = 100000
HEAD = "from tinygrad import Tensor\nx = Tensor([1.0, 2.0, 3.0, 4.0])\ny = Tensor([0.5, 0.5, 0.5, 0.5])\n"
PROGRAMS = {
    "constants": "from tinygrad import Tensor\nx = Tensor([1.0, 2.0])\n" + "".join(f"y = Tensor([{i}.0, {i + 1}.0]) + x\n" for i in range(N)) + "print(y.tolist())\n",
    "statements": HEAD + "x = x + y\n" * N + "print(x.tolist())\n",
    "iterations": HEAD + f"for i in range({N}):\n    x = x + y\nprint(x.tolist())\n",
}


def run(command):
    """Seconds of wall time and of processor time, and MB."""
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{command}: status {status}")
    return time.perf_counter() - begin, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def main():
    """Prints a line for each program."""
    cli, times = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5
    with tempfile.TemporaryDirectory() as folder:
        program, recording = os.path.join(folder, "p.py"), os.path.join(folder, "p.lscope")
        for name, text in PROGRAMS.items():
            with open(program, "w") as file:
                file.write(text)
            plain, recorded = [], []
            for _ in range(times):
                plain.append(run([cli, "run", program]))
                if os.path.exists(recording):
                    os.unlink(recording)
                recorded.append(run([cli, "run", program, "--record", recording]))
            (wall, cpu, mb), (wall_2, cpu_2, mb_2) = ([statistics.median(values) for values in zip(*runs)] for runs in (plain, recorded))
            print(f"{N} {name}: {wall:.2f} s, recorded {wall_2:.2f} ({wall_2 / wall:.2f} x); processor {cpu:.2f} s, {cpu_2:.2f} ({cpu_2 / cpu:.2f} x); "
                  f"{mb:.0f} MB, {mb_2:.0f}; {os.path.getsize(recording) / 1e6:.0f} MB on disk", flush=True)


main()
