#!/usr/bin/env bash
# Each number of defects.txt from B1 to B18 and F1 to F12 has a file, and the file names it:
# defects.sh ROOT
set -uo pipefail
root=$1
failed=0 rows=0
fail() { echo "$*"; failed=$((failed + 1)); }
list=$root/tests/defects.txt
for number in B{1..18} F{1..12}; do
  grep -q "^$number " "$list" || fail "$number has no test"
done
while read -r number file _; do
  case $number in '' | '#') continue ;; esac
  rows=$((rows + 1))
  grep -qE "(^|[^A-Za-z0-9])$number([^0-9]|$)" "$root/$file" 2>/dev/null ||
    fail "$file does not name $number"
done <"$list"
echo "$rows rows, $failed failed"
[ "$rows" -ge 30 ] && [ "$failed" -eq 0 ]
