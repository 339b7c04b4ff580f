// Stream-K: the k steps of all tiles are one list, and every CTA takes as many of them; where a CTA begins or ends within a tile its part is added to c by
// atomics. Of s8 with sums of s32, so that every order of additions gives the same.
// twin 1 race: parts are added without atomics
// twin 2 missing-wait: the next stage is loaded while products read it
// twin 3 missing-barrier: the other warps may wait at the barrier before it is made
// twin 4 wrong-bytes: the barrier expects the bytes of A alone
#include "../hopper.h"
constexpr int STEP = 128;
struct Shared {
  alignas(1024) int8_t a[64 * STEP];
  alignas(1024) int8_t b[64 * STEP];
  alignas(8) uint64_t full;
};
extern "C" __global__ void __launch_bounds__(128) stream_k(const __grid_constant__ CUtensorMap ta, const __grid_constant__ CUtensorMap tb, int* c, int columns, int across, int steps, int each) {
  Shared& s = *reinterpret_cast<Shared*>(raw);
  int t = threadIdx.x;
  uint32_t full = shared_address(&s.full);
  if (t == 0) {
    INIT(full, 1);  //@3
    PUBLISH();
  }
  EXCEPT(3) __syncthreads();
  int phase = 0;
  int end = (blockIdx.x + 1) * each;
  for (int step = blockIdx.x * each; step < end;) {
    int tile = step / steps;
    int last = min(end, (tile + 1) * steps);
    bool whole = step == tile * steps && last == (tile + 1) * steps;
    int d[32] = {};
    for (; step < last; step++, phase ^= 1) {
      if (t == 0) {
        EXPECT(full, EITHER(4, 1, 2) * 64 * STEP);  //@4
        LOAD(shared_address(s.a), &ta, step % steps * STEP, tile / across * 64, full);  //@2 //@4
        LOAD(shared_address(s.b), &tb, step % steps * STEP, tile % across * 64, full);  //@2 //@4
      }
      WAIT(full, phase);  //@3
      // the compiler may not set registers of d between the fence and the products
#pragma unroll
      for (int j = 0; j < 32; j++)
        asm volatile("" : "+r"(d[j])::"memory");
      PRODUCT_FENCE();
#pragma unroll
      for (int kk = 0; kk < 4; kk++)
        PRODUCT_S8_64x64x32(d, descriptor(shared_address(s.a)) + 2 * kk, descriptor(shared_address(s.b)) + 2 * kk);  //@2 //@4
      PRODUCT_COMMIT();
      if (BROKEN != 2)
        PRODUCT_WAIT(0);
      __syncthreads();
    }
    ONLY(2) PRODUCT_WAIT(0);
#pragma unroll
    for (int j = 0; j < 32; j++) {
      int* at = c + (size_t)(tile / across * 64 + t / 32 * 16 + t % 32 / 4 + 8 * (j / 2 % 2)) * columns + tile % across * 64 + j / 4 * 8 + 2 * (t % 4) + j % 2;
      if (whole)
        *at = d[j];
      else if (BROKEN == 1)
        *at += d[j];  //@1
      else
        atomicAdd(at, d[j]);
    }
  }
}
