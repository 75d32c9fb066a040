#!/usr/bin/env bash
# Installs the Debian 12 packages that the given groups need, if they are missing.
# Usage: tools/setup.sh build|test|arm64 ...        (docs/dependencies.md says why each is there)
set -euo pipefail

build=(g++ cmake ninja-build pkg-config ccache libflatbuffers-dev flatbuffers-compiler
       nlohmann-json3-dev libcli11-dev libzip-dev liblodepng-dev libturbojpeg0-dev libssl-dev
       libyaml-cpp-dev libonnx-dev libprotobuf-dev libeigen3-dev libusb-1.0-0-dev
       libcpp-httplib-dev)
test=(git libgtest-dev libgmock-dev libfftw3-dev libxnnpack-dev libpthreadpool-dev libcpuinfo-dev
      clang-14 libclang-rt-14-dev clang-format-14 clang-tidy-14
      gcc-arm-none-eabi libnewlib-arm-none-eabi libunicorn-dev libumockdev-dev umockdev
      python3-numpy python3-setuptools python3-wheel dpkg-dev file lintian patchelf
      libopenmpi-dev openmpi-bin)
arm64=(g++-aarch64-linux-gnu qemu-user-static flatbuffers-compiler protobuf-compiler)
# Without it the test of the page is skipped, and says so.
browser=(chromium)

wanted=()
optional=()
for group in "$@"; do
  case "$group" in
    build) wanted+=("${build[@]}") ;;
    arm64) wanted+=("${arm64[@]}") ;;
    test) wanted+=("${test[@]}"); optional+=("${browser[@]}") ;;
    *) echo "setup: unknown group '$group'" >&2; exit 2 ;;
  esac
done

installed() {
  [ "$(dpkg-query -W -f='${Status}' "$1" 2>/dev/null || true)" = "install ok installed" ]
}
missing=()
for package in "${wanted[@]}"; do installed "$package" || missing+=("$package"); done
extra=()
for package in "${optional[@]}"; do installed "$package" || extra+=("$package"); done
if [ "$((${#missing[@]} + ${#extra[@]}))" -eq 0 ]; then
  echo "setup: all packages are installed"
  exit 0
fi

sudo=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "setup: run as root, or install sudo" >&2; exit 4; }
  sudo=(sudo)
fi
echo "setup: installing with apt-get: ${missing[*]} ${extra[*]}"
export DEBIAN_FRONTEND=noninteractive
"${sudo[@]}" apt-get update -qq
install=("${sudo[@]}" apt-get install -y -qq --no-install-recommends)
[ "${#missing[@]}" -eq 0 ] || "${install[@]}" "${missing[@]}" >/dev/null
for package in "${extra[@]}"; do
  "${install[@]}" "$package" >/dev/null || echo "setup: $package cannot be installed; its tests are skipped"
done
echo "setup: done"
