#!/usr/bin/env bash
# wheel.sh BUILD OUT: builds the wheel of a build tree, without a network, and runs the Python tests
# from it alone. The libraries that a Debian of another machine may lack go along in edgetwin/_lib.
set -euo pipefail
build=$(realpath "$1")
out=$2
source=$(realpath "$(dirname "$0")/../..")
mkdir -p "$out"
out=$(realpath "$out")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python=/usr/bin/python3
"$python" -c 'import numpy, setuptools, wheel' || { echo "skipped: python3-numpy, -setuptools or -wheel is missing"; exit 0; }

cp -r "$source/python" "$work/stage"
find "$work/stage" -name __pycache__ -prune -exec rm -rf {} +
lib=$work/stage/edgetwin/_lib
mkdir -p "$lib"
strip -o "$lib/libedgetwin.so.0" "$build/lib/libedgetwin.so.0"
# What every Linux has, by the rules of manylinux, stays the system's.
allowed='^(linux-vdso|ld-linux|libc|libm|libgcc_s|libstdc\+\+|libz|libudev|libpthread|libdl|librt)[.-]'
ldd "$build/lib/libedgetwin.so.0" | awk '/=> \// {print $1, $3}' | while read -r name path; do
  [[ $name =~ $allowed ]] || cp "$path" "$lib/$name"
done
for file in "$lib"/*; do patchelf --force-rpath --set-rpath '$ORIGIN' "$file"; done

export EDGETWIN_VERSION SOURCE_DATE_EPOCH=1793491200
EDGETWIN_VERSION=$(sed -n 's/^project(edgetwin VERSION \([0-9.]*\).*/\1/p' "$source/CMakeLists.txt")
(cd "$work/stage" && "$python" setup.py -q bdist_wheel -d "$out" 2>"$work/log") || { cat "$work/log"; exit 1; }
wheel=$(ls "$out"/edgetwin-*.whl)
echo "$(basename "$wheel") $(stat -c %s "$wheel") bytes"
objdump -T "$lib"/* | grep -o 'GLIBC_2\.[0-9]*' | sort -uV | tail -1 | sed 's/^/needs /'

mkdir "$work/site"
(cd "$work/site" && "$python" -m zipfile -e "$wheel" .)
cp -r "$source/python/"{tflite_runtime,ai_edge_litert,pycoral} "$work/site"
for test in "$source"/tests/python/test_*.py; do
  PYTHONPATH=$work/site PYTHONDONTWRITEBYTECODE=1 "$python" "$test"
done
