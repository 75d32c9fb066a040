#!/usr/bin/env bash
# B11: every fence of the documents is closed, and every link between them has its file and its
# heading: links.sh ROOT
set -uo pipefail
root=$1
failed=0
fail() { echo "$*"; failed=$((failed + 1)); }
# The anchors of a document, as GitHub makes them of headings.
anchors() {
  awk '/^```/ { code = !code; next } !code && /^#+ / { sub(/^#+ /, ""); print tolower($0) }' "$1" |
    sed -e 's/`//g' -e 's/\[\([^]]*\)\]([^)]*)/\1/g' -e "s/[^a-z0-9 _-]//g" -e 's/ /-/g'
}
number=0
for document in "$root"/*.md "$root"/docs/*.md "$root"/docs/*/*.md "$root"/tests/cases/README.md; do
  [ -f "$document" ] || continue
  fences=$(grep -c '^ *```' "$document")
  [ $((fences % 2)) -eq 0 ] || fail "${document#"$root"/}: a fence is not closed"
  folder=$(dirname "$document")
  while IFS= read -r link; do
    case $link in http*|mailto*) continue ;; esac
    number=$((number + 1))
    file=${link%%#*}
    target=${file:+$folder/$file}
    target=${target:-$document}
    [ -e "$target" ] || { fail "${document#"$root"/}: no file for '$link'"; continue; }
    case $link in
      *.md#*|\#*) anchors "$target" | grep -qxF -- "${link#*#}" ||
        fail "${document#"$root"/}: no heading for '$link'" ;;
    esac
  done < <(awk '/^ *```/ { code = !code; next } !code' "$document" | sed 's/`[^`]*`//g' |
    grep -oE '\]\([^) ]+\)' | sed -e 's/^](//' -e 's/)$//')
done
echo "$number links, $failed failed"
[ "$number" -gt 100 ] && [ "$failed" -eq 0 ]
