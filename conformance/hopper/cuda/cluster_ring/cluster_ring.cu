// Values around a ring of four CTAs with st.async: in each step every CTA sends what it has last received to the next one, told to a barrier there, and adds up what comes.
// twin 1 missing-wait: what comes is read at once
// twin 2 race: all steps send to one slot
// twin 3 wrong-barrier: the barrier that is told is the sender's own
// twin 4 missing-barrier: the cluster does not wait until the barriers are initialised
// twin 5 wrong-bytes: half of the bytes are expected
#include "../cluster.h"
constexpr int STEPS = 3;
extern "C" __global__ void __cluster_dims__(4, 1, 1) __launch_bounds__(64) cluster_ring(const uint32_t* x, uint32_t* y) {
  __shared__ alignas(16) uint32_t slot[STEPS][64][2];
  __shared__ alignas(8) uint64_t full[STEPS];
  int t = threadIdx.x;
  uint32_t next = (cluster_rank() + 1) % 4;
  if (t == 0) {
    for (int s = 0; s < STEPS; s++) {
      INIT(&full[s], 1);  //@4
      EXPECT(&full[s], EITHER(5, 256, 512));  //@4
    }
    INIT_FENCE();
  }
  if (BROKEN == 4) {
    __syncthreads();
  } else {
    CLUSTER_SYNC();
  }
  uint32_t low = x[blockIdx.x * 128 + 2 * t];
  uint32_t high = x[blockIdx.x * 128 + 2 * t + 1];
  uint32_t sum = low ^ high;
#pragma unroll 1
  for (int s = 0; s < STEPS; s++) {
    uint32_t there = at_rank(slot[EITHER(2, 0, s)][t], next);
    uint32_t told = EITHER(3, shared_address(&full[s]), at_rank(&full[s], next));
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [%0], {%1, %2}, [%3];" ::"r"(there), "r"(low), "r"(high), "r"(told) : "memory");  //@1 //@2 //@3 //@4 //@5
    if (BROKEN != 1) {
      WAIT("acquire.cluster", &full[s], 0);  //@5
    }
    low = slot[EITHER(2, 0, s)][t][0];  //@1 //@2 //@5
    high = slot[EITHER(2, 0, s)][t][1];  //@1 //@2 //@5
    sum = sum * 5 + (low ^ high);
  }
  y[blockIdx.x * 64 + t] = sum;
}
