// A kernel that asserts what it assumes: indices, order, and the result.
// twin 1 missing-barrier: a neighbour is read before its warp has written it
// twin 2 out-of-bounds: reads one element past the input, which no assertion looks at
// twin 3 divergent-barrier: only the threads whose element is small reach the barrier
// twin 4 assertion: what is asserted of the input is not true
#undef NDEBUG
#include "../twins.h"
#include <cassert>
extern "C" __global__ void asserts(const int* x, int* y, int n) {
  __shared__ int sorted[128];
  int t = threadIdx.x;
  int i = blockIdx.x * 128 + t;
  assert(n == gridDim.x * 128);
  int v = x[i + EITHER(2, 1, 0)];  //@2
  assert(v >= 0 && v < EITHER(4, 900, 1000));  //@4
  int rank = 0;
  for (int j = 0; j < 128; j++)
    rank += x[blockIdx.x * 128 + j] < v || (x[blockIdx.x * 128 + j] == v && j < t);
  EXCEPT(2)
  assert(rank < 128);
  sorted[rank] = v;  //@1 //@2
  ONLY(3)
  if (v < 500)
    __syncthreads();  //@3
  EXCEPT(1)
  EXCEPT(3)
  __syncthreads();
  EXCEPT(1)
  EXCEPT(2)
  EXCEPT(3)
  assert(t == 0 || sorted[t - 1] <= sorted[t]);
  y[i] = sorted[127 - t];  //@1
}
