#!/usr/bin/env bash
# Captures the scalar opcode forms of PTX on the GPU of this machine. Usage: run.sh OUT_FOLDER
# Needs nvcc and ptxas of CUDA 13, python3. Leaves capture.tar.gz.aa, .ab ... in the folder.
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
(cd "$work" && sha256sum inputs.bin results.bin dense.bin) | tee "$work/sums.txt"
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader > "$work/chip.txt" 2>/dev/null || true
ptxas --version | tail -1 >> "$work/chip.txt"
# In parts of 15 MB: cat capture.tar.gz.* | tar xz
tar -C "$work" -cz manifest.json dense.txt results.bin dense.bin sums.txt chip.txt | split -b 15000000 - "$out/capture.tar.gz."
ls -l "$out"
