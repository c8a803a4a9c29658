"""Random programs of Python's constructs over tensors: run, recorded, verified.

Each program composes functions (units) of a tensor of shape (2, 2), each of a construct: unpacking, iteration, comprehensions, generators, properties, decorators,
contexts, exceptions, recursion, lambdas, closures, match, coroutines, texts that are indented in odd ways; the statements of the program use them, in threads too, and leave
objects, handlers of atexit and generators that end late. The output of a program must not depend on whether it is recorded, and verify must not find a difference.

Usage: constructs.py LAZYSCOPE_CLI [--seed N] [--count N] [--seconds S] [--keep FOLDER]
"""
import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
import time

UNITS = {
    "unpack": "def {n}(x):\n  a, b = x\n  {a}\n  return ({e:a} + {e:b}).reshape(1, 2).expand(2, 2)\n",
    "star": "def {n}(x, *more, scale=2.0, **named):\n  first, *rest = x\n  return (rest[0] * scale + {e:first}).expand(2, 2) + sum(more, 0)\n",
    "for": "def {n}(x):\n  y = x\n  for r in x:\n    y = {e:y} + r\n  return y\n",
    "comprehension": "def {n}(x):\n  rows = [{e:r} for r in x]\n  return rows[0].stack(rows[1])\n",
    "nested comprehension": "def {n}(x):\n  rows = [[v * 2 for v in r] for r in x]\n  return rows[0][0].stack(rows[0][1], rows[1][0],\n    rows[1][1]).reshape(2, 2)\n",
    "set and dict": "def {n}(x):\n  d = {{i: {e:r} for i, r in enumerate(x)}}\n  s = {{id(r) for r in x}}\n  return d[0].stack(d[1]) + len(s)\n",
    "genexpr": "def {n}(x):\n  return sum(({e:r} for r in x), x)\n",
    "genexpr passed on": "def {n}_of(rows):\n  total = 0\n  for r in rows: total = total + r\n  return total\ndef {n}(x):\n  return {n}_of({e:r} for r in x) + x\n",
    "generator": "def {n}_each(x):\n  try:\n    for i in range(3):\n      x = {e:x}\n      yield x\n  finally:\n    x = x + 1\ndef {n}(x):\n  g = {n}_each(x)\n  y = next(g)\n  z = next(g)\n  {a}\n  return y + z\n",
    "generator, resumed elsewhere": "def {n}_g(x):\n  while True:\n    x = {e:x}\n    got = yield x\n    if got is not None: x = x + got\ndef {n}_pull(g): return next(g) + 1\n"
        "def {n}(x):\n  g = {n}_g(x)\n  a = next(g)\n  b = {n}_pull(g)\n  c = g.send(a)\n  g.close()\n  return a + b + c\n",
    "yield from": "def {n}_a(x):\n  yield {e:x}\n  yield x * 2\ndef {n}_b(x):\n  yield from {n}_a(x)\n  yield from ({e:r} for r in {n}_a(x))\ndef {n}(x): return sum({n}_b(x), x)\n",
    "getitem": "class {N}:\n  def __init__(self, t): self.t = t\n  def __getitem__(self, i):\n    if i > 1: raise IndexError(i)\n    return {e:self.t}[i]\ndef {n}(x):\n  p, q = {N}(x)\n  return p.stack(q)\n",
    "iter": "class {N}:\n  def __init__(self, t): self.t = t\n  def __iter__(self): return iter([{e:self.t}, self.t])\ndef {n}(x):\n  p, q = {N}(x)\n  return p + q\n",
    "property": "class {N}:\n  def __init__(self, t): self.t = t\n  @property\n  def twice(self):\n    return {e:self.t} * 2\ndef {n}(x): return {N}(x).twice\n",
    "methods": "class {N}:\n  k = 3\n  @staticmethod\n  def s(x): return {e:x}\n  @classmethod\n  def c(cls, x): return cls.s(x) + cls.k\n  def __call__(self, x):\n    return self.c(x)\ndef {n}(x): return {N}()(x)\n",
    "operators": "class {N}:\n  def __init__(self, t): self.t = t\n  def __add__(self, o): return {N}({e:self.t} + o.t)\n  def __lt__(self, o): return bool((self.t.sum() < o.t.sum()).item())\ndef {n}(x):\n"
        "  return max([{N}(x) + {N}(x), {N}(x)]).t\n",
    "descriptor": "class {N}D:\n  def __get__(self, o, t=None): return {e:o.x}\nclass {N}:\n  d = {N}D()\n  def __init__(self, x): self.x = x\n  def __getattr__(self, name): return self.x + len(name)\ndef {n}(x): return {N}(x).d + {N}(x).abc\n",
    "decorator": "def {n}_d(f):\n  def inside(*args):\n    return {e:f(*args)} + 1\n  return inside\n@{n}_d\n@{n}_d\ndef {n}(x):\n  return {e:x}\n",
    "decorator with def": "def {n}_d(word, g):\n  return lambda f: lambda x: g(f(x))\n@{n}_d(\n  \"class def\",\n  lambda x: {e:x})\ndef {n}(x): return x * 2\n",
    "wraps": "import functools\ndef {n}_d(f):\n  @functools.wraps(f)\n  def w(x): return f({e:x})\n  return w\n@{n}_d\ndef {n}(x):\n  \"\"\"Text.\n\n  def not_one(x):\n  \"\"\"\n  return x + 1\n",
    "cache": "import functools\n@functools.cache\ndef {n}_k(i): return Tensor([float(i)])\ndef {n}(x): return {e:x} + {n}_k(1) + {n}_k(1)\n",
    "context": "class {N}:\n  def __init__(self, t): self.t = t\n  def __enter__(self):\n    self.t = {e:self.t}\n    return self.t\n  def __exit__(self, *error):\n    self.u = self.t + 1\n    return True\ndef {n}(x):\n"
        "  c = {N}(x)\n  with c as y:\n    z = y * 2\n    raise ValueError\n  return z + c.u\n",
    "contextlib": "import contextlib\n@contextlib.contextmanager\ndef {n}_c(x):\n  y = {e:x}\n  yield y\n  y = y + 1\ndef {n}(x):\n  with {n}_c(x) as a, {n}_c(a) as b:\n    return a + b\n",
    "exception": "def {n}_r(x):\n  raise ValueError({e:x})\ndef {n}(x):\n  try:\n    {n}_r(x)\n  except ValueError as e:\n    return {e:e.args[0]}\n  finally:\n    x + 1\n",
    "recursion": "def {n}(x, k=2):\n  return {e:x} if k == 0 else {n}(x + 1, k - 1)\n",
    "lambda": "{n} = lambda x: {e:x} + 1\n",
    "lambda, two lines": "{n} = (lambda x:\n  {e:x}\n    + 1)\n",
    "lambda in a default": "def {n}(x, f=lambda y: {e:y}, t=Tensor([1.0]) + 1): return f(x) + t\n",
    "map": "def {n}(x):\n  a, b = map(lambda r: {e:r}, x)\n  return a.stack(b)\n",
    "sorted": "def {n}(x):\n  return sorted([{e:x}, x + 1], key=lambda t: t.sum().item())[0]\n",
    "reduce": "import functools\ndef {n}(x): return functools.reduce(lambda a, b: {e:a} + b, x, x)\n",
    "partial": "import functools\ndef {n}_p(k, x): return {e:x} * k\n{n} = functools.partial({n}_p, 2)\n",
    "closure": "def {n}_make(k):\n  count = 0\n  def add(x):\n    nonlocal count\n    count += 1\n    return {e:x} + k\n  return add\n{n} = {n}_make(2)\n",
    "walrus": "def {n}(x):\n  if (y := {e:x}) is not None and (z := y + 1) is not None:\n    return y + z\n",
    "match": "def {n}(x):\n  match [{e:x}, 1]:\n    case [y, 0]: return y\n    case [y, n] if n > 0:\n      return {e:y} + n\n",
    "while": "def {n}(x):\n  i = 0\n  while (x.sum() * 0 + i).item() < 2:\n    x = {e:x}\n    i += 1\n  else: x = x + 1\n  return x\n",
    "coroutine": "import asyncio\nasync def {n}_a(x):\n  await asyncio.sleep(0)\n  return {e:x}\nasync def {n}_b(x):\n  a, b = await asyncio.gather({n}_a(x), {n}_a(x + 1))\n  return a + b\n",
    "driven coroutine": "class {N}:\n  def __await__(self):\n    got = yield 1\n    return got\nasync def {n}_c(x):\n  y = {e:x}\n  z = await {N}()\n  return y + z\ndef {n}(x):\n  c = {n}_c(x)\n  c.send(None)\n  try: c.send(x)\n"
        "  except StopIteration as e: return e.value\n",
    "thread": "import threading\ndef {n}(x):\n  out = []\n  t = threading.Thread(target=lambda: out.append({e:x}))\n  t.start()\n  t.join()\n  return out[0]\n",
    "pool": "from concurrent.futures import ThreadPoolExecutor\ndef {n}(x):\n  with ThreadPoolExecutor(2) as p:\n    a, b = p.map(lambda r: {e:r}, [x, x + 1])\n  return a + b\n",
    "odd text": "class {N}:\n    def f(self, x):\n        s = \"\"\"\ndef f(x):\nno code\n\"\"\"\n        y = (\n{e:x}\n  +\n 1)\n# a comment\n        z = y \\\n+ len(s)\n        return z\ndef {n}(x): return {N}().f(x)\n",
    "tabs": "def {n}(x):\n\tif True:\n\t\ty = {e:x}; z = y + 1\n\treturn z\n",
    "one line": "def {n}(x): y = {e:x}; return y + 1\n",
    "local class": "def {n}(x):\n  class Local:\n    t = {e:x}\n    def __init__(self): self.u = self.t + 1\n    def get(self): return self.u\n  return Local().get()\n",
    "dataclass": "from dataclasses import dataclass, field\n@dataclass\nclass {N}:\n  t: Tensor\n  u: object = field(default_factory=lambda: Tensor([2.0]) * 2)\n  def __post_init__(self): self.t = {e:self.t} + self.u\ndef {n}(x): return {N}(x).t\n",
    "subclass": "class {N}(Tensor):\n  def relu(self):\n    return super().relu() + 1\ndef {n}(x): return Tensor({N}({e:x}.tolist()).relu().tolist())\n",
    "metaclass": "class {N}M(type):\n  def __call__(cls, x):\n    return super().__call__({e:x}).t\nclass {N}(metaclass={N}M):\n  def __init__(self, t): self.t = t + 1\ndef {n}(x): return {N}(x)\n",
    "exec": "def {n}(x):\n  names = dict(x=x)\n  exec('y = x + 1\\ndef f(x): return x * 2\\nz = f(y)', names)\n  return {e:names['z']} + eval('x * 2')\n",
    "del": "class {N}:\n  def __init__(self, t): self.t = t\n  def __del__(self): seen.append({e:self.t})\ndef {n}(x):\n  o = {N}(x)\n  o = None\n  return seen.pop()\n",
    "weakref": "import weakref\nclass {N}: pass\ndef {n}(x):\n  o = {N}()\n  weakref.finalize(o, lambda t: seen.append({e:t}), x)\n  del o\n  return seen.pop()\n",
    "sequential": "class {N}:\n  def __call__(self, x):\n    for r in x: x = x + r\n    return {e:x}\ndef {n}(x): return x.sequential([{N}(), lambda y: y + 1, Tensor.relu])\n",
    "jit": "from tinygrad import TinyJit\n@TinyJit\ndef {n}(x): return {e:x}\n",
    "gradient": "def {n}(x):\n  t = Tensor(x.tolist(), requires_grad=True)\n  {e:t}.sum().backward()\n  return t.grad + 1 if t.grad is not None else x\n",
    "unicode": "def größe{n}(x): 'ä'; y = {e:x}; return y\ndef {n}(x): return größe{n}(x)\n",
}
ATOMS = ["{x} + 1", "{x} * 2", "({x}).relu()", "-({x})", "({x}) - 0.5", "abs({x})", "({x}).maximum(1)", "2 - ({x})", "({x}) / 4", "({x}).contiguous()", "({x}).clip(-9, 9)", "({x}).realize()", "({x}) + ({x}).sum() * 0"]
STATEMENTS = [
    "print({u}(x).tolist())", "y = {u}({u}(x))\nprint(y.sum().item())", "for r in {u}(x):\n  print(r.tolist())", "a, b = {u}(x)\nprint((a + b).tolist())",
    "print([r.sum().item() for r in {u}(x)])", "print(*(r.tolist() for r in {u}(x)))", "x = {u}(x).clip(-9, 9)", "print({{k: v.tolist() for k, v in zip('ab', {u}(x))}})",
    "if (m := {u}(x)).max().item() > 0:\n  print('yes', m.tolist())\nelse:\n  print('no', (m + 1).tolist())", "try:\n  q = {u}(x)\n  q[7]\nexcept IndexError:\n  print('caught', q.tolist())",
    "def later(x=x):\n  return {u}(x) + {u}(x)\nprint(later().tolist())", "print((lambda t: {u}(t).sum().item())(x))", "z = [{u}(x), {u}(x + 1)]\nprint(z[0].tolist(), z[1].tolist())",
    "class Here:\n  t = {u}(x)\n  rows = [r.tolist() for r in t]\nprint(Here.rows)", "while True:\n  print({u}(x).tolist())\n  break", "with Tensor.train():\n  print({u}(x).tolist())",
]
ENDS = [
    "import atexit\natexit.register(lambda: print('atexit', {u}(x).tolist()))", "import atexit\n@atexit.register\ndef at_end():\n  a, b = {u}(x)\n  print('end', (a + b).tolist())",
    "class Late:\n  def __init__(s): s.t = x\n  def __del__(s):\n    print('del', {u}(s.t).tolist())\nlate = Late()\nlate.me = late",
    "def ends():\n  t = x\n  try:\n    while True:\n      t = {u}(t).clip(-9, 9)\n      yield t\n  finally: print('closing', (t + 1).tolist())\nit = ends()\nprint(next(it).tolist())\nprint(next(it).tolist())",
    "import threading, time\ndef slow():\n  time.sleep(0.02)\n  print('thread', {u}(x).tolist())\nthreading.Thread(target=slow).start()",
    "import threading\nresults = {{}}\ndef work(i): results[i] = {u}(x + i).tolist()\nts = [threading.Thread(target=work, args=(i,)) for i in range(3)]\nfor t in ts: t.start()\nfor t in ts: t.join()\nprint(results[0], results[1], results[2])",
    "import threading\ntimer = threading.Timer(0.01, lambda: print('timer', {u}(x).tolist()))\ntimer.start()", "import weakref\nclass Kept: pass\nkept = Kept()\nweakref.finalize(kept, lambda: print('final', {u}(Tensor([[1., 2.], [3., 4.]])).tolist()))",
    "import sys\nsys.exit(3 if {u}(x).sum().item() > 1e9 else 0)", "assert {u}(x).sum().item() < 1e9", "import sys\nprint({u}(x).tolist())\nsys.exit(7)", "raise RuntimeError('over')",
]


class Expression:
    """{e:x} is x through a few operations. In a unit's template, {n} and {N} name it and {a} is a statement."""
    def __init__(self, rand): self.rand = rand

    def __format__(self, x):
        for _ in range(self.rand.choice([0, 1, 1, 2])):
            x = self.rand.choice(ATOMS).format(x=x)
        return f"({x})"


def program(rand):
    """A program's text, one in ten with a byte order mark or with Windows' ends of lines."""
    text, units = ["from tinygrad import Tensor\n", "seen = []\n"], []
    for i in range(rand.randint(2, 5)):
        kind, name = rand.choice(list(UNITS)), f"u{i}"
        if kind == "coroutine":
            made = UNITS[kind] + "def {n}(x): return asyncio.run({n}_b(x))\n"
        else:
            made = UNITS[kind]
        made = made.format(n=name, N=name.upper(), e=Expression(rand), a=rand.choice(["pass", "z = x + 1", "k = [x * 2 for _ in range(2)]"]))
        if units and rand.random() < 0.6:      # units use earlier ones: a call replaces one of its expressions
            made = made + f"{name}_before = {name}\ndef {name}(x): return {name}_before({rand.choice(units)}(x).clip(-9, 9))\n"
        text.append(made)
        units.append(name)
    text.append("x = Tensor([[1., 2.], [3., 4.]])\n")
    for _ in range(rand.randint(1, 4)):
        text.append(filled(rand, STATEMENTS, units))
    for _ in range(rand.choice([0, 1, 1, 2])):
        text.append(filled(rand, ENDS, units))
    text = "".join(text)
    return "\ufeff" + text if rand.random() < 0.05 else text.replace("\n", "\r\n") if rand.random() < 0.05 else text


def filled(rand, templates, units):
    template = rand.choice(templates)
    while "{u}" in template:
        template = template.replace("{u}", rand.choice(units), 1)
    return template.replace("{{", "{").replace("}}", "}") + "\n"


def without_addresses(text): return re.sub(" at 0x[0-9a-f]+", "", text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cli")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1 << 30)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--keep")
    given = parser.parse_args()
    until, counts, failures, ended = time.monotonic() + given.seconds, {"proved": 0, "not judged": 0, "differs": 0}, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        path, recording = os.path.join(folder, "p.py"), os.path.join(folder, "p.lscope")
        for seed in range(given.seed, given.seed + given.count):
            if time.monotonic() > until:
                break
            text = program(random.Random(seed))
            with open(path, "w", newline="") as file:
                file.write(text)
            run = lambda *arguments: subprocess.run([given.cli, *arguments], capture_output=True, text=True, timeout=120)
            plain, recorded = run("run", path), run("run", path, "--record", recording)
            verified = run("verify", recording)
            ended += plain.returncode != 0
            says = {0: "proved", 5: "not judged"}.get(verified.returncode, "differs")
            counts[says] += 1
            outs = [sorted(r.stdout.split("\n")) if "timer" in text or "slow" in text else r.stdout for r in (plain, recorded)]      # threads that go on print in any order
            same = (outs[0], without_addresses(plain.stderr), plain.returncode) == (outs[1], without_addresses(recorded.stderr), recorded.returncode)
            if says == "differs" or not same or plain.returncode not in (0, 1, 7):
                failures += 1
                print(f"seed {seed}: {says}{'' if same else ', recorded it prints something else'}, status {plain.returncode}\n{verified.stdout}{verified.stderr}{plain.stderr if not same or plain.returncode else ''}")
                if given.keep:
                    with open(os.path.join(given.keep, f"{seed}.py"), "w", newline="") as file:
                        file.write(text)
            elif says == "not judged":
                print(f"seed {seed}: not judged: {verified.stdout}")
    print(f"{sum(counts.values())} programs, {ended} of them end with a status: {', '.join(f'{n} {says}' for says, n in counts.items())}; {failures} failures")
    sys.exit(failures > 0)


main()
