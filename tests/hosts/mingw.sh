#!/usr/bin/env bash
# mingw.sh [FOLDER ...]: what of src/ compiles for Windows, with Debian's g++-mingw-w64-x86-64-posix and
# the libraries that are headers alone. Without folders those that docs/hosts.md promises; a file that
# does not compile is an error then.
set -uo pipefail
source=$(realpath "$(dirname "$0")/../..")
compiler=x86_64-w64-mingw32-g++-posix
command -v $compiler >/dev/null || { echo "skipped: there is no $compiler"; exit 0; }
promised=(base/system base base/json base/words base/folders graph lut verify kernels/core kernels/i8 kernels/i16 kernels/lanes
          kernels/floats kernels/elements)
folders=("$@")
[ $# -gt 0 ] || folders=("${promised[@]}")
headers=$(mktemp -d)
trap 'rm -rf "$headers"' EXIT
for library in flatbuffers nlohmann CLI eigen3; do
  [ -d /usr/include/$library ] && ln -s /usr/include/$library "$headers/$library"
done
cd "$source"
# Sources that a program writes are in a build tree.
generated=$(ls -d build/*/generated 2>/dev/null | head -1)
flags=(-std=c++20 -fsyntax-only -Wall -Wextra -DEDGETWIN_VERSION='"0"' -Isrc -Iinclude -isystem "$headers" -isystem "$headers/eigen3"
       ${generated:+-I"$generated"})
failed=0
for folder in "${folders[@]}"; do
  good=0 bad=()
  for file in src/"$folder"/*.cc; do
    [ -f "$file" ] && [ "$(basename "$file")" != posix.cc ] || continue
    if $compiler "${flags[@]}" "$file" 2>"$headers/log"; then
      good=$((good + 1))
    else
      bad+=("$(basename "$file"): $(grep -m1 -E 'error' "$headers/log" | sed 's/^[^ ]* //')")
    fi
  done
  echo "$folder: $good compile, ${#bad[@]} do not"
  [ ${#bad[@]} -gt 0 ] && { printf '  %s\n' "${bad[@]}"; failed=1; }
done
exit $failed
