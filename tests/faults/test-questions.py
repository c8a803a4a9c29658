#!/usr/bin/env python3
"""Questions about small programs in every profile: blame, why-not, run --slow, compare. Usage: test-questions.py CLI"""
import json, os, re, subprocess, sys, tempfile

cli, here = os.path.abspath(sys.argv[1]), os.path.dirname(os.path.abspath(__file__))
work = tempfile.mkdtemp()

def ask(*words):
    r = subprocess.run([cli, *words], capture_output=True, text=True, cwd=here)
    assert r.returncode == 0, (words, r.returncode, r.stderr)
    return r.stdout

def record(name, *words):
    path = os.path.join(work, name + ".lscope")
    ask("run", name, "--record", path, *words)
    return path

# A guard is evaluated in the context of its pass, and the setting that made it false is named; without --node it ranks.
f = record("sum24.py", "--variant", "ACC=scalar")
near = json.loads(ask("why-not", f, "--kernel", "1", "--pass", "accumulate", "--rule", "keep-lanes-float", "--json"))["nearest"]
assert near and near[0]["stage"] == "guard" and "keeps_lanes()" in near[0]["text"] and "ACC=scalar" in near[0]["text"], near
for path in (f, "sum24.py"):
    text = ask("why-not", path, *(["--variant", "ACC=scalar"] if path != f else []), "--kernel", "1", "--pass", "accumulate", "--node", str(near[0]["node"]["id"]), "--rule", "keep-lanes-float")
    assert "is false.\n" in text and "The setting ACC=scalar is the cause" in text, text

# Each register of profile=modern is made by a step of its own, so that additions lead to reduce-to-acc.
f = record("sum24.py", "--variant", "profile=modern,DEVECTORIZE=1", "--set", "TIMEOUT_MS=100000")
blamed = [ask("blame", f, "--kernel", "1", "--uop", str(row)) for row in range(12, 24)]
adds = [b for b in blamed if re.search(r"ADD float ", b.split("rewrites")[0])]
assert adds and all("reduce-to-acc" in b for b in adds), adds
ask("verify", record("sum13.py", "--variant", "profile=modern"))

# A kernel loads the contents in the recording.
f = record("slow-inputs.py", "--set", "FMA=1")
for path, words in ((f, []), ("slow-inputs.py", ["--set", "FMA=1"])):
    text = ask("run", path, *words, "--slow", "--kernel", "3")
    assert "w (data2)[13] is 0.43\n" in text and "0.42999995" not in text, [l for l in text.split("\n") if "data2[13]" in l]

# A search at a node without a value, in a graph that is sampled, is an error with a sentence.
large = os.path.join(work, "large.py")
with open(large, "w") as out:
    out.write("from tinygrad import Tensor\na = (Tensor.arange(4096 * 4100) + 1).realize()\n")
f = record(large)
node = next(n["id"] for n in json.loads(ask("show", f + "#1/lower", "--format", "json"))["nodes"] if n["op"] == "DEFINE_GLOBAL")
r = subprocess.run([cli, "values", f"{f}#1/lower?node={node}", "--find", ">0"], capture_output=True, text=True)
assert r.returncode == 2 and f"node {node} (DEFINE_GLOBAL) has no value" in r.stderr, (r.returncode, r.stderr)

# A result that changes during timing, and a kernel that writes its input, are named; later code is not harmed.
f = record("affine.py")
for path in (f, "affine.py"):
    v = json.loads(ask("compare", path, "--kernel", "2", "--seconds", "1", "--variant", "", "--variant", "c=counting-kernel.c", "--variant", "c=input-writer.c", "--variant", "opt=", "--json"))["variants"]
    assert v[1]["equal"] == "differs" and v[1]["after_timing"] and v[1]["listing"] is None, v[1]["equal"]
    assert v[2]["equal"] == "bits" and v[2]["writes"], v[2]
    assert v[3]["equal"] == "bits" and v[3]["verdict"] == "same-code" and not v[3]["writes"], v[3]

# Equal machine code has one explanation.
v = json.loads(ask("compare", "sum13.py", "--seconds", "1", "--variant", "ACC=scalar", "--variant", "profile=modern", "--variant", "profile=classic", "--json"))["variants"]
assert v[1]["verdict"] != "same-code" or v[0]["why"] == v[1]["why"], (v[0]["why"], v[1]["why"])
assert "8,192 dependent" not in (v[2]["why"] or ""), v[2]["why"]
