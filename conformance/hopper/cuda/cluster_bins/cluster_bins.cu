// A histogram in distributed shared memory: each of four CTAs has 64 of 256 bins, which all count in; and a sum in CTA 0, which all add to with red.async.
// twin 1 missing-barrier: the bins are counted in before they are zero
// twin 2 missing-barrier: the bins are read before all have counted
// twin 3 race: a peer's bin is counted up with a load and a store
// twin 4 wrong-scope: the bins are counted in behind a barrier of the CTA alone
// twin 5 wrong-space: a peer's bin is named as one of the CTA itself
// twin 6 missing-wait: the sum is read before it has come
#include "../cluster.h"
extern "C" __global__ void __cluster_dims__(4, 1, 1) __launch_bounds__(128) cluster_bins(const uint8_t* x, uint32_t* bins, uint32_t* total, int n) {
  __shared__ uint32_t own[64];
  __shared__ uint32_t sum;
  __shared__ alignas(8) uint64_t told;
  int t = threadIdx.x;
  uint32_t rank = cluster_rank();
  if (t < 64)
    own[t] = 0;  //@1 //@4
  if (t == 0) {
    sum = 0;  //@1 //@4
    INIT(&told, 1);  //@1 //@4
    INIT_FENCE();
    if (rank == 0)
      EXPECT(&told, 4 * 512);  //@1 //@4
  }
  if (BROKEN == 4) {
    __syncthreads();
  } else if (BROKEN != 1) {
    CLUSTER_SYNC();
  }
  uint32_t added = 0;
  for (int i = blockIdx.x * 128 + t; i < n; i += 512) {
    uint32_t bin = x[i];
    added += bin;
    uint32_t there = at_rank(&own[bin % 64], bin / 64);
    if (BROKEN == 3) {
      uint32_t old;
      asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(old) : "r"(there) : "memory");  //@3
      asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(there), "r"(old + 1) : "memory");  //@3
    } else if (BROKEN == 5) {
      asm volatile("red.relaxed.cta.shared::cta.add.u32 [%0], 1;" ::"r"(there) : "memory");  //@5
    } else {
      asm volatile("red.relaxed.cluster.shared::cluster.add.u32 [%0], 1;" ::"r"(there) : "memory");  //@1 //@2 //@4
    }
  }
  asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];" ::"r"(at_rank(&sum, 0)), "r"(added), "r"(at_rank(&told, 0)) : "memory");  //@1 //@4 //@6
  if (BROKEN != 2) {
    CLUSTER_SYNC();
  }
  if (t < 64)
    bins[rank * 64 + t] = own[t];  //@2 //@3
  if (rank == 0 && t == 0) {
    if (BROKEN != 6) {
      WAIT("acquire.cluster", &told, 0);
    }
    *total = sum;  //@6
  }
  CLUSTER_SYNC();
}
