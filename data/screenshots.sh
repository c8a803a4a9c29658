#!/bin/sh
# Makes the README's pictures with the real program: sh data/screenshots.sh [BUILD-FOLDER [OUTPUT-FOLDER]]
# A place that does not exist, or a blank picture, is an error. CI makes the pictures in a folder of its own.
set -eu
cd "$(dirname "$0")/.."
build=${1:-build} out=${2:-data/screenshots}
export GSK_RENDERER=cairo GDK_BACKEND=x11 GDK_DEBUG=gl-disable GTK_A11Y=none GSETTINGS_BACKEND=memory ADW_DISABLE_PORTAL=1
# shot NAME SIZE FILE PLACE[~BASE] [OPTION…]
shot() {
  name=$1 size=$2 file=$3 place=$4
  shift 4
  # the window shows another step where there is no such place; the command line reports it
  for p in $(echo "$place" | tr '~' ' '); do "$build/app/lazyscope-cli" show "$file#$p" >/dev/null; done
  rm -f "$out/$name"
  xvfb-run -a -s "-screen 0 1600x1000x24" "$build/app/lazyscope" --screenshot "$out/$name" --size "$size" "$@" "$file#$place"
  # the smallest of these pictures has 176 KB, a picture of one colour 7 KB
  bytes=$(wc -c <"$out/$name")
  [ "$bytes" -gt 90000 ] || { echo "screenshots: $out/$name is blank: $bytes bytes" >&2; exit 1; }
  echo "$out/$name: $bytes bytes"
}
mkdir -p "$out"
shot steps.png 1600x1000 data/programs/softmax.py 1/simplify/4
shot comparison.png 1440x900 data/programs/softmax.py 2/index/6~2/lower/5 --do win.table::changes
shot schedule.png 1280x800 data/programs/layernorm.py 6/lower/1 --do win.schedule-kernel::6
shot steps-dark.png 1600x1000 data/programs/softmax.py 2/lower/4 --do win.origin --dark
