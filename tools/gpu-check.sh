#!/usr/bin/env bash
# Builds the runtime on a machine with a GPU, tests and measures it there, and writes a report.
#
#   tools/gpu-check.sh                        results in build/gpu-check/results: report.md says what was run, and
#                                             gpu-results.md is what docs/gpu-results.md can be replaced with
#   tools/gpu-check.sh --output DIR           results there
#   tools/gpu-check.sh --flatbuffers DIR --doctest DIR
#                                             folders with flatbuffers/flatbuffers.h and doctest/doctest.h
#                                             (default: FLATBUFFERS_INCLUDE_DIR, DOCTEST_INCLUDE_DIR, /usr/include)
#   tools/gpu-check.sh --build-only           builds and stops; needs no GPU
#   tools/gpu-check.sh --build DIR            the build folder (default build/gpu-check)
#   tools/gpu-check.sh --architecture 90      machine code for this one (default: the GPU's)
#
# Needs CUDA, CMake 3.25, ninja, a C++17 compiler and Python 3; no LLVM, no network. Uses one GPU, the first or the
# first of CUDA_VISIBLE_DEVICES; where there are more, the conformance tests also run over all. Ends within 8 minutes.
# Exit code: 0 all that ran is good, 1 something failed, 2 it could not begin.
set -euo pipefail
script=$(cd "$(dirname "$0")" && pwd)/$(basename "$0")
invoked_from=$PWD
cd "$(dirname "$script")/.."

usage() { sed -n '2,/^set -e/{/^#/s/^# \{0,1\}//p}' "$script"; }
stop() {
  echo "gpu-check: $*" >&2
  exit 2
}
# A path as the caller meant it.
path() { case $1 in /*) echo "$1" ;; *) echo "$invoked_from/$1" ;; esac; }

build=$PWD/build/gpu-check
output= architecture= build_only=
flatbuffers=${FLATBUFFERS_INCLUDE_DIR-} doctest=${DOCTEST_INCLUDE_DIR-}
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --build-only) build_only=1; shift; continue ;;
    --build | --output | --flatbuffers | --doctest | --architecture) ;;
    *) stop "no option '$1'; --help lists them" ;;
  esac
  [ $# -ge 2 ] || stop "$1 needs a value"
  case $1 in
    --build) build=$(path "$2") ;;
    --output) output=$(path "$2") ;;
    --flatbuffers) flatbuffers=$(path "$2") ;;
    --doctest) doctest=$(path "$2") ;;
    --architecture) architecture=$2 ;;
  esac
  shift 2
done
output=${output:-$build/results}

# `bounded SECONDS COMMAND`: that long at most, and not beyond the time for everything.
total=470
bounded() {
  local limit=$1 left=$((total - SECONDS))
  shift
  [ "$left" -gt 1 ] || left=1
  timeout --kill-after=5 "$((limit < left ? limit : left))" "$@"
}

#== What is here ===============================================================

command -v cmake >/dev/null || stop "cmake is not on PATH"
command -v ninja >/dev/null || stop "ninja is not on PATH"
command -v python3 >/dev/null || stop "python3 is not on PATH"
PATH=$PATH:/usr/local/cuda/bin
nvcc=$(command -v nvcc) || stop "nvcc is neither on PATH nor in /usr/local/cuda/bin"

gpu=none driver=none gpus=0
device=${CUDA_VISIBLE_DEVICES-0}
device=${device%%,*}
if list=$(nvidia-smi -L 2>/dev/null); then
  gpus=$(grep -c '^GPU ' <<<"$list" || true)
fi
if [ "$gpus" -gt 0 ]; then
  ask() { nvidia-smi -i "${device:-0}" --query-gpu="$1" --format=csv,noheader | head -1; }
  gpu=$(ask name)
  driver=$(ask driver_version)
  own=$(ask compute_cap | tr -d .)
elif [ -z "$build_only" ]; then
  stop "nvidia-smi lists no GPU; --build-only builds and stops"
fi
if [ -z "$architecture" ]; then
  # PTX of 80 for a GPU that this nvcc does not know, and without a GPU something to build.
  architecture=80
  if [ -n "${own-}" ] && "$nvcc" --list-gpu-code | grep -qx "sm_$own"; then
    architecture=$own-real
  fi
fi

# header_folder NAME DIR FILE: DIR or DIR/include, whichever has the file.
header_folder() {
  local folder
  for folder in "$2" "$2/include"; do
    if [ -e "$folder/$3" ]; then
      echo "$folder"
      return
    fi
  done
  stop "$1 $2: no $3 there"
}
options=()
if [ -n "$flatbuffers" ]; then
  flatbuffers=$(header_folder --flatbuffers "$flatbuffers" flatbuffers/flatbuffers.h)
  # The generated header of the tree goes with these headers; a flatc of this machine need not.
  options+=("-DBLINK_FLATBUFFERS_INCLUDE_DIR=$flatbuffers" -DBLINK_FLATC=OFF)
fi
if [ -n "$doctest" ]; then
  doctest=$(header_folder --doctest "$doctest" doctest/doctest.h)
  options+=("-DBLINK_DOCTEST_INCLUDE_DIR=$doctest")
fi

# require_header OPTION DIR FILE: DIR was given, or the compiler finds FILE, or somebody said where CMake is to look.
require_header() {
  [ -z "$2" ] && [ -z "${CMAKE_PREFIX_PATH-}" ] || return 0
  "${CXX:-c++}" -E -x c++ - <<<"#include <$3>" >/dev/null 2>&1 ||
    stop "no $3 here: install it, or copy its folder along and give $1 DIR"
}
require_header --flatbuffers "$flatbuffers" flatbuffers/flatbuffers.h
require_header --doctest "$doctest" doctest/doctest.h

#== The report =================================================================

measured=$output/measured
mkdir -p "$measured" "$build"
rm -f "$output"/{report.md,gpu-results.md,*.log} "$measured"/*.{json,log,failed}
cuda=$("$nvcc" --version | sed -n 's/.*release \([0-9.]*\),.*/\1/p')
commit=$(git rev-parse --short HEAD 2>/dev/null || echo "of no commit")
failed=0
rows=()
# row CHECK RESULT SECONDS DETAIL
row() {
  rows+=("| $1 | $2 | $3 | ${4//|/,} |")
  echo "gpu-check: $1: $2 ($3 s) $4" >&2
  case $2 in FAILED*) failed=1 ;; esac
}
finish() {
  {
    echo "# GPU check"
    echo
    echo "GPU: $gpu (of $gpus); driver $driver; CUDA $cuda; kernels for $architecture; Blink $commit"
    echo
    echo "| check | result | seconds | |"
    echo "|---|---|---|---|"
    printf '%s\n' "${rows[@]}"
  } >"$output/report.md"
  cat "$output/report.md"
  # Of a run that came so far.
  if [ -e "$measured/about.json" ]; then
    if python3 tools/gpu-report "$measured" >"$output/gpu-results.md"; then
      echo
      cat "$output/gpu-results.md"
    else
      echo "gpu-check: gpu-report failed; $measured has what was measured" >&2
      failed=1
    fi
  fi
  echo "gpu-check: $output/report.md" >&2
  exit $failed
}
last_line() { grep -v '^[[:space:]]*$' "$1" | tail -1 | cut -c1-200; }

#== Build ======================================================================

begun=$SECONDS
log=$output/build.log
code=0
# Without measurements to come it may take all the time there is.
bounded "$([ -n "$build_only" ] && echo "$total" || echo 280)" bash -ec '
  build=$1; shift
  cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DBLINK_BUILD_COMPILER=OFF -DBLINK_CUDA=ON "$@"
  ninja -C "$build" blink_cuda_test blink-perf blink-gpu-bench
' build "$build" "-DBLINK_CUDA_ARCHITECTURES=$architecture" "${options[@]}" >"$log" 2>&1 || code=$?
if [ $code = 124 ] || [ $code = 137 ]; then
  row build FAILED $((SECONDS - begun)) "did not end in time; run it again, it goes on where it stopped"
  finish
elif [ $code != 0 ]; then
  tail -40 "$log" >&2
  row build FAILED $((SECONDS - begun)) "$(last_line "$log")"
  finish
fi
row build ok $((SECONDS - begun)) "$(last_line "$log")"
[ -z "$build_only" ] || finish

#== Conformance ================================================================

test=$build/test/conformance/blink_cuda_test
# conformance NAME DEVICES: the whole suite.
conformance() {
  local begun=$SECONDS log=$output/$1.log code=0
  CUDA_VISIBLE_DEVICES=$2 bounded 120 "$test" >"$log" 2>&1 || code=$?
  local cases
  cases=$(sed -n 's/.*\(test cases:.*\)/\1/p' "$log" | tr -s ' ')
  if [ $code = 124 ]; then
    row "$1" FAILED $((SECONDS - begun)) "did not end in time"
  elif [ $code != 0 ] || [ -z "$cases" ]; then
    row "$1" FAILED $((SECONDS - begun)) "exit code $code; ${cases:-$(last_line "$log")}"
  else
    row "$1" ok $((SECONDS - begun)) "$cases"
  fi
}
# Indices in the order of nvidia-smi.
export CUDA_DEVICE_ORDER=PCI_BUS_ID
all=${CUDA_VISIBLE_DEVICES-$(seq -s, 0 $((gpus - 1)))}
conformance conformance "${device:-0}"
case $all in *,*) conformance conformance-all-gpus "$all" ;; esac
export CUDA_VISIBLE_DEVICES=${device:-0}

#== What the targets ask for ===================================================

bench=$build/tools/gpu-check.d/blink-gpu-bench
perf=$build/tools/blink-perf/blink-perf
lanes=16
# attempt NAME SECONDS COMMAND...: a measurement into measured/NAME.json; of one that fails NAME.failed says why.
# What the command prints is the JSON, or else it writes the file itself.
attempt() {
  local name=$1 limit=$2 begun=$SECONDS code=0 why result=FAILED
  local json=$measured/$name.json log=$measured/$name.log
  shift 2
  rm -f "$measured/$name.failed"
  if [ "$1" = "$bench" ]; then
    bounded "$limit" "$@" >"$json" 2>"$log" || code=$?
  else
    bounded "$limit" "$@" -J "$json" >"$log" 2>&1 || code=$?
  fi
  if [ $code = 0 ]; then
    row "$name" ok $((SECONDS - begun)) ""
    return
  fi
  if [ $code = 124 ] || [ $code = 137 ]; then
    result=unfinished why="did not end in time"
  else
    why=$(last_line "$log")
    why="exit code $code; ${why:-it said nothing}"
  fi
  echo "$why" >"$measured/$name.failed"
  if [ "$lanes" = 16 ] && grep -q 'can run there at the same time' "$log"; then
    echo "the GPU is too small for 16 lanes a rank" >"$measured/$name.failed"
    row "$name" "not run" $((SECONDS - begun)) "the GPU is too small for 16 lanes a rank"
    return 3
  fi
  row "$name" $result $((SECONDS - begun)) "$why"
  return 1
}
# measure_large COLLECTIVE
measure_large() {
  attempt "large-$1" 60 "$perf" --backend cuda --ranks 8 --devices 0 -b 256M -e 256M -n 10 -w 2 -c 1 \
    "test/gpu/$1.$lanes.sched"
}
code=0
measure_large allreduce || code=$?
if [ $code = 3 ]; then
  lanes=4
  measure_large allreduce || true
fi
python3 -c 'import json, sys; print(json.dumps(dict(word.split("=", 1) for word in sys.argv[1:])))' \
  "gpu=$gpu" "driver=$driver" "cuda=$cuda" "architecture=$architecture" "lanes=$lanes" "blink=$commit" \
  "date=$(date -u +%F)" >"$measured/about.json"
measure_large allgather || true
measure_large broadcast || true
schedules=(test/gpu/{allreduce,allgather,broadcast}."$lanes".sched)
attempt copy 30 "$bench" copy $((1 << 30)) || true
attempt launch 30 "$bench" launch "${schedules[@]}" || true
attempt traffic 10 "$bench" traffic $((256 << 20)) "${schedules[@]}" || true
attempt calls 30 "$bench" calls "${schedules[0]}" || true
for i in 1 2 3; do
  attempt "start-$i" 30 "$bench" start "${schedules[0]}" || true
done
small=("$perf" --backend cuda --ranks 8 --devices 0 -b 8 -e 32K -n 200 -w 20 "${schedules[0]}")
attempt small 30 "${small[@]}" || true
attempt small-graph 30 "${small[@]}" -G 20 || true

#== compute-sanitizer ==========================================================

sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda/compute-sanitizer/compute-sanitizer 2>/dev/null || true)
# sanitize TOOL CASES: a few test cases under a tool.
sanitize() {
  local begun=$SECONDS log=$output/$1.log code=0 refusal
  if [ -z "$sanitizer" ]; then
    row "$1" "not run" 0 "compute-sanitizer is not on PATH"
    return
  fi
  BLINK_TIMEOUT_MS=60000 bounded 75 "$sanitizer" --tool "$1" --error-exitcode 9 "$test" --test-case="$2" \
    >"$log" 2>&1 || code=$?
  refusal=$(grep -iE -m1 'not supported|no attachable process|permission|unable to|failed to (start|launch|attach)' \
    "$log" || true)
  local summary
  summary=$(sed -n 's/^=* *\(\(ERROR\|RACECHECK\) SUMMARY.*\)/\1/p' "$log" | tail -1)
  if [ $code = 124 ] || [ $code = 137 ]; then
    row "$1" unfinished $((SECONDS - begun)) "did not end in time; no verdict"
  elif [ $code != 0 ] && [ -n "$refusal" ]; then
    row "$1" "not run" $((SECONDS - begun)) "compute-sanitizer does not accept the device: $refusal"
  elif [ $code != 0 ] || [ -z "$summary" ]; then
    row "$1" FAILED $((SECONDS - begun)) "exit code $code; ${summary:-$(last_line "$log")}"
  else
    row "$1" ok $((SECONDS - begun)) "$summary"
  fi
}
sanitize memcheck 'protocols and layouts*,large messages*'
sanitize racecheck 'protocols and layouts*'

#== Sizes ======================================================================

for lanes in 16 4; do
  attempt "perf-$lanes" 40 "$perf" --backend cuda --ranks 8 --devices 0 -b 1K -e 64M -f 4 \
    test/gpu/*."$lanes".sched || true
done
finish
