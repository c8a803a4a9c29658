#!/bin/sh
# Makes the recording that golden pictures are of: sh tests/ui/data/make.sh [BUILD-FOLDER]
# It is checked in, since the times in it are shown; after this the pictures are renewed (LS_UPDATE_GOLDEN=1) and looked at.
set -eu
cd "$(dirname "$0")/../../.."
build=${1:-build}
"$build/app/lazyscope-cli" run data/programs/softmax.py --compiler=tcc --record=tests/ui/data/softmax.lscope >/dev/null
ls -l tests/ui/data/softmax.lscope
