#!/usr/bin/env python3
"""Planted faults: does bisect name what is wrong on purpose, and never anything else?

Small programs are made at random (reshapes, several axes, running sums whose terms nest passes, gradients) and run in several ways. One at a time is then wrong:
  rule      a wrong variant of a built-in rule that fires there (another op or constant, sources that change places, a guard left out) is put before the built-in rules
  result    what the rule itself makes is wrong, also where a term builds it (wrong-cli.c, as all that follow)
  option    what a kernel option works out for its rules
  op, element, constant, field    what the renderer writes
Where that changes what the program prints, bisect of its recording must name the rule, a step of the option's pass, or for the renderer that every pass is right and the text or its run is not; or
say that it could not judge. Whatever else it names is innocent. Every sixth time the program itself is bisected, too, and must give the same answer.

Usage: planted.py LAZYSCOPE_CLI WRONG_CLI [--seed N] [--seconds S] [--programs N] [--each N] [--kind KIND] [--name NAME] [--jobs N] [--keep FOLDER] [--table]
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
        ["--set", "DEVECTORIZE=0", "--compiler", "interp"], ["--set", "ACC=scalar"], ["--set", "NOOPT=1"], ["--set", "FMA=1"], ["--set", "TRANSCENDENTAL=0"], ["--set", "FAST_IDIV=1"],
        ["--target", "metal", "--compiler", "interp"], ["--variant", "opt=UPCAST:0:2"], ["--variant", "opt=UNROLL:0:4"], ["--variant", "opt=GROUP:0:2"], ["--variant", "opt=TILE:0:1,opt=UPCAST:0:2"],
        ["--set", "MERGE_VIEWS=0"], ["--variant", "opt=PADTO:0:4"], ["--variant", "opt=SWAP:0:1"], ["--variant", "opt=THREAD:0:2,opt=UPCAST:1:2"], ["--variant", "opt=UNROLL:1:2,opt=UPCAST:0:2"],
        ["--variant", "opt=PADTO:1:3,opt=UNROLL:1:3"], ["--set", "profile=classic", "--variant", "opt=GROUP:1:2,opt=UPCAST:0:2"], ["--variant", "opt=SWAP:0:1,opt=TILE:1:1"], ["--target", "metal", "--compiler", "interp", "--variant", "opt=LOCAL:0:2,opt=GROUP:0:2"]]


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
              "x.softmax(axis=1)", "(x * 0.1).tanh()", "(x > 0).where(x, y * 0.5)"]
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


KINDS = ("rule", "result", "option", "op", "element", "constant", "field")
CHANGED = ("named", "its pass", "not judged", "innocent", "missed", "crash")
RENDERED_OPS = ("ADD SUB MUL FDIV IDIV MOD MAX CMPLT CMPEQ CMPNE AND OR XOR SHL SHR WHERE CAST BITCAST NEG NOT RECIP SQRT EXP2 LOG2 SIN TRUNC POW MULACC VECTORIZE GEP").split()
FIELDS = "types truth exact cast max flat_chains math_prefix math_suffix infinity nan native_half bitcast bracketed dereference cast_constants bare_constants".split()


RENDERED = ("op", "element", "constant", "field")


class Lab:
    """Runs one program in one way, honest or with a fault."""

    def __init__(self, cli, wrong_cli, folder):
        self.cli, self.wrong_cli, self.folder = cli, wrong_cli, folder

    def call(self, *args, timeout=60, wrong=None):
        env = {**os.environ, "LS_WRONG": wrong} if wrong else None
        try:
            done = subprocess.run([self.wrong_cli if wrong else self.cli, *args], capture_output=True, text=True, timeout=timeout, env=env, errors="replace")
            return done.returncode, done.stdout, done.stderr
        except subprocess.TimeoutExpired:
            return "timeout", "", ""

    def ask(self, record, query, *values):
        with sqlite3.connect(record) as db:
            return db.execute(query, values).fetchall()

    def places(self, record):
        """What may be wrong in a program: (kind, name, more)."""
        rules = self.ask(record, "SELECT DISTINCT r.name, r.text, r.rule_set FROM rule_stats s JOIN rules r ON r.id = s.rule WHERE s.hits > 0")
        options = self.ask(record, "SELECT DISTINCT text FROM kernel_options WHERE refusal IS NULL")
        ops = self.ask(record, "SELECT DISTINCT op FROM nodes")
        out = [("rule", name, (text, which)) for name, text, which in rules] + [("result", name, None) for name, _, _ in rules]
        out += [("option", name, None) for name in sorted({text.split(":")[0] for (text,) in options})]
        return out + [("op", op, None) for (op,) in ops if op in RENDERED_OPS] + [("element", "element", None), ("constant", "constant", None)] + [("field", f, None) for f in FIELDS]

    def fired_in(self, record, rule):
        return set(self.ask(record, "SELECT p.kernel, p.name FROM steps s JOIN passes p ON p.id = s.pass JOIN rules r ON r.id = s.rule WHERE r.name = ?", rule))

    def passes_of_option(self, record, option):
        """Each option that is not refused is a pass, in their order."""
        out, number = set(), {}
        for kernel, text, refused in self.ask(record, "SELECT kernel, text, refusal FROM kernel_options ORDER BY kernel, position"):
            if refused is None:
                n = number[kernel] = number.get(kernel, 0) + 1
                if text.startswith(option + ":"):
                    out.add((kernel, "options" if n == 1 else f"options#{n}"))
        return out

    def honest(self, number, seed, way):
        path, record = os.path.join(self.folder, f"p{number}.py"), os.path.join(self.folder, f"p{number}.lscope")
        with open(path, "w", encoding="utf-8") as f:
            f.write(program(seed))
        rc, out, err = self.call("run", path, *way, "--record", record)
        if rc != 0:
            return number, path, way, [], None, f"{path} {way}: rc {rc}: {err.strip()[-200:]}"
        rc, told, _ = self.call("bisect", record, "--json")
        answer = json.loads(told) if rc in (0, 4, 5) else {"verdict": f"rc {rc}"}
        bad = None if answer["verdict"] in ("agrees", "not judged") else f"{path} {way}: unchanged, and bisect says {answer['verdict']}: {answer.get('rule')} of {answer.get('pass')}"
        return number, path, way, self.places(record), (out, answer["verdict"]), bad

    def planted(self, number, path, way, kind, name, more, wrong, want, itself):
        """(outcome, what bisect said)."""
        base = os.path.join(self.folder, f"p{number}-{kind}-{name}")
        record, plant, extra = base + ".lscope", None, []
        guilty = "w-" + name if kind == "rule" else name
        if kind == "rule":
            with open(base + ".rules", "w", encoding="utf-8") as f:
                f.write(f"set {more[1]} first\n# Wrong on purpose.\n{guilty}: {wrong}\n")
            extra = ["--rules", base + ".rules"]
        else:
            plant = f"rule:{name}:{wrong}" if kind == "result" else f"{kind}:{name}:{wrong}"
        rc, out, err = self.call("run", path, *way, *extra, "--record", record, wrong=plant)
        with open(path, encoding="utf-8") as f:
            within = 0.07 if "half" in f.read() else 2e-3
        if rc == 0 and same(out, want, within):
            return "same", ""
        if rc != 0:
            return ("refused" if plant or f"w-{name}" in err or rc == 1 else f"rc {rc}"), err.strip()[-300:]
        rc, told, err = self.call("bisect", record, "--json")
        if rc not in (0, 4, 5):
            return "crash" if isinstance(rc, int) and rc < 0 else f"rc {rc}", err.strip()[-300:]
        a = json.loads(told)
        if itself:
            rc, told, err = self.call("bisect", path, *way, *extra, "--json", wrong=plant)
            b = json.loads(told) if rc in (0, 4, 5) else {"verdict": f"rc {rc}"}
            if any(a.get(k) != b.get(k) for k in ("verdict", "kernel", "stage", "pass", "step", "rule")):
                return "innocent", f"the recording: {a['verdict']} {a.get('rule')} {a.get('pass')}; the program: {b['verdict']} {b.get('rule')} {b.get('pass')}"
        return self.judge(record, kind, guilty, a)

    def judge(self, record, kind, guilty, a):
        """Is the answer true of what is guilty?"""
        said = f"{a.get('rule')} step {a.get('step')} of {a.get('pass')} of kernel {a.get('kernel')}, stage {a.get('stage')}"
        notes = "; ".join(a.get("notes", []))[:300]
        if kind in RENDERED:
            passes, fired = set(), True
        elif kind == "option":
            passes = self.passes_of_option(record, guilty)
            fired = bool(passes)
        else:
            passes = self.fired_in(record, guilty)
            fired = bool(passes)
        if not fired:
            return "same", "it did not fire in the end"
        if a["verdict"] == "agrees":
            return "missed", notes
        if a["verdict"] != "differs":
            return "not judged", notes
        if kind in RENDERED:
            return ("named", "") if a.get("stage") in ("render", "run") and not a.get("pass") else ("innocent", said)
        place = (a.get("kernel", 0), a.get("pass"))
        if kind == "option":
            return ("named" if a.get("step") else "its pass", said) if place in passes else ("innocent", said)
        if a.get("rule") == guilty:
            return "named", ""
        if not a.get("rule") and place in passes:
            return "its pass", f"{a['pass']}: {notes}"
        return "innocent", said


def candidates(kind, more, rng):
    """Wrong variants to try, the first that changes a result is taken."""
    out = variants(more[0]) if kind == "rule" else list(range(24 if kind == "result" else 8))
    rng.shuffle(out)
    return out


def main():
    p = argparse.ArgumentParser()
    p.add_argument("cli")
    p.add_argument("wrong_cli")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--seconds", type=float, default=60)
    p.add_argument("--programs", type=int, default=36)
    p.add_argument("--each", type=int, default=1, help="programs for each fault")
    p.add_argument("--kind", choices=KINDS)
    p.add_argument("--name")
    p.add_argument("--jobs", type=int, default=2)
    p.add_argument("--keep")
    p.add_argument("--table", action="store_true")
    o = p.parse_args()
    end, rng = time.monotonic() + o.seconds, random.Random(o.seed)
    folder = o.keep or tempfile.mkdtemp(prefix="planted-")
    os.makedirs(folder, exist_ok=True)
    lab, failures, counts, names = Lab(o.cli, o.wrong_cli, folder), [], {}, {}
    with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        honest = list(pool.map(lambda n: lab.honest(n, o.seed * 100003 + n, WAYS[n % len(WAYS)]), range(o.programs)))
        failures += [h[5] for h in honest if h[5]]
        agreed = sum(h[4] is not None and h[4][1] == "agrees" for h in honest)
        where = {}
        for number, path, way, places, told, bad in honest:
            for kind, name, more in () if bad else places:
                if o.kind in (None, kind) and o.name in (None, name) and not (kind in RENDERED and "interp" in way):
                    where.setdefault((kind, name, more), []).append((number, path, way, told[0]))
        work = []
        for fault, places in sorted(where.items(), key=lambda w: w[0][:2]):
            rng.shuffle(places)
            work += [(i, rng.random(), fault, place) for i, place in enumerate(places[:o.each])]
        work.sort(key=lambda w: w[:2])

        def one(item):
            _, turn, (kind, name, more), (number, path, way, want) = item
            last, n = ("none", "no wrong variant is written"), 0
            for wrong in candidates(kind, more, random.Random(f"{o.seed} {kind} {name} {number}"))[:4]:
                if time.monotonic() > end:
                    return kind, name, number, ("late", ""), wrong, way
                last = lab.planted(number, path, way, kind, name, more, wrong, want, turn < 1 / 6)
                if last[0] not in ("same", "refused"):
                    return kind, name, number, last, wrong, way
            return kind, name, number, last, "", way

        for kind, name, number, (outcome, said), wrong, way in pool.map(one, work):
            of = counts.setdefault(kind, {})
            of[outcome] = of.get(outcome, 0) + 1
            if outcome in CHANGED:
                names.setdefault(kind, set()).add(name)
            if outcome in ("innocent", "missed", "crash", "timeout") or outcome.startswith("rc"):
                failures.append(f"{outcome}: {kind} {name}: {wrong}   in p{number}.py {' '.join(way)}: {said}")
            elif o.table and outcome in ("not judged", "its pass"):
                print(f"{outcome}: {kind} {name}: {wrong}   in p{number}.py {' '.join(way)}: {said}")
    print(f"{o.programs} programs, {agreed} agree unchanged")
    changed = named = 0
    for kind in KINDS:
        of = counts.get(kind, {})
        n = sum(of.get(k, 0) for k in CHANGED)
        changed, named = changed + n, named + of.get("named", 0)
        if of:
            print(f"{kind:9} {len(names.get(kind, ())):4} different; {n} changed a result: {100 * of.get('named', 0) // max(n, 1)} % named; " + ", ".join(f"{k} {v}" for k, v in sorted(of.items())))
        if n > 20 and of.get("named", 0) < 0.8 * n:
            failures.append(f"{kind}: fewer than 80 % were named")
    print(f"{named} of {changed} that changed a result were named ({100 * named // max(changed, 1)} %)")
    if changed and named < 0.8 * changed:
        failures.append("fewer than 80 % were named")
    print("\n".join(failures) or "no innocent was named")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
