#!/bin/sh
# Makes the README's pictures with the real program: sh data/screenshots.sh [BUILD-FOLDER]
set -eu
cd "$(dirname "$0")/.."
build=${1:-build}
export GSK_RENDERER=cairo GDK_BACKEND=x11 GDK_DEBUG=gl-disable GTK_A11Y=none GSETTINGS_BACKEND=memory ADW_DISABLE_PORTAL=1
shot() { xvfb-run -a -s "-screen 0 1600x1000x24" "$build/app/lazyscope" --screenshot "data/screenshots/$1" --size "$2" ${4:-} "$3"; }
mkdir -p data/screenshots
shot steps.png 1600x1000 'data/programs/matmul.py#3/simplify#2/20'
shot steps-dark.png 1280x800 'data/programs/softmax.py#2/ast/2' --dark
