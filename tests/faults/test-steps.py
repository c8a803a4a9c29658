#!/usr/bin/env python3
"""Steps that are recorded, and blamed, as they were: nested passes, rewrites of the program's own, wrong rules in mixed graphs, texts that reorder, results too large to be interpreted.

Each input is asked as a program and as a recording of it. Usage: test-steps.py LAZYSCOPE_CLI FOLDER
"""
import json
import os
import sqlite3
import subprocess
import sys
import tempfile

CLI, HERE = sys.argv[1], sys.argv[2]
FAILED = []


def call(*args):
    done = subprocess.run([CLI, *args], capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


def expect(holds, what, *seen):
    if not holds:
        FAILED.append(f"{what}: " + " | ".join(str(s)[-400:] for s in seen))


def both(folder, name, *options):
    """(how it is asked, its arguments): the program with its options, and a recording of it; the answer of the run."""
    program, record = os.path.join(HERE, name), os.path.join(folder, name + ".lscope")
    ran = call("run", program, *options, "--record", record)
    expect(ran[0] == 0, f"run {name}", *ran)
    return ran, [("the program", [program, *options]), ("the recording", [record])]


def bisect(args):
    rc, out, err = call("bisect", *args, "--json")
    return rc, json.loads(out) if rc in (0, 4, 5) else {"verdict": f"rc {rc}: {err}"}


def test_nested(folder):
    rules = os.path.join(HERE, "add-one-wrong.rules")
    (_, out, err), ways = both(folder, "arange-twice.py", "--rules", rules)
    expect(out == "[2, 4, 6, 8, 10, 10]\n" and "no effect" not in err, "a rule in a nested pass has an effect", out, err)
    for way, args in ways:
        rc, a = bisect(args)
        expect(rc == 4 and a.get("rule") == "w-add1" and a["pass"] == "sum_of_constant", f"bisect of {way} names w-add1", a)
    record = ways[1][1][0]
    with sqlite3.connect(record) as db:
        rows = db.execute("SELECT p.name, p.step, o.name, o.stage FROM passes p JOIN passes o ON o.id = p.parent").fetchall()
    expect(rows == [("sum_of_constant", 1, "tensor", "tensor")], "the pass says in which step it is nested", rows)
    rc, out, err = call("show", record + "#0/sum_of_constant/4")
    expect(rc == 0 and "w-add1" in out + err or rc == 0 and out, "a step of a nested pass is a place", rc, out, err)
    rc, out, err = call("steps", record, "--rule", "w-add1")
    expect(rc == 0 and "0/sum_of_constant/" in out, "steps lists it", out, err)
    rc, out, err = call("rules", record, "--json")
    expect(any(r["name"] == "w-add1" and r["hits"] == 1 for r in json.loads(out)["rules"]), "rules counts it", out)
    (_, out, err), ways = both(folder, "arange-twice.py")
    for way, args in ways:
        expect(call("verify", *args)[0] == 0, f"verify of {way} with a nested pass: proved", *call("verify", *args))
        expect(bisect(args)[1]["verdict"] == "agrees", f"bisect of {way}, unchanged", bisect(args))
    # a nested pass that is another one is found
    record = ways[1][1][0]
    for what in ("UPDATE passes SET step = 2 WHERE step > 0", "UPDATE passes SET step = 99 WHERE step > 0", "UPDATE passes SET output = input WHERE step > 0"):
        copy = record + ".edited"
        with open(record, "rb") as f, open(copy, "wb") as g:
            g.write(f.read())
        with sqlite3.connect(copy) as db:
            db.execute(what)
        db.close()
        rc, out, err = call("verify", copy)
        expect(rc in (1, 3), f"verify after {what}", rc, out, err)


def test_mixed(folder):
    _, ways = both(folder, "reshape-sum.py", "--rules", os.path.join(HERE, "lower-wrong.rules"))
    for way, args in ways:
        rc, a = bisect(args)
        expect((rc == 4 and a.get("rule") == "w-lower") or rc == 5, f"bisect of {way}: w-lower, or not judged", a)


def test_classic(folder):
    _, ways = both(folder, "bisect-classic.py", "--set", "profile=classic")
    for way, args in ways:
        rc, a = bisect(args)
        expect(rc == 0 and a["verdict"] == "agrees", f"bisect of {way} in the classic profile agrees", a)


def test_large(folder):
    _, ways = both(folder, "large.py")
    for way, args in ways:
        for command in (["bisect", *args], ["values", *args, "-k", "2", "-p", "lower", "--find", "nan"], ["run", *args, "--slow", "-k", "2"]):
            rc, out, err = call(*command)
            reason = "too many" in out + err or "too large" in out + err or "kept" in out + err
            expect(rc in (0, 4, 5) or (rc == 1 and reason), f"{command[0]} of {way} with 2^26 elements: an answer, or a refusal with its reason", rc, out, err)


def test_rewrites(folder):
    _, ways = both(folder, "simplify.py")
    for way, args in ways:
        expect(call("verify", *args)[0] == 0, f"verify of {way} that simplifies UOps: proved", *call("verify", *args))
        expect(bisect(args)[0] in (0, 5), f"bisect of {way} that simplifies UOps blames nobody", bisect(args))
    with sqlite3.connect(ways[1][1][0]) as db:
        names = [name for name, in db.execute("SELECT name FROM passes ORDER BY id")]
    numbered = lambda name, n: [name + (f"#{i}" if i > 1 else "") for i in range(1, n + 1)]
    expect([name for name in names if name.startswith("simplify")] == numbered("simplify@4", 15) and
           [name for name in names if name.startswith("render")] == numbered("render@4", 5) and len(names) == 20, "its passes are named by the program's line", names)
    rc, out, err = call("show", ways[1][1][0] + "#0/simplify@4/1")
    expect(rc == 0 and out, "such a pass is a place", rc, err)


with tempfile.TemporaryDirectory() as temporary:
    for test in (test_nested, test_mixed, test_classic, test_large, test_rewrites):
        test(temporary)
print("\n".join(FAILED) or "5 tests passed")
sys.exit(1 if FAILED else 0)
