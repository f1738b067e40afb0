#!/usr/bin/env bash
# Installs missing packages, builds Blink in three ways and runs every test.
#
#   tools/test.sh            everything; the last lines are ctest's summary
#   tools/test.sh -R lit     arguments are passed to ctest
#
# dev: everything. asan: everything, compiled by clang, with AddressSanitizer
# and UndefinedBehaviorSanitizer. tsan: only the runtime, with ThreadSanitizer.
# Can be run again safely, and is quick the second time.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/install-deps.sh --all

# Without a GPU the kernels do not run, so each is compiled for one architecture only.
options=()
[ -e /dev/nvidiactl ] || options+=(-DBLINK_CUDA_ARCHITECTURES=some)

for preset in dev asan tsan; do
  echo "test: building $preset" >&2
  log=build/$preset.configure.log
  mkdir -p build
  if ! cmake --preset "$preset" "${options[@]}" >"$log" 2>&1; then
    cat "$log" >&2
    exit 1
  fi
  cmake --build --preset "$preset"
done

# One ctest over the three trees: one run, one summary.
printf 'subdirs("dev" "asan" "tsan")\n' >build/CTestTestfile.cmake
exec ctest --test-dir build --output-on-failure -j "$((2 * $(nproc)))" "$@"
