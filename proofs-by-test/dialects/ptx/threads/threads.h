// PTX as macros, so that a finding names the line of the kernel.
#pragma once
#include <stdint.h>
#ifndef V
#define V 0
#endif
typedef uint32_t u32;
typedef uint64_t u64;
#define TID ((int)threadIdx.x)
#define WARP ((int)threadIdx.x >> 5)
#define LANE ((int)threadIdx.x & 31)
__device__ __forceinline__ u32 sa(const void* p) { return (u32)__cvta_generic_to_shared(p); }
#define A(...) asm volatile(__VA_ARGS__)
#define MB_INIT(b, n) A("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(sa(b)), "r"(n) : "memory")
#define MB_FENCE() A("fence.mbarrier_init.release.cluster;" ::: "memory")
#define MB_ARRIVE(b) A("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(sa(b)) : "memory")
#define MB_EXPECT(b, n) A("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(sa(b)), "r"(n) : "memory")
#define MB_WAIT(b, ph) A("{\n.reg .pred p;\nL_%=:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@!p bra L_%=;\n}" ::"r"(sa(b)), "r"((u32)(ph)) : "memory")
#define BULK_G2S(dst, src, n, b) A("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(sa(dst)), "l"(src), "r"(n), "r"(sa(b)) : "memory")
#define BULK_S2G(dst, src, n) A("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(dst), "r"(sa(src)), "r"(n) : "memory")
#define BULK_COMMIT() A("cp.async.bulk.commit_group;" ::: "memory")
#define BULK_WAIT(n) A("cp.async.bulk.wait_group %0;" ::"n"(n) : "memory")
#define FENCE_ASYNC() A("fence.proxy.async.shared::cta;" ::: "memory")
#define LD(v, op, p) A(op " %0, [%1];" : "=r"(v) : "l"(p) : "memory")
#define ST(op, p, v) A(op " [%0], %1;" ::"l"(p), "r"(v) : "memory")
