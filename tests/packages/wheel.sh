#!/usr/bin/env bash
# wheel.sh BUILD OUT: builds the wheel of a build tree, without a network, and runs the Python tests
# from it alone. The libraries that a Debian of another machine may lack go along in edgetwin/_lib.
# With CHROOT=FOLDER, a bare Debian 12 (bare.sh), pip installs it there, and it is used.
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

if objdump -p "$build/lib/libedgetwin.so.0" 2>/dev/null | grep -q 'NEEDED.*libmpi'; then
  echo "$build is built with MPI, which no wheel carries: take the preset package"
  exit 1
fi
cp -r "$source/python" "$work/stage"
find "$work/stage" -name __pycache__ -prune -exec rm -rf {} +
lib=$work/stage/edgetwin/_lib
mkdir -p "$lib/edgetwin"
# A cross build has its libraries in the folder of tests/arm64/root.sh, and its Python runs in qemu.
arm64=$(sed -n 's/^EDGETWIN_ARM64_ROOT:[A-Z]*=//p' "$build/CMakeCache.txt")
tools='' platform=()
folders=()
if [ -n "$arm64" ]; then
  tools=aarch64-linux-gnu-
  platform=(--plat-name linux_aarch64)
  folders=("$arm64"/usr/lib/aarch64-linux-gnu "$arm64"/lib/aarch64-linux-gnu)
fi
"${tools}strip" -o "$lib/libedgetwin.so.0" "$build/lib/libedgetwin.so.0"
for module in "$build"/lib/edgetwin/*.so; do
  "${tools}strip" -o "$lib/edgetwin/$(basename "$module")" "$module"
done
# What every Linux has, by the rules of manylinux, stays the system's.
allowed='^(linux-vdso|ld-linux|libc|libm|libgcc_s|libstdc\+\+|libz|libudev|libpthread|libdl|librt)[.-]'
# needed FILE: name and path of the libraries that it loads, and of those that they load.
needed() {
  if [ -z "$arm64" ]; then
    ldd "$1" | awk '/=> \// {print $1, $3}'
    return
  fi
  local name folder
  for name in $("${tools}objdump" -p "$1" | awk '/NEEDED/ {print $2}'); do
    for folder in "${folders[@]}"; do
      [ -e "$folder/$name" ] || continue
      echo "$name $folder/$name"
      [[ $name =~ $allowed ]] || needed "$folder/$name"
      break
    done
  done
}
for file in "$build/lib/libedgetwin.so.0" "$build"/lib/edgetwin/*.so; do needed "$file"; done | sort -u | while read -r name path; do
  [[ $name =~ $allowed ]] || cp "$path" "$lib/$name"
done
for file in "$lib"/*.so*; do patchelf --force-rpath --set-rpath '$ORIGIN' "$file"; done
for file in "$lib"/edgetwin/*; do patchelf --force-rpath --set-rpath '$ORIGIN/..' "$file"; done

export EDGETWIN_VERSION SOURCE_DATE_EPOCH=1793491200
EDGETWIN_VERSION=$(sed -n 's/^project(edgetwin VERSION \([0-9.]*\).*/\1/p' "$source/CMakeLists.txt")
(cd "$work/stage" && "$python" setup.py -q bdist_wheel "${platform[@]}" -d "$out" 2>"$work/log") || { cat "$work/log"; exit 1; }
wheel=$(ls -t "$out"/edgetwin-*.whl | head -1)
echo "$(basename "$wheel") $(stat -c %s "$wheel") bytes"
glibc=$("${tools}objdump" -T "$lib"/*.so* "$lib"/edgetwin/*.so | grep -o 'GLIBC_2\.[0-9]*' | sort -uV | tail -1)
echo "needs $glibc"
# Ubuntu 22.04, RHEL 9 and Raspberry Pi OS 12 have 2.34 or later.
[ "$(printf '%s\nGLIBC_2.34\n' "$glibc" | sort -V | tail -1)" = GLIBC_2.34 ] || {
  echo "the wheel promises glibc 2.34"; exit 1; }

if [ -n "${CHROOT:-}" ]; then
  . "$source/tests/packages/qemu.sh"
  [ -z "$arm64" ] || run_arm64
  cp "$wheel" "$CHROOT/tmp/"
  cp -r "$source/models" "$source/tests/cases/files/net.onnx" "$CHROOT/tmp/"
  chroot "$CHROOT" sh -ec '
    export DEBIAN_FRONTEND=noninteractive PIP_ROOT_USER_ACTION=ignore
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends python3-pip python3-numpy >/dev/null 2>/tmp/apt.log ||
      { cat /tmp/apt.log; exit 1; }
    dpkg --print-architecture
    python3 -m pip install -q --force-reinstall --no-index --no-deps --break-system-packages /tmp/edgetwin-*.whl
    python3 -c "import edgetwin, numpy
edgetwin.open(\"/tmp/net.onnx\")  # by a module
from edgetwin.compat.tflite_runtime.interpreter import Interpreter as I
i = I(\"/tmp/models/digits/digits_int8.tflite\"); i.allocate_tensors(); i.invoke(); print(edgetwin.__file__, i.get_output_details()[0][\"name\"])"
    python3 -m pip uninstall -q -y --break-system-packages edgetwin
    if python3 -c "import edgetwin" 2>/dev/null; then echo "it is still there"; exit 1; fi
    rm -rf /tmp/edgetwin-*.whl /tmp/models /tmp/net.onnx
    echo "installed, used and removed"'
fi

mkdir "$work/site"
(cd "$work/site" && "$python" -m zipfile -e "$wheel" .)
cp -r "$source/python/"{tflite_runtime,ai_edge_litert,pycoral} "$work/site"
run=("$python") site=$work/site
if [ -n "$arm64" ]; then
  [ -x "$arm64/usr/bin/python3.11" ] || { echo "tests skipped: $arm64 has no python3 and python3-numpy"; exit 0; }
  # Debian's alternatives for numpy's algebra are links that a folder of packages lacks.
  export PYTHONHOME=$arm64/usr
  site=$site:$arm64/usr/lib/python3/dist-packages
  run=(qemu-aarch64-static -cpu max -L "$arm64"
       -E "LD_LIBRARY_PATH=${folders[0]}/blas:${folders[0]}/lapack" "$arm64/usr/bin/python3.11")
fi
for test in "$source"/tests/python/test_*.py; do
  # Processes that Python starts would be those of the other machine.
  if [ -n "$arm64" ] && [[ $test == */test_programs.py ]]; then
    echo "skipped in qemu: $(basename "$test")"
    continue
  fi
  PYTHONPATH=$site PYTHONDONTWRITEBYTECODE=1 "${run[@]}" "$test"
done
