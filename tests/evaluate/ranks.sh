#!/usr/bin/env bash
# ranks.sh PROGRAM MODELS MPIRUN: 1, 2 and 4 processes of MPI give the bytes of one, and so does a
# second start after one of them was killed.
set -euo pipefail
program=$1 models=$2 mpirun=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
network=$models/digits/digits_int8.tflite
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none

for _ in $(seq 20); do
  for picture in "$models"/digits/pictures/*.png; do
    name=$(basename "$picture" .png)
    printf '%s\t%s\n' "$picture" "${name##*_}"
  done
done >set.txt
arguments=(evaluate "$network" --task classify --data set.txt -q)
"$program" "${arguments[@]}" -o whole.json >/dev/null
for ranks in 1 2 4; do
  timeout 120 "$mpirun" -n "$ranks" "$program" "${arguments[@]}" -o "ranks$ranks.json" >/dev/null
  cmp whole.json "ranks$ranks.json"
done

# The points of a search, shared by ranks and by --shard.
cases=$(dirname "$models")/tests/cases/files
search=(quantize "$cases/net.onnx" --target esp32p4 --calibrate "$cases/net_samples.npy" --search -q)
"$program" "${search[@]}" --shard 1/1 -o points.json >/dev/null
for ranks in 2 3; do
  timeout 120 "$mpirun" -n "$ranks" "$program" "${search[@]}" --shard mpi -o "points$ranks.json" >/dev/null
  cmp points.json "points$ranks.json"
done

"$mpirun" -n 2 "$program" "${arguments[@]}" -o killed.json >/dev/null 2>&1 &
launcher=$!
for _ in $(seq 1000); do
  [ "$(stat -c %s killed.json.journal.1 2>/dev/null || echo 0)" -lt 2000 ] || break
  sleep 0.005
done
# One of the launcher's own processes.
victim=$(pgrep -P "$launcher" | tail -n 1 || true)
[ -z "$victim" ] || kill -KILL "$victim" 2>/dev/null || true
wait "$launcher" 2>/dev/null || true
if [ ! -e killed.json ]; then
  ls killed.json.journal.* >/dev/null
  timeout 120 "$mpirun" -n 2 "$program" "${arguments[@]}" -o killed.json >/dev/null
  echo "ranks: finished after a kill"
fi
cmp whole.json killed.json
if compgen -G 'killed.json.journal.*' >/dev/null; then exit 1; fi
echo "ranks: equal"
