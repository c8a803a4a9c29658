"""Misuse of the Tensor API, one expression a line of misuse.txt, and under it what the report of a program that ends so says. Run by lazyscope-cli.

Each is an error that is raised before memory is touched, and that names the method and the shapes of the tensors it was given. LS_UPDATE_GOLDEN=1 renews the file.
a (2, 3), b (4, 5) and c (2, 3, 4) are of floats, i (2,) of integers, h (1, 3, 8, 8) is a picture.
"""
import os
import sys
from lazyscope._report import report
from tinygrad import Context, Device, Tensor, TinyJit, Variable, dtypes, nn

path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "misuse.txt")
names = {"Context": Context, "Device": Device, "Tensor": Tensor, "TinyJit": TinyJit, "Variable": Variable, "dtypes": dtypes, "nn": nn}


def outcome(text):
    """The report's message for an expression: without file, line and source text."""
    tensors = {"a": Tensor.ones(2, 3), "b": Tensor.ones(4, 5), "c": Tensor.ones(2, 3, 4), "i": Tensor([0, 1]), "h": Tensor.ones(1, 3, 8, 8)}
    try:
        eval(compile(text, "case", "eval"), {**names, **tensors})
    except Exception as error:
        lines = report(error, "case", text)[0].split("\n")
        told = next(line for line in lines if line.startswith("case:")).split(": error: ", 1)[1]
        hints = [line for line in lines if line.startswith("hint: ")]
        return told + (f"  [{hints[0]}]" if hints and "did you mean" not in told else "")
    return "NO ERROR"


with open(path) as file:
    lines = file.read().split("\n")
expected, made, wrong = {}, [], 0
for number, line in enumerate(lines):
    if line and not line.startswith("  "):
        told = outcome(line)
        made += [line, "  " + told]
        if told == "NO ERROR" or lines[number + 1:number + 2] != ["  " + told]:
            wrong += 1
            print(f"{line}\n  is:     {told}\n  was:   {lines[number + 1] if number + 1 < len(lines) else None}")
if os.environ.get("LS_UPDATE_GOLDEN"):
    with open(path, "w") as file:
        file.write("\n".join(made) + "\n")
elif wrong:
    sys.exit(f"{wrong} of {len(made) // 2} expressions are told differently")
print(f"{len(made) // 2} expressions")
