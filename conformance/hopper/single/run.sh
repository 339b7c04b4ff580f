#!/usr/bin/env bash
# Captures single instructions on the GPU of this machine. Usage: run.sh OUT_FOLDER
# Needs nvcc and ptxas of CUDA 13, python3.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=$(mkdir -p "$1" && cd "$1" && pwd)
work=$(mktemp -d)
python3 "$here/generate.py" "$work"
nvcc -O2 -std=c++17 -o "$work/run" "$here/run.cu" &
ptxas -arch=sm_90a "$work/forms.ptx" -o "$work/forms.cubin" 2> "$work/forms.log"
ptxas -arch=sm_90a "$here/special.ptx" -o "$work/special.cubin"
wait
"$work/run" "$work"
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader > "$work/chip.txt"
tar -C "$work" -czf "$out/single.tar.gz" raw.bin hashes.bin special.bin chip.txt count.txt
ls -l "$out"
