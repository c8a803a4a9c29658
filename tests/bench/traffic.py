"""Bytes that the kernels of a program read and write, as multiples of its input's: each buffer once for each kernel that has it.

Usage: traffic.py LAZYSCOPE_CLI [--set NAME=VALUE…]
"""
import os
import sqlite3
import subprocess
import sys
import tempfile

INPUT = "from tinygrad import Tensor, nn\nx = Tensor.arange({n}).float().reshape({shape}).clone().realize()\n"
PROGRAMS = {      # name: shape of the input, what is computed of it
    "softmax": ("64, 256", "x.softmax().realize()"),
    "log softmax": ("64, 256", "x.log_softmax().realize()"),
    "layernorm": ("64, 256", "x.layernorm().realize()"),
    "variance": ("64, 256", "x.var(axis=1).realize()"),
    "variance of all": ("64, 256", "x.var().realize()"),
    "standard deviation": ("64, 256", "x.std(axis=1).realize()"),
    "batch norm": ("8, 16, 16, 16", "Tensor.training = True\nn = nn.BatchNorm2d(16)\nn(x).realize()"),
}


def main():
    cli, *options = sys.argv[1:]
    print("| program | kernels | bytes / input's |\n|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, (shape, text) in PROGRAMS.items():
            source, record = os.path.join(folder, "p.py"), os.path.join(folder, name.replace(" ", "-") + ".lscope")
            n = eval(shape.replace(",", "*"))
            with open(source, "w") as f:
                f.write(INPUT.format(n=n, shape=shape) + text)
            subprocess.run([cli, "run", source, "--record", record, *options], check=True, capture_output=True)
            with sqlite3.connect(record) as data:
                first = data.execute("SELECT MAX(number) FROM kernels WHERE number IN (SELECT kernel FROM arguments WHERE position = 0 AND buffer IN "
                                     "(SELECT MIN(id) FROM buffers WHERE n_elements = ? AND role != 'host'))", (n,)).fetchone()[0]
                rows = data.execute("SELECT a.kernel, b.n_elements FROM (SELECT DISTINCT kernel, buffer FROM arguments) a JOIN buffers b ON b.id = a.buffer "
                                    "WHERE a.kernel > ?", (first,)).fetchall()
            print(f"| {name} | {len({k for k, _ in rows})} | {sum(e for _, e in rows) / n:.2f} |", flush=True)


main()
