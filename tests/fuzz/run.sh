#!/bin/sh
# Runs each fuzzer for a while on its corpus: tests/fuzz/run.sh BUILD [SECONDS]. Findings are written to BUILD/tests/fuzz; exit status 1 when there is one.
set -eu
build=${1:?"usage: $0 BUILD [SECONDS]"}
seconds=${2:-60}
here=$(cd "$(dirname "$0")" && pwd)
cd "$build/tests/fuzz"
status=0
for name in program rules listing recording; do
  mkdir -p "corpus-$name"
  for seed in "$here/corpus/$name"/* ; do
    [ -f "$seed" ] && cp -n "$seed" "corpus-$name/"
  done
  case $name in
    program) cp -n "$here"/../../data/programs/*.py "corpus-$name/" ;;
    rules) cp -n "$here"/../../engine/rules/*.rules "corpus-$name/" ;;
    recording) [ -n "$(ls "corpus-$name")" ] || ASAN_OPTIONS=detect_leaks=0 ../../app/lazyscope-cli run "$here/../../data/programs/add_ints.py" --compiler interp --record "corpus-$name/add_ints.lscope" >/dev/null ;;
  esac
  echo "== $name"
  ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1 "./fuzz-$name" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=3000 -max_len=1000000 -print_final_stats=0 \
    -artifact_prefix="$name-" -verbosity=0 "corpus-$name" || status=1
done
exit $status
