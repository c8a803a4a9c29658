#!/usr/bin/env python3
"""Budgets of a program hold from outside: time in C code, memory, output, Ctrl+C, a death of the process, a full disk, two recordings to one file. Usage: test-budgets.py CLI [--sanitizer]"""
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

cli, here, work = os.path.abspath(sys.argv[1]), os.path.dirname(os.path.abspath(__file__)), tempfile.mkdtemp()
sanitizer = "--sanitizer" in sys.argv      # whose memory and address space are many times that, and which takes signals for itself
recording, path = os.path.join(work, "r.lscope"), os.path.join(work, "p.py")
KERNEL = "from tinygrad import Tensor\nprint((Tensor([1, 2]) + 1).tolist(), flush=True)\n"

for number in signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGQUIT:      # under nohup, or in a shell's background, some are ignored, and children would be, too
    if signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, signal.SIG_DFL)


def write(program):
    with open(path, "w") as file:
        file.write(KERNEL + program)


def start(*words, limits=(), **more):
    def limit():
        for what, n in limits:
            resource.setrlimit(what, (n, n))
    return subprocess.Popen([cli, "run", path, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=limit, **more)


def run(*words, program=None, limits=()):
    if program is not None:
        write(program)
    p = start(*words, limits=limits)
    out, err = p.communicate(timeout=120)
    return p.returncode, out, err


def verdict():
    """For the recording, which is deleted then: a new one would leave it in place until it is complete."""
    done = subprocess.run([cli, "verify", recording], capture_output=True, text=True, timeout=120)
    for end in "", "-wal", "-shm", "-journal":
        if os.path.exists(recording + end):
            os.unlink(recording + end)
    return done.returncode, done.stdout


def nothing_runs():
    time.sleep(0.2)
    for process in os.listdir("/proc"):
        try:
            with open(f"/proc/{process}/cmdline", "rb") as file:
                if process.isdigit() and path.encode() in file.read():
                    return False
        except OSError:
            pass
    return True


# Time, where Python does not look up: in a number, in a regular expression, in a child of a fork. The program's line is named, and the recording so far stays.
for program, line in ("10**(10**9)\n", 3), ("import re\ndef f(): re.match('(a+)+$', 'a' * 60 + 'b')\nf()\n", 4), ("import os\nif os.fork() == 0:\n    10**(10**9)\nos.wait()\n", None):
    status, out, err = run("--set", "TIME_S=1", "--record", recording, program=program)
    assert (status, out) == (1, "[2, 3]\n") and "the program ran longer than 1 s (--set TIME_S=N allows more)" in err, (program, status, out, err)
    assert sanitizer or line is None or f"{path}:{line}: error: " in err, err
    assert nothing_runs(), program
    assert f"{recording} has the recording up to that point" in err, err
    status, said = verdict()
    assert status in (5, 6) and "incomplete" in said, (status, said)
# A program that catches what stops it.
status, out, err = run("--set", "TIME_S=1", program="while True:\n    try:\n        while True: pass\n    except BaseException: pass\n")
assert status == 1 and "longer than 1 s" in err, err

# Memory of graphs, by the program's own count; other memory, by the supervisor's.
for more in (), ("--record", recording):
    with open(os.path.join(here, "budget.py")) as file:
        write(file.read())
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    status, out, err = run("--set", "MEMORY_MB=100", *more)
    assert status == 1 and re.search(r"p\.py:\d+:\d+: error: .*takes? more than 100 MB", err), err
    assert sanitizer or resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 450 << 10, resource.getrusage(resource.RUSAGE_CHILDREN)
    assert not more or verdict()[0] == 0
if not sanitizer:
    status, out, err = run("--set", "MEMORY_MB=50", program="import mmap, time\nm = mmap.mmap(-1, 1 << 30)\nfor _ in range(900): m.write(bytes(1 << 20))\ntime.sleep(5)\n")
    assert status == 1 and "twice its budget of 50 MB" in err, (status, err)

# Output: all of it is printed, some of it is recorded.
status, out, err = run("--record", recording, program="for i in range(60): print('x' * 999999)\n")
assert status == 0 and len(out) == 60000007 and "only the first 16 MB" in err and os.path.getsize(recording) < 20 << 20, (status, len(out), err)
assert verdict()[0] == 0
status, out, err = run("--json", program="for i in range(60): print('x' * 999999)\n")
assert status == 1 and "printed more than 16 MB" in err, err

# Ctrl+C: one is the program's own, the second ends it.
write("import time\nprint('ready', flush=True)\nwhile True:\n    try: time.sleep(0.05)\n    except KeyboardInterrupt: print('no', flush=True)\n")
p = start("--record", recording)
p.stdout.readline(), p.stdout.readline()
p.send_signal(signal.SIGINT)
assert p.stdout.readline() == "no\n" and p.poll() is None
p.send_signal(signal.SIGINT)
out, err = p.communicate(timeout=30)
assert p.returncode == 130 and "interrupted twice" in err and nothing_runs(), (p.returncode, err)
assert verdict()[0] in (5, 6)
for number, ends in (signal.SIGTERM, -signal.SIGTERM), (signal.SIGKILL, -signal.SIGKILL), (signal.SIGHUP, -signal.SIGHUP):
    p = start()
    p.stdout.readline(), p.stdout.readline()
    p.send_signal(number)
    p.communicate(timeout=30)
    assert p.returncode == ends and nothing_runs(), (number, p.returncode)
# Signals that the program handles reach it.
write("import signal, time\nsignal.signal(signal.SIGUSR1, lambda *_: print('signalled', flush=True))\nprint('ready', flush=True)\ntime.sleep(0.5)\ntime.sleep(2)\n")
p = start()
p.stdout.readline(), p.stdout.readline()
p.send_signal(signal.SIGUSR1)
assert p.stdout.readline() == "signalled\n" and p.wait(timeout=60) == 0
status, out, err = run(program="import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nimport time\ntime.sleep(5)\n")
assert status == 1 and "interrupted" in err, (status, err)

# The process dies: how, and where it was; the recording is readable.
for program, said in ("import ctypes\ndef f(): ctypes.string_at(0)\nf()\n", "Segmentation fault"), ("import os\nos.abort()\n", "Aborted"), ("import os\nos.kill(os.getpid(), 9)\n", "killed"):
    status, out, err = run("--record", recording, program=program)
    assert (status, out) == (1, "[2, 3]\n") or sanitizer, (program, status, out, err)
    assert sanitizer or said in err, err
    assert sanitizer or said == "killed" or f"{path}:4: error: " in err, err
    assert verdict()[0] in (5, 6) or sanitizer, program
# A program that is named otherwise, by a command that is not run, has a supervisor too.
odd = os.path.join(work, "odd.txt")
with open(odd, "w") as file:
    file.write(KERNEL + "10**(10**9)\n")
done = subprocess.run([cli, "options", odd, "--kernel", "1", "--set", "TIME_S=1"], capture_output=True, text=True, timeout=60)
assert done.returncode == 1 and "longer than 1 s" in done.stderr, done
# Statuses of the program itself pass through.
assert run(program="import sys\nsys.exit(7)\n")[0] == 7 and run(program="import os\nos._exit(9)\n")[0] == 9

# Little address space is an error, never an abort.
if not sanitizer:
    for kb in 45000, 60000, 90000, 130000, 200000, 300000, 1000000:
        status, out, err = run("--record", recording, program="print(Tensor.arange(300000).max().item())\n", limits=[(resource.RLIMIT_AS, kb << 10)])
        assert (status, "error: " in err) == (1, True) or (status, out, err) == (0, "[2, 3]\n299999\n", ""), (kb, status, out, err)

# A disk that is full from the start: the program runs.
with open(path, "w") as file:      # no buffer, whose memory is a file, too
    file.write("print('ran')\n")
status, out, err = run("--record", os.path.join(work, "full.lscope"), limits=[(resource.RLIMIT_FSIZE, 4096)])
assert (status, out) == (1, "ran\n") and "ran without being recorded" in err and not os.path.exists(os.path.join(work, "full.lscope")), (status, out, err)

# Two runs and one file: the second gets an error at its start, whether the file is new or replaced.
write("import time\nprint('ready', flush=True)\ntime.sleep(1.5)\n")
for name in "new.lscope", "new.lscope":
    first = start("--record", os.path.join(work, name))
    first.stdout.readline(), first.stdout.readline()
    status, out, err = run("--record", os.path.join(work, name))
    assert (status, out) == (1, "") and "another run is being recorded there" in err, (status, out, err)
    assert first.wait(timeout=60) == 0
    done = subprocess.run([cli, "verify", os.path.join(work, name)], capture_output=True, text=True)
    assert done.returncode == 0, done
print("all as expected")
