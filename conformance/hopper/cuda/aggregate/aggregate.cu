// Counts the elements of three kinds with one atomic for the lanes that happen to run together: what the mask is, the sums do not depend on.
// twin 1 missing-barrier: the counts of the block are added up before all warps have counted
// twin 2 race: the leader counts without an atomic
// twin 3 divergent-barrier: a barrier behind the choice of the leader
// twin 4 out-of-bounds: a fourth kind
#include "../twins.h"
extern "C" __global__ void aggregate(const int* x, unsigned* counts, int n) {
  __shared__ unsigned kinds[3];
  int t = threadIdx.x;
  if (t < 3)
    kinds[t] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 128 + t; i < n; i += gridDim.x * 128) {
    int v = x[i];
    int kind = v < 0 ? 0 : v < 100 ? 1 : 2 + EITHER(4, 1, 0);
    if (kind == 0 || v % 3 == 0) {
      unsigned active = __activemask();
      unsigned same = __match_any_sync(active, kind);
      if (t % 32 == __ffs(same) - 1) {
        EXCEPT(2)
        atomicAdd(&kinds[kind], (unsigned)__popc(same));  //@1 //@4
        ONLY(2)
        kinds[kind] += (unsigned)__popc(same);  //@2
        ONLY(3)
        __syncthreads();  //@3
      }
    }
  }
  EXCEPT(1)
  __syncthreads();
  if (t < 3)
    atomicAdd(&counts[t], kinds[t]);  //@1
}
