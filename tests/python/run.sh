#!/usr/bin/env bash
# run.sh BUILD TEST.py: runs a test with the first Python that has numpy, Debian's before others.
set -u
build=$1
test=$2
for python in /usr/bin/python3 python3; do
  if command -v "$python" >/dev/null && "$python" -c 'import numpy' 2>/dev/null; then
    export PYTHONPATH=$build/python PYTHONDONTWRITEBYTECODE=1
    exec "$python" -W error -X dev -W "ignore:::numpy" "$test"
  fi
done
echo "skipped: no Python with numpy (Debian: python3-numpy)"
