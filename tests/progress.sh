#!/usr/bin/env bash
# B10: on a terminal a bar moves whenever a verb is silent for more than 0.3 s, and the line is empty
# again at the end; without a terminal nothing of it is printed: progress.sh PROGRAM
set -uo pipefail
program=$1
command -v script >/dev/null || { echo "skipped: no program 'script' makes a terminal"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export NO_COLOR=1 TERM=xterm
demo="demo matmul_engine --dim 1024 --iterations"
at_terminal() { script -qec "'$program' $*" /dev/null </dev/null | tr '\r' '\n'; }
number=100
# As many products as take a second here.
for number in 2000 20000 200000 1000000; do
  at_terminal $demo $number >"$work/seen"
  grep -q '\[.*######.*\]' "$work/seen" && break
done
grep -q '\[.*######.*\] [0-9]* s  demo matmul_engine' "$work/seen" || { echo "no bar"; cat "$work/seen"; exit 1; }
grep -q "^$number products" <(sed 's/\x1b\[K//g' "$work/seen") || { echo "no result"; cat "$work/seen"; exit 1; }
at_terminal $demo $number -q >"$work/quiet"
grep -q '######' "$work/quiet" && { echo "a bar with -q"; exit 1; }
"$program" $demo $number >"$work/out" 2>"$work/err"
[ ! -s "$work/err" ] || { echo "a bar without a terminal"; cat "$work/err"; exit 1; }
echo "good: a bar on a terminal, none elsewhere"
