// Attention, forward: O = softmax(Q K' / 8) V for one head of 64, by blocks of 64 keys. A producer warp loads K and V by TMA; two consumer warpgroups of 64 queries
// each multiply Q by K', keep the maximum and the sum of every row (online softmax), and multiply the probabilities, as registers, by V. Named barriers let
// one warpgroup issue its products while the other computes exponentials.
// twin 1 missing-wait: V is given back before the products that read it are done
// twin 2 missing-fence: no wgmma.fence between the registers of the probabilities and the product that reads them
// twin 3 missing-wait: the scores are read before they are there
// twin 4 wrong-parity: the consumers take the phase of V before
// twin 5 missing-wait: the sums are rescaled while the product before adds to them
// twin 6 wrong-count: a block of K is free when one of the two consumers is done with it
#include "../hopper.h"
constexpr int KEYS = 64;
constexpr int HEAD = 64;
constexpr int STAGES = 2;
struct Shared {
  alignas(1024) half q[2][64 * HEAD];
  alignas(1024) half k[STAGES][KEYS * HEAD];
  alignas(1024) half v[STAGES][KEYS * HEAD];
  alignas(8) uint64_t queries;
  alignas(8) uint64_t full_k[STAGES];
  alignas(8) uint64_t empty_k[STAGES];
  alignas(8) uint64_t full_v[STAGES];
  alignas(8) uint64_t empty_v[STAGES];
};
__device__ __forceinline__ float power(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
__device__ __forceinline__ float row_max(float x) {
  x = fmaxf(x, __shfl_xor_sync(~0u, x, 1));
  return fmaxf(x, __shfl_xor_sync(~0u, x, 2));
}
__device__ __forceinline__ float row_sum(float x) {
  x += __shfl_xor_sync(~0u, x, 1);
  return x + __shfl_xor_sync(~0u, x, 2);
}
extern "C" __global__ void __launch_bounds__(384) attention(const __grid_constant__ CUtensorMap tq, const __grid_constant__ CUtensorMap tk, const __grid_constant__ CUtensorMap tv, float* o, int blocks, float scale) {
  Shared& s = *reinterpret_cast<Shared*>(raw);
  int group = threadIdx.x / 128;
  if (threadIdx.x == 0) {
    INIT(shared_address(&s.queries), 1);
    for (int i = 0; i < STAGES; i++) {
      INIT(shared_address(&s.full_k[i]), 1);
      INIT(shared_address(&s.empty_k[i]), EITHER(6, 1, 2));  //@6
      INIT(shared_address(&s.full_v[i]), 1);
      INIT(shared_address(&s.empty_v[i]), 2);
    }
    PUBLISH();
  }
  __syncthreads();
  if (group == 0) {
    FEWER_REGISTERS(40);
    if (threadIdx.x == 0) {
      EXPECT(shared_address(&s.queries), 2 * 64 * HEAD * 2);
      LOAD(shared_address(s.q[0]), &tq, 0, blockIdx.x * 128, shared_address(&s.queries));
      LOAD(shared_address(s.q[1]), &tq, 0, blockIdx.x * 128 + 64, shared_address(&s.queries));
      for (int j = 0; j < blocks; j++) {
        int i = j % STAGES;
        int parity = ((j / STAGES) & 1) ^ 1;
        WAIT(shared_address(&s.empty_k[i]), parity);
        EXPECT(shared_address(&s.full_k[i]), KEYS * HEAD * 2);
        LOAD(shared_address(s.k[i]), &tk, 0, j * KEYS, shared_address(&s.full_k[i]));  //@6
        WAIT(shared_address(&s.empty_v[i]), parity);
        EXPECT(shared_address(&s.full_v[i]), KEYS * HEAD * 2);
        LOAD(shared_address(s.v[i]), &tv, 0, j * KEYS, shared_address(&s.full_v[i]));  //@1 //@4
      }
    }
  } else {
    MORE_REGISTERS(232);
    int me = group - 1;
    int t = threadIdx.x % 128;
    float acc[32] = {};
    float most[2] = {-INFINITY, -INFINITY};
    float total[2] = {};
    uint64_t q = descriptor(shared_address(s.q[me]));
    WAIT(shared_address(&s.queries), 0);
    if (me == 1)
      GIVE(1, 256);
    for (int j = 0; j < blocks; j++) {
      int i = j % STAGES;
      int parity = (j / STAGES) & 1;
      float d[32];
      uint64_t k = descriptor(shared_address(s.k[i]));
      WAIT(shared_address(&s.full_k[i]), parity);
      MEET(1 + me, 256);
      PRODUCT_FENCE();
#pragma unroll
      for (int kk = 0; kk < 4; kk++)
        PRODUCT_64x64x16(d, q + 2 * kk, k + 2 * kk, kk > 0);  //@3 //@6
      PRODUCT_COMMIT();
      if (me == 0 || j + 1 < blocks)
        GIVE(2 - me, 256);
      if (BROKEN != 3)
        PRODUCT_WAIT(0);
      if (t == 0)
        ARRIVE(shared_address(&s.empty_k[i]));  //@6
      float was[2] = {most[0], most[1]};
#pragma unroll
      for (int r = 0; r < 2; r++) {
        float m = d[2 * r];  //@3
#pragma unroll
        for (int c = 0; c < 16; c++)
          m = fmaxf(m, d[4 * (c / 2) + 2 * r + c % 2]);  //@3
        most[r] = fmaxf(most[r], row_max(m));
        float factor = power((was[r] - most[r]) * scale);
        total[r] *= factor;
        ONLY(5) if (j > 0) PRODUCT_WAIT(0);
#pragma unroll
        for (int c = 0; c < 16; c++)
          acc[4 * (c / 2) + 2 * r + c % 2] *= factor;  //@5
      }
      uint32_t p[16];
#pragma unroll
      for (int c = 0; c < 16; c++) {
        int r = c % 2;
        float x = power((d[2 * c] - most[r]) * scale);
        float y = power((d[2 * c + 1] - most[r]) * scale);
        total[r] += x + y;
        half2 pair = __floats2half2_rn(x, y);
        p[c] = *reinterpret_cast<uint32_t*>(&pair);  //@2
      }
      WAIT(shared_address(&s.full_v[i]), parity ^ EITHER(4, 1, 0));  //@4
      uint64_t v = descriptor(shared_address(s.v[i]));
      EXCEPT(2) PRODUCT_FENCE();
#pragma unroll
      for (int kk = 0; kk < 4; kk++)
        PRODUCT_REGISTERS_64x64x16(acc, p + 4 * kk, v + 128 * kk);  //@1 //@2 //@4 //@5
      PRODUCT_COMMIT();
      ONLY(1) if (t == 0) ARRIVE(shared_address(&s.empty_v[i]));
      if (BROKEN != 5 || j + 1 == blocks)
        PRODUCT_WAIT(0);
      EXCEPT(1) if (t == 0) ARRIVE(shared_address(&s.empty_v[i]));  //@5
    }
    int w = t / 32;
    int l = t % 32;
#pragma unroll
    for (int r = 0; r < 2; r++) {
      float sum = row_sum(total[r]);
      float inverse;
      asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(sum));
      float* row = o + (size_t)(blockIdx.x * 128 + me * 64 + w * 16 + r * 8 + l / 4) * HEAD + 2 * (l % 4);
#pragma unroll
      for (int c = 0; c < 8; c++) {
        row[8 * c] = acc[4 * c + 2 * r] * inverse;
        row[8 * c + 1] = acc[4 * c + 2 * r + 1] * inverse;
      }
    }
  }
}
