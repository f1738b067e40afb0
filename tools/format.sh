#!/usr/bin/env bash
# Formats all C++ of the project, and the scripts of pages, with clang-format 19.
#
#   tools/format.sh          rewrites files
#   tools/format.sh --check  changes nothing; exit code 1 if a file is not formatted
set -euo pipefail
cd "$(dirname "$0")/.."
mode=(-i)
[ "${1-}" != --check ] || mode=(--dry-run -Werror)
git ls-files -z --cached --others --exclude-standard -- '*.h' '*.cpp' '*.cu' '*.c' 'compiler/render/page/*.js' \
    ':!schedules/*_generated.h' |
  xargs -0 clang-format-19 "${mode[@]}"
