// A sum over distributed shared memory: each of four CTAs adds up its rows, column by column; then each CTA adds up a quarter of the columns over all CTAs.
// twin 1 missing-barrier: the partial sums of the peers are read at once
// twin 2 wrong-scope: the barrier is one of the CTA alone
// twin 3 missing-barrier: a CTA ends while its peers may still read its sums
// twin 4 missing-release: the arrival at the barrier is relaxed
// twin 5 out-of-bounds: a fifth CTA of four
#include "../cluster.h"
extern "C" __global__ void __cluster_dims__(4, 1, 1) __launch_bounds__(128) cluster_reduce(const float* x, float* y, int rows) {
  __shared__ float partial[128];
  int t = threadIdx.x;
  uint32_t rank = cluster_rank();
  const float* mine = x + blockIdx.x * rows * 128;
  float sum = 0;
  for (int r = 0; r < rows; r++)
    sum += mine[r * 128 + t];
  partial[t] = sum;  //@1 //@2 //@4
  if (BROKEN == 2) {
    __syncthreads();
  } else if (BROKEN == 4) {
    CLUSTER_ARRIVE("relaxed");
    CLUSTER_WAIT();
  } else if (BROKEN != 1) {
    CLUSTER_SYNC();
  }
  if (t < 32) {
    int column = rank * 32 + t;
    float total = 0;
    for (uint32_t k = 0; k < EITHER(5, 5, 4); k++) {
      float one;
      asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(one) : "r"(at_rank(&partial[column], k)) : "memory");  //@1 //@2 //@3 //@4 //@5
      total += one;
    }
    y[blockIdx.x / 4 * 128 + column] = total;
  }
  if (BROKEN != 3) {
    CLUSTER_SYNC();
  }
}
