// The sum of a vector in one launch: the block that finishes last adds the partial sums of all.
// twin 1 missing-fence: a partial sum is not published before the block is counted
// twin 2 missing-barrier: threads ask whether their block is the last before thread 0 knows
// twin 3 race: blocks are counted without an atomic
// twin 4 divergent-barrier: only the threads of the last block's first half reach the barrier
// twin 5 out-of-bounds: one partial sum too many
#include "../twins.h"
__device__ __forceinline__ int sum_of_warp(int v) {
  for (int d = 16; d > 0; d >>= 1)
    v += __shfl_down_sync(~0u, v, d);
  return v;
}
extern "C" __global__ void last_block(const int* x, int* partial, unsigned* counter, int* sum, int n) {
  __shared__ int warps[4];
  __shared__ bool last;
  int t = threadIdx.x;
  int v = 0;
  for (int i = blockIdx.x * 128 + t; i < n; i += gridDim.x * 128)
    v += x[i];
  v = sum_of_warp(v);
  if (t % 32 == 0)
    warps[t / 32] = v;
  __syncthreads();
  if (t == 0) {
    partial[blockIdx.x] = warps[0] + warps[1] + warps[2] + warps[3];  //@1 //@3
    EXCEPT(1)
    __threadfence();
    EXCEPT(3)
    last = atomicAdd(counter, 1u) == gridDim.x - 1;  //@2
    ONLY(3)
    last = (*counter)++ == gridDim.x - 1;  //@3
  }
  EXCEPT(2)
  __syncthreads();
  if (last) {  //@2
    __threadfence();
    ONLY(4)
    if (t < 48)
      __syncthreads();  //@4
    if (t < 32) {
      int w = t < gridDim.x + EITHER(5, 1, 0) ? *(volatile int*)&partial[t] : 0;  //@1 //@3 //@5
      w = sum_of_warp(w);
      if (t == 0)
        *sum = w;
    }
  }
}
