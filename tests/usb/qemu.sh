#!/usr/bin/env bash
# qemu.sh BUILD_FOLDER [KERNEL.deb]: boots Debian's kernel in QEMU with one program that is the
# virtual stick (FunctionFS on dummy_hcd) and its host (driver and libusb), so that a kernel's own USB
# stack carries the bytes. Needs qemu-system-x86 and cpio, no root and no KVM. Without a package of
# the kernel, apt-get fetches the one of the distribution (70 MB, into BUILD_FOLDER, not installed).
set -euo pipefail
build=$(cd "${1:?folder of the build}" && pwd)
deb=${2:-}
work=$build/qemu
modules=(usb-common usbcore udc-core configfs libcomposite usb_f_fs dummy_hcd)
seconds=${EDGETWIN_QEMU_SECONDS:-300}

for tool in qemu-system-x86_64 cpio dpkg-deb; do
  command -v "$tool" >/dev/null || { echo "qemu: $tool is not installed" >&2; exit 4; }
done
cmake --build "$build" --target usb_guest

mkdir -p "$work"
if [ -z "$deb" ]; then
  package=$(apt-cache depends linux-image-amd64 | sed -n 's/.*Depends: \(linux-image-[0-9].*\)/\1/p' | head -n 1)
  deb=$(find "$work" -name "$package"_'*.deb' | head -n 1)
  if [ -z "$deb" ]; then
    (cd "$work" && apt-get download "$package")
    deb=$(find "$work" -name "$package"_'*.deb' | head -n 1)
  fi
fi
rm -rf "$work/kernel" "$work/root"
mkdir -p "$work/kernel" "$work/root/modules"
dpkg-deb -x "$deb" "$work/kernel"
for module in "${modules[@]}"; do
  file=$(find "$work/kernel" -name "$module.ko" -o -name "$module.ko.xz" | head -n 1)
  case "$file" in
    '') echo "qemu: the kernel has no module $module" >&2; exit 4 ;;
    *.xz) xz -dc "$file" >"$work/root/modules/$module.ko" ;;
    *) cp "$file" "$work/root/modules/" ;;
  esac
done

# The program and the shared libraries that it needs, at their own places.
cp "$build/bin/usb_guest" "$work/root/init"
ldd "$build/bin/usb_guest" | grep -o '/[^ ]*' | while read -r library; do
  mkdir -p "$work/root$(dirname "$library")"
  cp -L "$library" "$work/root$library"
done
(cd "$work/root" && find . | cpio -o -H newc --quiet | gzip -1) >"$work/initrd"

kernel=$(find "$work/kernel/boot" -name 'vmlinuz-*' | head -n 1)
timeout "$seconds" qemu-system-x86_64 -m 512 -smp 2 -nographic -no-reboot -net none \
  -kernel "$kernel" -initrd "$work/initrd" \
  -append 'console=ttyS0 quiet oops=panic panic=-1' </dev/null | tee "$work/console.log"
grep -q 'guest: PASS' "$work/console.log"
