#!/usr/bin/env bash
# Captures the forms of mma.sync, mma.sp and wmma on the GPU of this machine. Usage: run.sh OUT_FOLDER
# Needs nvcc and ptxas of CUDA 13, python3.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=$(mkdir -p "$1" && cd "$1" && pwd)
work=$(mktemp -d)
python3 "$here/generate.py" "$work"
nvcc -O2 -std=c++17 -o "$work/run" "$here/run.cu" &
for module in "$work"/forms*.ptx; do
  ptxas -arch=sm_90a "$module" -o "${module%.ptx}.cubin" 2> "${module%.ptx}.log" &
done
wait
"$work/run" "$work"
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader > "$work/chip.txt"
ptxas --version | tail -1 >> "$work/chip.txt"
# In parts of 15 MB: cat capture.tar.gz.* | tar xz
tar -C "$work" -cz raw.bin hashes.bin list.txt plan.txt chip.txt | split -b 15000000 - "$out/capture.tar.gz."
ls -l "$out"
