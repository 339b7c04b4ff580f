// A convolution as a matrix product: rows are pixels, which TMA takes in mode im2col from where the filter stands, columns are the channels that come out, k is the place in the filter and
// the channels that go in. One producer warp, one consumer warpgroup, a ring of three stages. The last block has fewer pixels than rows.
// twin 1 missing-wait: the stage is given back before the products that read it are done
// twin 2 wrong-bytes: `full` expects the bytes of the pixels that are there, and fill counts too
// twin 3 wrong-parity: the consumer waits for the phase before
// twin 4 out-of-bounds: the copy begins beside its window: the padding is subtracted twice
// twin 5 missing-wait: sums are stored while the last products are under way
#include "../hopper.h"
#define LOAD_PIXELS(into, map, channel, x, y, image, barrier, s, r) asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4, %5}], [%6], {%7, %8};" ::"r"(into), "l"(map), "r"(channel), "r"(x), "r"(y), "r"(image), "r"(barrier), "h"((short)(s)), "h"((short)(r)) : "memory")
constexpr int STAGES = 3;
constexpr int WIDTH = 6;
constexpr int HEIGHT = 7;
struct Shared {
  alignas(1024) half x[STAGES][64 * 64];
  alignas(1024) half filter[STAGES][64 * 64];
  alignas(8) uint64_t full[STAGES];
  alignas(8) uint64_t empty[STAGES];
};
extern "C" __global__ void __launch_bounds__(160) convolution(const __grid_constant__ CUtensorMap tx, const __grid_constant__ CUtensorMap tf, float* y, int pixels) {
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
  int first = blockIdx.x * 64;
  if (t >= 128) {
    if (t == 128) {
      int image = first / (WIDTH * HEIGHT);
      int row = first / WIDTH % HEIGHT - EITHER(4, 2, 1);
      int column = first % WIDTH - 1;
      for (int k = 0; k < 9; k++) {
        int i = k % STAGES;
        WAIT(shared_address(&s.empty[i]), ((k / STAGES) & 1) ^ 1);
        EXPECT(shared_address(&s.full[i]), EITHER(2, (min(64, pixels - first) + 64) * 64 * 2, 2 * 64 * 64 * 2));  //@2
        LOAD_PIXELS(shared_address(s.x[i]), &tx, 0, column, row, image, shared_address(&s.full[i]), k % 3, k / 3);  //@1 //@2 //@3 //@4
        LOAD(shared_address(s.filter[i]), &tf, k * 64, 0, shared_address(&s.full[i]));  //@1 //@2 //@3
      }
    }
    return;
  }
  float d[32];
  int w = t / 32;
  int l = t % 32;
  for (int k = 0; k < 9; k++) {
    int i = k % STAGES;
    WAIT(shared_address(&s.full[i]), ((k / STAGES) & 1) ^ EITHER(3, 1, 0));  //@2 //@3
    uint64_t a = descriptor(shared_address(s.x[i]));
    uint64_t b = descriptor(shared_address(s.filter[i]));
    PRODUCT_FENCE();
#pragma unroll
    for (int kk = 0; kk < 4; kk++)
      PRODUCT_64x64x16(d, a + 2 * kk, b + 2 * kk, k + kk > 0);  //@1 //@2 //@3 //@5
    PRODUCT_COMMIT();
    if (BROKEN == 1 || (BROKEN == 5 && k == 8))
      PRODUCT_WAIT(1);
    else
      PRODUCT_WAIT(0);
    if (l == 0)
      ARRIVE(shared_address(&s.empty[i]));
  }
  ONLY(1) PRODUCT_WAIT(0);
  int pixel = first + w * 16 + l / 4;
#pragma unroll
  for (int j = 0; j < 8; j++) {
    float* o = y + (size_t)pixel * 64 + 8 * j + 2 * (l % 4);
    if (pixel < pixels) {
      o[0] = d[4 * j];  //@5
      o[1] = d[4 * j + 1];  //@5
    }
    if (pixel + 8 < pixels) {
      o[8 * 64] = d[4 * j + 2];  //@5
      o[8 * 64 + 1] = d[4 * j + 3];  //@5
    }
  }
}
