#!/bin/sh
# Makes the README's pictures with the real program: sh data/screenshots.sh [BUILD-FOLDER]
set -eu
cd "$(dirname "$0")/.."
build=${1:-build}
export GSK_RENDERER=cairo GDK_BACKEND=x11 GDK_DEBUG=gl-disable GTK_A11Y=none GSETTINGS_BACKEND=memory ADW_DISABLE_PORTAL=1
# shot NAME SIZE FILE#POSITION [OPTION…]
shot() {
  name=$1 size=$2 link=$3
  shift 3
  xvfb-run -a -s "-screen 0 1600x1000x24" "$build/app/lazyscope" --screenshot "data/screenshots/$name" --size "$size" "$@" "$link"
}
mkdir -p data/screenshots
shot steps.png 1600x1000 'data/programs/softmax.py#1/simplify/9'
shot comparison.png 1440x900 'data/programs/softmax.py#3/index/6~3/lower/5' --do win.table::changes
shot schedule.png 1280x800 'data/programs/layernorm.py#6/lower/1' --do win.schedule-kernel::6
shot steps-dark.png 1600x1000 'data/programs/softmax.py#3/lower/4' --do win.origin --dark
ls -l data/screenshots
