// A histogram of bytes: atomics of shared memory, then atomics of global memory.
// twin 1 missing-barrier: counts before all bins are zero
// twin 2 missing-barrier: adds up before all warps have counted
// twin 3 race: counts without an atomic
// twin 4 out-of-bounds: a bin for every two values, in an array with a bin for every four
// twin 5 divergent-barrier: only some of the threads that own a bin reach the barrier
#include "../twins.h"
extern "C" __global__ void histogram(const unsigned char* x, unsigned* h, int n) {
  __shared__ unsigned bins[64];
  int t = threadIdx.x;
  if (t < 64) {
    bins[t] = 0;  //@1
    ONLY(5)
    if (t < 48)
      __syncthreads();  //@5
  }
  EXCEPT(1)
  EXCEPT(5)
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) {
    int bin = x[i] >> EITHER(4, 1, 2);
    EXCEPT(3)
    atomicAdd(&bins[bin], 1u);  //@1 //@2 //@4
    ONLY(3)
    bins[bin] += 1u;  //@3
  }
  EXCEPT(2)
  __syncthreads();
  if (t < 64)
    atomicAdd(&h[t], bins[t]);  //@2
}
