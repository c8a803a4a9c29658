#!/usr/bin/env python3
"""Faults of the system: memory, mappings, writes, processes and sockets that fail, each n-th time or from the n-th on (failing-cli.c).

The programs of some folders are run, most of them recorded.

Each program is run as it is first; what it prints then is right. With a fault, a run
  - ends by itself, and is not killed by a signal: the supervisor is always there to report what happened;
  - ends with status 0 only if it printed what is right (and its recording then proves, or says that it is incomplete);
  - with another status says why on standard error, without GLib's message of an abort;
  - leaves a recording that is whole, or readable up to a flush, or none.

Usage: failing.py LAZYSCOPE_CLI FAILING_CLI FOLDER... [--seed N] [--seconds S] [--count N] [--keep FOLDER]
Exit status 1: something else happened.
"""
import argparse
import collections
import glob
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

KINDS = ["memory", "memory", "mmap", "write", "write", "fork", "connect"]
LIMIT = 60      # seconds that one run may take
LEFT_OUT = {"uses-numpy.py", "budget.py", "large.py", "slow-inputs.py"}      # a package or a budget decides on them, or they take long


def run(cli, words, env=None):
    """Status (None: it did not end), standard output and error."""
    process = subprocess.Popen([cli, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               env={**os.environ, **(env or {})}, start_new_session=True)
    try:
        out, err = process.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        process.terminate()
        try:
            process.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
        return None, b"", ""
    return process.returncode, out, err.decode("utf-8", "replace")


# What was wrong once, tried first: a kernel that does not run in a finalizer, after which the program goes on; a process that a program forks.
KNOWN = [("at-exit.py", "connect:3+", "16384"), ("fork.py", "mmap:3", "65536")]


def programs(folders):
    """The programs of these folders."""
    paths = (p for folder in folders for p in glob.glob(os.path.join(folder, "*.py")))
    return sorted(p for p in paths if not os.path.basename(p).startswith("test-") and os.path.basename(p) not in LEFT_OUT)


def right_answer(cli, path):
    """What a program prints, or None: not the same twice, or an error."""
    first, second = run(cli, ["run", path]), run(cli, ["run", path])
    return first[1] if first[0] == 0 and first[:2] == second[:2] else None


def draw(rng):
    """A fault: the environment that plants it."""
    kind = rng.choice(KINDS)
    often = rng.choice([1, 1, 2, 3, 5, 8, 13, 40, 200] if kind in ("memory", "mmap", "write", "connect") else [1, 2, 3])
    bytes_ = rng.choice([1 << 20, 1 << 18, 1 << 16, 1 << 14])
    return {"LS_FAIL": f"{kind}:{often}{rng.choice(['', '+'])}", "LS_FAIL_BYTES": str(bytes_)}


def wrong_of_run(kind, small, status, out, err, right, forks):
    """What is wrong with how a run ended, or None. forks: the program makes a process of its own, whose failure it does not ask for."""
    if status is None:
        return f"it did not end within {LIMIT} s"
    if status < 0:
        return f"signal {-status}"
    lines = iter(right.splitlines())
    apart = "Exception ignored in" in err or (forks and "error: " in err)      # a finalizer or the other process failed and said so: the program goes on, their lines are missing
    if status == 0 and out != right and not (apart and all(line in lines for line in out.splitlines())):
        return "status 0, and another output"
    if kind == "write" and out != right:
        return "a full disk changed what the program prints"
    if status and "error: " not in err and "lazyscope-cli: " not in err:
        return "it does not say why"
    for never in ("-ERROR **", "assertion", "Segmentation", "Aborted", "core dumped", "Fatal Python error"):
        if never in err and not small:      # of less than 1 MB that it does not get the worker may die, and is reported
            return f"a message of a crash: {never}"
    return None


def wrong_of_recording(cli, status, recording):
    """What is wrong with the recording that a run left, or None. The command line that reads it has no faults."""
    if not os.path.exists(recording):
        return "status 0, and no recording" if status == 0 else None
    verified, out, err = run(cli, ["verify", recording])
    nothing_yet = status and verified == 1 and "is empty: its program" in err      # before its first flush
    # "not judged": programs with rules of their own
    unjudged = verified in (5, 6) and any(word in out for word in (b"incomplete", b"not judged"))
    if verified == 0 or nothing_yet or unjudged:
        return None
    return f"verify: status {verified}: {out.decode('utf-8', 'replace')[-300:]} {err[-300:]}"


def main():
    """Draws faults until the time or the count is reached."""
    parser = argparse.ArgumentParser()
    parser.add_argument("cli")
    parser.add_argument("failing")
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=50)
    parser.add_argument("--count", type=int, default=1 << 30)
    parser.add_argument("--keep", help="recordings of what is wrong are copied there")
    args = parser.parse_args()
    end = time.monotonic() + args.seconds
    paths, right = programs(args.folders), {}
    if args.keep:
        os.makedirs(args.keep, exist_ok=True)
    ended, bad = collections.Counter(), []
    with tempfile.TemporaryDirectory() as work:
        for i in range(args.count):
            if time.monotonic() > end:
                break
            rng = random.Random(args.seed * 1000003 + i)
            path, fault, recorded = rng.choice(paths), draw(rng), rng.random() < 0.7
            if i < len(KNOWN):
                path, fault, recorded = next((p for p in paths if os.path.basename(p) == KNOWN[i][0]), path), {"LS_FAIL": KNOWN[i][1], "LS_FAIL_BYTES": KNOWN[i][2]}, True
            if path not in right:
                right[path] = right_answer(args.cli, path)
            if right[path] is None:
                continue
            recording = os.path.join(work, "r.lscope")
            kind = fault["LS_FAIL"].split(":")[0]
            status, out, err = run(args.failing, ["run", path, *(["--record", recording] if recorded else [])], fault)
            wrong = wrong_of_run(kind, kind == "memory" and int(fault["LS_FAIL_BYTES"]) < 1 << 20, status, out, err, right[path], "os.fork" in open(path).read()) or (recorded and wrong_of_recording(args.cli, status, recording))
            ended[kind, "right" if status == 0 else "error"] += 1
            if wrong:
                bad.append(wrong)
                planted = " ".join(f"{k}={v}" for k, v in fault.items()) + (" recorded" if recorded else "")
                print(f"{args.seed}/{i}: {os.path.basename(path)} {planted}: {wrong}\n  status {status}: {err[-400:].strip()}", flush=True)
                if args.keep and os.path.exists(recording):
                    shutil.copy(recording, os.path.join(args.keep, f"{i}.lscope"))
            for left in glob.glob(os.path.join(work, "*")):
                os.unlink(left)
    counts = ", ".join(f"{kind} {how} {n}" for (kind, how), n in sorted(ended.items()))
    print(f"{sum(ended.values())} runs of {sum(r is not None for r in right.values())} programs; {counts}; wrong: {len(bad)}")
    if not any(how == "error" for _, how in ended):
        sys.exit("no fault had an effect")
    sys.exit(1 if bad else 0)


main()
