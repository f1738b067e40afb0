# Headers that a machine with a GPU may not have; read by tools/gpu-check.sh.

carried=build/gpu-headers
names=(flatbuffers doctest xxhash cli11 json)
declare -A header=([flatbuffers]=flatbuffers/flatbuffers.h [doctest]=doctest/doctest.h [xxhash]=xxhash.h
  [cli11]=CLI/CLI.hpp [json]=nlohmann/json.hpp)

# pack_headers: copies the headers to where find_headers looks.
pack_headers() {
  local name file
  mkdir -p "$carried"
  for name in "${names[@]}"; do
    local options=()
    [ -z "${!name}" ] || options=(-I"$(header_folder "--$name" "${!name}" "${header[$name]}")")
    file=$("${CXX:-c++}" "${options[@]}" -M -x c++ - <<<"#include <${header[$name]}>" 2>/dev/null |
      tr ' ' '\n' | grep "/${header[$name]}\$" | head -1) || stop "no ${header[$name]} here: install it, or give --$name DIR"
    local folder
    folder=$(dirname "${header[$name]}")
    if [ "$folder" = . ]; then # among other libraries' headers
      cp -L "$file" "$carried/"
    else
      rm -rf "${carried:?}/$folder"
      cp -rL "$(dirname "$file")" "$carried/$folder"
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

# require_header OPTION DIR FILE: checks that DIR was given, or the compiler finds FILE, or CMake has a path to search.
require_header() {
  [ -z "$2" ] && [ -z "${CMAKE_PREFIX_PATH-}" ] || return 0
  printf '#if !__has_include(<%s>)\n#error\n#endif\n' "$3" | "${CXX:-c++}" -E -x c++ - >/dev/null 2>&1 ||
    stop "no $3 here: carry along what --pack makes, or give $1 DIR"
}

# find_headers: sets header_options to the options for CMake.
find_headers() {
  header_options=()
  local name
  for name in "${names[@]}"; do
    if [ -z "${!name}" ] && [ -e "$carried/${header[$name]}" ]; then
      declare -g "$name=$PWD/$carried"
    fi
    [ -z "${!name}" ] || declare -g "$name=$(header_folder "--$name" "${!name}" "${header[$name]}")"
    require_header "--$name" "${!name}" "${header[$name]}"
  done
  # These headers go with the generated header in the tree; a flatc of this machine may not.
  [ -z "$flatbuffers" ] || header_options+=("-DBLINK_FLATBUFFERS_INCLUDE_DIR=$flatbuffers" -DBLINK_FLATC=OFF)
  [ -z "$xxhash" ] || header_options+=("-DBLINK_XXHASH_INCLUDE_DIR=$xxhash")
  [ -z "$cli11" ] || header_options+=("-DBLINK_CLI11_INCLUDE_DIR=$cli11")
  [ -z "$json" ] || header_options+=("-DBLINK_JSON_INCLUDE_DIR=$json")
  [ -z "$doctest" ] || header_options+=("-DBLINK_DOCTEST_INCLUDE_DIR=$doctest")
}
