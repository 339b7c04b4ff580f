// Sum and maximum of each row by butterflies of a warp; the rows of a block are added through shared memory.
// twin 1 missing-barrier: thread 0 reads sums that other warps have not yet written
// twin 2 out-of-bounds: a row is one element too long
// twin 3 divergent-shuffle: half of a warp shuffles and names all of its lanes
// twin 4 divergent-barrier: one lane of each warp reaches the barrier
#include "../twins.h"
extern "C" __global__ void warp_reduce(const float* x, float* sums, float* greatest, float* total, int columns) {
  __shared__ float sum_of[4];
  int lane = threadIdx.x % 32;
  int warp = threadIdx.x / 32;
  int row = blockIdx.x * 4 + warp;
  float sum = 0;
  float most = -__int_as_float(0x7f800000);
  for (int c = lane; c < columns + EITHER(2, 1, 0); c += 32) {
    float v = x[row * columns + c];  //@2
    sum += v;
    most = fmaxf(most, v);
  }
  for (int d = 16; d > 0; d >>= 1) {
    EXCEPT(3)
    sum += __shfl_xor_sync(~0u, sum, d);
    ONLY(3)
    if (lane < 16)
      sum += __shfl_xor_sync(~0u, sum, d);  //@3
    most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
  }
  if (lane == 0) {
    sums[row] = sum;
    greatest[row] = most;
    sum_of[warp] = sum;  //@1
    ONLY(4)
    __syncthreads();  //@4
  }
  EXCEPT(1)
  EXCEPT(4)
  __syncthreads();
  if (threadIdx.x == 0)
    total[blockIdx.x] = ((sum_of[0] + sum_of[1]) + sum_of[2]) + sum_of[3];  //@1
}
