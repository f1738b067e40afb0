#!/usr/bin/env bash
# Installs the Debian packages Blink is built from, and nothing that is already there.
#
#   tools/install-deps.sh            what compiler, runtime and their tests need
#   tools/install-deps.sh --all      also what tests compare with where it is there: SimGrid
#   tools/install-deps.sh --runtime  only what -DBLINK_BUILD_COMPILER=OFF needs
#
# Runs as root, or through sudo. Safe and quick to run again.
set -euo pipefail

runtime_packages=(cmake ninja-build g++ libflatbuffers-dev libxxhash-dev libcli11-dev nlohmann-json3-dev doctest-dev)
compiler_packages=(
  libmlir-19-dev mlir-19-tools llvm-19-dev llvm-19-tools # MLIR, and lit
  libglpk-dev flatbuffers-compiler
  clang-format-19 ccache lld python3 git spin)

packages=("${runtime_packages[@]}")
case "${1-}" in
  --runtime) ;;
  --all) packages+=("${compiler_packages[@]}" libsimgrid-dev) ;;
  "") packages+=("${compiler_packages[@]}") ;;
  *) echo "usage: tools/install-deps.sh [--all | --runtime]" >&2; exit 2 ;;
esac

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

if ! command -v apt-get >/dev/null; then
  echo "install-deps: not a Debian system; please install: ${missing[*]}" >&2
  exit 1
fi
as_root=()
if [ "$(id -u)" != 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "install-deps: run as root, or install sudo; missing: ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

echo "install-deps: installing ${missing[*]}" >&2
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
