#!/usr/bin/env bash
# program.sh BUILD [RELEASE]: the program of a cross build in qemu. The unit and golden tests, the C
# interface, and with RELEASE, a build tree for this machine, the outputs of whole networks of both
# programs: the same bytes as three processors.
set -euo pipefail
build=$(realpath "$1")
release=${2:+$(realpath "$2")}
source=$(realpath "$(dirname "$0")/../..")
root=$(sed -n 's/^EDGETWIN_ARM64_ROOT:[A-Z]*=//p' "$build/CMakeCache.txt")
on() {  # on CPU PROGRAM ...
  local cpu=$1
  shift
  qemu-aarch64-static -cpu "$cpu" -L "${root:-/usr/aarch64-linux-gnu}" "$@"
}
cd "$source"
on max "$build/bin/edgetwin" --version
for cpu in cortex-a72 cortex-a76 max; do
  echo "$cpu: $(on $cpu "$build/bin/edgetwin" run models/digits/digits_int8.tflite -i models/digits/pictures/066_4.png |
                head -1)"
done
# GCC fuses a * b + c on this architecture unless it is told not to, and bits would differ.
fused=$(find "$build"/src/{numerics,ops,exec} -name '*.o' -exec aarch64-linux-gnu-objdump -d {} + |
          grep -cE '\s(fmadd|fmsub|fnmadd|fnmsub|fmla|fmls)\s' || true)
[ "$fused" = 0 ] || { echo "$fused fused multiply-adds in numerics, ops and exec"; exit 1; }
if [ -n "$release" ]; then
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  models=(models/digits/*.tflite models/digits/*.onnx)
  [ -z "${EDGETWIN_SHARED_DATA:-}" ] ||
    models+=("$EDGETWIN_SHARED_DATA"/edgetpu/models/coral_test_data/{mobilenet_v1_0.25_128_quant,movenet_single_pose_lightning_ptq,keras_lstm_mnist_ptq}{,_edgetpu}.tflite)
  for model in "${models[@]}"; do
    [ -f "$model" ] || continue
    "$release/bin/edgetwin" run "$model" -i xs32:1 -o "$work/here" --force -q
    for cpu in cortex-a72 cortex-a76 max; do
      on $cpu "$build/bin/edgetwin" run "$model" -i xs32:1 -o "$work/$cpu" --force -q
      diff -r "$work/here" "$work/$cpu" >/dev/null || { echo "$model: other bytes as $cpu"; exit 1; }
    done
    echo "same bytes: $(basename "$model")"
  done
fi
for test in c_client c_calls unit_tests golden_tests; do
  [ -x "$build/bin/$test" ] || continue
  case $test in
    c_client) on max "$build/bin/c_client" models/digits/digits_int8.tflite ;;
    *) on max "$build/bin/$test" --gtest_brief=1 --gtest_filter="${FILTER:-*}" | tail -n 5 ;;
  esac
done
