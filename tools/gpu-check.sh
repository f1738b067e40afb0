#!/usr/bin/env bash
# Builds the runtime on a machine with a GPU, tests and measures it there, and writes a report.
#
#   tools/gpu-check.sh                 runs all parts again, those that find most problems first; steps for which there
#                                      was no time are reported as not run
#   tools/gpu-check.sh --rest          runs the steps that have no result yet, in the same build folder; repeat until
#                                      all have one
#   tools/gpu-check.sh PART...         runs these parts again; the results of others are kept
#   tools/gpu-check.sh --seconds N     total time limit (560); --rest continues where the run ended
#   tools/gpu-check.sh --output DIR    folder for the results (build/gpu-check/results)
#   tools/gpu-check.sh --pack          copies the headers of FlatBuffers, xxHash, CLI11, nlohmann's JSON and doctest
#                                      from this machine to build/gpu-headers, for a machine that has none; needs no
#                                      GPU
#   tools/gpu-check.sh --flatbuffers DIR --doctest DIR --xxhash DIR --cli11 DIR --json DIR
#                                      folders with flatbuffers/flatbuffers.h, doctest/doctest.h, xxhash.h, CLI/CLI.hpp
#                                      and nlohmann/json.hpp (default: FLATBUFFERS_INCLUDE_DIR, DOCTEST_INCLUDE_DIR,
#                                      XXHASH_INCLUDE_DIR, CLI11_INCLUDE_DIR, JSON_INCLUDE_DIR, build/gpu-headers, the
#                                      compiler's folders)
#   tools/gpu-check.sh --build-only    only builds; needs no GPU
#   tools/gpu-check.sh --built         builds nothing and runs the programs in the build folder, which another machine
#                                      may have built with --build-only --architecture; needs neither CUDA, CMake nor
#                                      ninja, but the GPU's driver
#   tools/gpu-check.sh --build DIR     build folder (build/gpu-check)
#   tools/gpu-check.sh --architecture 90   architecture of the machine code (default: the GPU's)
#
# Parts:
#   build         the runtime, its tests and the measuring programs
#   first         blink-perf's self-test, and 8 bytes to 64 MiB with every element checked
#   conformance   blink_cuda_test, one process per case
#   launches      its cases with a separate launch for each rank, one of them late, and with many calls back to back
#   storm         one minute of random calls
#   calibration   limits of lanes: copies and folds by few blocks, loads, fences and answers at system scope; whether
#                 streams run side by side
#   measure       the measurements of docs/gpu-results.md
#   profile       the kernel of lanes under ncu
#   sanitize      compute-sanitizer's memcheck, synccheck, racecheck and initcheck on calls of one launch each
#   processes     cases with several processes, which share one GPU in turns
#   gpus          conformance over all GPUs, and whether ranks on other GPUs use memory of the first; needs several GPUs
#
# Each step has its own time limit, so that one that hangs does not stop the run. The results are report.md,
# gpu-results.md, which can replace docs/gpu-results.md, and gpu-check.tar.gz with both, all logs and all measurements.
# They are written after each part, and when a signal ends the run.
#
# Needs CUDA, CMake 3.25, ninja, a C++17 compiler and Python 3, but neither LLVM nor a network. Except in the part gpus,
# it uses one GPU: the first, or the first of CUDA_VISIBLE_DEVICES.
# Exit code: 0 all steps with a result succeeded, 1 something failed, 2 the run could not begin.
set -euo pipefail
script=$(cd "$(dirname "$0")" && pwd)/$(basename "$0")
invoked_from=$PWD
cd "$(dirname "$script")/.."

usage() { sed -n '2,/^set -e/{/^#/s/^# \{0,1\}//p}' "$script"; }
stop() {
  echo "gpu-check: $*" >&2
  exit 2
}
# Resolves a path relative to the caller's folder.
path() { case $1 in /*) echo "$1" ;; *) echo "$invoked_from/$1" ;; esac; }

order=(build first conformance launches storm calibration measure profile sanitize processes gpus)
build=$PWD/build/gpu-check
output='' architecture='' rest='' pack='' built=''
total=560
flatbuffers=${FLATBUFFERS_INCLUDE_DIR-} doctest=${DOCTEST_INCLUDE_DIR-} xxhash=${XXHASH_INCLUDE_DIR-}
cli11=${CLI11_INCLUDE_DIR-} json=${JSON_INCLUDE_DIR-}
parts=()
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --build-only) parts=(build); build_only=1; shift; continue ;;
    --rest) rest=1; shift; continue ;;
    --pack) pack=1; shift; continue ;;
    --built) built=1; shift; continue ;;
    --build | --output | --flatbuffers | --doctest | --xxhash | --cli11 | --json | --architecture | --seconds) ;;
    -*) stop "no option '$1'; --help lists them" ;;
    *)
      case " ${order[*]} " in *" $1 "*) ;; *) stop "no part '$1'; --help lists them" ;; esac
      parts+=("$1"); shift; continue
      ;;
  esac
  [ $# -ge 2 ] || stop "$1 needs a value"
  case $1 in
    --build) build=$(path "$2") ;;
    --output) output=$(path "$2") ;;
    --flatbuffers) flatbuffers=$(path "$2") ;;
    --doctest) doctest=$(path "$2") ;;
    --xxhash) xxhash=$(path "$2") ;;
    --cli11) cli11=$(path "$2") ;;
    --json) json=$(path "$2") ;;
    --architecture) architecture=$2 ;;
    --seconds) total=$2 ;;
  esac
  shift 2
done
[[ $total =~ ^[1-9][0-9]*$ ]] || stop "--seconds is '$total': expected a number"
output=${output:-$build/results}
# The parts that the caller named: their results are made anew, those of other parts stay.
named=${parts[*]-}
[ -n "$named" ] || parts=("${order[@]}")

source tools/gpu-check.d/headers.sh
[ -z "$pack" ] || { pack_headers; exit 0; }

#== What is here ===============================================================

[ -n "$built" ] || command -v cmake >/dev/null || stop "cmake is not on PATH"
[ -n "$built" ] || command -v ninja >/dev/null || stop "ninja is not on PATH"
command -v python3 >/dev/null || stop "python3 is not on PATH"
PATH=$PATH:/usr/local/cuda/bin
nvcc=$(command -v nvcc) || [ -n "$built" ] || stop "nvcc is neither on PATH nor in /usr/local/cuda/bin"

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
elif [ -z "${build_only-}" ]; then
  stop "nvidia-smi lists no GPU; --build-only builds and stops"
fi
if [ -n "$built" ]; then
  architecture=${architecture:-${own-}}
elif [ -z "$architecture" ]; then
  # Without a GPU, or with one that this nvcc does not know, builds PTX of 80.
  architecture=80
  if [ -n "${own-}" ] && grep -qx "sm_$own" <<<"$("$nvcc" --list-gpu-code)"; then
    architecture=$own-real
  fi
fi
[ -n "$built" ] || find_headers

# Indices in the order of nvidia-smi.
export CUDA_DEVICE_ORDER=PCI_BUS_ID
all=${CUDA_VISIBLE_DEVICES-$(seq -s, 0 $((gpus - 1)))}
export CUDA_VISIBLE_DEVICES=${device:-0}
# What was built on another machine looks for test/gpu there.
export BLINK_TEST_SOURCE=$PWD
# Makes a hanging call end with an error that shows where it was, before the step's own limit.
export BLINK_TIMEOUT_MS=${BLINK_TIMEOUT_MS:-5000}

#== The parts ==================================================================

source tools/gpu-check.d/steps.sh
source tools/gpu-check.d/parts.sh
source tools/gpu-check.d/measure.sh
begin_results
trap 'interrupted 143' TERM
trap 'interrupted 130' INT
trap 'interrupted 129' HUP
for part in "${order[@]}"; do
  # No part runs without a build; one that is there is continued, since sources may have changed.
  case " ${parts[*]} " in *" $part "*) ;; *) [ "$part" = build ] || continue ;; esac
  begin_part "$part"
  "part_$part"
  write_results
  [ "$part" != build ] || is_built || break
done
finish
