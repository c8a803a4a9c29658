"""The heuristic's choice of options against the best that a search finds, of every kernel of some programs: the two are judged in the search's last rounds,
interleaved, and the ratio's interval stands beside it.

Usage: search.py LAZYSCOPE_CLI PROGRAM.py… [--search N] [--seconds S] [--variant SPEC]
"""
import argparse
import json
import os
import subprocess


def ask(command):
    """What a command answers as JSON, or None with what it said."""
    ran = subprocess.run(command, capture_output=True, text=True)
    return (json.loads(ran.stdout.splitlines()[-1]), "") if ran.returncode == 0 and ran.stdout else (None, ran.stderr.strip())


def line_of(found):
    """A line for a kernel's search."""
    rows = found["candidates"]
    if found["heuristic"] < 0:
        return "the heuristic's choice cannot be applied"
    heuristic = rows[found["heuristic"]]
    best = rows[found["chosen"]]
    times = [f"{r['ns'] / 1e3:.1f} us" if "ns" in r else "no time" for r in (heuristic, best)]
    ratio = "1" if heuristic["chosen"] else f"{heuristic['ratio']:.2f}" if "ratio" in heuristic else "-"
    interval = f"({heuristic['ratio_low']:.2f} to {heuristic['ratio_high']:.2f})" if "ratio_low" in heuristic and not heuristic["chosen"] else ""
    return f"{ratio:>6} {interval:16} {times[0]} ({heuristic['options'] or 'none'}) against {times[1]} ({best['options'] or 'none'}), {found['seconds']:.1f} s"


def main():
    """Prints a line for each kernel."""
    parser = argparse.ArgumentParser()
    parser.add_argument("cli")
    parser.add_argument("programs", nargs="+")
    parser.add_argument("--search", default="2")
    parser.add_argument("--seconds", default="12")
    parser.add_argument("--variant")
    given = parser.parse_args()
    more = ["--search", given.search, "--seconds", given.seconds, *(["--variant", given.variant] if given.variant else [])]
    for program in given.programs:
        shown, said = ask([given.cli, "show", program, "--format", "json"])
        if not shown:
            print(f"{os.path.basename(program)}: {said}", flush=True)
            continue
        for kernel in shown["kernels"]:
            name = f"{os.path.basename(program)} {kernel['kernel']} {kernel['name']}"
            if kernel["same_as"]:
                continue
            found, said = ask([given.cli, "search", program, "--kernel", str(kernel["kernel"]), "--json", "--no-cache", *more])
            print(f"{name:48} {line_of(found) if found else said}", flush=True)


if __name__ == "__main__":
    main()
