# Headers that a machine with a GPU may not have; read by tools/gpu-check.sh.

carried=build/gpu-headers
declare -A header=([flatbuffers]=flatbuffers/flatbuffers.h [doctest]=doctest/doctest.h [xxhash]=xxhash.h)

# pack_headers: copies them to where find_headers looks.
pack_headers() {
  local name file
  mkdir -p "$carried"
  for name in flatbuffers doctest xxhash; do
    local options=()
    [ -z "${!name}" ] || options=(-I"$(header_folder "--$name" "${!name}" "${header[$name]}")")
    file=$("${CXX:-c++}" "${options[@]}" -M -x c++ - <<<"#include <${header[$name]}>" 2>/dev/null |
      tr ' ' '\n' | grep "/${header[$name]}\$" | head -1) || stop "no ${header[$name]} here: install it, or give --$name DIR"
    rm -rf "${carried:?}/$name" "${carried:?}/${header[$name]}"
    if [ "$name/$name.h" = "${header[$name]}" ]; then
      cp -rL "$(dirname "$file")" "$carried/$name"
    else # it lies among others' headers
      cp -L "$file" "$carried/${header[$name]}"
    fi
  done
  echo "gpu-check: $carried has the headers; carry it along with the tree, where gpu-check finds it"
}

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

# require_header OPTION DIR FILE: DIR was given, or the compiler finds FILE, or somebody said where CMake is to look.
require_header() {
  [ -z "$2" ] && [ -z "${CMAKE_PREFIX_PATH-}" ] || return 0
  "${CXX:-c++}" -E -x c++ - <<<"#include <$3>" >/dev/null 2>&1 ||
    stop "no $3 here: carry along what --pack makes, or give $1 DIR"
}

# find_headers: the options for CMake, in header_options.
find_headers() {
  header_options=()
  local name
  for name in flatbuffers doctest xxhash; do
    if [ -z "${!name}" ] && [ -e "$carried/${header[$name]}" ]; then
      declare -g "$name=$PWD/$carried"
    fi
    [ -z "${!name}" ] || declare -g "$name=$(header_folder "--$name" "${!name}" "${header[$name]}")"
    require_header "--$name" "${!name}" "${header[$name]}"
  done
  # The generated header of the tree goes with these headers; a flatc of this machine need not.
  [ -z "$flatbuffers" ] || header_options+=("-DBLINK_FLATBUFFERS_INCLUDE_DIR=$flatbuffers" -DBLINK_FLATC=OFF)
  [ -z "$xxhash" ] || header_options+=("-DBLINK_XXHASH_INCLUDE_DIR=$xxhash")
  [ -z "$doctest" ] || header_options+=("-DBLINK_DOCTEST_INCLUDE_DIR=$doctest")
}
