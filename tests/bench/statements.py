"""What recording statements and calls costs, of the stage `program` with Python's own time: record_program_ms / program_ms of programs, worst first.

Each is `lazyscope-cli bench`, the median of interleaved runs with and without recording; of several rounds over all programs the median is taken.

Usage: statements.py LAZYSCOPE_CLI [--rounds N] [--repeats N] PROGRAM.py…
"""
import argparse
import json
import statistics
import subprocess


def main():
    """Prints a line for each program."""
    parser = argparse.ArgumentParser()
    parser.add_argument("cli")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("programs", nargs="+")
    args = parser.parse_args()
    shares, whole = {}, {}
    for _ in range(args.rounds):
        for program in args.programs:
            done = subprocess.run([args.cli, "bench", program, "--json", "--seconds", "1", "--repeats", str(args.repeats)], capture_output=True, text=True)
            if done.returncode:
                continue
            times = json.loads(done.stdout)
            shares.setdefault(program, []).append(times["record_program_ms"] / times["program_ms"])
            whole.setdefault(program, []).append(times["program_ms"])
    rows = sorted(((statistics.median(shares[p]), statistics.median(whole[p]), p) for p in shares), reverse=True)
    for share, ms, program in rows:
        print(f"{share:6.1%}  of {ms:8.3f} ms  {program}")
    print(f"{len(rows)} programs: median {statistics.median(r[0] for r in rows):.1%}, at most {rows[0][0]:.1%}; {len(args.programs) - len(rows)} did not run")


main()
