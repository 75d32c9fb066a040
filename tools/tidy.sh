#!/usr/bin/env bash
# clang-tidy over src/, or over the given files. Needs a configured preset 'clang'.
set -euo pipefail
cd "$(dirname "$0")/.."
tidy=$(command -v clang-tidy-14 || command -v clang-tidy)
[ -f build/clang/compile_commands.json ] || cmake --preset clang >/dev/null
cmake --build --preset clang --target edgetwin_formats_tflite edgetwin_formats_espdl \
  >/dev/null  # generated headers
files=("$@")
[ "${#files[@]}" -gt 0 ] || mapfile -t files < <(git ls-files 'src/*.cc')
printf '%s\n' "${files[@]}" | xargs -P "$(nproc)" -n 4 "$tidy" -p build/clang --quiet 2>/dev/null
