#!/usr/bin/env python3
"""Programs that fork: children compute what the parent would, and the parent's recording is whole. Usage: test-processes.py CLI"""
import os, subprocess, sys, tempfile

cli, here, work = os.path.abspath(sys.argv[1]), os.path.dirname(os.path.abspath(__file__)), tempfile.mkdtemp()


def run(*words, program=None):
    path = os.path.join(work, "p.py")
    if program is not None:
        with open(path, "w") as file:
            file.write("import os, sys\nimport multiprocessing as mp\nfrom tinygrad import Tensor\nx = Tensor([1.0, 2.0]).clone().realize()\n" + program)
    return subprocess.run([cli, "run", *words, *([path] if program is not None else [])], capture_output=True, text=True, timeout=100)


recording = os.path.join(work, "r.lscope")
for more in (), ("--record", recording), ("--compiler", "interp"):
    r = run(os.path.join(here, "fork.py"), *more)
    assert (r.returncode, r.stdout, r.stderr) == (0, "child [2.0, 3.0]\nparent [3.0, 4.0]\n", ""), r
    for _ in range(4):
        r = run(os.path.join(here, "pool.py"), *more)
        assert r.returncode == 0 and r.stdout.startswith("True"), r
    if "--record" in more:
        v = subprocess.run([cli, "verify", recording], capture_output=True, text=True)
        assert v.returncode == 0, v

# Neither sees what the other writes into a buffer that was there before.
r = run(program="""
r, w = os.pipe()
if os.fork() == 0:
    os.close(w)
    x.assign(x * 10).realize()
    os.read(r, 1)      # the parent has written
    print("child", x.tolist(), (x + 1).tolist(), flush=True)
    os._exit(0)
x.assign(x + 100).realize()
os.close(w)
os.wait()
print("parent", x.tolist(), (x + 1).tolist())
""")
assert r.stdout == "child [10.0, 20.0] [11.0, 21.0]\nparent [101.0, 102.0] [102.0, 103.0]\n", r

# A child of a child; a child's error and exit status are its own; what is large is copied, too.
r = run(program="""
big = Tensor.arange(300000).contiguous().realize()
if os.fork() == 0:
    if os.fork() == 0:
        print("grandchild", (big + x[0].int()).sum().item())
        sys.exit(3)
    print("child", os.waitstatus_to_exitcode(os.wait()[1]))
    raise ValueError("the child's own")
print("parent", os.waitstatus_to_exitcode(os.wait()[1]), big.sum().item())
""")
total = sum(range(300000))
wrap = lambda n: (n + 2**31) % 2**32 - 2**31
assert r.stdout == f"grandchild {wrap(total + 300000)}\nchild 3\nparent 1 {wrap(total)}\n" and r.returncode == 0 and "ValueError: the child's own" in r.stderr, r

# A process pool of concurrent.futures, tensors as results, an end by time in the child.
r = run(program="""
import concurrent.futures
def f(i): return (x * i).tolist()
if __name__ == "__main__":
    with concurrent.futures.ProcessPoolExecutor(2) as pool: print(list(pool.map(f, range(3))))
""")
assert (r.returncode, r.stdout) == (0, "[[0.0, 0.0], [1.0, 2.0], [2.0, 4.0]]\n"), r
r = run("--set", "TIME_S=1", program="if os.fork() == 0:\n  while True: pass\nprint(os.waitstatus_to_exitcode(os.wait()[1]))\n")
assert r.returncode == 1 and r.stderr.count("TIME_S") == 2, r      # the parent waits as long as the child may run

# Other ways to begin processes begin another Python.
for way in "spawn", "forkserver":
    r = run(program=f"def f(i): return i\nif __name__ == '__main__':\n  mp.set_start_method('{way}')\n  mp.Process(target=f, args=(1,)).start()\n")
    assert r.returncode == 1 and f"start method '{way}' begins another Python" in r.stderr and "set_start_method('fork')" in r.stderr, r
print("all as expected")
