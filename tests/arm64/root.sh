#!/usr/bin/env bash
# root.sh FOLDER [PACKAGE ...]: a folder with Debian's libraries for 64-bit Arm, for the preset `aarch64`
# (EDGETWIN_ARM64_ROOT=FOLDER). Packages are downloaded by apt with state of its own and unpacked; the
# system's packages and architectures stay as they are, and root is not needed.
set -euo pipefail
root=${1:?usage: root.sh FOLDER [PACKAGE ...]}
shift
for tool in apt-get dpkg-deb; do
  command -v $tool >/dev/null || { echo "skipped: there is no $tool"; exit 0; }
done
packages=(libc6-dev libstdc++-12-dev libflatbuffers-dev nlohmann-json3-dev libcli11-dev libzip-dev liblodepng-dev
          libturbojpeg0-dev libssl-dev libyaml-cpp-dev libonnx-dev libprotobuf-dev libeigen3-dev libusb-1.0-0-dev
          libcpp-httplib-dev libgtest-dev libgmock-dev "$@")
mkdir -p "$root"/.apt/{state/lists/partial,cache/archives/partial}
root=$(realpath "$root")
touch "$root/.apt/state/status"
options=(-o "Dir::State=$root/.apt/state" -o "Dir::State::status=$root/.apt/state/status"
         -o "Dir::Cache=$root/.apt/cache" -o APT::Architecture=arm64 -o APT::Architectures::=arm64
         -o APT::Sandbox::User= -o Debug::NoLocking=1)
apt-get "${options[@]}" update -qq
apt-get "${options[@]}" install -y -qq --no-install-recommends --download-only "${packages[@]}" >/dev/null
# Beside the files dpkg's notes about them, so that dpkg-shlibdeps knows whose a library is.
db=$root/var/lib/dpkg
rm -rf "$db"
mkdir -p "$db/info"
echo 1 >"$db/info/format"  # names of packages have their architecture
for file in "$root"/.apt/cache/archives/*.deb; do
  dpkg-deb -x "$file" "$root"
  name=$(dpkg-deb -f "$file" Package)
  [ "$(dpkg-deb -f "$file" Multi-Arch)" != same ] || name=$name:arm64
  { dpkg-deb -f "$file"; echo "Status: install ok installed"; echo; } >>"$db/status"
  dpkg-deb -c "$file" | awk -v root="$root" '{print root substr($6, 2)}' >"$db/info/$name.list"
  rm -rf "$db/tmp"
  dpkg-deb -e "$file" "$db/tmp"
  for notes in shlibs symbols; do
    [ ! -f "$db/tmp/$notes" ] || cp "$db/tmp/$notes" "$db/info/$name.$notes"
  done
done
rm -rf "$db/tmp"
# Links of development packages that begin at / belong to the folder.
find "$root/usr/lib" -lname '/*' | while read -r link; do
  target=$root$(readlink "$link")
  [ -e "$target" ] && ln -sfn "$(realpath --relative-to="$(dirname "$link")" "$target")" "$link"
done
echo "$(ls "$root"/.apt/cache/archives/*.deb | wc -l) packages for 64-bit Arm in $root"
