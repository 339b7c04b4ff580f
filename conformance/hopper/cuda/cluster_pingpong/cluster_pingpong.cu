// A ball between two CTAs: the one that has it writes it into the shared memory of the other and arrives at the other's mbarrier; the other waits for it, changes it, sends it back.
// twin 1 missing-wait: the ball is taken before it is there
// twin 2 missing-release: the arrival is relaxed
// twin 3 wrong-scope: the arrival is one of the CTA alone
// twin 4 wrong-parity: the wait is for the generation before
// twin 5 wrong-count: half of the arrivals are enough
#include "../cluster.h"
extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(32) cluster_pingpong(const float* x, float* y, int rounds) {
  __shared__ float ball[32];
  __shared__ alignas(8) uint64_t caught;
  int t = threadIdx.x;
  uint32_t rank = cluster_rank();
  if (t == 0) {
    INIT(&caught, EITHER(5, 16, 32));
    INIT_FENCE();
  }
  CLUSTER_SYNC();
  float own = x[blockIdx.x * 32 + t];
  float now = own;
  uint32_t phase = EITHER(4, 1, 0);
  for (int r = 0; r < rounds; r++) {
    if ((r & 1) == rank) {
      now = now * 0.5f + own;
      asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(at_rank(&ball[t], rank ^ 1)), "f"(now) : "memory");  //@1 //@2 //@3 //@4 //@5
      if (BROKEN == 2) {
        ARRIVE_AT("relaxed.cluster", &caught, rank ^ 1);
      } else if (BROKEN == 3) {
        ARRIVE_AT("release.cta", &caught, rank ^ 1);
      } else {
        ARRIVE_AT("release.cluster", &caught, rank ^ 1);  //@5
      }
    } else {
      if (BROKEN != 1) {
        WAIT("acquire.cluster", &caught, phase);  //@4
      }
      phase ^= 1;
      asm volatile("ld.shared::cta.f32 %0, [%1];" : "=f"(now) : "r"(shared_address(&ball[t])) : "memory");  //@1 //@2 //@3 //@4 //@5
    }
  }
  y[blockIdx.x * 32 + t] = now;
  CLUSTER_SYNC();
}
