#!/usr/bin/env bash
# kernels.sh [OUT]: the kernels for 64-bit Arm against their definition, cross-compiled and run by
# qemu as three processors: without the dot product, with it, and with that of mixed signs. It needs
# Debian's g++-aarch64-linux-gnu, qemu-user-static and googletest, and no library for Arm.
set -euo pipefail
source=$(realpath "$(dirname "$0")/../..")
out=${1:-$(mktemp -d)}
mkdir -p "$out"
for tool in aarch64-linux-gnu-g++ qemu-aarch64-static; do
  command -v $tool >/dev/null || { echo "skipped: there is no $tool"; exit 0; }
done
gtest=/usr/src/googletest
[ -d $gtest ] || { echo "skipped: there is no $gtest"; exit 0; }
cd "$source"
flags=(-std=c++20 -O2 -ffp-contract=off -Wall -Wextra -Isrc -Iinclude -Itests -I$gtest/googletest
       -I$gtest/googletest/include -I$gtest/googlemock/include)
files=(src/base/{parallel,error,finding,rule,text,shown}.cc src/kernels/core/isa.cc src/kernels/{i8,i16,lanes,floats,elements}/*.cc
       src/kernels/arm/*/*.cc src/tensor/{dtype,shape,quant,tensor}.cc
       tests/differential/kernels/{i8/{conv,shift,tail,lookup},i16/conv,lanes/conv,floats/sums,elements/pairs,elements/arg_max,elements/rows}_test.cc
       $gtest/googletest/src/gtest-all.cc $gtest/googletest/src/gtest_main.cc)
objects=()
for file in "${files[@]}"; do
  [ -f "$file" ] || continue
  march=()
  case $file in
    *neon_dotprod*) march=(-march=armv8.2-a+dotprod) ;;
    *neon_i8mm*) march=(-march=armv8.2-a+dotprod+i8mm) ;;
  esac
  object=$out/$(echo "$file" | tr '/' '_').o
  objects+=("$object")
  [ "$object" -nt "$file" ] || echo "$file ${march[*]:-} $object"
done | xargs -r -P "$(nproc)" -L1 bash -c 'set -e; object=${!#}; file=$1; shift
  aarch64-linux-gnu-g++ '"${flags[*]}"' -c "$file" ${@:1:$#-1} -o "$object"' compile
for file in "${files[@]}"; do
  [ -f "$file" ] && objects+=("$out/$(echo "$file" | tr '/' '_').o")
done
aarch64-linux-gnu-g++ -static "${objects[@]}" -lpthread -o "$out/kernel_tests"
for cpu in cortex-a72 cortex-a76 max; do
  echo "$cpu:"
  qemu-aarch64-static -cpu $cpu "$out/kernel_tests" --gtest_brief=1 | tail -n 4
done
