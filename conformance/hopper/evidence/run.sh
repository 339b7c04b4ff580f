#!/bin/bash
# run.sh OUT [LAUNCHES] [NAMES]: counts of wrong outputs, with and without the statement, to OUT/counts.json (an sm_90a device, nvcc)
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=$1
launches=${2:-1000}
mkdir -p "$out"
program=$(mktemp)
trap 'rm -f "$program"' EXIT
nvcc -O2 -gencode arch=compute_90a,code=sm_90a "$here/evidence.cu" -o "$program"
device=$(nvidia-smi --query-gpu=name --format=csv,noheader | head -1)
{
  printf '{"device":"%s","launches":%s,"clocks":[0,50,300,1500,6000],"rows":[' "$device" "$launches"
  comma=''
  for name in ${3:-$("$program")}; do
    for statement in with without; do
      printf '%s\n' "$comma"
      comma=','
      if timeout 30 "$program" "$name" "$statement" "$launches"; then :; else
        # what hangs is killed, and that is its row
        [ $? = 124 ] && printf '{"hazard":"%s","statement":%s,"hang":true}' "${name%%.*}" "$([ "$statement" = with ] && echo true || echo false)" || true
      fi
    done
  done
  printf '\n]}\n'
} > "$out/counts.json"
