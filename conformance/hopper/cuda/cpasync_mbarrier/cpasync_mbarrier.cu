// Two warps copy with cp.async and let the copies arrive at an mbarrier; two warps wait, read and give the stage back.
// twin 1 missing-wait: the consumers do not wait for the stage
// twin 2 missing-wait: the producers do not wait until the stage is free
// twin 3 wrong-parity: the consumers wait for the generation before
// twin 4 missing-barrier: the barriers are used before they are initialised
// twin 5 out-of-bounds: a stage too many is copied
// twin 6 divergent-barrier: part of a warp reaches the last barrier
#include "../twins.h"
constexpr int STAGES = 2;
__device__ __forceinline__ void wait(uint32_t barrier, uint32_t parity) {
  asm volatile("{\n.reg .pred done;\nAGAIN:\nmbarrier.test_wait.parity.shared::cta.b64 done, [%0], %1;\n@!done bra AGAIN;\n}" ::"r"(barrier), "r"(parity) : "memory");  //@4
}
extern "C" __global__ void cpasync_mbarrier(const float* x, float* y, int stages) {
  __shared__ alignas(16) float buffer[STAGES][256];
  __shared__ alignas(8) uint64_t full[STAGES];
  __shared__ alignas(8) uint64_t empty[STAGES];
  int t = threadIdx.x;
  const float* mine = x + blockIdx.x * stages * 256;
  if (t == 0) {
    for (int s = 0; s < STAGES; s++) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 64;" ::"r"(shared_address(&full[s])) : "memory");  //@4
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 64;" ::"r"(shared_address(&empty[s])) : "memory");  //@4
    }
  }
  EXCEPT(4)
  __syncthreads();
  float sum = 0;
  if (t < 64) {
    for (int s = 0; s < stages + EITHER(5, 1, 0); s++) {
      int b = s % STAGES;
      EXCEPT(2)
      wait(shared_address(&empty[b]), (s / STAGES & 1) ^ 1);
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(&buffer[b][4 * t])), "l"(mine + s * 256 + 4 * t) : "memory");  //@1 //@2 //@3 //@5
      asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(shared_address(&full[b])) : "memory");
    }
  } else {
    for (int s = 0; s < stages; s++) {
      int b = s % STAGES;
      EXCEPT(1)
      wait(shared_address(&full[b]), EITHER(3, (s / STAGES & 1) ^ 1, s / STAGES & 1));  //@3
      for (int j = 0; j < 4; j++)
        sum = sum * 0.5f + buffer[b][(t - 64 + 64 * j + 32) % 256];  //@1 //@2 //@3
      asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&empty[b])) : "memory");
    }
    y[blockIdx.x * 64 + t - 64] = sum;
  }
  ONLY(6)
  if (t < 48)
    __syncthreads();  //@6
}
