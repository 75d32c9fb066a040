#!/usr/bin/env bash
# debian.sh BUILD: makes the Debian packages of a build tree (preset `package` or `release`), looks at
# what is in them, and at lintian's opinion. With CHROOT=FOLDER, a bare Debian 12 made by debootstrap,
# they are installed and used there, which needs root and Debian's archive.
set -euo pipefail
build=$(realpath "$1")
source=$(realpath "$(dirname "$0")/../..")
for tool in dpkg-deb dpkg-shlibdeps file; do
  command -v $tool >/dev/null || { echo "skipped: there is no $tool"; exit 0; }
done
# A cross build: dpkg-shlibdeps asks the folder of tests/arm64/root.sh whose a library is.
arm64=$(sed -n 's/^EDGETWIN_ARM64_ROOT:[A-Z]*=//p' "$build/CMakeCache.txt")
if [ -n "$arm64" ]; then
  export DPKG_ADMINDIR=$arm64/var/lib/dpkg
  export LD_LIBRARY_PATH=$arm64/usr/lib/aarch64-linux-gnu:$arm64/lib/aarch64-linux-gnu
fi
cmake --build "$build" --target edgetwin edgetwin_shared edgetwin_cxx_shared docs_man completions >/dev/null
cd "$build"
rm -f ./*.deb
SOURCE_DATE_EPOCH=1793491200 cpack -G DEB >cpack.log || { tail -20 cpack.log; exit 1; }

has() {  # has PACKAGE FILE: a file that the package must have
  dpkg-deb -c "$1"_*.deb | grep " \./$2" >/dev/null || { echo "$1 has no $2"; exit 1; }
}
has edgetwin usr/bin/edgetwin
has edgetwin usr/share/man/man1/edgetwin.1.gz
has edgetwin usr/share/bash-completion/completions/edgetwin
has edgetwin usr/lib/udev/rules.d/60-edgetwin-coral.rules
has libedgetwin0 "usr/lib[^ ]*/libedgetwin.so.0"
for module in cipher http npz onnx; do
  has edgetwin-modules "usr/lib[^ ]*/edgetwin/$module-[0-9.]*so"
done
has libedgetwin-dev "usr/lib[^ ]*/libedgetwin.so "
has libedgetwin-dev usr/include/edgetwin/edgetwin.c.h
has python3-edgetwin usr/lib/python3/dist-packages/edgetwin/_abi.py
has python3-edgetwin-compat usr/lib/python3/dist-packages/tflite_runtime/interpreter.py
for package in edgetwin edgetwin-modules libedgetwin0 libedgetwin-dev python3-edgetwin python3-edgetwin-compat; do
  has $package usr/share/doc/$package/copyright
  has $package usr/share/doc/$package/changelog.gz
  echo "$(ls ${package}_*.deb) $(stat -c %s ${package}_*.deb) bytes"
done
if command -v lintian >/dev/null; then
  if lintian --tag-display-limit 0 ./*.deb >lintian.log 2>&1; then :; fi
  grep '^E:' lintian.log && { echo "lintian found errors"; exit 1; }
  echo "lintian: no errors, $(grep -c '^W:' lintian.log || true) warnings"
fi

[ -n "${CHROOT:-}" ] || exit 0
. "$source/tests/packages/qemu.sh"
[ -z "$arm64" ] || run_arm64
unset LD_LIBRARY_PATH DPKG_ADMINDIR  # of the folder of libraries, not of the root
cp ./*.deb "$CHROOT/tmp/"
cp -r "$source/models" "$source/tests/cases/files/net.onnx" "$CHROOT/tmp/"
chroot "$CHROOT" sh -ec '
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends /tmp/*.deb >/dev/null 2>/tmp/apt.log || { cat /tmp/apt.log; exit 1; }
  dpkg --print-architecture
  edgetwin --version
  edgetwin run /tmp/models/digits/digits_int8.tflite -i /tmp/models/digits/pictures/066_4.png
  edgetwin check /tmp/models/digits/digits_int8.tflite --target edgetpu | tail -1
  edgetwin info /tmp/net.onnx >/dev/null
  python3 -c "from tflite_runtime.interpreter import Interpreter as I
i = I(\"/tmp/models/digits/digits_int8.tflite\"); i.allocate_tensors(); i.invoke(); print(i.get_output_details()[0][\"name\"])"
  EDGETWIN_DEVICE=twin python3 -c "from pycoral.utils.edgetpu import list_edge_tpus; print(list_edge_tpus())"
  python3 -c "import edgetwin; edgetwin.open(\"/tmp/net.onnx\"); print(edgetwin.__file__)"
  apt-get purge -y -qq edgetwin edgetwin-modules libedgetwin0 >/dev/null 2>/tmp/apt.log || { cat /tmp/apt.log; exit 1; }
  if [ -e /usr/bin/edgetwin ] || python3 -c "import edgetwin" 2>/dev/null; then echo "it is still there"; exit 1; fi
  rm -rf /tmp/*.deb /tmp/models /tmp/net.onnx
  echo "installed, used and removed"'
