// Statements of PTX that CUDA C++ has no words for, as macros: a finding is at the line that uses one.
#pragma once
#include "twins.h"
// a tensor map in the parameters
struct alignas(64) Map {
  unsigned char bytes[128];
};
#define INIT(barrier, count) asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(count) : "memory")
#define INITS_VISIBLE() asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory")
#define EXPECT(barrier, bytes) asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes) : "memory")
#define ARRIVE(barrier) asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory")
#define WAIT(barrier, parity) asm volatile("{\n.reg .pred done;\nAGAIN_%=:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n@!done bra AGAIN_%=;\n}" ::"r"(shared_address(barrier)), "r"(parity) : "memory")
// boxes of a matrix, by their column and row
#define LOAD(into, map, column, row, barrier) asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(into)), "l"(&map), "r"(column), "r"(row), "r"(shared_address(barrier)) : "memory")
// of a pair: the bytes are told to a barrier of the even CTA
#define LOAD_PAIR(into, map, column, row, barrier) asm volatile("cp.async.bulk.tensor.2d.cta_group::2.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(into)), "l"(&map), "r"(column), "r"(row), "r"(shared_address(barrier) & 0xfeffffff) : "memory")
// tensor memory
#define ALLOC(group, into, columns) asm volatile("tcgen05.alloc.cta_group::" #group ".sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(shared_address(into)), "r"(columns) : "memory")
#define DEALLOC(group, address, columns) asm volatile("tcgen05.dealloc.cta_group::" #group ".sync.aligned.b32 %0, %1;" ::"r"(address), "r"(columns))
#define RELINQUISH(group) asm volatile("tcgen05.relinquish_alloc_permit.cta_group::" #group ".sync.aligned;")
#define BEFORE_SYNC() asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory")
#define AFTER_SYNC() asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory")
#define WAIT_LOADS() asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory")
#define WAIT_STORES() asm volatile("tcgen05.wait::st.sync.aligned;" ::: "memory")
#define MMA(group, kind, d, a, b, idesc, accumulates) asm volatile("{\n.reg .pred p;\nsetp.ne.u32 p, %4, 0;\ntcgen05.mma.cta_group::" #group ".kind::" #kind " [%0], %1, %2, %3, p;\n}" ::"r"(d), "l"(a), "l"(b), "r"(idesc), "r"(accumulates) : "memory")
#define COMMIT(barrier) asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(shared_address(barrier)) : "memory")
#define COMMIT_PAIR(barrier, ctas) asm volatile("tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%0], %1;" ::"r"(shared_address(barrier)), "h"((uint16_t)(ctas)) : "memory")
#define R8(r, i) "=r"(r[i]), "=r"(r[i + 1]), "=r"(r[i + 2]), "=r"(r[i + 3]), "=r"(r[i + 4]), "=r"(r[i + 5]), "=r"(r[i + 6]), "=r"(r[i + 7])
#define LOAD_32(r, address) asm volatile("tcgen05.ld.sync.aligned.32x32b.x32.b32 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, [%32];" : R8(r, 0), R8(r, 8), R8(r, 16), R8(r, 24) : "r"(address))
// rows of 128 bytes, swizzled by 128, eight of them 1024 bytes apart
__device__ __forceinline__ uint64_t matrix(const void* at) { return (uint64_t)((shared_address(at) & 0x3ffff) >> 4) | 1ull << 16 | 64ull << 32 | 1ull << 46 | 2ull << 61; }
__device__ __forceinline__ bool elected() {
  uint32_t yes;
  asm volatile("{\n.reg .pred p;\nelect.sync _|p, 0xffffffff;\nselp.b32 %0, 1, 0, p;\n}" : "=r"(yes));
  return yes;
}
