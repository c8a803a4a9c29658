#!/usr/bin/env python3
"""A first pasted program: names of tinygrad that exist, hints for names of other libraries, packages of the system. Usage: test-first-paste.py CLI"""
import os, subprocess, sys, tempfile

cli, work = os.path.abspath(sys.argv[1]), tempfile.mkdtemp()
HEAD = "from tinygrad import Tensor, dtypes\n"


def run(text, **environment):
    path = os.path.join(work, "p.py")
    with open(path, "w") as file:
        file.write(text)
    return subprocess.run([cli, "run", path], capture_output=True, text=True, timeout=100, env={k: v for k, v in {**os.environ, **environment}.items() if v is not None})


for text, hint in (
    ("Tensor.ones(2, 3).sum(dim=1)", "did you mean axis=?"),
    ("Tensor.ones(2, 3).mean(axis=0, keepdims=True)", "did you mean keepdim=?"),
    ("Tensor.ones(2).cat(Tensor.ones(2), axis=0)", "did you mean dim=?"),
    ("Tensor.randn(3, mean=0.5)", "randn() has mean 0 and standard deviation 1; Tensor.normal(*shape, mean=, std=) has others"),
    ("Tensor([1, 2, 3]).astype('float32')", "cast() gives a tensor of another dtype"),
    ("f'{Tensor([1.5])[0]:.2f}'", "item() gives the number of a tensor with one element, and numbers have formats"),
    ("Tensor([3, 1]).sort().tolist()", "it is a tuple of 2 tensors (sort() and topk() give values and indices): take one, such as [0]"),
    ("Tensor([1]).cuda()", "programs run on the CPU: leave .cuda() out"),
    ("x = Tensor([1, 2, 3])\nx[x > 1]", "x.masked_select(mask) gives the values where the mask is true"),
    ("x = Tensor([1, 2, 3])\nx[x > 1] = 0", "so that x.assign(mask.where(0, x)) writes 0 there"),
    ("Tensor([1]).sotr()", "did you mean 'sort'?"),
):
    r = run(HEAD + text + "\n")
    hints = [line[6:] for line in r.stderr.split("\n") if line.startswith("hint: ")]
    assert r.returncode == 1 and len(hints) == 1 and hint in hints[0], (text, r.stderr)
for text, hint in (("from tinygrad.engine.realize import run_linear", "run_schedule(tensor.schedule()) computes"), ("from tinygrad.device import Buffer", "tensor.lazydata.buffer"),
                   (HEAD + "Tensor([1]).schedule_linear()", "schedule() lists the kernels that realize() would launch")):
    r = run(text + "\n")
    assert r.returncode == 1 and hint in r.stderr.split("hint: ")[-1], r.stderr
r = run(HEAD + "Tensor([1]).astype('int')\n")
assert "'dtype'" not in r.stderr, r.stderr

for text in ("from tinygrad.tensor import Tensor, cast", "from tinygrad.helpers import profile_marker", "from tinygrad.helpers import to_function_name", "from tinygrad.dtype import AddrSpace",
             "from tinygrad import UOp\nfrom tinygrad.uop.ops import Variable\nfrom tinygrad.engine.schedule import create_schedule\nfrom tinygrad.engine.realize import run_schedule\nfrom tinygrad.helpers import cdiv"):
    r = run(text + "\n")
    assert (r.returncode, r.stderr) == (0, ""), (text, r.stderr)
for text, reason in (("from tinygrad.nn.onnx import OnnxRunner", "does not read ONNX files"), ("from tinygrad.llm.gguf import gguf_load", "does not read GGUF files"), ("import tinygrad.runtime.ops_cuda", "own tinygrad is without it"),
                     ("from tinygrad.codegen.linearize import linearize_uop", "--stage listing"), ("from tinygrad.shape.shapetracker import ShapeTracker", "Tensor.lazydata.st has a tensor's views")):
    r = run(text + "\n")
    assert r.returncode == 1 and "ModuleNotFoundError" in r.stderr and reason in r.stderr and "hint: did you mean" not in r.stderr, r.stderr
r = run("import tqdm\n", VIRTUAL_ENV=os.path.join(work, "none"))
assert r.returncode == 0 or "hint: from tinygrad.helpers import tqdm" in r.stderr, r.stderr
r = run(HEAD + "from tinygrad.helpers import to_function_name\nx = Tensor([[1.0, 2.0], [3.0, 4.0]])\nprint(x.pad2d((1, 0, 0, 1)).tolist(), x._cumsum(0).tolist(), x._cumsum(1, _first_zero=True).tolist())\n"
        "print(x._slice(((-1, 2), (0, 1))).tolist(), bytes(Tensor([1, 2])._data()), to_function_name('r_\\033[31m4\\033[0m-b'))\n")
assert r.stdout == ("[[0.0, 1.0, 2.0], [0.0, 3.0, 4.0], [0.0, 0.0, 0.0]] [[1.0, 2.0], [4.0, 6.0]] [[0.0, 1.0], [0.0, 3.0]]\n"
                    "[[0.0], [1.0], [3.0]] b'\\x01\\x00\\x00\\x00\\x02\\x00\\x00\\x00' r_42Db\n"), r

# The views of a lazy buffer, as the shape trackers of 2024 had them with MERGE_VIEWS=0 and without.
text = HEAD + "x = Tensor.full((3,), 2)\nprint(x.lazydata.st)\nprint(len(Tensor.ones(2, 3).contiguous().permute(1, 0).reshape(6).pad(((1, 1),)).reshape(2, 4).flip(0).lazydata.st.views), x.tolist())\n"
for settings, views, n in (((), "View(shape=(3,), strides=(0,), offset=0, mask=None, contiguous=False)", 3),
                           (("--set", "MERGE_VIEWS=0"), "View(shape=(), strides=(), offset=0, mask=None, contiguous=True), View(shape=(3,), strides=(0,), offset=0, mask=None, contiguous=False)", 3)):
    with open(os.path.join(work, "p.py"), "w") as file:
        file.write(text)
    r = subprocess.run([cli, "run", os.path.join(work, "p.py"), *settings], capture_output=True, text=True, timeout=100)
    assert r.returncode == 0 and r.stdout.startswith(f"ShapeTracker(views=({views}") and r.stdout.split("\n")[1] == f"{n} [2, 2, 2]", (settings, r)

# Debian's packages come last on the path; a virtual environment without those of the system does not have them.
FOLDER = "/usr/lib/python3/dist-packages"
if os.path.isdir(FOLDER):
    r = run("import sys\nprint(sys.path[-1])\n", VIRTUAL_ENV=None)
    assert r.stdout.strip() in (FOLDER, "/usr/lib/python3.11/site-packages"), r
    os.makedirs(os.path.join(work, "venv"))
    r = run("import sys\nprint(sys.path)\n", VIRTUAL_ENV=os.path.join(work, "venv"))
    assert FOLDER not in r.stdout, r
    if os.path.isdir(os.path.join(FOLDER, "numpy")):
        r = run("import numpy as np\nfrom tinygrad import Tensor\nprint(Tensor(np.ones(3, np.float32)).sum().item())\n", VIRTUAL_ENV=None)
        assert r.stdout == "3.0\n", r
    else:
        print("numpy: SKIPPED, python3-numpy is not installed")
else:
    print("packages of the system: SKIPPED, there is no " + FOLDER)
# A program on the command line and on standard input: run, shown, with a module next to it.
with open(os.path.join(work, "beside.py"), "w") as file:
    file.write("n = 3\n")
say = lambda *words, text="": subprocess.run([cli, *words], input=text, capture_output=True, text=True, timeout=100, cwd=work)
r = say("run", "-c", "import beside; print(beside.n + 1)")
assert (r.returncode, r.stdout, r.stderr) == (0, "4\n", ""), r
r = say("run", "-", text="import beside\nprint(beside.n)\n1/0\n")
assert r.returncode == 1 and r.stdout == "3\n" and r.stderr.startswith("<stdin>:3:1: error: ZeroDivisionError"), r
r = say("show", "-c", "from tinygrad import Tensor; print((Tensor([1, 2]) + 1).tolist())", "-k", "1", "--stage", "source")
assert r.returncode == 0 and "void E_2" in r.stdout, r
r = say("run", "-c", "print(1)", "p.py")
assert r.returncode == 2 and "'p.py' is a second one" in r.stderr, r
r = say("run", "-", "--record", "r.lscope", text=HEAD + "print(Tensor([1, 2]).sum().item())\n")
assert r.returncode == 0 and say("verify", "r.lscope").returncode == 0, r
print("all as expected")
