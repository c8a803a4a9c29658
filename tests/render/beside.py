"""Prints our listings and sources of profile=modern next to recorded ones, and counts the rows that agree.

    beside.py CLI FOLDER [PROGRAM…]      FOLDER has programs/NAME.py and modern/NAME.clang.txt; beside.py CLI FOLDER --diff NAME     the rows of one that differ

A row agrees if it is at the same position with the same text, without colours of names.
"""
import difflib, os, re, subprocess, sys

ROW = re.compile(r"^ *\d+ Ops\.")
SKIP = re.compile(r"^(warning:|\*\*\*|scheduled|opened device|upcasting|more upcast|applied_opts|\s*\d+ [━┗┃ ])")


def kernels(text):
    """[(rows of the listing, lines of the source)]"""
    found = []
    text = re.sub(r"\\x1b\[\d+m|\x1b\[\d+m", "", text)
    for line in text.split("\n"):
        if ROW.match(line):
            if not found or found[-1][1]:
                found.append(([], []))
            found[-1][0].append(line.rstrip())
        elif found and line.strip() and not SKIP.match(line):
            found[-1][1].append(line.rstrip())
    return found


def agreeing(a, b):
    return sum(x == y for x, y in zip(a, b)), max(len(a), len(b))


def main():
    cli, folder, names = sys.argv[1], sys.argv[2], sys.argv[3:]
    diff = names[:1] == ["--diff"]
    names = names[diff:] or sorted(n[:-3] for n in os.listdir(folder + "/programs") if n.endswith(".py"))
    total = [0, 0, 0, 0]
    for name in names:
        with open(f"{folder}/modern/{name}.clang.txt") as f:
            wanted = kernels(f.read())
        run = subprocess.run([cli, "run", f"{folder}/programs/{name}.py", "--debug", "4", "--set", "profile=modern"], capture_output=True, text=True)
        ours = kernels(run.stderr)
        counts = [0, 0, 0, 0]
        for k in range(max(len(ours), len(wanted))):
            o = ours[k] if k < len(ours) else ([], [])
            w = wanted[k] if k < len(wanted) else ([], [])
            for part in range(2):
                n, of = agreeing(o[part], w[part])
                counts[2 * part] += n
                counts[2 * part + 1] += of
                if diff:
                    print("\n".join(difflib.unified_diff(w[part], o[part], "recorded", "ours", lineterm="", n=0)))
        total = [a + b for a, b in zip(total, counts)]
        print("%-12s kernels %2d of %2d   rows %4d of %4d   lines %3d of %3d%s" % (name, len(ours), len(wanted), *counts, "" if run.returncode == 0 else "   FAILED"))
    print("%-12s                    rows %4d of %4d   lines %3d of %3d" % ("together", *total))


main()
