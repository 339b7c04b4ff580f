#!/usr/bin/env bash
# Captures the scalar opcode forms of PTX on the GPU of this machine. Usage: run.sh OUT_FOLDER
# Needs nvcc and ptxas of CUDA 13, python3. Leaves inputs.bin, manifest.json, results.bin, dense.txt and dense.bin.gz in the folder.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=$(mkdir -p "$1" && cd "$1" && pwd)
work=$(mktemp -d)
python3 "$here/generate.py" "$work"
python3 "$here/dense.py" "$work"
nvcc -O1 -o "$work/run" "$here/run.cu" &
for module in "$work"/forms*.ptx "$work/dense.ptx"; do
  ptxas -arch=sm_90a "$module" -o "${module%.ptx}.cubin" &
done
wait
"$work/run" "$work"
gzip -9 -k "$work/results.bin"
gzip -6 -k "$work/dense.bin"
sha256sum "$work/inputs.bin" "$work/results.bin" "$work/dense.bin" | sed "s|$work/||"
cp "$work/manifest.json" "$work/dense.txt" "$work/results.bin.gz" "$work/dense.bin.gz" "$out"
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader > "$out/gpu.txt" 2>/dev/null || true
ptxas --version | tail -1 > "$out/ptxas.txt"
