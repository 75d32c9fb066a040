#!/usr/bin/env bash
# run_briefly.sh BUILD_FOLDER [SECONDS]: runs every fuzz target that is built for some seconds, on a
# copy of its seeds, as many at once as there are processors, and fails if one crashed. What it finds
# is left in BUILD_FOLDER/fuzz-found, beside a log of each target.
set -euo pipefail
build=$1
seconds=${2:-30}
here=$(cd "$(dirname "$0")" && pwd)
export build seconds here found=$build/fuzz-found
mkdir -p "$found"

run_target() {
  local target=$1 work dictionary=() seeds
  work=$(mktemp -d)
  [ ! -f "$here/$target.dict" ] || dictionary=("-dict=$here/$target.dict")
  # Running a model starts from the same files as reading one.
  seeds=$here/corpus/$target
  [ -d "$seeds" ] || seeds=$here/corpus/fuzz_tflite
  # New inputs go to the first folder; the seeds are only read. What takes 0.2 s in the release build,
  # as the decompiler's search for scales, takes 45 s here.
  if "$build/bin/$target" -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=120 -seed=1 \
    -verbosity=0 -print_funcs=0 -print_final_stats=1 -artifact_prefix="$found/$target-" \
    "${dictionary[@]}" "$work" "$seeds" >"$found/$target.log" 2>&1; then
    echo "$target: $(sed -n 's/^stat::number_of_executed_units: *//p' "$found/$target.log") inputs"
  else
    tail -n 40 "$found/$target.log"
    echo "$target failed; the input is in $found" >&2
    rm -rf "$work"
    return 1
  fi
  rm -rf "$work"
}
export -f run_target

targets=()
for source in "$here"/fuzz_*.cc; do
  target=$(basename "$source" .cc)
  [ -x "$build/bin/$target" ] || { echo "$target is not built" >&2; exit 1; }
  targets+=("$target")
done
printf '%s\n' "${targets[@]}" | xargs -P "$(nproc)" -I{} bash -c 'run_target {}'
