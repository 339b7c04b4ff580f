// A product of e4m3 with scales of rows and columns for every 128 of k: the tensor core adds 128 of them, and the sums are promoted: scaled and added in f32.
// twin 1 missing-wait: partial sums are promoted before they are there
// twin 2 missing-wait: the stage is given back before the products that read it are done
// twin 3 missing-fence: no wgmma.fence between a write of the partial sums and the products
// twin 4 wrong-parity: the consumer waits for the phase before
// twin 5 missing-barrier: scales are read by threads that did not copy them, without a barrier
#include "../hopper.h"
constexpr int STEP = 128;
constexpr int STAGES = 2;
struct Shared {
  alignas(1024) uint8_t a[STAGES][64 * STEP];
  alignas(1024) uint8_t b[STAGES][64 * STEP];
  float scale_a[8][64];
  float scale_b[8][64];
  alignas(8) uint64_t full[STAGES];
  alignas(8) uint64_t empty[STAGES];
};
extern "C" __global__ void __launch_bounds__(160) fp8_matmul(const __grid_constant__ CUtensorMap ta, const __grid_constant__ CUtensorMap tb, const float* sa, const float* sb, float* c, int rows, int columns, int steps) {
  Shared& s = *reinterpret_cast<Shared*>(raw);
  int t = threadIdx.x;
  if (t == 128) {
    for (int i = 0; i < STAGES; i++) {
      INIT(shared_address(&s.full[i]), 1);
      INIT(shared_address(&s.empty[i]), 4);
    }
    PUBLISH();
  }
  __syncthreads();
  if (t >= 128) {
    if (t == 128)
      for (int k = 0; k < steps; k++) {
        int i = k % STAGES;
        WAIT(shared_address(&s.empty[i]), ((k / STAGES) & 1) ^ 1);
        EXPECT(shared_address(&s.full[i]), 2 * 64 * STEP);
        LOAD(shared_address(s.a[i]), &ta, k * STEP, blockIdx.y * 64, shared_address(&s.full[i]));  //@2 //@4
        LOAD(shared_address(s.b[i]), &tb, k * STEP, blockIdx.x * 64, shared_address(&s.full[i]));  //@2 //@4
      }
    return;
  }
  for (int n = t; n < steps * 64; n += 128) {
    s.scale_a[n / 64][n % 64] = sa[n / 64 * rows + blockIdx.y * 64 + n % 64];  //@5
    s.scale_b[n / 64][n % 64] = sb[n / 64 * columns + blockIdx.x * 64 + n % 64];  //@5
  }
  EXCEPT(5) MEET(1, 128);
  float sum[32] = {};
  float d[32];
  int w = t / 32;
  int l = t % 32;
  for (int k = 0; k < steps; k++) {
    int i = k % STAGES;
    WAIT(shared_address(&s.full[i]), ((k / STAGES) & 1) ^ EITHER(4, 1, 0));
    uint64_t a = descriptor(shared_address(s.a[i]));
    uint64_t b = descriptor(shared_address(s.b[i]));
    PRODUCT_FENCE();
    ONLY(3) asm volatile("mov.f32 %0, 0f00000000;" : "=f"(d[0])::"memory");  //@3
#pragma unroll
    for (int kk = 0; kk < 4; kk++)
      PRODUCT_E4M3_64x64x32(d, a + 2 * kk, b + 2 * kk, kk > 0);  //@1 //@2 //@3 //@4
    PRODUCT_COMMIT();
    EXCEPT(2) EXCEPT(1) PRODUCT_WAIT(0);
    if (l == 0)
      ARRIVE(shared_address(&s.empty[i]));
    ONLY(2) PRODUCT_WAIT(0);
#pragma unroll
    for (int j = 0; j < 32; j++) {
      float scale = s.scale_a[k][w * 16 + l / 4 + 8 * (j / 2 % 2)] * s.scale_b[k][j / 4 * 8 + 2 * (l % 4) + j % 2];  //@5
      sum[j] = fmaf(d[j], scale, sum[j]);  //@1
    }
  }
  ONLY(1) PRODUCT_WAIT(0);
#pragma unroll
  for (int j = 0; j < 32; j++)
    c[(size_t)(blockIdx.y * 64 + w * 16 + l / 4 + 8 * (j / 2 % 2)) * columns + blockIdx.x * 64 + j / 4 * 8 + 2 * (l % 4) + j % 2] = sum[j];
}
