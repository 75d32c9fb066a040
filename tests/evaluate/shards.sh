#!/usr/bin/env bash
# shards.sh PROGRAM MODELS: shards in any number and order give the bytes of one process, and a start
# after a kill too.
set -euo pipefail
program=$1 models=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
network=$models/digits/digits_int8.tflite

list() {  # list TIMES: the 200 pictures, so many times
  for _ in $(seq "$1"); do
    for picture in "$models"/digits/pictures/*.png; do
      name=$(basename "$picture" .png)
      printf '%s\t%s\n' "$picture" "${name##*_}"
    done
  done
}

evaluate() { "$program" evaluate "$network" --task classify -q "$@" >/dev/null; }

list 1 >set.txt
evaluate --data set.txt -o whole.json
grep -q '"right": 199' whole.json
evaluate --data set.txt -o threads.json --threads 3
cmp whole.json threads.json
# F1: where threads cannot be made, fewer compute the same. A sanitizer needs the address space.
if (ulimit -v 300000 && "$program" --version) >/dev/null 2>&1; then
  (ulimit -v 300000 && evaluate --data set.txt -o few.json --threads 64)
  cmp whole.json few.json
fi
for shards in 1 2 7; do
  rm -f part*.json merged.json
  for shard in $(seq "$shards"); do
    evaluate --data set.txt --shard "$shard/$shards" -o "part$shard.json"
  done
  "$program" merge $(ls -r part*.json) -o merged.json >/dev/null
  cmp whole.json merged.json
  [ "$shards" = 1 ] || ! "$program" merge part1.json -o x.json -q 2>/dev/null
done

# A process that is killed: what it wrote is used, and the bytes are the same.
list 20 >long.txt
evaluate --data long.txt -o long_whole.json
"$program" evaluate "$network" --task classify -q --data long.txt -o long.json >/dev/null &
process=$!
for _ in $(seq 400); do
  [ "$(stat -c %s long.json.journal.0 2>/dev/null || echo 0)" -lt 4000 ] || break
  sleep 0.005
done
kill -KILL "$process" 2>/dev/null || true
wait "$process" 2>/dev/null || true
if [ ! -e long.json ]; then
  [ -s long.json.journal.0 ]
  # Another evaluation does not take it for its own.
  ! evaluate --data long.txt --limit 7 -o long.json 2>/dev/null
  evaluate --data long.txt -o long.json
fi
cmp long_whole.json long.json
[ ! -e long.json.journal.0 ]
echo "shards: equal"
