#!/usr/bin/env bash
# clang-tidy over src/, or over the given files: some three seconds for each. --deep adds the static
# analyzer, which takes hours.
set -euo pipefail
cd "$(dirname "$0")/.."
tidy=$(command -v clang-tidy-14 || command -v clang-tidy)
[ -f build/clang/compile_commands.json ] || cmake --preset clang >/dev/null
cmake --build --preset clang --target generated_headers >/dev/null
deep=()
if [ "${1:-}" = --deep ]; then
  deep=(--checks=clang-analyzer-core.*,clang-analyzer-cplusplus.*)
  shift
fi
files=("$@")
[ "${#files[@]}" -gt 0 ] || mapfile -t files < <(git ls-files 'src/*.cc' ':!*/windows.cc')
printf '%s\n' "${files[@]}" | xargs -P "$(nproc)" -n 4 "$tidy" -p build/clang --quiet "${deep[@]}" 2>/dev/null
