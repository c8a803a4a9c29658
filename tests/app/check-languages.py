"""JSON, CSV and recordings are the same in every language; what the terminal shows is not.

Each question of check-json.py whose answer is the same twice is asked in English and in German, as JSON and as CSV, and a recording made
in German is compared with one made in English. Then each question is asked as text, with others whose answer is help, an error or a
warning: a line of German that is a line of English too, and has words of a sentence, is reported, unless it is code, names or a listing.
Usage: check-languages.py LAZYSCOPE_CLI
"""
import importlib.util
import os
import re
import subprocess
import sys
import tempfile

MEASURED = ("compare", "search", "knobs", "bench", "run", "bisect")      # their answers hold times, which differ

# Questions whose answer is help, a warning, an error, or not among those of check-json.py.
OTHERS = """
--help
run --help
compare --help
doc --help
nothing
run nowhere.py
run p.lscope
run wrong.rules
run p.py --variant compiler=none
run p.py --set NOTHING=1
run p.py --set NOOPT=9
run p.py --variant opt=UPCAST:0:3
run p.py --variant opt=UPCAST:0:2 --variant opt=UPCAST:0:2
run p.py --set PADTO=1 --keep-buffers
run p.py --set NOOPT=1
run p.py --disable nothing
run p.py --disable flip-flip
run p.py --rules idle.rules
run p.py --rules broken.rules
run p.py --rules loop.rules
run p.py --target metal --compiler clang
run misuse.py
run p.py --slow --rows 9
run p.py --slow --rows 5:8
show nowhere.lscope
show p.lscope --format gif
show p.lscope --pass nothing
show p.lscope#7
show p.lscope#1/index/999
show p.lscope --step 3
show p.lscope --target c
steps p.lscope --rule nothing
steps p.lscope --pass index --step 0
steps p.lscope p.py
blame p.lscope
blame p.lscope --kernel 1 --line 99
blame p.lscope --kernel 1 --uop 99
blame p.lscope --kernel 1 --instruction x
blame p.lscope --from 2
values p.lscope
values p.lscope#1/ast?node=99999
values p.lscope#1/ast --find what
why-not p.lscope
why-not-fused p.lscope --kernel 1 --with 2
what-if p.py
what-if p.py --variant schedule=r1:inline:cheap@1.add
what-if p.py --variant schedule=r1:realize:only-user@99.add
why-not p.lscope#1/simplify?node={alu}
why-not p.lscope#1/simplify?node={alu} --rule nothing
why-not p.lscope#1/simplify?node={alu} --rule expand-op
why-not p.lscope#1/simplify?node={alu} --rule mul-zero
diff p.lscope
diff p.lscope#1/index/1 p.lscope
diff p.py --variant NOOPT=1 --variant opt=UPCAST:0:2
compare p.lscope --kernel 1 --seconds 1 --variant opt=UPCAST:0:2 --variant opt=UPCAST:0:3
compare p.lscope
options p.lscope --kernel 9
search p.lscope --variant opt=UPCAST:0:2
knobs p.lscope
knobs p.lscope --kernel 9
bisect p.py
bisect p.py --expect p.py
verify p.py
verify changed.lscope
rules p.lscope
share p.lscope
doc softmax softmax
""".split("\n")[1:-1]
FILES = {
    "idle.rules": "set symbolic\n# It never fires.\nidle: x:float + 12345 -> x\n",
    "broken.rules": "set symbolic\n# It does not parse.\nbroken: x + -> x\n",
    "misuse.py": "from tinygrad import Tensor\nTensor([1, 2, 3]).reshape(2, 2)\n",
}

# What is the same in both languages, and why.
ALLOWED = [
    (r"library/\S+\.py:", "calls, with arguments as they were recorded"),
    (r"^\S+: .* -> |^[a-z][\w-]+: \S.*->|^ +wrong\.rules:\d|^rule ", "a rule's own text and comment"),
    (r"UOp\(|Ops\.|ShapeTracker|━", "listings, trees and Python that makes graphs"),
    (r"[;{}]\s*$|^\s*[AB+-]?:?\s*(?:#|void |float |int |for )", "source of kernels"),
    (r"^ *(?:A:|B:|Zeile \d+ |line \d+ )", "source and assembly after its line's number"),
    (r"show this help|Show help options|Help Options|^Usage:\s*$|^  -h, ", "GLib's own help, in its catalogue"),
    (r"^ *\^|^\w+\.py:\d+:\d+: error: \w+Error: ", "Python's exceptions"),
    (r"^  (?:cflags|native)", "names of options"),
]
ENGLISH = re.compile(r"(?<![\w-])(?:the|of|is|are|not|with|to|and|its|it|has|from|this|that|each|than|on|be|there|for|by|which|been|only)(?![\w-])")
SENTENCE = re.compile(r"[A-Za-z]{2,},? [a-z]{2,},? [a-z]{2,}")
WORDS = re.compile(r"\b(?:the|of|is|are|not|with|in|to|a|an|by|for|and|its|it|has|was|no|from|this|that|each|than|or|on|at|be|there)\b")


def load_questions():
    spec = importlib.util.spec_from_file_location("check_json", os.path.join(os.path.dirname(os.path.abspath(__file__)), "check-json.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def said(cli, command, language):
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "LANGUAGE": language}
    ran = subprocess.run([cli] + command.split(), capture_output=True, timeout=60, env=environment)
    return ran.stdout, ran.stderr, ran.returncode


def untranslated(english, german, own):
    """German lines that are English, or have several English words; own: lines of the user's files, which are theirs."""
    lines = {re.sub(r"[\d.]+", "#", line) for line in english.split("\n")}
    return [line for line in german.split("\n")
            if (re.sub(r"[\d.]+", "#", line) in lines and SENTENCE.search(line) and WORDS.search(line) or len(set(ENGLISH.findall(line))) > 1)
            and line.strip() not in own
            and not any(re.search(allowed, line) for allowed, _ in ALLOWED)]


def check_texts(cli, questions, names):
    """What is not translated, and the number of questions."""
    own = {line.strip() for text in [*questions.FILES.values(), *FILES.values()] for line in text.split("\n")}
    asked = [command for commands in questions.ASKED.values() for command in commands] + OTHERS
    wrong = {}
    for command in asked:
        command = command.format(**names)
        english, german = said(cli, command, "en"), said(cli, command, "de")
        for line in untranslated((english[0] + english[1]).decode(), (german[0] + german[1]).decode(), own):
            wrong.setdefault(re.sub(r"\d+", "#", line), f"{command}: not in German: {line}")
    return list(wrong.values()), len(asked)


def main(cli):
    """Exits with what differs."""
    assert untranslated("kernel 1 has the code of 2", "kernel 1 has the code of 3", set())
    assert untranslated("", "Kernel 1: it is not there", set()) and not untranslated("it is so here", "so ist es hier", set())
    questions, wrong, n = load_questions(), [], 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, text in [*questions.FILES.items(), *FILES.items()]:
            with open(name, "w") as file:
                file.write(text)
        for program, recording, *more in questions.RECORDINGS:
            subprocess.run([cli, "run", program, "--record", recording, *more], check=recording != "loop.lscope", capture_output=True)
        subprocess.run([cli, "run", "p.py", "--record", "changed.lscope"], check=True, capture_output=True)
        subprocess.run(["sqlite3", "changed.lscope", "UPDATE statements SET text = text || ' '; UPDATE kernels SET source = source || ' ';"], check=True)
        names = questions.nodes(cli)
        for entry, commands in questions.ASKED.items():
            if entry.split()[0] in MEASURED:
                continue
            for command in (c for c in commands if ".py" not in c):      # a run's times differ
                for form in ("--json", "--csv"):
                    asked = f"{command.format(**names)} {form}"
                    english, german = said(cli, asked, "en"), said(cli, asked, "de")
                    n += 1
                    if english[0] != german[0] or english[2] != german[2]:
                        wrong.append(f"{asked}: German differs from English")
        more, texts = check_texts(cli, questions, names)
        wrong += more
        missing = "show nowhere.lscope"
        if said(cli, missing, "de")[1] == said(cli, missing, "en")[1]:
            wrong.append(f"{missing}: its error is the same in German")
        # what a run records does not depend on the language
        said(cli, "run p.py --record de.lscope", "de")
        said(cli, "run p.py --record en.lscope", "en")
        out, _, status = said(cli, "diff de.lscope en.lscope", "en")
        if status != 0:
            wrong.append(f"a recording made in German differs: {out[:500]!r}")
        for recording in ("de.lscope", "en.lscope"):
            tables = subprocess.run(["sqlite3", recording, "SELECT sentence FROM rules; SELECT why, refusal, sentence FROM kernel_options;"
                                     " SELECT why FROM expressions; SELECT reason FROM decisions;"], capture_output=True)
            if recording == "de.lscope":
                german_text = tables.stdout
            elif tables.stdout != german_text or not tables.stdout:
                wrong.append("sentences of a recording made in German differ from those of one made in English")
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"{n} answers the same in both languages, {texts} texts in German")


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]))
