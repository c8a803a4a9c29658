#!/usr/bin/env python3
"""Kernels, flags and files that try to access foreign data. Usage: test-hostile.py CLI [--sanitizer]"""
import os, shutil, subprocess, sys, tempfile

cli, work = os.path.abspath(sys.argv[1]), tempfile.mkdtemp()


def write(name, text):
    path = os.path.join(work, name)
    with open(path, "w") as file:
        file.write(text)
    return path


def run(*words): return subprocess.run([cli, "run", *words], capture_output=True, text=True, timeout=100, cwd=work)


program = write("p.py", "from tinygrad import Tensor\nprint((Tensor([1, 2, 3]) * Tensor([2, 5, 6])).tolist())\n")
BODY = "void E_3(int* restrict data0, const int* restrict data1, const int* restrict data2) { for (int i = 0; i < 3; i++) data0[i] = data1[i] * data2[i]; }\n"
for text, refused in (
    ("#include <math.h>\n", False), ('// #include "/dev/zero"\n', False), ('/*\n#include "/dev/zero"\n*/\n', False), ('static const char* t = "\\n#include \\"/dev/zero\\"";\n', False), ("#define N 3\n", False),
    ('#include "/dev/zero"\n', True), ("#include </dev/zero>\n", True), ("#include <../../dev/zero.h>\n", True), ('#/**/inclu\\\nde "/dev/zero"\n', True), ('%:include "/dev/zero"\n', True),
    ('#define F "/dev/zero"\n#include F\n', True), ("# include_next <../x.h>\n", True), ('#embed "/dev/zero"\n', True), ('#pragma comment(lib, "x")\n', True), ("#pragma once\n", False), ('int x; /* a */ /* b\n*/ \n  #  include "p.py"\n', True),
):
    r = run(program, "--variant", "c=" + write("k.c", text + BODY))
    assert (r.returncode != 0) == refused and (refused or r.stdout == "[2, 10, 18]\n"), (text, r)
    assert not refused or "is refused: a kernel may include system headers only" in r.stderr, (text, r.stderr)

# A kernel that reaches for its parent is ended, its compiler reads no other files, and the program hears of both. (tests/run/test-rights.c has more of them.)
for compiler in "clang", "gcc":
    if not shutil.which(compiler):
        print(f"{compiler} is not installed: not tried")
        continue
    if "--sanitizer" in sys.argv:
        print(f"{compiler}: kernels have all rights under a sanitizer, which needs them itself: not tried")
        continue
    for text, says in (
        ("#include <signal.h>\n#include <unistd.h>\n" + BODY.replace("{ for", "{ kill(getppid(), SIGTERM); for"), "kernel E_3 was killed: it called kill, and kernels may not use"),
        (BODY + "static volatile int s; __attribute__((constructor)) static void g(void) { s = 1; }\n", "it has code that runs when it is loaded"),
    ):
        r = run(program, "--compiler", compiler, "--variant", "c=" + write("k.c", text))
        assert r.returncode == 1 and says in r.stderr, (text, r)

# Tensors of a file do not overlap; empty ones stand anywhere.
load = "from tinygrad import Tensor\nfrom tinygrad.nn.state import safe_load, safe_save\nsafe_save({'a': Tensor([1.0, 2.0]), 'b': Tensor([3]), 'e': Tensor([])}, 'x.st')\nprint({k: v.tolist() for k, v in safe_load('x.st').items()})\n" \
       "d = open('x.st', 'rb').read()\nopen('y.st', 'wb').write(d.replace(b'[8,12]', b'[4,8] '))\nsafe_load('y.st')\n"
r = run(write("load.py", load))
assert r.returncode == 1 and r.stdout == "{'a': [1.0, 2.0], 'b': [3], 'e': []}\n" and "'a' and 'b' overlap at byte 4" in r.stderr, r
print("all as expected")
