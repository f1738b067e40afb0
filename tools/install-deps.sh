#!/usr/bin/env bash
# Installs the Debian packages that Blink needs and that are not installed yet.
#
#   tools/install-deps.sh            packages for the compiler, the runtime and their tests
#   tools/install-deps.sh --all      also clang, SimGrid, MPI and iproute2, which tests use, and --python
#   tools/install-deps.sh --fuzz     packages for the compiler, and clang for tools/fuzz.sh
#   tools/install-deps.sh --runtime  only packages for -DBLINK_BUILD_COMPILER=OFF
#   tools/install-deps.sh --python   --runtime, and in build/venv packages to build and test the Python package
#
# Runs as root, or through sudo. Can be run again safely and quickly.
set -euo pipefail

runtime_packages=(cmake ninja-build g++ libflatbuffers-dev libxxhash-dev libcli11-dev nlohmann-json3-dev doctest-dev
  libsodium23) # loaded by jobs on several servers
compiler_packages=(
  libmlir-19-dev mlir-19-tools llvm-19-dev llvm-19-tools # MLIR, and lit
  libzstd-dev zlib1g-dev # what LLVM's archives compress with
  libglpk-dev flatbuffers-compiler
  libucx-dev # jobs of several servers
  libpugixml-dev # blinkc import
  clang-format-19 ccache lld python3 git spin)

python_packages=(python3-dev python3-venv)
python_requirements=("scikit-build-core>=1.1" "nanobind>=3" numpy pytest "viztracer>=1") # of the index

packages=("${runtime_packages[@]}")
python=false
case "${1-}" in
  --runtime) ;;
  --python) packages+=("${python_packages[@]}") python=true ;;
  --all) packages+=("${compiler_packages[@]}" "${python_packages[@]}" libsimgrid-dev libopenmpi-dev openmpi-bin iproute2 nodejs
    clang-19 libclang-rt-19-dev) python=true ;;
  --fuzz) packages+=("${compiler_packages[@]}" clang-19 libclang-rt-19-dev) ;;
  "") packages+=("${compiler_packages[@]}") ;;
  *) echo "usage: tools/install-deps.sh [--all | --fuzz | --runtime | --python]" >&2; exit 2 ;;
esac

missing=()
installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "${packages[@]}" 2>/dev/null || true)
for package in "${packages[@]}"; do
  grep -qxF "installed $package" <<<"$installed" || missing+=("$package")
done

install_packages() {
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
  "${as_root[@]}" apt-get -o Acquire::Retries=3 update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get -o Acquire::Retries=3 install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}
[ ${#missing[@]} -eq 0 ] || install_packages

# Uses Debian's Python, whatever else is on PATH, as python3-dev has the headers for that one. The list of requirements
# is written last, so an interrupted installation is repeated.
if $python; then
  venv=$(dirname "$0")/../build/venv
  wanted=$(printf '%s\n' "${python_requirements[@]}")
  if [ "$(cat "$venv/requirements.txt" 2>/dev/null)" != "$wanted" ]; then
    echo "install-deps: installing ${python_requirements[*]} in build/venv" >&2
    /usr/bin/python3 -m venv --clear "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check "${python_requirements[@]}"
    printf '%s\n' "$wanted" >"$venv/requirements.txt"
  fi
fi
