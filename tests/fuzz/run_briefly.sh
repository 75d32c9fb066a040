#!/bin/sh
# run_briefly.sh BUILD_FOLDER [SECONDS]: runs every fuzz target that is built for some seconds, on a
# copy of its seeds, and fails on the first crash. What it finds is left in BUILD_FOLDER/fuzz-found.
set -eu
build=$1
seconds=${2:-30}
here=$(cd "$(dirname "$0")" && pwd)
found=$build/fuzz-found
mkdir -p "$found"
ran=0
for target in fuzz_tflite fuzz_espdl fuzz_npy fuzz_image fuzz_exec fuzz_espdl_run fuzz_espdl_log fuzz_ai8x_yaml \
              fuzz_torch fuzz_edgetpu_patch fuzz_darwinn fuzz_edgetpu_program; do
  [ -x "$build/bin/$target" ] || continue
  work=$(mktemp -d)
  echo "== $target, $seconds seconds"
  status=0
  dictionary=
  [ ! -f "$here/$target.dict" ] || dictionary=-dict=$here/$target.dict
  # Running a model starts from the same files as reading one.
  seeds=$here/corpus/$target
  [ -d "$seeds" ] || seeds=$here/corpus/fuzz_tflite
  # New inputs go to the first folder; the seeds are only read.
  "$build/bin/$target" -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=20 -seed=1 -verbosity=0 \
    -print_funcs=0 -artifact_prefix="$found/$target-" ${dictionary:+"$dictionary"} \
    "$work" "$seeds" || status=$?
  rm -rf "$work"
  if [ "$status" -ne 0 ]; then
    echo "$target failed; the input is in $found" >&2
    exit 1
  fi
  ran=$((ran + 1))
done
if [ "$ran" -eq 0 ]; then
  echo "no fuzz target in $build/bin: build the preset 'asan' first" >&2
  exit 1
fi
