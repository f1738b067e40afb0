#!/usr/bin/env bash
# From a bare Debian 12 to a proved and replayed allreduce of a DGX-1.
#
#   tools/quickstart.sh
#
# Installs the packages that are missing (as root or through sudo), builds,
# compiles topologies/dgx1.topo to allreduce.sched, proves it right, and replays
# it with 64 MiB of random floats over 8 ranks. CUDA is used when nvcc is there
# and not missed when it is not. Safe to run again, and quick the second time.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/install-deps.sh

step() { printf '\n== %s\n' "$*"; }

step "build (build/release)"
mkdir -p build
log=build/release.configure.log
if ! cmake --preset release -DBLINK_BUILD_TESTS=OFF >"$log" 2>&1; then
  cat "$log" >&2
  exit 1
fi
grep -E '^-- CUDA:' "$log" || true
cmake --build --preset release
blinkc=build/release/tools/blinkc/blinkc

step "blinkc compile topologies/dgx1.topo -o allreduce.sched"
"$blinkc" compile topologies/dgx1.topo -o allreduce.sched

step "blinkc verify allreduce.sched"
proof=$("$blinkc" verify allreduce.sched)
echo "$proof"

step "blinkc run allreduce.sched --bytes 64M"
"$blinkc" run allreduce.sched --bytes 64M
proved=$(awk '$1 == "ok" { printf "%s%s", separator, $2; separator = ", " }' <<<"$proof")
echo "  proved    $proved"
