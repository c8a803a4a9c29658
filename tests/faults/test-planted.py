#!/usr/bin/env python3
"""Bisect of cases that once were blamed wrong, or not found: undefined behavior, small differences that decide, gradients of choices, padded axes, a wrong list of UOps.

Each input is asked as a program and as a recording of it. Usage: test-planted.py LAZYSCOPE_CLI WRONG_CLI FOLDER
"""
import json
import os
import subprocess
import sys
import tempfile

CLI, WRONG, HERE = sys.argv[1:4]
FAILED = []


def call(*args, cli=CLI, env=None):
    done = subprocess.run([cli, *args], capture_output=True, text=True, timeout=120, env={**os.environ, **(env or {})})
    return done.returncode, done.stdout, done.stderr


def expect(name, *options, **want):
    """Runs tests/faults/NAME with the options; bisect of it and of its recording must say what is wanted. note: a part of one of the notes."""
    note = want.pop("note", None)
    with tempfile.TemporaryDirectory() as folder:
        program, record = os.path.join(HERE, name), os.path.join(folder, "r.lscope")
        options = [os.path.join(HERE, o) if o.endswith(".rules") else o for o in options]
        ran = call("run", program, *options, "--record", record)
        if ran[0] != 0:
            FAILED.append(f"run {name} {options}: {ran}")
        for args in ([program, *options], [record]):
            rc, out, err = call("bisect", *args, "--json")
            answer = json.loads(out) if rc in (0, 4, 5) else {"verdict": f"rc {rc}: {err}"}
            if any(answer.get(k) != v for k, v in want.items()) or (note and not any(note in n for n in answer.get("notes", []))):
                FAILED.append(f"bisect {args}: {want} {note}: {answer}")
        rc, out, err = call("verify", record)
        if rc != (5 if "--rules" in options else 0):      # a file's rules are not run again
            FAILED.append(f"verify of {name} {options}: {rc} {out[-300:]} {err[-300:]}")


def main():
    expect("decided.py", verdict="agrees")
    expect("decided.py", "--set", "FMA=1", "--set", "FUSE=0", verdict="not judged", note="a comparison or an integer depends on them")
    for compiler in ("interp", "tcc"):
        expect("departs.py", "--compiler", compiler, verdict="agrees")
    expect("departs.py", "--set", "profile=classic", "--compiler", "interp", verdict="agrees")
    expect("departs.py", "--set", "profile=classic", "--compiler", "tcc", verdict="not judged", note="a maximum that may have a NaN operand")
    expect("bools.py", "--rules", "bool-sum.rules", verdict="agrees")
    expect("bools.py", "--set", "profile=classic", "--compiler", "tcc", "--rules", "bool-sum.rules", verdict="not judged", note="sums of bools")
    expect("padded.py", "--variant", "opt=PADTO:0:4", verdict="agrees")
    expect("padded.py", "--variant", "opt=PADTO:0:4", "--rules", "pad-load-wrong.rules", verdict="differs", rule="w-load")
    expect("where-gradient.py", "--rules", "where-wrong.rules", verdict="differs", rule="w-where")
    expect("shift.py", "--set", "profile=modern", "--set", "DEVECTORIZE=0", verdict="agrees")
    with tempfile.TemporaryDirectory() as folder:
        record = os.path.join(folder, "r.lscope")
        for name, plant, options, verdict, rule in (
            ("decided-late.py", "rule:split-range:20", ["--variant", "opt=GROUP:0:2"], ("not judged", "differs"), (None, "split-range")),
            ("last-graphs.py", "rule:index-const:14", ["--set", "profile=modern", "--set", "DEVECTORIZE=0", "--compiler", "interp"], ("not judged", "differs"), (None, "index-const")),
            ("sine-gradient.py", "rule:grad-sin:3", [], ("differs",), ("grad-sin",)),
            ("nested-maximum.py", "rule:max-left:12", ["--set", "TRANSCENDENTAL=2"], ("differs",), ("max-left",)),
            ("half-sum.py", "rule:split-vconst:16", ["--variant", "opt=UNROLL:1:2,opt=UPCAST:0:2"], ("differs",), ("split-vconst",)),
            ("one-number.py", "option:UPCAST:3", ["--variant", "opt=UNROLL:1:2,opt=UPCAST:0:2"], ("not judged",), (None,)),
        ):
            ran = call("run", os.path.join(HERE, name), *options, "--record", record, cli=WRONG, env={"LS_WRONG": plant})
            rc, out, err = call("bisect", record, "--json")
            answer = json.loads(out) if rc in (0, 4, 5) else {}
            if ran[0] != 0 or answer.get("verdict") not in verdict or answer.get("rule") not in rule:
                FAILED.append(f"{name}, {plant}: {ran[0]}, {rc}: {answer} {err[-200:]}")
        # additions of the list are subtractions, and those of its last graph are not
        seen = []
        for n in range(6):
            if call("run", os.path.join(HERE, "padded.py"), "--record", record, cli=WRONG, env={"LS_WRONG": f"list:{n}"})[0] == 0:
                answer = json.loads(call("bisect", record, "--json")[1])
                seen.append((answer["verdict"], answer.get("pass"), answer.get("rule")))
        if ("not judged", None, None) not in seen or set(seen) - {("not judged", None, None), ("agrees", None, None)}:
            FAILED.append(f"a wrong list: {seen}")
    print("\n".join(FAILED) or "all answers are right")
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
