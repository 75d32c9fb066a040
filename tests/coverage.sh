#!/usr/bin/env bash
# Runs every command of docs/coverage.md in an empty folder: coverage.sh PROGRAM ROOT
set -uo pipefail
program=$1 root=$2
PATH=$(dirname "$program"):$PATH
export NO_COLOR=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The digits as a list: path and label.
awk -F'\t' -v at="$root/models/digits/pictures/" '$1 != "picture" { print at $1 "\t" $2 }' \
  "$root/models/digits/expected_top1.txt" >"$work/digits.tsv"
number=0 failed=0
while IFS= read -r line; do
  command=$(printf '%s\n' "$line" | sed -n 's/^| [^`|]* | `//p' | sed 's/` |.*$//')
  [ -n "$command" ] || continue
  number=$((number + 1))
  folder=$work/$number
  mkdir "$folder"
  ln -s "$root/tests/cases/files" "$folder/files"
  ln -s "$root/models" "$folder/models"
  cp "$work/digits.tsv" "$folder"
  (cd "$folder" && sh -c "$command") >"$work/log" 2>&1
  code=$?
  rm -rf "$folder"
  [ "$code" -eq 0 ] && continue
  failed=$((failed + 1))
  printf 'exit code %s: %s\n' "$code" "$command"
  tail -n 5 "$work/log"
done <"$root/docs/coverage.md"
echo "$number commands, $failed failed"
[ "$number" -gt 50 ] && [ "$failed" -eq 0 ]
