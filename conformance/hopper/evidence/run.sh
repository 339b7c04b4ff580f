#!/bin/bash
# run.sh OUT [LAUNCHES] [IDS]: counts of wrong outputs, with and without the statement, to OUT/counts.json (an sm_90a device, nvcc)
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=$1
mkdir -p "$out"
program=$(mktemp)
nvcc -O2 -arch=sm_90a "$here/evidence.cu" -o "$program"
timeout 240 "$program" "${2:-1000}" ${3:+"$3"} > "$out/counts.json"
rm -f "$program"
