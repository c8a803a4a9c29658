#!/bin/sh
# Compares the pipeline's time with another compiler's figures, program by program.
#
#   compare-figures.sh FIGURES.json FOLDER [CLI]
#
# FIGURES.json has "cases": {"NAME": {… "warm_ms": MS …}}; FOLDER holds NAME.py. Prints both times and warm_ms/pipeline_ms, worst first.
# Programs that do not run are listed at the end.
set -eu
if [ $# -lt 2 ]; then
  echo "usage: $0 FIGURES.json FOLDER [CLI]" >&2
  exit 2
fi
figures=$1 folder=$2 cli=${3:-build/app/lazyscope-cli}
rows=$(mktemp) failed=$(mktemp)
trap 'rm -f "$rows" "$failed"' EXIT

# one line a case: its name and warm_ms
tr -d '\n' <"$figures" | sed 's/"[A-Za-z0-9_]*":{"kernels"/\n&/g' | sed -n 's/^"\([A-Za-z0-9_]*\)":{.*"warm_ms":\([0-9.eE+-]*\).*/\1 \2/p' |
while read -r name warm; do
  [ -f "$folder/$name.py" ] || continue
  if json=$("$cli" bench "$folder/$name.py" --json 2>/dev/null); then
    ms=$(printf '%s' "$json" | sed -n 's/.*"pipeline_ms":\([0-9.eE+-]*\).*/\1/p')
    awk -v name="$name" -v warm="$warm" -v ms="$ms" 'BEGIN { printf "%10.1f x  %10.4f ms  %10.1f ms  %s\n", warm / ms, ms, warm, name }' >>"$rows"
  else
    echo "$name" >>"$failed"
  fi
done
printf '%12s  %13s  %13s  %s\n' ratio pipeline_ms warm_ms program
sort -n "$rows"
awk '{ n++; s += log($1) } END { if (n) printf "%d programs, geometric mean %.1f x\n", n, exp(s / n) }' "$rows"
if [ -s "$failed" ]; then
  echo "not run: $(tr '\n' ' ' <"$failed")"
fi
