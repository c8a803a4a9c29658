#!/bin/sh
# Makes the recordings that golden pictures are of: sh tests/ui/data/make.sh [BUILD-FOLDER]
# They are checked in, since the times in them are shown; after this the pictures are renewed (LS_UPDATE_GOLDEN=1) and looked at.
set -eu
cd "$(dirname "$0")/../../.."
build=${1:-build}
"$build/app/lazyscope-cli" run data/programs/softmax.py --compiler=tcc --record=tests/ui/data/softmax.lscope >/dev/null
"$build/app/lazyscope-cli" run data/programs/softmax.py --compiler=tcc --set profile=classic --record=tests/ui/data/softmax-classic.lscope >/dev/null 2>&1
"$build/app/lazyscope-cli" run tests/ui/data/lazy.py --record=tests/ui/data/lazy.lscope >/dev/null
echo 'from tinygrad import Tensor
x = Tensor([[1.0, 5.0, 2.0], [4.0, 3.0, 6.0]])
print((x - x.max(1, keepdim=True)).exp().sum(1).tolist())' > "${TMPDIR:-/tmp}/rows.py"
"$build/app/lazyscope-cli" run "${TMPDIR:-/tmp}/rows.py" --compiler=tcc --record=tests/ui/data/rows.lscope >/dev/null
ls -l tests/ui/data/*.lscope
