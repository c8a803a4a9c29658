#!/usr/bin/env python3
"""Planted faults: does bisect name a rule that is wrong on purpose, and never another one?

Small programs are made at random (reshapes, several axes, running sums whose terms nest passes, gradients) and run in several ways. Of every built-in rule that fires in a program wrong variants are
made (another op or constant, sources that change places, a guard left out), one at a time is put before the built-in rules, and the program is run with it. Where that changes what the program
prints, bisect of its recording must name the planted rule or say that it could not judge; whatever else it names is innocent.

Usage: planted.py LAZYSCOPE_CLI [--seed N] [--seconds S] [--programs N] [--each N] [--rule NAME] [--jobs N] [--keep FOLDER] [--table]
Exit status 1: an innocent was named, fewer than 80 % of those that changed a result were named, or an unchanged program does not agree.
"""
import argparse
import concurrent.futures
import json
import math
import os
import random
import re
import sqlite3
import subprocess
import sys
import tempfile
import time

WAYS = [[], ["--set", "profile=classic", "--compiler", "interp"], ["--set", "profile=modern"], ["--set", "profile=modern", "--set", "DEVECTORIZE=0", "--compiler", "interp"],
        ["--set", "DEVECTORIZE=0", "--compiler", "interp"], ["--set", "ACC=scalar"], ["--set", "NOOPT=1"], ["--set", "FMA=1"], ["--set", "TRANSCENDENTAL=2"], ["--set", "FAST_IDIV=1"],
        ["--target", "metal", "--compiler", "interp"], ["--variant", "opt=UPCAST:0:2"], ["--variant", "opt=UNROLL:0:4"], ["--variant", "opt=GROUP:0:2"], ["--variant", "opt=TILE:0:1,opt=UPCAST:0:2"],
        ["--set", "MERGE_VIEWS=0"], ["--variant", "opt=PADTO:0:4"], ["--target", "metal", "--compiler", "interp", "--variant", "opt=LOCAL:0:2,opt=GROUP:0:2"]]


# --- programs ---

def program(seed):
    """A small program that prints three tensors, as text."""
    rng = random.Random(seed)
    a, b = rng.choice([2, 3, 4, 6]), rng.choice([2, 4, 5, 8])
    lines = ["from tinygrad import Tensor, dtypes"]
    kind = rng.choice(["float", "float", "int", "float", "half"])
    start = f"(Tensor.arange({a * b}){'.cast(dtypes.' + kind + ')' if kind != 'int' else ''} * {rng.choice(['0.5', '3', '0.25', '2']) if kind != 'int' else rng.choice([2, 3, 5])} - {rng.choice([1, 3, 7])})"
    lines.append(f"x = {start}.reshape({a}, {b}){rng.choice(['', '.clone().realize()', '.contiguous().realize()'])}")
    lines.append(f"y = ((Tensor.arange({a * b}) * 7 + {rng.randrange(9)}) % {rng.choice([5, 11, 13])}).reshape({b}, {a}).permute(1, 0){'.cast(dtypes.' + kind + ')' if kind != 'int' else ''}{rng.choice(['', '.clone().realize()'])}")
    floats = ["(x * 0.1).exp2() + y", "(x * x + 1).log2() * 3", "(x * 0.3).sin() + y", "x / (y + 2)", "(x * x + 1).sqrt()", "(x.relu() + 1).reciprocal()", "(x - x.max(axis=1, keepdim=True)).exp().sum(axis=1, keepdim=True) + y",
              "x.softmax(axis=1)", "(x * 0.1).tanh()", "x.where_" if False else "(x > 0).where(x, y * 0.5)"]
    whole = ["x + y * 2", "x * 3 - y", "(x > y).where(x, y + 1)", "x.maximum(y) - 1", "(x == y).where(x * 2, x)", "x.sum(axis=0, keepdim=True) + y", "x.sum(axis=1).reshape(-1, 1) * y", "x.max(axis=0).reshape(1, -1) + y", "x.flip(1) + y",
             "x.pad(((1, 1), (0, 2)))[1:-1, :-2] + y", f"x.reshape({b}, {a}).permute(1, 0) - y", f"x.reshape({a * b}).sum() + y", "(x @ y.permute(1, 0)).sum(axis=1, keepdim=True) + x", "x.expand(3, %d, %d).sum(axis=0) + y" % (a, b),
             "-x + y.cumsum(axis=1)", "x.pad(((0, 0), (1, 0)))[:, :-1] * y", "(x < 3).where(y, x) + (y != 2).where(x, 1)", "(x * 1 + 0) * y", "x.cat(y, dim=0).reshape(2, %d, %d).sum(axis=0)" % (a, b), "x[1:].pad(((0, 1), (0, 0))) + y"]
    ints = ["x // 3 + y", "x % 4 - y", "(x * 12) // 4 + y", "(x & 3) + (y | 1)", "(x ^ y) + 1", "(x.abs() >> 1) + (y << 2)", "(x * 6 + 2) % 3 + y", "(x + y) // -3"]
    for i in range(rng.choice([1, 2, 2, 3])):
        lines.append(f"{'xy'[i % 2] if i else 'x'} = {rng.choice(whole + (ints * 2 if kind == 'int' else floats))}")
    if kind == "int":
        lines.append("x = x.cast(dtypes.int)")
    lines.append(f"print(({rng.choice(whole)}).tolist())")
    lines.append(f"print(({rng.choice(['x.sum()', 'x.sum(axis=1)', 'x.max(axis=0)', 'x.permute(1, 0).sum(axis=0)', 'y.reshape(-1).sum()', 'x.argmax(axis=1)', '(x @ y.permute(1, 0))'])}).tolist())")
    more = ["print((Tensor.arange(6) * 2).tolist())", "print(Tensor.arange(%d).reshape(%d, %d).sum(axis=1).tolist())" % (a * b, a, b), "print(Tensor.ones(%d, %d).tril().tolist())" % (a, a),
            "print(Tensor([1.0, 2.0, 3.0]).pad((1, 2)).cumsum().tolist())", "print((Tensor.arange(5).reshape(5, 1) == Tensor.arange(5)).where(2, 7).tolist())",
            "w = Tensor([[0.5, -1.0], [2.0, 3.0]], requires_grad=True)\n(%s).sum().backward()\nprint(w.grad.tolist())" % rng.choice(
                ["w * w", "w.exp()", "w.relu() * 3", "(w * 0.5).sin()", "w.sum(axis=0) * w[0]", "w.max(axis=1)", "w.sqrt() * w", "w.log2()", "w / (w + 4)", "w.permute(1, 0) @ w", "w.pad(((0, 1), (1, 0))) * 2", "(w > 0).where(w, w * w)"])]
    lines.append(rng.choice(more))
    return "\n".join(lines) + "\n"


# --- wrong variants ---

def parts(text):
    """A rule's text as pattern, result, and the rest of it (with, when, class, ordered)."""
    pattern, right = text.split(" -> ", 1)
    depth, cut = 0, len(right)
    for m in re.finditer(r"[(\[]|[)\]]|\s(with|when|class|ordered)\b", right):
        depth += (m.group() in "([") - (m.group() in ")]")
        if m.group(1) and depth == 0:
            cut = m.start()
            break
    return pattern, right[:cut].strip(), right[cut:]


def arguments(text):
    """The arguments between the parentheses that text begins with, and what is behind them."""
    depth, start, out = 0, 1, []
    for i, c in enumerate(text):
        depth += (c in "([") - (c in ")]")
        if depth == 0 or (depth == 1 and c == ","):
            out.append(text[start:i].strip())
            start = i + 1
        if depth == 0:
            return out, text[i + 1:]
    return [], text


SWAPPED = [(" + ", " - "), (" - ", " + "), (" * ", " + "), (" // ", " % "), (" % ", " // "), (" / ", " * "), (" & ", " | "), (" | ", " & "), (" < ", " != "), (" != ", " < "), (" == ", " != "), (" << ", " >> "), (" >> ", " << "),
           ("MAX(", "ADD("), ("ADD(", "MUL("), ("MUL(", "ADD("), ("FDIV(", "MUL("), ("SHL(", "SHR("), ("SHR(", "SHL("), ("EXP2(", "LOG2("), ("LOG2(", "EXP2("), ("SIN(", "SQRT("), ("CMPLT(", "CMPNE("), ("CMPNE(", "CMPLT("), ("[ADD]", "[MAX]"),
           ("REDUCE[MAX]", "REDUCE[ADD]"), ("AND(", "OR("), ("OR(", "AND("), ("pow2", "log2"), ("min(", "max("), ("max(", "min(")]


def variants(text):
    """Wrong variants of a rule, the most telling first."""
    pattern, result, rest = parts(text)
    out = []
    for a, b in SWAPPED:
        for m in re.finditer(re.escape(a), result):
            out.append((result[:m.start()] + b + result[m.end():], rest))
    for m in re.finditer(r"(?<![\w.\[$])(\d+)(?![\w.\]])", result):
        out.append((result[:m.start()] + str(int(m.group()) + 1) + result[m.end():], rest))
    for m in re.finditer(r"\b(WHERE|SUB|FDIV|SHL|SHR|CMPLT|FLOORDIV|FLOORMOD|STORE|VECTORIZE|index|MULACC)(?=\()", result):
        given, behind = arguments(result[m.end():])
        if len(given) >= 2:
            swapped = given[:-2] + [given[-1], given[-2]]
            out.append((result[:m.end()] + "(" + ", ".join(swapped) + ")" + behind, rest))
    if not result.startswith("build") and not result.startswith("("):
        out += [(f"({result}) + ({result})", rest), (f"({result}) * 3", rest), (f"!({result})", rest)]
    for m in re.finditer(r" (?:when|and) ((?:(?! and | class | ordered).)+)", rest):
        guard = m.group(1)
        kept = rest.replace(f" and {guard}", "", 1) if f" and {guard}" in rest else re.sub(r" when " + re.escape(guard) + r"( and)?", lambda x: " when" if x.group(1) else "", rest, count=1)
        out.append((result, kept))
    return [f"{pattern} -> {r}{k}" for r, k in dict.fromkeys(out) if (r, k) != (result, rest)]


# --- running ---

def same(a, b, within):
    """Do two outputs say the same? Floats may differ by that part of a value: as much as bisect allows another order of a sum, which a wrong rule may bring as well."""
    number = r"-?(?:\d+\.?\d*(?:e[-+]?\d+)?|inf|nan)"
    x, y = re.findall(number, a), re.findall(number, b)
    if re.sub(number, "#", a) != re.sub(number, "#", b) or len(x) != len(y):
        return False
    return all(p == q or (math.isfinite(float(p)) and math.isfinite(float(q)) and "." in p + q and abs(float(p) - float(q)) <= within * max(1, abs(float(p)))) for p, q in zip(x, y))


class Lab:
    """Runs one program in one way, honest or with a rule."""

    def __init__(self, cli, folder):
        self.cli, self.folder = cli, folder

    def call(self, *args, timeout=60):
        try:
            done = subprocess.run([self.cli, *args], capture_output=True, text=True, timeout=timeout)
            return done.returncode, done.stdout, done.stderr
        except subprocess.TimeoutExpired:
            return "timeout", "", ""

    def run(self, path, way, record, rules=None):
        return self.call("run", path, *way, "--record", record, *(["--rules", rules] if rules else []))

    def hits(self, record):
        with sqlite3.connect(record) as db:
            return {name: (text, which) for name, text, which in db.execute(
                "SELECT DISTINCT r.name, r.text, r.rule_set FROM rule_stats s JOIN rules r ON r.id = s.rule WHERE s.hits > 0")}

    def fired_in(self, record, rule):
        with sqlite3.connect(record) as db:
            return {(kernel, name) for kernel, name in db.execute(
                "SELECT p.kernel, p.name FROM steps s JOIN passes p ON p.id = s.pass JOIN rules r ON r.id = s.rule WHERE r.name = ?", (rule,))}

    def adds_bools(self, record, rule):
        with sqlite3.connect(record) as db:
            return db.execute("SELECT count(*) FROM steps s JOIN rules r ON r.id = s.rule JOIN nodes n ON n.id = s.after WHERE r.name = ? AND n.dtype LIKE 'dtypes.bool%' AND n.op IN ('ADD', 'MUL')",
                              (rule,)).fetchone()[0] > 0

    def honest(self, number, seed, way):
        path, record = os.path.join(self.folder, f"p{number}.py"), os.path.join(self.folder, f"p{number}.lscope")
        with open(path, "w", encoding="utf-8") as f:
            f.write(program(seed))
        rc, out, err = self.run(path, way, record)
        if rc != 0:
            return number, path, way, None, None, f"{path} {way}: rc {rc}: {err.strip()[-200:]}"
        rc, told, _ = self.call("bisect", record, "--json")
        answer = json.loads(told) if rc in (0, 4, 5) else {"verdict": f"rc {rc}"}
        bad = None if answer["verdict"] in ("agrees", "not judged") else f"{path} {way}: unchanged, and bisect says {answer['verdict']}: {answer.get('rule')} of {answer.get('pass')}"
        return number, path, way, self.hits(record), (out, answer["verdict"]), bad

    def planted(self, number, path, way, rule, which, wrong, want):
        """(outcome, what bisect said)."""
        base = os.path.join(self.folder, f"p{number}-{rule}")
        rules, record = base + ".rules", base + ".lscope"
        with open(rules, "w", encoding="utf-8") as f:
            f.write(f"set {which} first\n# Wrong on purpose.\nw-{rule}: {wrong}\n")
        rc, out, err = self.run(path, way, record, rules)
        with open(path, encoding="utf-8") as f:
            within = 0.07 if "half" in f.read() else 2e-3
        if rc == 0 and same(out, want, within):
            return "same", ""
        if rc != 0:
            return ("refused" if f"w-{rule}" in err or rc == 1 else f"rc {rc}"), err.strip()[-300:]
        fired = self.fired_in(record, "w-" + rule)
        if self.adds_bools(record, "w-" + rule):
            return "same", "it adds bools, which C's text means otherwise than the reference does: the graph is right, and the text is not"
        rc, told, err = self.call("bisect", record, "--json")
        if rc not in (0, 4, 5):
            return "crash" if isinstance(rc, int) and rc < 0 else f"rc {rc}", err.strip()[-300:]
        a = json.loads(told)
        if not fired:
            return "same", "it did not fire in the end"
        if a["verdict"] == "agrees":
            return "missed", ""
        if a["verdict"] != "differs":
            return "not judged", "; ".join(a.get("notes", []))[:300]
        if a.get("rule") == "w-" + rule:
            return "named", ""
        if not a.get("rule") and a.get("pass") and (a.get("kernel", 0), a["pass"]) in fired:
            return "its pass", a["pass"]
        return "innocent", f"{a.get('rule')} step {a.get('step')} of {a.get('pass')} of kernel {a.get('kernel')}, stage {a.get('stage')}"


def main():
    p = argparse.ArgumentParser()
    p.add_argument("cli")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--seconds", type=float, default=60)
    p.add_argument("--programs", type=int, default=36)
    p.add_argument("--each", type=int, default=1, help="programs for each rule")
    p.add_argument("--rule")
    p.add_argument("--jobs", type=int, default=2)
    p.add_argument("--keep")
    p.add_argument("--table", action="store_true")
    o = p.parse_args()
    end, rng = time.monotonic() + o.seconds, random.Random(o.seed)
    folder = o.keep or tempfile.mkdtemp(prefix="planted-")
    os.makedirs(folder, exist_ok=True)
    lab, failures, counts, per_rule = Lab(o.cli, folder), [], {}, {}
    with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        honest = list(pool.map(lambda n: lab.honest(n, o.seed * 100003 + n, WAYS[n % len(WAYS)]), range(o.programs)))
        failures += [h[5] for h in honest if h[5]]
        agreed = sum(h[4] is not None and h[4][1] == "agrees" for h in honest)
        where = {}
        for number, path, way, hits, told, bad in honest:
            for rule, (text, which) in (hits or {}).items() if not bad else ():
                where.setdefault((rule, text, which), []).append((number, path, way, told[0]))
        work = []
        for (rule, text, which), places in sorted(where.items()):
            if o.rule in (None, rule):
                rng.shuffle(places)
                work += [(i, rng.random(), rule, text, which, place) for i, place in enumerate(places[:o.each])]
        work.sort(key=lambda w: w[:2])

        def one(item):
            _, _, rule, text, which, (number, path, way, want) = item
            choices = variants(text)
            random.Random(f"{o.seed} {rule} {number}").shuffle(choices)
            last = ("none", "no wrong variant is written")
            for wrong in choices[:4]:
                if time.monotonic() > end:
                    return rule, number, ("late", ""), wrong, way
                last = lab.planted(number, path, way, rule, which, wrong, want)
                if last[0] not in ("same", "refused"):
                    return rule, number, last, wrong, way
            return rule, number, last, "", way

        for rule, number, (outcome, said), wrong, way in pool.map(one, work):
            counts[outcome] = counts.get(outcome, 0) + 1
            per_rule.setdefault(rule, []).append(outcome)
            if outcome in ("innocent", "missed", "crash", "timeout") or outcome.startswith("rc"):
                failures.append(f"{outcome}: w-{rule}: {wrong}   in p{number}.py {' '.join(way)}: {said}")
            elif o.table and outcome in ("not judged", "its pass"):
                print(f"{outcome}: w-{rule}: {wrong}   in p{number}.py {' '.join(way)}: {said}")
    changed = sum(counts.get(k, 0) for k in ("named", "its pass", "not judged", "innocent", "missed", "crash"))
    named = counts.get("named", 0)
    print(f"{o.programs} programs, {agreed} agree unchanged; {len(where)} rules fire in them; " + ", ".join(f"{k} {v}" for k, v in sorted(counts.items())))
    print(f"{named} of {changed} that changed a result were named ({100 * named // max(changed, 1)} %)")
    if changed and named < 0.8 * changed:
        failures.append("fewer than 80 % were named")
    print("\n".join(failures) or "no innocent was named")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
