#!/usr/bin/env bash
# Compiles, verifies and replays an allreduce of a DGX-1, starting from a bare Debian 12.
#
#   tools/quickstart.sh
#
# Installs missing packages (as root or through sudo), builds blinkc, compiles
# topologies/dgx1.topo to allreduce.sched, verifies it, and replays it with 64
# MiB of random floats over 8 ranks, which are threads of the host. Everything
# else (blink-perf, libblink to install, kernels for GPUs, tests) is built by
# the presets. Can be run again safely, and is quick the second time.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/install-deps.sh

step() { printf '\n== %s\n' "$*"; }

# A folder of its own, so that these options do not end up in a preset's build.
# Without kernels, which blinkc never runs.
build=build/quickstart
options=(-DBLINK_BUILD_TESTS=OFF -DCMAKE_UNITY_BUILD=ON -DBLINK_CUDA=OFF)

step "build blinkc ($build)"
mkdir -p build
log=build/quickstart.configure.log
if ! cmake --preset release -B "$build" "${options[@]}" >"$log" 2>&1; then
  cat "$log" >&2
  exit 1
fi
# Each line shows the progress: percent, and seconds so far.
NINJA_STATUS='[%p %es] ' cmake --build "$build" --target blinkc
blinkc=$build/tools/blinkc/blinkc

step "blinkc compile topologies/dgx1.topo -o allreduce.sched"
"$blinkc" compile topologies/dgx1.topo -o allreduce.sched

step "blinkc verify allreduce.sched"
proof=$("$blinkc" verify allreduce.sched)
echo "$proof"

step "blinkc run allreduce.sched --bytes 64M"
"$blinkc" run allreduce.sched --bytes 64M
proved=$(awk '$1 == "ok" { printf "%s%s", separator, $2; separator = ", " }' <<<"$proof")
echo "  proved    $proved"
