#!/bin/sh
# Runs the fuzzers for a while, each on its corpus: tests/fuzz/run.sh BUILD [SECONDS [JOBS]], JOBS of them at a time. Prints TAP; what a fuzzer said
# is in BUILD/tests/fuzz/NAME.log and shown when it found something, the input found beside it. Exit status 1 when there is one.
set -eu
build=${1:?"usage: $0 BUILD [SECONDS [JOBS]]"}
seconds=${2:-60}
jobs=${3:-1}
here=$(cd "$(dirname "$0")" && pwd)
cd "$build/tests/fuzz"
names="program rules listing recording"
for name in $names; do
  mkdir -p "corpus-$name"
  for seed in "$here/corpus/$name"/* ; do
    [ -f "$seed" ] && cp -n "$seed" "corpus-$name/"
  done
  case $name in
    program) for i in 1 2 3 4 5 6 7 8; do
        LC_ALL=C awk -v seed="$i" 'BEGIN { srand (seed); for (i = 0; i < 240; i++) printf "%c", int (1 + rand () * 255) }' >"corpus-$name/$i"
      done ;;
    rules) cp -n "$here"/../../engine/rules/*.rules "corpus-$name/" ;;
    recording) [ -n "$(ls "corpus-$name")" ] || ASAN_OPTIONS=detect_leaks=0 ../../app/lazyscope-cli run "$here/../../data/programs/add_ints.py" --compiler interp --record "corpus-$name/add_ints.lscope" >/dev/null ;;
  esac
done
export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1
# shellcheck disable=SC2016
printf '%s\n' $names | xargs -P "$jobs" -I NAME sh -c '
  ./fuzz-NAME -seed=1 -max_total_time="$0" -timeout=60 -rss_limit_mb=3000 -max_len=1000000 -print_final_stats=1 -artifact_prefix=NAME- -verbosity=0 corpus-NAME >NAME.log 2>&1
  echo $? >NAME.status' "$seconds"
echo "1..4"
number=0
found=0
for name in $names; do
  number=$((number + 1))
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$name.log")
  if [ "$(cat "$name.status")" = 0 ]; then
    echo "ok $number - fuzz/$name # ${runs:-?} inputs in $seconds s"
  else
    sed 's/^/# /' "$name.log" | tail -60
    echo "not ok $number - fuzz/$name"
    found=1
  fi
done
exit $found
