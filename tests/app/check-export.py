#!/usr/bin/env python3
"""Exports of programs as C: check-export.py LAZYSCOPE-CLI FOLDER…

Each export compiles without a warning with each compiler that is installed (gcc, clang, tcc), and prints what `run --json` has as outputs;
so do exports in the other profiles and of a recording. What cannot be exported is an error that says why. All examples, one in six of the
other folders' programs (LS_SLOWLY=1: all).
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

CLI, FOLDERS = os.path.abspath(sys.argv[1]), [os.path.abspath(f) for f in sys.argv[2:]]
FLAGS = ["-fwrapv", "-fno-strict-aliasing", "-ffp-contract=off"]
COMPILERS = [c for c in (["gcc", "-O2", "-Wall", *FLAGS], ["clang", "-O2", "-Wall", *FLAGS], ["tcc", "-Wall"]) if shutil.which(c[0])]
wrong, counts = [], {"programs": 0, "outputs": 0, "refused": 0}


def lazyscope(*words):
    return subprocess.run([CLI, *words], capture_output=True, text=True)


def check(name, source, outputs, compilers=COMPILERS):
    """The export prints these outputs."""
    for compiler in compilers:
        made = subprocess.run([*compiler, source, "-o", "exported", "-lm"], capture_output=True, text=True)
        if made.returncode or made.stderr.strip():
            wrong.append(f"{name}: {compiler[0]}: {made.stderr.strip()[:500]}")
            continue
        printed = subprocess.run(["./exported"], capture_output=True, text=True)
        try:
            same = json.dumps(json.loads(printed.stdout or "[]")) == json.dumps(outputs)      # by text: 1 is not 1.0, nan is "nan"
        except ValueError:
            same = False
        if printed.returncode or not same:
            wrong.append(f"{name}: {compiler[0]}: it prints {printed.stdout[:200]!r} {printed.stderr[:200]!r}, not {json.dumps(outputs)[:200]}")


def check_program(path, *options, compilers=COMPILERS):
    run = lazyscope("run", path, "--json", *options)
    exported = lazyscope("export", path, "-o", "exported.c", *options)
    outputs = json.loads(run.stdout)["outputs"] if run.returncode == 0 else None
    if exported.returncode or outputs is None:
        if not (run.returncode or "has no kernels" in exported.stderr):
            wrong.append(f"{path}: {exported.stderr}")
        counts["refused"] += 1
        return
    counts["programs"] += 1
    counts["outputs"] += len(outputs)
    check(f"{os.path.basename(path)} {' '.join(options)}", "exported.c", outputs, compilers)


def refused(says, *words):
    answer = lazyscope("export", *words)
    if answer.returncode == 0 or says not in answer.stderr:
        wrong.append(f"export {' '.join(words)}: status {answer.returncode}, {answer.stderr!r} instead of {says!r}")


def check_errors():
    program = "from tinygrad import Tensor\nx = Tensor([[1., 2.], [3., 4.]]).realize()\nprint((x + 1).tolist(), x[1].tolist())\n"
    with open("p.py", "w") as file:
        file.write(program)
    with open("none.py", "w") as file:
        file.write("print(1)\n")
    with open("fails.py", "w") as file:
        file.write(program + "raise ValueError('x')\n")
    refused("-o OUT.c is needed", "p.py")
    refused("has no kernels", "none.py", "-o", "x.c")
    refused("ValueError", "fails.py", "-o", "x.c")
    refused("the file cannot be written", "p.py", "-o", "/nonexistent/x.c")
    refused("only C is exported", "p.py", "-o", "x.c", "--target", "metal")
    outputs = json.loads(lazyscope("run", "p.py", "--json", "--record", "p.lscope").stdout)["outputs"]
    refused("is a part of a buffer, and the recording does not say which", "p.lscope", "-o", "x.c")
    if os.path.exists("x.c"):
        wrong.append("an export that was refused left a file")
    with open("q.py", "w") as file:
        file.write(program.replace(", x[1].tolist()", ""))
    outputs = json.loads(lazyscope("run", "q.py", "--json", "--record", "q.lscope").stdout)["outputs"]
    if lazyscope("export", "q.lscope", "-o", "q.c").returncode:
        wrong.append("a recording is not exported")
    else:
        check("a recording", "q.c", outputs)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        check_errors()
        for number, programs in enumerate(FOLDERS):
            for i, name in enumerate(sorted(f for f in os.listdir(programs) if f.endswith(".py"))):
                if number == 0 or i % 6 == 0 or os.environ.get("LS_SLOWLY"):
                    check_program(os.path.join(programs, name))
        for profile in ("classic", "modern"):
            for name in ("softmax.py", "mlp.py", "cast.py"):
                check_program(os.path.join(FOLDERS[0], name), "--set", f"profile={profile}", compilers=[c for c in COMPILERS if c[0] != "tcc"])
        os.chdir("/")
    print(f"# {counts['programs']} exports with {counts['outputs']} outputs, by {', '.join(c[0] for c in COMPILERS)}; {counts['refused']} refused")
    print("\n".join(wrong))
    return bool(wrong) or not counts["outputs"]


if __name__ == "__main__":
    sys.exit(main())
