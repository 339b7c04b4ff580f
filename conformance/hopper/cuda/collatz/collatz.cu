// A loop that each lane leaves at a turn of its own: steps until 1, and the longest of a block.
// twin 1 missing-barrier: the longest is compared before it is zero
// twin 2 missing-barrier: the longest is read before all warps have compared
// twin 3 divergent-barrier: a barrier in the loop that each lane leaves at a turn of its own
// twin 4 out-of-bounds: stores one element further
#include "../twins.h"
extern "C" __global__ void collatz(const unsigned* x, unsigned* steps, unsigned* longest, int n) {
  __shared__ unsigned most;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0)
    most = 0;  //@1
  EXCEPT(1)
  __syncthreads();
  unsigned count = 0;
  if (i < n) {
    unsigned long long v = x[i];
    while (v != 1) {
      if (v % 2)
        v = 3 * v + 1;
      else
        v /= 2;
      count++;
      ONLY(3)
      __syncthreads();  //@3
    }
    steps[i + EITHER(4, 1, 0)] = count;  //@4
  }
  atomicMax(&most, count);  //@1 //@2
  EXCEPT(2)
  __syncthreads();
  if (threadIdx.x == 0)
    longest[blockIdx.x] = most;  //@2
}
