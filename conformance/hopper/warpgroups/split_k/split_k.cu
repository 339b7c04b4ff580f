// A product whose k is split among the CTAs of a column of the grid: each adds its part to c when it is its turn, which a semaphore in global memory says. The
// order of the additions is that of the CTAs, so the sum is the same in every run.
// twin 1 missing-acquire: the turn is read without acquire, and no fence follows
// twin 2 missing-release: the turn is given on without release
// twin 3 missing-barrier: the turn is given on before all threads have added
// twin 4 missing-barrier: only the thread that waits for the turn waits
// twin 5 missing-wait: the accumulators are read before the products are done
#include "../hopper.h"
constexpr int STEP = 64;
struct Shared {
  alignas(1024) half a[64 * STEP];
  alignas(1024) half b[64 * STEP];
  alignas(8) uint64_t full;
};
extern "C" __global__ void __launch_bounds__(128) split_k(const __grid_constant__ CUtensorMap ta, const __grid_constant__ CUtensorMap tb, float* c, uint32_t* turns, int columns, int steps) {
  Shared& s = *reinterpret_cast<Shared*>(raw);
  int t = threadIdx.x;
  uint32_t full = shared_address(&s.full);
  if (t == 0) {
    INIT(full, 1);
    PUBLISH();
  }
  __syncthreads();
  float d[32] = {};
  for (int k = 0; k < steps; k++) {
    if (t == 0) {
      EXPECT(full, 2 * 64 * STEP * 2);
      LOAD(shared_address(s.a), &ta, (blockIdx.y * steps + k) * STEP, 0, full);
      LOAD(shared_address(s.b), &tb, (blockIdx.y * steps + k) * STEP, blockIdx.x * 64, full);
    }
    WAIT(full, k & 1);
    PRODUCT_FENCE();
#pragma unroll
    for (int kk = 0; kk < 4; kk++)
      PRODUCT_64x64x16(d, descriptor(shared_address(s.a)) + 2 * kk, descriptor(shared_address(s.b)) + 2 * kk, 1);  //@5
    PRODUCT_COMMIT();
    if (BROKEN != 5 || k + 1 < steps)
      PRODUCT_WAIT(0);
    __syncthreads();
  }
  uint32_t* turn = turns + blockIdx.x;
  if (t == 0) {
    uint32_t now;
    do {
      if (BROKEN == 1)
        asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(turn) : "memory");
      else
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(turn) : "memory");
    } while (now != blockIdx.y);
  }
  EXCEPT(4) __syncthreads();
#pragma unroll
  for (int j = 0; j < 32; j++) {
    float* at = c + (size_t)(t / 32 * 16 + t % 32 / 4 + 8 * (j / 2 % 2)) * columns + blockIdx.x * 64 + j / 4 * 8 + 2 * (t % 4) + j % 2;
    *at += d[j];  //@1 //@2 //@3 //@4 //@5
  }
  EXCEPT(3) __syncthreads();
  if (t == 0) {
    if (BROKEN == 2)
      asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(turn), "r"(blockIdx.y + 1) : "memory");
    else
      asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(turn), "r"(blockIdx.y + 1) : "memory");
  }
}
