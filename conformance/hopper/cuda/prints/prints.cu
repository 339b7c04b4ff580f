// Prints from the device: some lanes say what they found; what is printed changes no result.
// twin 1 missing-barrier: the partner is read before its warp has written it
// twin 2 out-of-bounds: prints an element behind the input
// twin 3 divergent-barrier: only the threads that print reach the barrier
#include "../twins.h"
#include <cstdio>
extern "C" __global__ void prints(const int* x, int* y, int n) {
  __shared__ int place[64];
  int t = threadIdx.x;
  int i = blockIdx.x * 64 + t;
  int v = x[i];
  place[t] = v;  //@1
  if (v % 16 == 3) {
    printf("block %d thread %d: %d of %lld, %f\n", (int)blockIdx.x, t, v, (long long)n, 0.5 * v);
    ONLY(3)
    __syncthreads();  //@3
  }
  EXCEPT(1)
  EXCEPT(3)
  __syncthreads();
  y[i] = place[63 - t] - v;  //@1
  if (i == n - 1)
    printf("last %d\n", x[i + EITHER(2, 1, 0)]);  //@2
}
