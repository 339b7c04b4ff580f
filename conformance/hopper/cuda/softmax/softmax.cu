// Softmax of a row a block, twice: with the chip's ex2 and approximate division, and with expf and the rounded division.
// twin 1 missing-barrier: the sums of warps overwrite the maxima that other warps still read
// twin 2 missing-barrier: maxima are read before all warps have written them
// twin 3 out-of-bounds: a row is one element too long
// twin 4 divergent-barrier: half of each warp reaches the barrier
#include "../twins.h"
__device__ __forceinline__ float sum_of_warp(float v) {
  for (int d = 16; d > 0; d >>= 1)
    v += __shfl_xor_sync(~0u, v, d);
  return v;
}
extern "C" __global__ void softmax(const float* x, float* fast, float* exact, int columns) {
  __shared__ float part[4];
  __shared__ float part_exact[4];
  int lane = threadIdx.x % 32;
  int warp = threadIdx.x / 32;
  const float* row = x + blockIdx.x * columns;
  int end = columns + EITHER(3, 1, 0);
  float most = -__int_as_float(0x7f800000);
  for (int c = threadIdx.x; c < end; c += 128)
    most = fmaxf(most, row[c]);  //@3
  for (int d = 16; d > 0; d >>= 1)
    most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
  if (lane == 0)
    part[warp] = most;  //@2
  EXCEPT(2)
  __syncthreads();
  most = fmaxf(fmaxf(part[0], part[1]), fmaxf(part[2], part[3]));  //@1 //@2
  EXCEPT(1)
  EXCEPT(4)
  __syncthreads();
  ONLY(4)
  if (lane < 16)
    __syncthreads();  //@4
  float sum = 0;
  float sum_exact = 0;
  for (int c = threadIdx.x; c < columns; c += 128) {
    sum += __expf(row[c] - most);
    sum_exact += expf(row[c] - most);
  }
  sum = sum_of_warp(sum);
  sum_exact = sum_of_warp(sum_exact);
  if (lane == 0) {
    part[warp] = sum;  //@1
    part_exact[warp] = sum_exact;
  }
  __syncthreads();
  sum = (part[0] + part[1]) + (part[2] + part[3]);
  sum_exact = (part_exact[0] + part_exact[1]) + (part_exact[2] + part_exact[3]);
  for (int c = threadIdx.x; c < columns; c += 128) {
    fast[blockIdx.x * columns + c] = __fdividef(__expf(row[c] - most), sum);
    exact[blockIdx.x * columns + c] = expf(row[c] - most) / sum_exact;
  }
}
