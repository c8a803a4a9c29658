#!/usr/bin/env python3
"""Compare, diff and run --slow say what they measured, of programs and of their recordings. Usage: test-compare.py CLI"""
import json, os, subprocess, sys, tempfile

cli, here = os.path.abspath(sys.argv[1]), os.path.dirname(os.path.abspath(__file__))
work = tempfile.mkdtemp()

def ask(*words, status=0):
    r = subprocess.run([cli, *words], capture_output=True, text=True, cwd=here)
    assert r.returncode == status, (words, r.returncode, r.stderr)
    return r.stdout

def record(name, *words):
    path = os.path.join(work, os.path.basename(name) + ".lscope")
    ask("run", name, "--record", path, *words)
    return path

def write(name, text):
    path = os.path.join(work, name)
    with open(path, "w") as f:
        f.write(text)
    return path

# run --slow says why a result is not compared.
large = write("large-product.py", "from tinygrad import Tensor\na = (Tensor.arange(128 * 128).reshape(128, 128) * 0.001).realize()\n(a @ a).realize()\n")
for path in (large, record(large)):
    words = ("run", path, "--slow", "--kernel", "2", "--rows", "1:2")
    note = "The interpreter's result is not compared with the recorded one: the kernel has 4194304 operations and 131072 bytes of memory accesses, more than the limit of 3000000 for both together.\n"
    assert note in ask(*words), ask(*words)
    assert json.loads(ask(*words, "--json"))["notes"] == note
for path in ("affine.py", record("affine.py")):
    assert "not compared" not in ask("run", path, "--slow", "--kernel", "2")
