#!/usr/bin/env python3
"""Every question in every profile: verify, blame, values, why-not, run --slow and why, on a program of each of the five documents that the project was conceived from,
with each profile, scalar and vector accumulators, and DEVECTORIZE=0 and 1. Expected results are stated next to each program or computed here; answers are never compared with earlier ones.

Usage: matrix.py CLI [PROGRAM …] [--jobs N] [--only TEXT]
With programs: the questions are asked about each of their first eight kernels, and its stored result is compared with the values of its last pass.
"""
import argparse, concurrent.futures, itertools, json, os, re, subprocess, sys, tempfile

# The output of each program, and for rows of its last kernel: op and dtype, a line of the program that the row must lead to, and rules, one of which must be on the way (None:
# any).
# Every statement is on a separate line, so that a row of another line is wrong.
SUMS = {"reduce-to-acc", "add-halves-float"}
PROGRAMS = {
    # Code generation: one element, and three.
    "one": ("from tinygrad import Tensor\na = Tensor([1])\nb = Tensor([2])\nc = a + b\nprint(c.tolist())\n", [3], [("ADD", "int", 4, None), ("STORE", "", 4, None)]),
    "three": ("from tinygrad import Tensor\na = Tensor([1, 2, 3])\nb = Tensor([2, 5, 6])\nc = a * b\nd = c + a\nprint(d.tolist())\n", [3, 12, 21], [("MUL", "int", 4, None), ("ADD", "int", 5, None)]),
    # Rewriting: index arithmetic that folds, reduced axes, a shape computed from sources.
    "rewrite": ("from tinygrad import Tensor\nx = Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])\ny = x.permute(1, 0)\nz = y.pad(((1, 0), (0, 1)))\nw = z.sum(axis=0)\nprint(w.tolist())\n", [6.0, 15.0, 0.0], [("ADD", "float", 5, SUMS), ("STORE", "", 5, None)]),
    # Lazy buffers and views: a scalar that is added, a reshape that two views need.
    "lazy": ("from tinygrad import Tensor\nx = Tensor([1.0, 2.0, 3.0])\ny = x + 2\nz = y.reshape(3, 1).expand(3, 2)\nw = z.permute(1, 0).reshape(6)\nv = w * 3\nprint(v.tolist())\n", [9.0, 12.0, 15.0, 9.0, 12.0, 15.0], [("ADD", "float", 3, None), ("MUL", "float", 6, None)]),
    # Procedures: loops inside of loops, a product of matrices, its elements in range.
    "procedure": ("from tinygrad import Tensor\na = Tensor([[1.0, 2.0, 3.0, 4.0]] * 4)\nb = Tensor([[0.5, 1.0, -1.0, 2.0]] * 4)\nc = a @ b\nd = c.relu()\nprint(d.flatten().tolist())\n", [5.0, 10.0, 0.0, 20.0] * 4, [("MUL", "float", 4, None), ("ADD", "float", 4, SUMS)]),
    # Slow reductions.
    "reduction": ("from tinygrad import Tensor\na = Tensor([float(i % 7) for i in range(128)])\ns = a.sum()\nprint([s.item()])\n", [float(sum(i % 7 for i in range(128)))], [("ADD", "float", 3, SUMS), ("STORE", "", 3, None)]),
    "softmax": ("from tinygrad import Tensor\nx = Tensor([0.0, 0.0, 0.0, 0.0])\ny = x.softmax()\nprint(y.tolist())\n", [0.25] * 4, [("STORE", "", 3, None)]),
}
WAYS = [(p, a, d) for p, a, d in itertools.product(("default", "classic", "modern"), ("vector", "scalar"), ("1", "0"))]
QUARTERS = [WAYS[i::4] for i in range(4)]      # each has every profile
ALL = "LS_SLOWLY" in os.environ      # otherwise a program is asked in a quarter of the ways, the next one in the next quarter

parser = argparse.ArgumentParser()
parser.add_argument("cli")
parser.add_argument("programs", nargs="*")
parser.add_argument("--jobs", type=int, default=2)
parser.add_argument("--only", default="")
options = parser.parse_args()
cli = os.path.abspath(options.cli)
work = tempfile.mkdtemp()
asked = 0


def ask(*words, status=(0,)):
    global asked
    asked += 1
    r = subprocess.run([cli, *words], capture_output=True, text=True, cwd=work)
    assert r.returncode in status, (words, r.returncode, r.stdout[-2000:], r.stderr)
    return r.stdout


def close(a, b):
    return len(a) == len(b) and all(abs(float(x) - float(y)) <= 1e-5 * max(1, abs(float(y))) for x, y in zip(a, b))


def listing(path, kernel):
    """Rows of a kernel's listing: number, op, dtype, in any profile."""
    rows = []
    for line in ask("show", path, "-k", str(kernel), "--stage", "listing").splitlines():
        m = re.match(r"\s*(\d+) U?Ops\.(\w+)\s*:\s*(?:dtypes\.)?(\S*)\s", line)
        if m:
            op, dtype = m.group(2), m.group(3)
            if op == "ALU":
                op = re.search(r"(?:Unary|Binary|Ternary)Ops\.(\w+)\s*$", line).group(1)
            rows.append((int(m.group(1)), op, dtype if not dtype.startswith("[") else ""))
    return rows


def judge(name, way):
    source, expected, wanted = PROGRAMS[name]
    profile, acc, devectorize = way
    sets = ["--set", f"profile={profile}", "--set", f"ACC={acc}", "--set", f"DEVECTORIZE={devectorize}"]
    label = f"{name} {profile} ACC={acc} DEVECTORIZE={devectorize}"
    program, path = os.path.join(work, name + ".py"), os.path.join(work, f"{name}-{profile}-{acc}-{devectorize}.lscope")
    printed = ask("run", program, "--record", path, *sets)
    assert expected is None or close(json.loads(printed), expected), (label, printed)

    # Verify proves the honest recording.
    answer = ask("verify", path, status=(0, 5) if expected is None else (0,))
    assert "0 differences: proved" in answer or expected is None, label
    kernels = int(([0] + re.findall(r"^kernel (\d+)", ask("show", path), re.M))[-1])
    steps = json.loads(ask("steps", path, "--json"))["steps"]
    steps = [s for s in steps if "before" in s]      # the rewrites
    for kernel in [kernels] if expected is not None else range(1, min(kernels, 8) + 1):
        judge_kernel(label, path, program, sets, kernel, [s for s in steps if s["kernel"] == kernel], steps, source.split("\n"), expected, wanted)
        if expected is None:
            continue
        near = json.loads(ask("why-not", path, "-k", str(kernel), "-p", "accumulate", "--rule", "keep-lanes-float", "--json"))["nearest"]
        for n in near:
            if n["stage"] == "guard" and "keeps_lanes" in n["text"]:
                assert (acc == "scalar" and "ACC=scalar" in n["text"]) or "profile" in n["text"], (label, n["text"])
                assert acc == "scalar" or profile != "default", (label, "a default kernel keeps its lanes", n["text"])
    return label


def judge_kernel(label, path, program, sets, kernel, mine, steps, lines, expected, wanted):
    recorded = {(s["kernel"], s["pass"], s["index"]): s for s in steps}
    k = str(kernel)
    rows = listing(path, kernel)

    # Run --slow stores what the program prints.
    slow = json.loads(ask("run", path, "--slow", "-k", k, "--json", "--rows", "1:200000"))
    memory = {}
    for r in slow["rows"]:
        m = r.get("memory")
        if m and m["access"] == "written" and m["buffer"] == 0 and not m["local"]:
            for lane, v in enumerate(m["value"]):
                memory[m["index"] + lane] = v
    stored = [memory[i] for i in sorted(memory)]
    assert expected is None or (slow["ended"] and close(stored, expected)), (label, k, memory)

    # Blame: each row's way back is whole, made of recorded steps, and leads to lines of the program; rows that are named lead to the line and the rule that made them.
    found = {}
    picked = rows if len(rows) <= 24 else rows[::len(rows) // 16] + [r for w in wanted for r in [r for r in rows if r[1] == w[0]][:6]]
    for row, op, dtype in picked:
        b = json.loads(ask("blame", path, "-k", k, "--uop", str(row), "--json"))
        rules, known, more = set(), {l["node"]["id"] for l in b["listing"]}, True
        while more:
            more = {r["from"]["id"] for r in b["rewrites"] if r["node"]["id"] in known} - known
            known |= more
        for r in b["rewrites"]:
            assert r["node"]["id"] in known, (label, k, row, "a rewrite that is not connected", r)
            if r["rule"]:
                s = recorded.get((r["kernel"], r["pass"], r["step"]))
                assert s and s["rule"] == r["rule"], (label, k, row, r, s)
                rules.add(r["rule"])
        assert all(1 <= l <= len(lines) and lines[l - 1].strip() for l in b["lines"]), (label, k, row, b["lines"])
        found.setdefault((op, dtype.split(".vec")[0].split(".ptr")[0]), []).append((row, b["lines"], rules))
        if op in ("ADD", "MUL", "LOAD", "STORE"):
            assert b["lines"] or dtype.startswith(("int", "index")), (label, k, row, op, "leads to no line of the program", sorted(rules))
    for op, dtype, line, among in wanted:
        have = [f for key, fs in found.items() if key[0] == op and (key[1] == dtype or not dtype) for f in fs]
        assert have, (label, "no row of", op, dtype, sorted(found))
        for row, at, rules in have:
            assert line in at, (label, op, row, "leads to lines", at, "and not to", line, sorted(rules))
            assert not among or rules & among, (label, op, row, "leads to", sorted(rules))

    # The program answers as its recording does.
    words = ["-k", k, "--uop", str(picked[-1][0]), "--json"]
    assert ask("blame", program, *sets, *words) == ask("blame", path, *words), (label, k, "the program's answer is another than its recording's")

    # Values: the stored values are the printed ones, after every pass that has a store of numbers.
    for name in dict.fromkeys(s["pass"] for s in mine):
        graph = json.loads(ask("show", path, "-k", k, "-p", name, "--json"))
        nodes = {n["id"]: n for n in graph["nodes"]}
        stores = [n for n in graph["nodes"] if n["op"] == "STORE"]
        if len(stores) != 1:
            continue
        values = [nodes[s] for s in stores[0]["src"] if not ("ptr" in nodes[s]["dtype"] or nodes[s]["op"] in ("VIEW", "INDEX", "RANGE", "VALID"))]
        if not values:      # an address of lanes that are not numbers yet
            continue
        value = values[-1]
        if not re.match(r"dtypes\.(float|int)(\.vec\(\d+\))?$", value["dtype"]) or value["op"] in ("ASSIGN", "PHI"):
            continue
        answer = json.loads(ask("values", path, "-k", k, "-p", name, "--node", str(value["id"]), "--json", "--max", "100000"))
        flat = [float(x) for v in answer["values"] for x in re.findall(r"-?[\d.]+(?:e[-+]?\d+)?|nan|inf", v)]
        want = [float(x) for x in (stored if expected is None else expected)]
        if answer["sampled"] or any(x != x for x in flat + want) or not slow["ended"]:
            continue
        a, b = sorted(set(flat)), sorted(set(want))
        scale = max([abs(x) for x in b] + [1e-3])
        assert all(any(abs(x - y) <= 1e-4 * scale for y in b) for x in (a[0], a[-1], a[len(a) // 2])), (label, k, name, value, answer["values"][:8], want[:8])

    # Why-not: for steps that happened it reports that they did; the closest rules elsewhere never include a rule that fired there as stopped.
    for s in mine[::max(1, len(mine) // 4)]:
        where = ["-k", k, "-p", s["pass"], "--rule", s["rule"]]
        text = ask("why-not", path, *where, "--node", str(s["before"]), "--step", str(s["index"] - 1))
        assert f"It fired: step {s['index']} replaced node {s['before']} by node {s['after']}." in text, (label, s, text)
        for n in json.loads(ask("why-not", path, *where, "--json"))["nearest"]:
            fired = [t for t in mine if t["pass"] == s["pass"] and t["rule"] == n["rule"] and t["before"] == n["node"]["id"]]
            later = "Its sources were rewritten first, so the pass tried it as node" in n["text"]
            assert later or (n["stage"] == "fired") == bool(fired), (label, s, n)


# The chain that bounds a sum, in every way: each addition waits for the one before it. 4,096 of them where lanes are added to one register one after the other; classic and modern's vectors add four values first or in lanes.
CHAINS = {("default", "scalar"): "4,096", ("default", "vector"): None, ("classic", "scalar"): "1,024", ("classic", "vector"): "1,024", ("modern", "scalar"): "4,096", ("modern", "vector"): "1,024"}


def chain(way):
    profile, acc, devectorize = way
    label = f"why {profile} ACC={acc} DEVECTORIZE={devectorize}"
    text = ask("compare", "sum.py", "-k", "1", "--seconds", "1", "--set", f"profile={profile}", "--set", f"ACC={acc}", "--set", f"DEVECTORIZE={devectorize}", "--variant", "", "--variant", "opt=", "--variant", "", "--json")
    a, plain, again = json.loads(text)["variants"]
    assert "4,096 dependent" in plain["why"], (label, plain["why"])
    assert again["verdict"] == "same-code" and again["equal"] == "bits", (label, again["verdict"])
    found = re.findall(r"([\d,]+) dependent", a["why"])
    # of the default's 32 lanes each adds 128 times; whether that or memory bounds it depends on the machine
    assert all(n == (CHAINS[profile, acc] or "128") for n in found), (label, a["why"])
    assert not found or found == re.findall(r"([\d,]+) dependent", again["why"]) or "chains of dependent operations" in again["why"], (label, a["why"], again["why"])
    if CHAINS[profile, acc] and not found:      # other processes slow the machine down: the chain's part of the time is near a half, and that is said
        assert float(re.search(r"chains of dependent operations take (\d+) %", a["why"])[1]) >= 35, (label, a["why"])
        return None
    return label


if options.programs:
    PROGRAMS = {os.path.basename(p)[:-3]: (open(p).read(), None, []) for p in options.programs}
for name, (source, _, _) in PROGRAMS.items():
    open(os.path.join(work, name + ".py"), "w").write(source)
open(os.path.join(work, "sum.py"), "w").write("from tinygrad import Tensor\na = Tensor([float(i % 7) for i in range(4096)])\nprint(a.sum().item())\n")
tasks = [(judge, name, way) for i, name in enumerate(PROGRAMS) for way in (WAYS if ALL or options.only else QUARTERS[i % 4])
         if options.only in f"{name} {' '.join(way)}"]
failed = 0
with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
    for f in [pool.submit(*t) for t in tasks]:
        try:
            f.result()
        except AssertionError as e:
            failed += 1
            print("FAILED", e)
chains = 0
if subprocess.run(["sh", "-c", "command -v clang"], capture_output=True).returncode:
    print("why: SKIPPED, there is no clang to time kernels with")
elif not options.only and not options.programs:
    for way in WAYS if ALL else QUARTERS[3] + QUARTERS[0]:
        try:
            chains += chain(way) is not None
        except AssertionError as e:
            failed += 1
            print("FAILED", e)
print(f"{len(tasks)} programs and ways, {chains} chains, {asked} questions: {failed} failed")
sys.exit(failed > 0)
