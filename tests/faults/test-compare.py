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
    path = os.path.join(work, "-".join([os.path.basename(name), *words]) + ".lscope")
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
    note = "The interpreter's result is not compared with the recorded one: the kernel has 4194304 operations and 131072 bytes of memory accesses, together more than the limit of 3000000.\n"
    assert note in ask(*words), ask(*words)
    assert json.loads(ask(*words, "--json"))["notes"] == note
for path in ("affine.py", record("affine.py")):
    assert "not compared" not in ask("run", path, "--slow", "--kernel", "2")

# Hand-written kernels that cheat, next to the original kernel: the verdict on each must be right.
HEAD = "void E_4096(float* restrict data0, const float* restrict data1) {\n"
LOOP = "for (int i = 0; i < 4096; i++) data0[i] = data1[i]*2+1;\n"
BY_HAND = {
    "nop": '__asm__ volatile ("nop");\n' + LOOP,
    "broken": LOOP.replace("+1", "+q"),
    "outside": LOOP + "data0[4097] = 3;\n",
    "crash": "*(volatile int *) 0 = 1;\n",
    "nan": LOOP.replace("data1[i]*2+1", "0.0f/0.0f"),
    "third": "static int n;\n" + LOOP + "if (++n >= 3) data0[5] = 0;\n",
    "first": "static int n;\nif (n++ == 0) " + LOOP,
    "rare": "static int n;\n" + LOOP + "if (++n % 100000000 == 99999999) data0[5] = 0;\n",
    "skip": "if (data0[0] == data1[0]*2+1 && data0[4095] == data1[4095]*2+1) return;\n" + LOOP,
    "nothing": "",
}
affine = write("affine-4096.py", "from tinygrad import Tensor\na = (Tensor.arange(4096) * 0.001).realize()\n(a*2+1).realize()\n")
TIMES = ("median_ns", "low_ns", "high_ns", "cold_ns", "ratio", "samples", "gflops", "gbs")
for path in (affine, record(affine)):
    words = ["compare", path, "--kernel", "2", "--seconds", "1", "--variant", ""]
    for name, body in BY_HAND.items():
        words += ["--variant", "c=" + write(name + ".c", HEAD + body + "}\n")]
    variants = json.loads(ask(*words, "--json"))["variants"]
    by_name = dict(zip(["A", *BY_HAND], variants))
    text = ask(*words)
    for name, v in by_name.items():
        assert v["by_hand"] == (name != "A")
        if name != "A":
            assert v["listing"] is None and v["options"] is None and v["log"] is None and v["listing_diff"] is None, name
        if v["error"]:
            assert v["verdict"] == "failed" and v["equal"] == "none" and not any(k in v for k in TIMES), (name, v)
        else:
            assert v["compiler"] and v["flags"], name
    nop = by_name["nop"]
    assert nop["verdict"] != "same-code" and nop["equal"] == "bits" and (nop["verdict"] != "faster" or nop["ratio_high"] < 1), nop["verdict"]
    assert "undeclared" in by_name["broken"]["error"] and by_name["broken"]["code"] is None and "loop" not in by_name["broken"], by_name["broken"]
    assert "writes outside its memory" in by_name["outside"]["error"] and "crashed" in by_name["crash"]["error"]
    assert by_name["nan"]["equal"] == "differs"
    for name in ("third", "first"):
        assert by_name[name]["equal"] == "differs" and by_name[name]["changes"] and "gflops" not in by_name[name], (name, by_name[name]["changes"])
    assert by_name["nothing"]["equal"] == "differs" and "gflops" not in by_name["nothing"]
    if by_name["A"]["compiler"] in ("clang", "gcc"):
        assert by_name["rare"]["static_bytes"] == 4 and by_name["rare"]["equal"] == "bits" and by_name["A"]["static_bytes"] == 0
    assert by_name["skip"]["verdict"] in ("again-only", "unclear"), (by_name["skip"]["verdict"], by_name["skip"].get("changing_ratio"))
    assert "not compiled by" in text and "may differ" in text

# The logs of two recordings part in the pass nested in a step, not at its parent's step.
plain, without = record("arange-twice.py"), record("arange-twice.py", "--disable", "mul-one")
for words in ((plain, without), ("arange-twice.py", "--disable", "mul-one")):
    first = json.loads(ask("diff", *words, "--json", status=4))["differences"][0]
    assert first["section"] == "rewrites" and "from step 11 of sum_of_constant" in first["text"] and first["a"].startswith("sum_of_constant/11 mul-one"), first

# For a hand-written kernel, diff has no rewrites and rows.
hand = write("hand.c", HEAD + LOOP + "}\n")
by_hand = os.path.join(work, "by-hand.lscope")
ask("run", affine, "--variant", "k2:c=" + hand, "--record", by_hand)
found = json.loads(ask("diff", record(affine), by_hand, "--json", status=4))
sections = [d["section"] for d in found["differences"] if d["kernel_a"] == 2]
assert "by hand" in sections and not {"rewrites", "listing", "options"} & set(sections), sections
assert "parts" not in found["kernels"][1] and found["kernels"][1]["steps_b"] == 0, found["kernels"][1]

# Contents that are not numbers.
odd = write("odd.py", "from tinygrad import Tensor\na = Tensor([float('nan'), float('inf'), -float('inf'), -0.0]).realize()\n(a*2+1).realize()\n")
v = json.loads(ask("compare", odd, "--kernel", "1", "--seconds", "1", "--variant", "", "--variant", "opt=", "--json"))["variants"]
assert v[1]["equal"] == "bits", v[1]["equal"]

# A kernel that takes longer than its budget has no time, no rate and no verdict, and says so.
slow = [os.path.join(here, "slow-kernel.py"), "--kernel", "3", "--seconds", "1", "--set", "TIMEOUT_MS=100000", "--variant", "opt=,target=c,compiler=tcc", "--variant", "target=c,compiler=tcc,opt="]
v = json.loads(ask("compare", *slow, "--json"))["variants"]
for one in v:
    assert one["error"] or ("median_ns" in one) != ("not_timed" in one), one.keys()
    assert "not_timed" not in one or ("gflops" not in one and one["verdict"] in ("first", "unclear", "same-code")), one["verdict"]
assert "inf" not in ask("compare", *slow).split("source")[0]
