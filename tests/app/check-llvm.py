"""Every example, computed by LLVM's code, gives the bits that tcc's code gives: with each version of the library that is here (14 has typed
pointers, 15 and later opaque ones). Without the library all is as it was.

Usage: check-llvm.py LAZYSCOPE_CLI PROGRAMS
"""
import glob
import json
import os
import subprocess
import sys

cli, programs = sys.argv[1:]
libraries = [p for v in ("-14.so.1", "-15.so.1", ".so.19.1") for p in glob.glob("/usr/lib/*/libLLVM" + v)]


def run(program, *options, **environment):
    done = subprocess.run([cli, "run", program, "--json", *options], env={**os.environ, **environment}, capture_output=True, text=True)
    assert done.returncode == 0, (program, options, environment, done.stderr)
    return json.loads(done.stdout)


names = sorted(glob.glob(os.path.join(programs, "*.py")))
assert len(names) > 10
for k, program in enumerate(names):
    expected = run(program, "--compiler", "tcc")
    for v, library in enumerate(libraries):
        if v and k % 3 != v % 3:      # the first library runs all, another one a third
            continue
        found = run(program, "--compiler", "llvm", LAZYSCOPE_LLVM=library)
        for key in ("outputs", "stdout"):
            assert found[key] == expected[key], f"{program}, {library}: {key} differs"
        assert all(kernel["compiler"] == "llvm" for kernel in found["kernels"]), program

small = os.path.join(programs, "add_ints.py")
for options in ([], ["--target", "llvm"]):
    hidden = run(small, *options, LAZYSCOPE_LLVM="none")
    assert hidden["outputs"] == run(small)["outputs"]
    assert all(kernel["compiler"] == ("interp" if options else "tcc") for kernel in hidden["kernels"]), hidden["kernels"]
refused = subprocess.run([cli, "run", small, "--compiler", "llvm"], env={**os.environ, "LAZYSCOPE_LLVM": "none"}, capture_output=True, text=True)
assert refused.returncode == 1 and "is not installed" in refused.stderr, refused.stderr
timed = subprocess.run([cli, "run", small, "--debug", "2"], env={**os.environ, "LAZYSCOPE_LLVM": "none"}, capture_output=True, text=True)
assert timed.returncode == 0 and " llvm " not in timed.stderr, timed.stderr
if libraries:
    timed = subprocess.run([cli, "run", small, "--debug", "2"], env={**os.environ, "LAZYSCOPE_LLVM": libraries[0]}, capture_output=True, text=True)
    assert " llvm 1" in timed.stderr and "-O2 -march=native" in timed.stderr, timed.stderr
print(f"{len(names)} programs, {len(libraries)} versions of libLLVM" + ("" if libraries else ": skipped, none is installed"))
