// Sixth set: the products of `fourth.cu` once more, each of which takes down when: of each step when its copies are issued and when they are there, of each tile on which
// multiprocessor it is, when it begins, when its products are done, and when its output is written.
#include "device.cuh"
__device__ uint32_t* steps_at;
__device__ long long* tiles_at;
#define ISSUED(tile, step) steps_at[((tile) * steps + (step)) * 2] = (uint32_t)now()
#define THERE(tile, step) if (threadIdx.x == 0) steps_at[((tile) * steps + (step)) * 2 + 1] = (uint32_t)now()
#define BEGUN(tile) { long long* o = tiles_at + (tile) * 5; uint32_t s; asm volatile("mov.u32 %0, %%smid;" : "=r"(s)); o[0] = s; o[1] = now(); o[2] = ns(); }
#define DONE(tile) if (threadIdx.x == 0) tiles_at[(tile) * 5 + 3] = now()
#define WRITTEN(tile) if (threadIdx.x == 0) tiles_at[(tile) * 5 + 4] = now()
#define ONLY
#include "fourth.cu"
PRODUCT(64, 1, 1, 0) PRODUCT(64, 1, 1, 2) PRODUCT(64, 2, 1, 0) PRODUCT(64, 2, 1, 2) PRODUCT(128, 1, 1, 0) PRODUCT(128, 1, 1, 2) PRODUCT(128, 2, 1, 0) PRODUCT(128, 2, 1, 2) PRODUCT(128, 2, 2, 2)
PRODUCT(256, 1, 1, 2) PRODUCT(256, 2, 1, 0) PRODUCT(256, 2, 1, 2)
C(into)(uint32_t* s, long long* t) { steps_at = s; tiles_at = t; }
