// A product by clusters of two CTAs, one above the other, which need the same columns of B: each loads half of them and both get both (multicast). A stage is free
// when the consumers of both CTAs have given it back to both producers.
// twin 1 missing-cluster-barrier: a peer may use the barriers before they are made
// twin 2 wrong-bytes: a stage is full when its own half of B is there
// twin 3 missing-arrive: a consumer gives a stage back to its own producer alone, which counts one
// twin 4 missing-cluster-barrier: a CTA may end while its peer still gives stages back to it
// twin 5 missing-wait: the stage is given back before the products that read it are done
#include "../hopper.h"
constexpr int STEP = 64;
constexpr int STAGES = 2;
struct Shared {
  alignas(1024) half a[STAGES][64 * STEP];
  alignas(1024) half b[STAGES][128 * STEP];
  alignas(8) uint64_t full[STAGES];
  alignas(8) uint64_t empty[STAGES];
};
extern "C" __global__ void __cluster_dims__(1, 2, 1) __launch_bounds__(160) cluster_matmul(const __grid_constant__ CUtensorMap ta, const __grid_constant__ CUtensorMap tb, float* c, int columns, int steps) {
  Shared& s = *reinterpret_cast<Shared*>(raw);
  int t = threadIdx.x;
  uint32_t rank = blockIdx.y % 2;
  if (t == 128) {
    for (int i = 0; i < STAGES; i++) {
      INIT(shared_address(&s.full[i]), 1);
      INIT(shared_address(&s.empty[i]), EITHER(3, 1, 2));  //@1
    }
    PUBLISH();
  }
  __syncthreads();
  EXCEPT(1) {
    CLUSTER_ARRIVE();
    CLUSTER_WAIT();
  }
  if (t >= 128) {
    if (t == 128)
      for (int k = 0; k < steps; k++) {
        int i = k % STAGES;
        WAIT_CLUSTER(shared_address(&s.empty[i]), ((k / STAGES) & 1) ^ 1);
        EXPECT(shared_address(&s.full[i]), (64 + EITHER(2, 64, 128)) * STEP * 2);  //@2
        LOAD(shared_address(s.a[i]), &ta, k * STEP, blockIdx.y * 64, shared_address(&s.full[i]));  //@5
        LOAD_TO(shared_address(s.b[i] + rank * 64 * STEP), &tb, k * STEP, blockIdx.x * 128 + rank * 64, shared_address(&s.full[i]), (uint16_t)3);  //@1 //@2 //@3 //@5
      }
  } else {
    float d[64] = {};
    for (int k = 0; k < steps; k++) {
      int i = k % STAGES;
      WAIT(shared_address(&s.full[i]), (k / STAGES) & 1);  //@2
      uint64_t a = descriptor(shared_address(s.a[i]));
      uint64_t b = descriptor(shared_address(s.b[i]));
      PRODUCT_FENCE();
#pragma unroll
      for (int kk = 0; kk < 4; kk++)
        PRODUCT_64x128x16(d, a + 2 * kk, b + 2 * kk);  //@2 //@3 //@5
      PRODUCT_COMMIT();
      ONLY(5) if (t < 2) ARRIVE_AT(shared_address(&s.empty[i]), t);
      PRODUCT_WAIT(0);
      EXCEPT(5) if (BROKEN == 3 ? t == rank : t < 2) ARRIVE_AT(shared_address(&s.empty[i]), t);  //@1 //@4
    }
    int w = t / 32;
    int l = t % 32;
    float* o = c + (size_t)(blockIdx.y * 64 + w * 16 + l / 4) * columns + blockIdx.x * 128 + 2 * (l % 4);
#pragma unroll
    for (int j = 0; j < 16; j++) {
      o[8 * j] = d[4 * j];
      o[8 * j + 1] = d[4 * j + 1];
      o[8 * j + 8 * (size_t)columns] = d[4 * j + 2];
      o[8 * j + 8 * (size_t)columns + 1] = d[4 * j + 3];
    }
  }
  EXCEPT(4) {
    __syncwarp();
    CLUSTER_ARRIVE();
    CLUSTER_WAIT();
  }
}
