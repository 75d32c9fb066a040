#!/usr/bin/env bash
# cli_completion.sh SCRIPT: what the completion for bash answers.
set -u
# shellcheck disable=SC1090
source "$1" || exit 1
bad=0
# expect ANSWER WORDS...: completing the last word.
expect() {
  local answer=$1
  shift
  COMP_WORDS=("$@")
  COMP_CWORD=$(($# - 1))
  COMPREPLY=()
  _edgetwin
  if [[ "${COMPREPLY[*]}" != "$answer" ]]; then
    echo "$*: '${COMPREPLY[*]}' instead of '$answer'"
    bad=1
  fi
}
expect "quantize" edgetwin q
expect "--decode" edgetwin run --dec
expect "movenet multipose" edgetwin run --decode m
expect "build" edgetwin lut b
expect "--frames" edgetwin demo spot_tracker --fra
expect "fish" edgetwin completion f
expect "" edgetwin run --threads ""
expect "$1" edgetwin info "${1%?}"
exit $bad
