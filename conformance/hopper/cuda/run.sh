#!/usr/bin/env bash
# On a machine with an H100, CUDA's driver and numpy: runs the committed PTX of every kernel here and keeps what it left in OUT/cuda.tar.gz.
# More arguments are names of kernels: those alone. Without them, and with compute-sanitizer at hand, its four tools look at the right kernels and at their twins, too (OUT/sanitizer.txt, not longer than three minutes): what they say is no output, only a second opinion.
set -u
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?an output folder}
shift
mkdir -p "$out"
python3 "$here/run.py" "$out" "$@"
if [ $# -eq 0 ] && command -v compute-sanitizer >/dev/null; then
  timeout 180 bash "$here/sanitize.sh" > "$out/sanitizer.txt" 2>&1
  grep -c . "$out/sanitizer.txt"
  grep -v -e ' 0 errors' -e '(0 errors' "$out/sanitizer.txt" | grep -v broken | head -40
fi
