// Trials of a cluster of two CTAs.
#pragma once
#include "device.h"

enum Pair { B9, K1, K2, K3 };

__device__ u32 peer(const void* p, u32 rank) {
  u32 there;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(at(p)), "r"(rank));
  return there;
}
__device__ void arriveAt(u32 b) { asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(b) : "memory"); }
__device__ void meet() { asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory"); }
__device__ void meetRelaxed() { asm volatile("barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.aligned;" ::: "memory"); }
__device__ bool waitCluster(u64* b, u32 parity) {
  const long long from = clock64();
  while (clock64() - from < patience) {
    u32 done;
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(at(b)), "r"(parity) : "memory");
    if (done) return true;
  }
  return false;
}

template <int H, bool WITH>
__global__ void __cluster_dims__(2) pair(u32* global, u32 round, u32* counts) {
  __shared__ __align__(128) u32 x[words];
  __shared__ __align__(8) u64 bar;
  const int t = threadIdx.x;
  const u32 rank = blockIdx.x % 2;
  const Trial trial = trialOf(round, blockIdx.x, gridDim.x, 2);
  u32* in = global + (size_t)(blockIdx.x / 2) * words;
  const u32 salt = 0x10000u + ((trial.nth / 2) + 1) * 4096u;
  // where the barrier will lie another lay, of a count of two
  if (t == 0) {
    init(&bar, 2);
    fenceInit();
  }
  for (int i = t; i < words; i += 64) x[i] = 7u;
  if (rank == 0) for (int i = t; i < words; i += 64) in[i] = salt + i;
  fence();
  __threadfence();
  meet();
  bool bad = false;
  if (H == B9) {
    // the peer arrives behind a relaxed meeting: with the initialisation published before it, or not
    if (rank == 0) spin(trial.da);
    if (t == 0) init(&bar, 1);
    if (WITH && t == 0) fenceInit();
    meetRelaxed();
    if (rank == 1 && t == 0) {
      spin(trial.db);
      arriveAt(peer(&bar, 0));
    }
    if (rank == 0) bad |= !waitCluster(&bar, 0);
    meet();
  }
  if (H == K1) {
    // the peer is reached into, and meets at its end or does not
    if (rank == 1) {
      spin(trial.da);
      if (t == 0) arriveAt(peer(&bar, 0));
    }
    if (WITH) meet();
  }
  if (H == K2) {
    // one meets, and the other too, or it ends
    spin(rank == 0 ? trial.da : trial.db);
    if (WITH || rank == 0) meet();
  }
  if (H == K3) {
    // each brings its half to both: to the place of its rank, or to the same place
    if (t == 0) init(&bar, 1), fenceInit();
    meet();
    if (t == 0) {
      expect(&bar, bytes);
      spin(rank == 0 ? trial.da : trial.db);
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(at(x + (WITH ? rank * halfTile : 0))), "l"(in + rank * halfTile), "r"(bytes / 2), "r"(at(&bar)), "h"((unsigned short)3) : "memory");
    }
    bad |= !waitCluster(&bar, 0);
    for (int i = t; i < words; i += 64) bad |= ((volatile u32*)x)[i] != salt + i;
    meet();
  }
  bad = __syncthreads_or(bad);
  if (t == 0 && rank == 0) counted(counts, trial.cell, bad);
}
