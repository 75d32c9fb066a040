#!/usr/bin/env bash
# program.sh BUILD [RELEASE]: the program of a cross build in qemu. With RELEASE, a build tree for this
# machine, what both programs write: the same bytes as three processors. Then ctest runs the tests in
# qemu: the unit, differential and golden tests and those of the C interface, but for what
# tests/long_tests.cmake names and ctest ends after TEST_SECONDS (600) each. TESTS=EXPRESSION chooses
# among them.
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

# compare COMMAND ...: OUT in it is what the command writes. CPUS chooses among the processors.
compared=0
compare() {
  local cpu word words here=$work/here there=$work/there
  for cpu in here ${CPUS:-cortex-a72 cortex-a76 max}; do
    words=()
    rm -rf "$there"
    mkdir "$there"
    for word in "$@"; do words+=("${word//OUT/$there/out}"); done
    if [ $cpu = here ]; then
      "$release/bin/edgetwin" "${words[@]}" >"$there/text" 2>&1 || { cat "$there/text"; exit 1; }
      rm -rf "$here"
      mv "$there" "$here"
      continue
    fi
    on $cpu "$build/bin/edgetwin" "${words[@]}" >"$there/text" 2>&1 || { cat "$there/text"; exit 1; }
    diff -r "$here" "$there" >"$work/different" ||
      { echo "$*: other bytes as $cpu"; head -c 2000 "$work/different"; exit 1; }
  done
  compared=$((compared + 1))
  echo "the same: $*"
}
if [ -n "$release" ]; then
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  digits=models/digits/digits_int8.tflite
  data=${EDGETWIN_SHARED_DATA:-/nonexistent}
  coral=$data/edgetpu/models/coral_test_data
  for numerics in tflite tflite-single edgetpu; do
    compare run $digits -i xs32:1 --numerics $numerics -o OUT
  done
  for model in "$coral"/{mobilenet_v1_0.25_128_quant,movenet_single_pose_lightning_ptq,keras_lstm_mnist_ptq}{,_edgetpu}.tflite \
               "$data"/espdl/corpus/{mbv2_block_a_esp32s3_s16,yolo_mini_a_esp32s3_s8,conv16_swish_s32_a_esp32p4_s16}/model.espdl \
               "$data"/espdl/float/{mixed_8_16_a,lutop_tanh32_a}/model.onnx "$data"/tflite/ops/*_u8_*.tflite; do
    [ ! -f "$model" ] || compare run "$model" -i xs32:1 -o OUT
  done
  for network in ai85-autoencoder:256x3 mnist-chw-ai85:1x28x28; do
    yaml=$data/max7800x/networks/${network%:*}.yaml
    [ ! -f "$yaml" ] ||
      compare run "$yaml" --target max78000 --weights xs32:1 --input-shape "${network#*:}" -i xs32:1 -o OUT
  done
  for model in "$data"/espdl/float/{mixed_8_16_a,swish8_a,lutop_tanh32_a}; do
    [ ! -d "$model" ] || compare quantize "$model/model.onnx" --target esp32p4 --calibrate "$model/calib_0.npy" -o OUT
  done
  CPUS=max compare compile $digits --target edgetpu -o OUT  # runs the machine many times
  echo "$compared commands write the same"
fi
ctest --test-dir "$build" -R "${TESTS:-^(unit_tests|differential_tests|golden_tests|c_calls)\.|^c\.client}" \
  --timeout "${TEST_SECONDS:-600}" --output-on-failure -j "$(nproc)" | tail -n 60
exit "${PIPESTATUS[0]}"
