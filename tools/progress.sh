#!/usr/bin/env bash
# tools/progress.sh LOG COMMAND...: runs a build, keeps all that it prints in LOG, and shows how far
# it is: one line that counts on a terminal, a line for every tenth elsewhere. Where the command
# fails, the end of the log is shown.
set -u
log=$1
shift
: >"$log"
tenth=-1
"$@" 2>&1 | while IFS= read -r line; do
  printf '%s\n' "$line" >>"$log"
  [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] || continue
  n=${BASH_REMATCH[1]}
  all=${BASH_REMATCH[2]}
  if [ -t 1 ]; then
    printf '\r  %d of %d, %d s ' "$n" "$all" "$SECONDS"
  elif [ $((n * 10 / all)) -ne "$tenth" ]; then
    tenth=$((n * 10 / all))
    printf '  %d of %d, %d s\n' "$n" "$all" "$SECONDS"
  fi
done
status=${PIPESTATUS[0]}
[ -t 1 ] && printf '\n'
[ "$status" -eq 0 ] || tail -n 60 "$log"
exit "$status"
