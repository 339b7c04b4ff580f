// A ring of three stages with mbarriers: the test of the next stage is made before the tile of this one is added, and its answer is carried over the turn of the loop, as mainloops of CUTLASS do; who copies peeks at the free stage likewise.
// twin 1 missing-wait: an answer of no is carried, but nothing waits
// twin 2 wrong-phase: the parity of the carried test does not turn with the ring
// twin 3 missing-barrier: a stage is given back before it is read
// twin 4 missing-wait: a stage is filled before it is free
// twin 5 wrong-stage: the carried answer is of the stage that is being read, not of the next
#include "../twins.h"
__device__ __forceinline__ unsigned at(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ __forceinline__ bool peek(const void* bar, unsigned parity) {
  unsigned done;
  asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(at(bar)), "r"(parity) : "memory");
  return done != 0;
}
__device__ __forceinline__ void wait(const void* bar, unsigned parity) {
  while (!peek(bar, parity)) {
  }
}
extern "C" __global__ void carried_peeks(const unsigned* x, unsigned* y, int tiles) {
  __shared__ alignas(16) unsigned tile[3][64];
  __shared__ unsigned long long full[3], empty[3];
  int t = threadIdx.x;
  const unsigned* from = x + blockIdx.x * tiles * 64;
  if (t == 0) {
    for (int s = 0; s < 3; s++) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at(&full[s])) : "memory");
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 64;" ::"r"(at(&empty[s])) : "memory");
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  if (t == 64) {
    int stage = 0;
    unsigned parity = 1;
    bool is_free = peek(&empty[0], 1);
    for (int k = 0; k < tiles; k++) {
      EXCEPT(4)
      if (!is_free)
        wait(&empty[stage], parity);
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(at(&full[stage])) : "memory");
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(at(tile[stage])), "l"(from + k * 64), "r"(at(&full[stage])) : "memory");  //@1 //@2 //@3 //@4 //@5
      stage++;
      if (stage == 3) {
        stage = 0;
        parity ^= 1;
      }
      is_free = k + 1 < tiles && peek(&empty[stage], parity);
    }
  } else if (t < 64) {
    int stage = 0;
    unsigned parity = 0;
    unsigned sum = 0;
    bool is_full = peek(&full[0], 0);
    for (int k = 0; k < tiles; k++) {
      EXCEPT(1)
      if (!is_full)
        wait(&full[stage], parity);
      int next = stage == 2 ? 0 : stage + 1;
      unsigned turned = parity ^ EITHER(2, 0, stage == 2 ? 1 : 0);
      is_full = k + 1 < tiles && peek(&full[EITHER(5, stage, next)], EITHER(5, parity, turned));
      ONLY(3)
      asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at(&empty[stage])) : "memory");
      sum = sum * 7 + (tile[stage][t] ^ tile[stage][63 - t] >> 3);  //@1 //@2 //@3 //@4 //@5
      EXCEPT(3)
      asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at(&empty[stage])) : "memory");
      stage = next;
      parity = turned;
    }
    y[blockIdx.x * 64 + t] = sum;
  }
}
