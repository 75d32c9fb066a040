#!/usr/bin/env bash
# clang-format over all our sources; --check changes nothing and fails on a difference.
set -euo pipefail
cd "$(dirname "$0")/.."
format=$(command -v clang-format-14 || command -v clang-format)
mode=(-i)
[ "${1:-}" = --check ] && mode=(--dry-run -Werror)
git ls-files '*.h' '*.cc' '*.hpp' '*.cpp' | xargs "$format" "${mode[@]}"
