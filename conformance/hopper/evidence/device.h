// Instructions and clocks that the trials are made of.
#pragma once
#include <cstdint>
#include <cuda_runtime.h>

typedef uint32_t u32;
typedef uint64_t u64;
constexpr int words = 1024, halfTile = words / 2, bytes = 4 * words, delays = 5, patience = 200000;
__constant__ int clocks[delays] = {0, 50, 300, 1500, 6000};

__device__ u32 at(const void* p) { return (u32)__cvta_generic_to_shared(p); }
__device__ void spin(int n) {
  if (n == 0) return;
  const long long from = clock64();
  while (clock64() - from < n) {}
}
__device__ void init(u64* b, u32 n) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(at(b)), "r"(n) : "memory"); }
__device__ void announce(u64* b, u32 n) { asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(at(b)), "r"(n) : "memory"); }
__device__ void fenceInit() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
__device__ void fence() { asm volatile("fence.proxy.async;" ::: "memory"); }
__device__ void arrive(u64* b) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at(b)) : "memory"); }
__device__ void expect(u64* b, u32 n) { asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at(b)), "r"(n) : "memory"); }
// false where the watchdog gave up
__device__ bool wait(u64* b, u32 parity) {
  const long long from = clock64();
  while (clock64() - from < patience) {
    u32 done;
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(at(b)), "r"(parity) : "memory");
    if (done) return true;
  }
  return false;
}
__device__ void load(void* to, const void* from, u32 n, u64* b) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(at(to)), "l"(from), "r"(n), "r"(at(b)) : "memory");
}
__device__ void store(void* to, const void* from, u32 n) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2; cp.async.bulk.commit_group;" ::"l"(to), "r"(at(from)), "r"(n) : "memory");
}
__device__ void stored() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }
__device__ void storeRead() { asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory"); }

// what a trial looks at: `nth` of all, its delays before the one side and before the other
struct Trial {
  u32 nth, cell;
  int da, db;
};
__device__ Trial trialOf(u32 round, u32 block, u32 blocks, u32 together) {
  Trial t;
  t.nth = block + round * blocks;
  t.cell = (t.nth / together) % (delays * delays);
  t.da = clocks[t.cell / delays];
  t.db = clocks[t.cell % delays];
  return t;
}
// counts[2 c] trials of delays c, counts[2 c + 1] wrong ones
__device__ void counted(u32* counts, u32 cell, bool wrong) {
  atomicAdd(&counts[2 * cell], 1u);
  if (wrong) atomicAdd(&counts[2 * cell + 1], 1u);
}
