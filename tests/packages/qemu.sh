# Sourced by scripts that run programs of 64-bit Arm in a root of their own: the kernel is told of qemu
# until the script ends. Where it knows of one already, and on Arm itself, nothing is changed.
run_arm64() {
  local handlers=/proc/sys/fs/binfmt_misc
  [ "$(uname -m)" != aarch64 ] || return 0
  [ -e $handlers/register ] || mount -t binfmt_misc none $handlers
  [ ! -e $handlers/qemu-aarch64 ] && [ ! -e $handlers/edgetwin-aarch64 ] || return 0
  command -v qemu-aarch64-static >/dev/null || { echo "there is no qemu-aarch64-static"; return 1; }
  # An ELF file of 64 bits for machine 183. F: the interpreter is opened now and need not be in the root.
  printf '%s' ':edgetwin-aarch64:M::\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00:' \
    '\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff:' \
    "$(command -v qemu-aarch64-static):F" >$handlers/register
  trap 'echo -1 >/proc/sys/fs/binfmt_misc/edgetwin-aarch64' EXIT
}
