#!/usr/bin/env bash
# clang-tidy over the sources in src/ that changed since they were last found clean, by
# tools/tidy_clean.sha256, which a clean run brings up to date.
#   tools/tidy.sh           what changed       tools/tidy.sh --all      everything: minutes
#   tools/tidy.sh FILE...   these              tools/tidy.sh --deep     everything, with the static
#                                              analyzer: hours
set -euo pipefail
cd "$(dirname "$0")/.."
tidy=$(command -v clang-tidy-14 || command -v clang-tidy)
clean=tools/tidy_clean.sha256
[ -f build/clang/compile_commands.json ] || cmake --preset clang >/dev/null
cmake --build --preset clang --target generated_headers >/dev/null

options=()
files=()
case "${1:-}" in
  --all) mapfile -t files < <(git ls-files 'src/*.cc') ;;
  --deep)
    options=(--checks=clang-analyzer-core.*,clang-analyzer-cplusplus.*)
    mapfile -t files < <(git ls-files 'src/*.cc')
    ;;
  '') mapfile -t files < <(git ls-files -z 'src/*.cc' | xargs -0 sha256sum |
    grep -v -x -F -f <(cat "$clean" 2>/dev/null || echo none) | sed 's/^[0-9a-f]*  //') ;;
  *) files=("$@") ;;
esac

found=$(mktemp -d)
trap 'rm -rf "$found"' EXIT
export tidy found
one() {  # one FILE [option...]: leaves a line in $found/clean if nothing was found
  local file=$1
  shift
  if "$tidy" -p build/clang --quiet "$@" "$file" 2>/dev/null; then
    sha256sum "$file" >"$found/$(printf %s "$file" | tr / _)"
  else
    touch "$found/failed"
  fi
}
export -f one
[ "${#files[@]}" -eq 0 ] || printf '%s\n' "${files[@]}" |
  xargs -P "$(nproc)" -I{} bash -c 'one "$@"' one {} "${options[@]}"

# What was found clean before and has not changed since stays in the list.
if [ "${#options[@]}" -eq 0 ]; then
  { git ls-files -z 'src/*.cc' | xargs -0 sha256sum |
      grep -x -F -f <(cat "$clean" 2>/dev/null || echo none) || true
    find "$found" -type f ! -name failed -exec cat {} +; } | sort -u -k2 >"$found.list"
  mv "$found.list" "$clean"
fi
echo "clang-tidy: ${#files[@]} files"
[ ! -e "$found/failed" ]
