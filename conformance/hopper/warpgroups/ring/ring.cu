// A matrix product by one producer warp and two consumer warpgroups of 64 rows each: a ring of TMA loads on mbarriers, wgmma from shared memory, and one arrival of a
// consumer on `empty` right behind its wait for the products, without a barrier of its warpgroup. The kernel of conformance/cuda/ring.cu, a statement a line.
// twin 1 missing-wait: the consumer gives a stage back before its products are done
// twin 2 missing-fence: no wgmma.fence after the accumulators are set to zero
// twin 3 wrong-parity: the consumer waits for the phase before
// twin 4 missing-wait: the accumulators are read with one group pending
// twin 5 wrong-count: `empty` counts one of two consumers
// twin 6 divergent: the last warp of a warpgroup multiplies a step less
// twin 7 wrong-bytes: `full` expects the bytes of A alone
// twin 8 unlike: the warps of a warpgroup do not multiply the same part of B
#include <cuda.h>
#include <cuda_fp16.h>
#include "../../cuda/twins.h"
constexpr int ROWS = 128;
constexpr int COLUMNS = 128;
constexpr int STEP = 64;
constexpr int STAGES = 3;
struct Shared {
  alignas(1024) half a[STAGES][ROWS * STEP];
  alignas(1024) half b[STAGES][COLUMNS * STEP];
  alignas(8) uint64_t full[STAGES];
  alignas(8) uint64_t empty[STAGES];
};
__device__ __forceinline__ void wait(uint32_t barrier, uint32_t parity) {
  asm volatile("{\n.reg .pred done;\nLAB_WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n@done bra DONE;\nbra LAB_WAIT;\nDONE:\n}" ::"r"(barrier), "r"(parity) : "memory");  //@3
}
__device__ __forceinline__ uint64_t descriptor(uint32_t address) {
  return (uint64_t)((address & 0x3ffff) >> 4) | (uint64_t)1 << 16 | (uint64_t)64 << 32 | (uint64_t)1 << 62;
}
__device__ __forceinline__ void load(uint32_t into, const CUtensorMap* map, int x, int y, uint32_t barrier) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(into), "l"(map), "r"(x), "r"(y), "r"(barrier) : "memory");  //@1 //@5 //@7
}
__device__ __forceinline__ void multiply(float (&d)[64], uint64_t a, uint64_t b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63},%64,%65,1,1,1,0,0;"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])
      : "l"(a), "l"(b));  //@1 //@2 //@3 //@4 //@8
}
extern __shared__ uint8_t raw[];
extern "C" __global__ void __launch_bounds__(384) ring(const __grid_constant__ CUtensorMap ta, const __grid_constant__ CUtensorMap tb, float* c, int columns, int steps) {
  Shared& s = *reinterpret_cast<Shared*>(raw);
  int group = threadIdx.x / 128;
  if (threadIdx.x == 0) {
    for (int i = 0; i < STAGES; i++) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&s.full[i])) : "memory");
      asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&s.empty[i])), "r"(EITHER(5, 1, 2)) : "memory");  //@5
    }
    asm volatile("fence.proxy.async;" ::: "memory");
  }
  __syncthreads();
  if (group == 0) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x == 0) {
      for (int k = 0; k < steps; k++) {
        int i = k % STAGES;
        uint32_t full = shared_address(&s.full[i]);
        wait(shared_address(&s.empty[i]), ((k / STAGES) & 1) ^ 1);
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(full), "r"((ROWS + EITHER(7, 0, COLUMNS)) * STEP * 2) : "memory");  //@5 //@7
        load(shared_address(s.a[i]), &ta, k * STEP, blockIdx.y * ROWS, full);
        load(shared_address(s.b[i]), &tb, k * STEP, blockIdx.x * COLUMNS, full);  //@7
      }
    }
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    float d[64] = {};
    int row = (group - 1) * 64;
    int mine = steps;
    ONLY(6)
    if (threadIdx.x % 128 >= 96)
      mine = steps - 1;
    for (int k = 0; k < mine; k++) {
      int i = k % STAGES;
      wait(shared_address(&s.full[i]), ((k / STAGES) & 1) ^ EITHER(3, 1, 0));
      EXCEPT(2)
      asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
      uint64_t a = descriptor(shared_address(s.a[i] + row * STEP));
      uint64_t b = descriptor(shared_address(s.b[i]));
      ONLY(8)
      if (threadIdx.x % 128 >= 64)
        b = descriptor(shared_address(s.b[i] + 512));
#pragma unroll
      for (int kk = 0; kk < 4; kk++)
        multiply(d, a + 2 * kk, b + 2 * kk);
      asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
      if (BROKEN == 1 || (BROKEN == 4 && k + 1 == steps))
        asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
      else
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");  //@6
      if (threadIdx.x % 128 == 0)
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&s.empty[i])) : "memory");  //@5
    }
    ONLY(1)
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    int t = threadIdx.x % 128;
    int w = t / 32;
    int l = t % 32;
    float* o = c + (size_t)(blockIdx.y * ROWS + row + w * 16 + l / 4) * columns + blockIdx.x * COLUMNS + 2 * (l % 4);
#pragma unroll
    for (int j = 0; j < 16; j++) {
      o[8 * j] = d[4 * j];  //@4
      o[8 * j + 1] = d[4 * j + 1];  //@4
      o[8 * j + 8 * (size_t)columns] = d[4 * j + 2];  //@4
      o[8 * j + 8 * (size_t)columns + 1] = d[4 * j + 3];  //@4
    }
  }
}
