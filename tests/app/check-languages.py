"""JSON, CSV and recordings are the same in every language; what the terminal shows is not.

Each question of check-json.py whose answer is the same twice is asked in English and in German, as JSON and as CSV, and a recording made
in German is compared with one made in English. Usage: check-languages.py LAZYSCOPE_CLI
"""
import importlib.util
import os
import subprocess
import sys
import tempfile

MEASURED = ("compare", "search", "bench", "run", "bisect")      # their answers hold times, which differ


def load_questions():
    spec = importlib.util.spec_from_file_location("check_json", os.path.join(os.path.dirname(os.path.abspath(__file__)), "check-json.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def said(cli, command, language):
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "LANGUAGE": language}
    ran = subprocess.run([cli] + command.split(), capture_output=True, timeout=60, env=environment)
    return ran.stdout, ran.stderr, ran.returncode


def main(cli):
    """Exits with what differs."""
    questions, wrong, n = load_questions(), [], 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, text in questions.FILES.items():
            with open(name, "w") as file:
                file.write(text)
        for program, recording, *more in questions.RECORDINGS:
            subprocess.run([cli, "run", program, "--record", recording, *more], check=recording != "loop.lscope", capture_output=True)
        names = questions.nodes(cli)
        for entry, commands in questions.ASKED.items():
            if entry.split()[0] in MEASURED:
                continue
            for command in commands:
                for form in ("--json", "--csv"):
                    asked = f"{command.format(**names)} {form}"
                    english, german = said(cli, asked, "en"), said(cli, asked, "de")
                    n += 1
                    if english[0] != german[0] or english[2] != german[2]:
                        wrong.append(f"{asked}: German differs from English")
        # the same questions are answered in German where a person reads
        step = "show p.lscope#1/index/1"
        if b"hinzugef" not in said(cli, step, "de")[0] or b" added" not in said(cli, step, "en")[0]:
            wrong.append(f"{step}: it is not German in German, or not English in English: {said(cli, step, 'de')[0][:300]!r}")
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
    print(f"{n} answers the same in both languages")


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]))
