// Statements of clusters, mbarriers and bulk copies, as PTX has them. They are macros, so that a finding names the line that says them.
#pragma once
#include "twins.h"
__device__ __forceinline__ uint32_t cluster_rank() {
  uint32_t rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
// the same place in the shared memory of another CTA
__device__ __forceinline__ uint32_t at_rank(const void* p, uint32_t rank) {
  uint32_t there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(shared_address(p)), "r"(rank));
  return there;
}
#define CLUSTER_ARRIVE(how) asm volatile("barrier.cluster.arrive." how ".aligned;" ::: "memory")
#define CLUSTER_WAIT() asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory")
#define CLUSTER_SYNC() CLUSTER_ARRIVE("release"); CLUSTER_WAIT()
#define INIT(barrier, count) asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(count) : "memory")
#define INIT_FENCE() asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory")
#define EXPECT(barrier, bytes) asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes) : "memory")
// how: release.cluster, relaxed.cluster, ...
#define ARRIVE_AT(how, barrier, rank) asm volatile("mbarrier.arrive." how ".shared::cluster.b64 _, [%0];" ::"r"(at_rank(barrier, rank)) : "memory")
#define WAIT(how, barrier, parity) asm volatile("{\n.reg .pred done;\nAGAIN:\nmbarrier.try_wait.parity." how ".shared::cta.b64 done, [%0], %1;\n@!done bra AGAIN;\n}" ::"r"(shared_address(barrier)), "r"((uint32_t)(parity)) : "memory")
#define PROXY_FENCE() asm volatile("fence.proxy.async.shared::cta;" ::: "memory")
#define COMMIT() asm volatile("cp.async.bulk.commit_group;" ::: "memory")
#define WAIT_GROUPS(n) asm volatile("cp.async.bulk.wait_group %0;" ::"n"(n) : "memory")
#define WAIT_GROUPS_READ(n) asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(n) : "memory")
