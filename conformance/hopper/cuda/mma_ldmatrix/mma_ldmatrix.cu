// c = a b of f16 into f32 on the tensor cores of a warp: cp.async fills two stages, ldmatrix makes fragments of them, mma.sync.m16n8k16 multiplies. Two warps, a tile of 32 x 32.
// twin 1 missing-wait: one group too many may be in flight when a stage is read
// twin 2 missing-barrier: a stage is read before the copies of the other warp have been waited for
// twin 3 missing-barrier: a stage is fetched into the buffer that the other warp still reads
// twin 4 out-of-bounds: one stage too many is fetched
// twin 5 divergent-barrier: one lane does not come to the product
// twin 6 misaligned: rows of a are padded so that they no longer begin at 16 bytes
#include "../twins.h"
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
constexpr int pitchA = EITHER(6, 20, 24), pitchB = 40;
struct Stage {
  alignas(16) __half a[32 * pitchA];
  alignas(16) __half b[16 * pitchB];
};
__device__ __forceinline__ void fetch(Stage& stage, const __half* a, const __half* b, int k, int n, int step) {
  int t = threadIdx.x;
  __pipeline_memcpy_async(&stage.a[t / 2 * pitchA + t % 2 * 8], a + t / 2 * k + step * 16 + t % 2 * 8, 16);  //@1 //@2 //@3 //@4 //@6
  __pipeline_memcpy_async(&stage.b[t / 4 * pitchB + t % 4 * 8], b + (step * 16 + t / 4) * n + t % 4 * 8, 16);  //@1 //@2 //@3 //@4
  __pipeline_commit();
}
__device__ __forceinline__ void rows_of(uint32_t (&r)[4], const __half* p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(shared_address(p)) : "memory");  //@1 //@2 //@3 //@6
}
__device__ __forceinline__ void columns_of(uint32_t (&r)[2], const __half* p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(shared_address(p)) : "memory");  //@1 //@2 //@3
}
__device__ __forceinline__ void multiply(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));  //@5
}
extern "C" __global__ void mma_ldmatrix(const __half* a, const __half* b, float* c, int n, int k) {
  __shared__ Stage stages[2];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  a += blockIdx.y * 32 * k;
  b += blockIdx.x * 32;
  float sums[4][4] = {};
  int steps = k / 16;
  fetch(stages[0], a, b, k, n, 0);
  for (int step = 0; step < steps; step++) {
    if (step + 1 < steps + EITHER(4, 1, 0)) {
      fetch(stages[(step + 1) % 2], a, b, k, n, step + 1);
      EXCEPT(1)
      __pipeline_wait_prior(1);
      ONLY(1)
      __pipeline_wait_prior(2);
    } else {
      __pipeline_wait_prior(0);
    }
    EXCEPT(2)
    __syncthreads();
    const Stage& stage = stages[step % 2];
    uint32_t mine[4];
    rows_of(mine, &stage.a[(warp * 16 + lane % 16) * pitchA + lane / 16 * 8]);
    for (int j = 0; j < 4; j++) {
      uint32_t theirs[2];
      columns_of(theirs, &stage.b[lane % 16 * pitchB + j * 8]);
      ONLY(5)
      if (lane == 31)
        continue;
      multiply(sums[j], mine, theirs);
    }
    EXCEPT(3)
    __syncthreads();
  }
  float* mine = c + (blockIdx.y * 32 + warp * 16 + lane / 4) * n + blockIdx.x * 32 + lane % 4 * 2;
  for (int j = 0; j < 4; j++) {
    mine[j * 8] = sums[j][0];
    mine[j * 8 + 1] = sums[j][1];
    mine[8 * n + j * 8] = sums[j][2];
    mine[8 * n + j * 8 + 1] = sums[j][3];
  }
}
