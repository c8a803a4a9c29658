"""The keys of every command's JSON, as the manual has them and as they are printed: the same, in every answer together.

An entry of the manual's section JSON is a command; its text up to the first full stop lists the keys, those of an object in parentheses after its name: "kernels (name,
stage_ms (*), …)". (*) is an object whose names are the program's, NODE one that names a node. Usage: check-json.py LAZYSCOPE_CLI MANUAL
"""
import json
import os
import re
import subprocess
import sys
import tempfile

PROGRAM = """from tinygrad import Tensor
a = Tensor([[1.5, 2.0], [3.0, 4.0]]).realize()
b = (a @ a).relu()
print((b + 0.5).tolist(), a.sum().item())
"""
OTHER = PROGRAM.replace("0.5", "2.5").replace("a.sum()", "a.max()")
FAILS = PROGRAM + "raise ValueError('x')\n"
LARGE = "from tinygrad import Tensor\na = (Tensor.arange(4096 * 4100) + 1).realize()\n"
WRONG = "set decompose\n# Wrong.\nbad: x:float + y -> x - y\n"
OUTSIDE = "set symbolic\n# Wrong.\nfar: INDEX(m, i) -> INDEX(m, i + 100000) when max(i) < 1000\n"
UNDONE = "set symbolic\n# There.\nthere: x:float + 0.5 -> x - -0.5\nset expand\n# And back.\nback: x:float - -0.5 -> x + 0.5\n"
LOOP = "set symbolic\n# Swapped.\nswap: x:float + y -> y + x\n"
TURNS = "from tinygrad import Tensor\nprint(Tensor([[1.5, 2.5, 3.0]] * 4).sum(1).tolist())\n"
SUM = "from tinygrad import Tensor\na = Tensor([1, 2]).sum()\nprint(a.item())\n"
SLOW = "from tinygrad import Tensor\n(Tensor.ones(900, 900).contiguous().realize() @ Tensor.ones(900, 900).contiguous().realize()).realize()\n"
BY_HAND = "void r_2_2_2(float *data0, const float *data1) { for (int i = 0; i < 4; i++) data0[i] = data1[i / 2 * 2] * data1[i % 2] + data1[i / 2 * 2 + 1] * data1[i % 2 + 2]; }\n"
FUSED = "from tinygrad import Tensor\nx = Tensor([[1.0, 2.0], [3.0, 4.0]]).realize()\nprint((x - x.max(axis=1, keepdim=True)).tolist())\n"
UOPS = "from tinygrad.uop.ops import UOp\ni = UOp.variable('i', 0, 15)\n"
RULES = "from tinygrad.uop.ops import *\nr = graph_rewrite(UOp.variable('i', 0, 15) + 1, PatternMatcher([(UPat(Ops.ADD), lambda ctx: None)]), ctx=[])\n"
DECIDED = "from tinygrad import Tensor\nx = Tensor([[1., 2.], [3., 4.]]).realize()\ny = Tensor([1., 2.]).realize()\nprint((x + y.log2() * 2).tolist())\n"
OTHERS = "import os\nfrom tinygrad import Tensor\nturn = os.path.exists('turn')\nos.rmdir('turn') if turn else os.mkdir('turn')\na = Tensor([1.0, 1.0000001 if turn else 1.0]).realize()\nb = Tensor([1.0, float(turn)]).realize()\nprint(a.tolist(), b.tolist(), (a.log2() + 1).tolist())\n"
CHAIN = "from tinygrad import Tensor\nx = Tensor([1.0, 2.0]).realize()\nprint((((x + 1).contiguous() * 2).contiguous() + 3).tolist())\n"
ROWS = "from tinygrad import Tensor\nTensor.ones(256, 256).contiguous().realize().sum(1).realize()\n"
NAMED = "from tinygrad import Tensor\na = Tensor([1., 2.]).realize()\nb = (a + 1).realize()\nc = (b * 2).sum().realize()\n"
FILES = {"rows.py": ROWS, "p.py": PROGRAM, "named.py": NAMED, "decided.py": DECIDED, "chain.py": CHAIN, "others.py": OTHERS, "uops.py": UOPS, "fused.py": FUSED, "rules.py": RULES, "slow.py": SLOW, "sum.py": SUM, "k1.c": BY_HAND, "turns.py": TURNS, "q.py": OTHER, "fails.py": FAILS, "large.py": LARGE, "wrong.rules": WRONG, "undone.rules": UNDONE, "loop.rules": LOOP, "outside.rules": OUTSIDE,
         "right.json": '{"outputs":[]}'}
RECORDINGS = [["p.py", "p.lscope"], ["rows.py", "rows.lscope"], ["uops.py", "uops.lscope"], ["fused.py", "fused.lscope", "--set", "FUSE=0"], ["rules.py", "rules.lscope"], ["q.py", "q.lscope"], ["sum.py", "sum.lscope"], ["slow.py", "slow.lscope", "--set", "TIMEOUT_MS=100000"], ["p.py", "undone.lscope", "--rules", "undone.rules"], ["large.py", "large.lscope"],
              ["p.py", "loop.lscope", "--rules", "loop.rules"], ["turns.py", "turns.lscope", "--set", "NOOPT=1", "--set", "UNROLL_LOOPS=3"]]

# entry of the manual: what is asked, so that each of its keys is printed
ASKED = {
    "run": ["run p.py", "run fails.py", "run slow.py --set TIMEOUT_MS=1"],
    "run --slow": ["run p.py --slow --kernel 1 --rows 1:900", "run p.py --slow --kernel 1 --rules outside.rules"],
    "bench": ["bench p.py --repeats 2"],
    "options": ["options p.lscope --kernel 1"],
    "compare": ["compare p.lscope --kernel 1 --seconds 1 --variant compiler=tcc --variant compiler=tcc,opt=UPCAST:0:2", "compare p.lscope --kernel 1 --seconds 1 --variant compiler=tcc --variant compiler=tcc,c=k1.c",
                "compare slow.lscope --kernel 3 --seconds 1 --variant compiler=tcc,opt="],
    "compare ALL": ["compare p.lscope --seconds 1 --variant compiler=tcc --variant compiler=tcc,opt=UPCAST:0:2 --variant compiler=tcc,k1:c=k1.c",
                    "compare slow.lscope --seconds 1 --variant compiler=tcc,opt=", "compare named.py --seconds 1 --variant compiler=tcc"],
    "search": ["search p.lscope --kernel 1 --search 1", "search p.py --kernel 1 --search 1 --compiler tcc"],
    "knobs": ["knobs p.lscope --kernel 1 --seconds 1", "knobs rows.lscope --kernel 2 --seconds 1"],
    "steps": ["steps p.lscope"],
    "steps --visits": ["steps p.lscope#1/index --visits", "steps p.lscope#1/simplify --visits", "steps p.lscope#1/ast/1 --visits", "steps p.lscope#0/tensor --visits", "steps rules.lscope#0/graph_rewrite@2 --visits"],
    "verify": ["verify p.lscope"],
    "show": ["show p.lscope", "show large.lscope", "show loop.lscope"],
    "show --stage program": ["show p.lscope --stage program", "show uops.lscope --stage program"],
    "show --stage schedule": ["show chain.py --stage schedule --set MULTIOUTPUT=0", "show p.lscope --stage schedule"],
    "show --stage tree": ["show p.lscope --stage tree"],
    "show --stage listing": ["show p.lscope --stage listing"],
    "show --stage procedure": ["show p.lscope --stage procedure"],
    "show --stage source": ["show p.lscope --stage source"],
    "show --stage exprs": ["show p.lscope --stage exprs"],
    "show --stage dialect": ["show p.lscope --stage dialect"],
    "show --stage compile": ["show p.lscope --stage compile"],
    "show --stage timing": ["show p.lscope --stage timing"],
    "show --pass": ["show p.lscope#1/index", "show p.lscope#1/index/2", "show turns.lscope#1/unroll-loops"],
    "blame": ["blame p.lscope --kernel 1 --line 6", "blame p.lscope --kernel 1 --uop 12", "blame p.lscope --kernel 1 --instruction +8"],
    "blame --from": ["blame p.lscope --from 3"],
    "values": ["values p.lscope#1/ast?node={ast}", "values p.lscope#1/accumulate?node={loaded}", "values large.lscope#1/ast/0?node={large}"],
    "values --find": ["values p.lscope#1/ast --find >0", "values large.lscope#1/ast/0 --find >1e30", "values p.lscope#1/ast --find >1e30"],
    "values --element": ["values p.lscope --element 0", "values p.lscope#1 --element 0", "values slow.lscope#3 --element 1,2,0"],
    "bisect": ["bisect p.py --rules wrong.rules --expect right.json", "bisect large.lscope"],
    "diff": ["diff p.lscope q.lscope"],
    "diff PLACES": ["diff p.lscope#1/index/1 p.lscope#1/index/9"],
    "why-not-fused": ["why-not-fused p.lscope --kernel 1 --with 2", "why-not-fused fused.lscope --kernel 1 --with 2"],
    "what-if": ["what-if decided.py --variant schedule=r1:inline:costly-expand@4.mul --seconds 1", "what-if decided.py --variant schedule=r9:realize:only-user@4.log2 --seconds 1", "what-if others.py --variant schedule=r1:realize:only-user@7.log2"],
    "why-not": ["why-not p.lscope#1/simplify?node={alu} --rule mul-one", "why-not p.lscope#1/simplify?node={alu} --rule add-zero", "why-not p.lscope#1/simplify --rule mul-one",
                "why-not p.lscope#1/expand?node={multiplied} --rule expand-op"],
    "rules": ["rules undone.lscope"],
    "facts": ["facts p.lscope", "facts sum.lscope"],
}
NODE = {"id", "op", "dtype", "summary"}


def parse(text):
    """The paths that a list of keys names: "a (b, c)" is a, a.b and a.c."""
    paths, above, name = set(), [], None
    for token in re.findall(r"[A-Za-z_]+|\(\*\)|[(),]", text):
        if token == "(*)":
            paths.add(".".join(above + [name, "*"]))
        elif token == "NODE":
            paths |= {".".join(above + [key]) for key in NODE}
        elif token == "(":
            above.append(name)
        elif token == ")":
            name = above.pop()
        elif token != ",":
            name = token
            paths.add(".".join(above + [name]))
    return paths


def manual_keys(path):
    """Each entry of the section, with its paths."""
    section = re.search(r"^\.SH JSON\n(.*?)^\.SH ", open(path).read(), re.S | re.M).group(1)
    entries = {}
    for head, text in re.findall(r"^\.TP\n\.B (.*?)\n(.*?)(?=^\.TP|\Z)", section, re.S | re.M):
        entries[head.replace("\\-", "-")] = parse(re.split(r"\.\s", text.replace("\\-", "-"), maxsplit=1)[0])
    return entries


def printed_keys(value, path, listed, out):
    """Adds the paths of a printed value; below an object that the manual lists as (*) any name stands for it."""
    if isinstance(value, list):
        for element in value:
            printed_keys(element, path, listed, out)
    elif isinstance(value, dict):
        for key, below in value.items():
            at = ".".join(path + [key])
            if ".".join(path + ["*"]) in listed:
                out.add(".".join(path + ["*"]))
            else:
                out.add(at)
                printed_keys(below, path + [key], listed, out)


def ask(cli, command):
    """The output of a command with --json."""
    ran = subprocess.run([cli] + command.split() + ["--json"], capture_output=True, text=True, timeout=60)
    try:
        return json.loads(ran.stdout)
    except ValueError:
        sys.exit(f"{command} --json: no JSON, exit status {ran.returncode}\n{ran.stdout[:500]}{ran.stderr[:500]}")


def nodes(cli):
    """Nodes that questions are asked about."""
    names = {}
    for name, place, op in (("ast", "p.lscope#1/ast", "LOAD"), ("alu", "p.lscope#1/simplify", "ADD"), ("loaded", "p.lscope#1/accumulate", "PHI"),
                            ("large", "large.lscope#1/ast/0", "IOTA"), ("multiplied", "p.lscope#1/expand", "MUL")):
        names[name] = next((n["id"] for n in ask(cli, f"show {place}")["nodes"] if n["op"] == op), 0)
    return names


def main(cli, manual):
    """Exits with the differences."""
    listed = manual_keys(manual)
    wrong = [f"the manual has no JSON keys of {entry}" for entry in ASKED.keys() - listed.keys()] + \
            [f"nothing asks for the JSON of {entry}" for entry in listed.keys() - ASKED.keys()]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, text in FILES.items():
            with open(name, "w") as file:
                file.write(text)
        for program, recording, *more in RECORDINGS:
            subprocess.run([cli, "run", program, "--record", recording, *more], check=recording != "loop.lscope", capture_output=True)
        names = nodes(cli)
        for entry in ASKED.keys() & listed.keys():
            printed = set()
            for command in ASKED[entry]:
                printed_keys(ask(cli, command.format(**names)), [], listed[entry], printed)
            wrong += [f"{entry}: {key} is printed, and not in the manual" for key in sorted(printed - listed[entry])]
            wrong += [f"{entry}: {key} is in the manual, and never printed" for key in sorted(listed[entry] - printed)]
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"{len(ASKED)} entries, {sum(map(len, listed.values()))} keys")


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]))
