// The sum of a vector, a partial sum a block: a tree in shared memory.
// twin 1 missing-barrier: the first half of the tree reads what other warps have not yet written
// twin 2 missing-barrier: a level of the tree reads what the level before it has not yet written
// twin 3 out-of-bounds: reads one element past the vector
// twin 4 divergent-barrier: only the threads that still add reach the barrier
#include "../twins.h"
extern "C" __global__ void block_reduce(const float* x, float* y, int n) {
  __shared__ float part[256];
  int t = threadIdx.x;
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + t; i < n + EITHER(3, 1, 0); i += gridDim.x * blockDim.x)
    sum += x[i];  //@3
  part[t] = sum;  //@1
  EXCEPT(1)
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half >>= 1) {
    if (t < half) {
      part[t] += part[t + half];  //@1 //@2
      ONLY(4)
      __syncthreads();  //@4
    }
    EXCEPT(2)
    EXCEPT(4)
    __syncthreads();
  }
  if (t == 0)
    y[blockIdx.x] = part[0];
}
