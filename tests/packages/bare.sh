#!/usr/bin/env bash
# bare.sh FOLDER [amd64|arm64]: a bare Debian 12 for debian.sh and wheel.sh (CHROOT=FOLDER), made by
# debootstrap. It needs root and Debian's archive; for arm64 on another machine qemu-user-static too.
set -euo pipefail
root=${1:?usage: bare.sh FOLDER [amd64|arm64]}
architecture=${2:-amd64}
. "$(dirname "$0")/qemu.sh"
command -v debootstrap >/dev/null || { echo "skipped: there is no debootstrap"; exit 0; }
[ "$(id -u)" = 0 ] || { echo "skipped: only root can make it"; exit 0; }
[ "$architecture" != arm64 ] || run_arm64
debootstrap --variant=minbase --arch="$architecture" bookworm "$root" http://deb.debian.org/debian >"$root.log" ||
  { tail -20 "$root.log"; exit 1; }
# A bare root starts no services while packages are installed.
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
chmod +x "$root/usr/sbin/policy-rc.d"
echo "$(chroot "$root" dpkg --print-architecture), $(chroot "$root" dpkg-query -f '.\n' -W | wc -l) packages in $root"
