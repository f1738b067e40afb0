#!/usr/bin/env bash
# Installs PyTorch and Blink's back end for it, and tests and trains with both.
#
#   tools/test-torch.sh                everything; the last line is a summary
#   tools/test-torch.sh --quick        only the tests of test/torch
#   tools/test-torch.sh --quick -k ddp other arguments are passed to pytest
#
# PyTorch (3 GB) is installed from PyPI into build/torch-venv, unless BLINK_TORCH_VENV names a virtual environment with
# PyTorch. `pip install .` installs the wheel of this checkout there. Then the script runs
#   pytest test/torch         our own tests
#   test/torch/suite.py       PyTorch's suite of distributed tests, for blink and for gloo: as many must pass
#   test/torch/train.py       a transformer and a CNN by DDP and FSDP2, twice each, and once with gloo
# Can be run again safely, and is quick the second time. BLINK_TORCH_GROUPS=50 shortens a test of 1000 groups.
set -euo pipefail
cd "$(dirname "$0")/.."

quick=false
if [ "${1-}" = --quick ]; then
  quick=true
  shift
fi

step() { printf '\n== %s\n' "$*"; }

# Requirements of the tests and of the wheel: pip does not isolate its build here, which would download PyTorch twice.
requirements=(torch numpy scikit-learn pytest expecttest hypothesis "scikit-build-core>=1.1" "nanobind>=3")
venv=${BLINK_TORCH_VENV:-build/torch-venv}
if [ -n "${BLINK_TORCH_VENV-}" ]; then
  tools/install-deps.sh --runtime
  if ! [ -x "$venv/bin/python" ]; then
    echo "test-torch: BLINK_TORCH_VENV is $venv, which has no bin/python" >&2
    exit 1
  fi
else
  tools/install-deps.sh --python
fi
if [ -n "${BLINK_TORCH_VENV-}" ]; then
  "$venv/bin/pip" install --quiet --disable-pip-version-check "${requirements[@]}" # what is missing, if anything
else
  wanted=$(printf '%s\n' "${requirements[@]}")
  if [ "$(cat "$venv/requirements.txt" 2>/dev/null)" != "$wanted" ]; then
    step "install ${requirements[*]} in $venv"
    /usr/bin/python3 -m venv --clear "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check "${requirements[@]}"
    printf '%s\n' "$wanted" >"$venv/requirements.txt"
  fi
fi
python=$venv/bin/python

step "install blink and blink_torch of this checkout in $venv"
output=build/test-torch
mkdir -p "$output"
options=(--config-settings=cmake.define.BLINK_TORCH=ON "--config-settings=build-dir=$output/wheel")
if ! nvidia-smi -L 2>/dev/null | grep -q GPU; then
  options+=(--config-settings=cmake.define.BLINK_CUDA=OFF)
fi
if ! "$venv/bin/pip" install --disable-pip-version-check --no-build-isolation --no-deps --force-reinstall \
  "${options[@]}" . >"$output/install.log" 2>&1; then
  cat "$output/install.log" >&2
  exit 1
fi
"$python" -c 'import blink_torch, torch; print(f"PyTorch {torch.__version__}, {blink_torch.__file__}")'

# Builds emulated GPUs for test/torch/test_gpus.py; needs CUDA 13's toolkit.
step "build emulated GPUs"
if cmake -S . -B "$output/gpus" -G Ninja -DCMAKE_BUILD_TYPE=Release -DBLINK_BUILD_COMPILER=OFF -DBLINK_PYTHON=ON \
  "-DPython_EXECUTABLE=$(realpath -s "$python")" -DBLINK_TORCH=ON >"$output/gpus.log" 2>&1 &&
  grep -q blink_torch_emulated "$output/gpus/build.ninja"; then
  if ! cmake --build "$output/gpus" --target blink_torch_emulated >>"$output/gpus.log" 2>&1; then
    cat "$output/gpus.log" >&2
    exit 1
  fi
  BLINK_TORCH_EMULATION=$(pwd)/$output/gpus/test/emulation/lib
  export BLINK_TORCH_EMULATION
else
  echo "none: there is no nvcc of CUDA 13"
fi

# Adds up passed, failed and skipped tests, and failures outside of tests.
passed=0 failed=0 skipped=0
add() {
  local counts
  read -ra counts <<<"$("$python" - "$1" <<'PYTHON'
import json, sys, xml.etree.ElementTree
if sys.argv[1].endswith(".xml"):
    suite = next(xml.etree.ElementTree.parse(sys.argv[1]).iter("testsuite"))
    failed = int(suite.get("failures")) + int(suite.get("errors"))
    print(int(suite.get("tests")) - failed - int(suite.get("skipped")), failed, suite.get("skipped"))
else:
    rows = json.load(open(sys.argv[1]))
    if "rows" in rows:
        failed = sum(bool(row["wrong"]) for row in rows["rows"])
        print(len(rows["rows"]) - failed, failed, 0)
    else:
        print(rows["passed"], rows["failed"], rows["skipped"])
PYTHON
  )"
  passed=$((passed + counts[0])) failed=$((failed + counts[1])) skipped=$((skipped + counts[2]))
}

# Runs a command that writes a file of results, and adds them; a missing file counts as one failure.
run() {
  local results=$1
  shift
  rm -f "$results"
  step "$*"
  "$@" || true
  if [ -s "$results" ]; then
    add "$results"
  else
    echo "test-torch: there are no results of this" >&2
    failed=$((failed + 1))
  fi
}

export OMP_NUM_THREADS=1
run "$output/pytest.xml" "$python" -m pytest test/torch -q -p no:cacheprovider "--junitxml=$output/pytest.xml" "$@"
if ! $quick; then
  run "$output/suite.json" "$python" test/torch/suite.py --json "$output/suite.json"
  step "test/torch/suite.py --backend gloo, to compare"
  "$python" test/torch/suite.py --backend gloo --json "$output/suite-gloo.json" | tail -1
  if ! "$python" - "$output/suite.json" "$output/suite-gloo.json" <<'PYTHON'; then
import json, sys
ours, gloo = [json.load(open(path))["passed"] for path in sys.argv[1:]]
print(f"of PyTorch's suite {ours} tests pass with blink and {gloo} with gloo")
sys.exit(ours < gloo)
PYTHON
    failed=$((failed + 1))
  fi
  run "$output/train.json" "$python" test/torch/train.py --json "$output/train.json"
  step "test/torch/train.py --backend gloo, to compare"
  "$python" test/torch/train.py --backend gloo || true
fi

printf '\n%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
[ "$failed" = 0 ]
