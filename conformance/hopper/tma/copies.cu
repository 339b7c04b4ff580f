#include <cstdint>
struct alignas(64) Map { char bytes[128]; };
__device__ __forceinline__ uint32_t sm(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }
struct Args { int c[5]; int o[3]; int mode; int bytes; int words; };
// mode: 0 im2col load, 1 tile load, 2 im2col store, 3 im2col reduce add, 4 tile store, 5 tile reduce add
#define C3 "{%2, %3, %4}"
#define C4 "{%2, %3, %4, %5}"
#define C5 "{%2, %3, %4, %5, %6}"
#define LOAD(dim, C, O) asm volatile("cp.async.bulk.tensor." dim ".shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, " C "], [%7], " O ";" \
  :: "r"(dst), "l"(map), "r"(a.c[0]), "r"(a.c[1]), "r"(a.c[2]), "r"(a.c[3]), "r"(a.c[4]), "r"(bar), "h"((short)a.o[0]), "h"((short)a.o[1]), "h"((short)a.o[2]) : "memory")
#define TILE(dim, C) asm volatile("cp.async.bulk.tensor." dim ".shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, " C "], [%7];" \
  :: "r"(dst), "l"(map), "r"(a.c[0]), "r"(a.c[1]), "r"(a.c[2]), "r"(a.c[3]), "r"(a.c[4]), "r"(bar) : "memory")
#define STORE(dim, C, M) asm volatile("cp.async.bulk.tensor." dim ".global.shared::cta." M ".bulk_group [%1, " C "], [%0];" \
  :: "r"(dst), "l"(map), "r"(a.c[0]), "r"(a.c[1]), "r"(a.c[2]), "r"(a.c[3]), "r"(a.c[4]) : "memory")
#define RED(dim, C, M) asm volatile("cp.reduce.async.bulk.tensor." dim ".global.shared::cta.add." M ".bulk_group [%1, " C "], [%0];" \
  :: "r"(dst), "l"(map), "r"(a.c[0]), "r"(a.c[1]), "r"(a.c[2]), "r"(a.c[3]), "r"(a.c[4]) : "memory")
#define BODY(dim, C, O) \
  extern __shared__ __align__(1024) uint32_t s[]; __shared__ __align__(8) uint64_t b; \
  uint32_t dst = sm(s), bar = sm(&b); \
  for (int i = threadIdx.x; i < a.words; i += blockDim.x) s[i] = a.mode < 2 ? 0xabcdabcdu : src[i]; \
  if (threadIdx.x == 0) { asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(bar)); } \
  asm volatile("fence.proxy.async;" ::: "memory"); __syncthreads(); \
  if (threadIdx.x == 0) { \
    if (a.mode < 2) { \
      asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" :: "r"(bar), "r"(a.bytes) : "memory"); \
      if (a.mode == 0) LOAD(dim, C, O); else TILE(dim, C); \
      int done = 0; for (int i = 0; i < 20000 && !done; i++) { \
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0, 1000; selp.s32 %0, 1, 0, p; }" : "=r"(done) : "r"(bar) : "memory"); } \
      *status = done; \
    } else { \
      if (a.mode == 2) STORE(dim, C, "im2col_no_offs"); else if (a.mode == 3) RED(dim, C, "im2col_no_offs"); else if (a.mode == 4) STORE(dim, C, "tile"); else RED(dim, C, "tile"); \
      asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory"); *status = 1; \
    } } \
  __syncthreads(); \
  if (a.mode < 2) for (int i = threadIdx.x; i < a.words; i += blockDim.x) out[i] = s[i];
#define O3 "{%8}"
#define O4 "{%8, %9}"
#define O5 "{%8, %9, %10}"
extern "C" __global__ void k3(const __grid_constant__ Map m, const __grid_constant__ Args a, const uint32_t* src, uint32_t* out, int* status) { uint64_t map = (uint64_t)&m; BODY("3d", C3, O3) }
extern "C" __global__ void k4(const __grid_constant__ Map m, const __grid_constant__ Args a, const uint32_t* src, uint32_t* out, int* status) { uint64_t map = (uint64_t)&m; BODY("4d", C4, O4) }
extern "C" __global__ void k5(const __grid_constant__ Map m, const __grid_constant__ Args a, const uint32_t* src, uint32_t* out, int* status) { uint64_t map = (uint64_t)&m; BODY("5d", C5, O5) }
