// Fifth set: what a warpgroup does between its products. When each of a row of products is issued, descriptors that come from registers, and waits whose phase is over.
#include "wgmma.cuh"
__device__ __forceinline__ void commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int L> __device__ __forceinline__ void drain() { asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(L) : "memory"); }
__device__ __forceinline__ void begin() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
template <int D> __device__ __forceinline__ void kept(float (&d)[D]) {
#pragma unroll
  for (int i = 0; i < D; i++) asm volatile("" : "+f"(d[i])::"memory");
}
// a row of twelve products: the clock before the first one, after each one, and after the wait for all
template <int N> __device__ __forceinline__ void issue(long long* out) {
  float d[N / 2];
#pragma unroll
  for (int i = 0; i < N / 2; i++) d[i] = 0;
  u64 w = threadIdx.x / 128, base = (sh(smem) + 1023) & ~1023u, desc = (1ull << 62) | (64ull << 32) | (1ull << 16), a = desc | ((base + w * 8192) >> 4 & 0x3fff), b = desc | ((base + 32768) >> 4 & 0x3fff);
  long long t[14];
  for (int round = 0; round < 2; round++) {
    __syncthreads();
    kept(d);
    begin();
    t[0] = now();
#pragma unroll
    for (int k = 0; k < 12; k++) { P<N>::go(d, a, b); t[k + 1] = now(); }
    commit(); drain<0>();
    t[13] = now();
    kept(d);
  }
  if (threadIdx.x % 128 == 0) for (int k = 0; k < 14; k++) out[w * 14 + k] = t[k] - t[0];
  float s = 0; for (int i = 0; i < N / 2; i++) s += d[i]; if (s == 1.2345f) out[0] = 1;
}
// groups of four products after a wait that is passed; M: their descriptors are computed in registers in each turn, from a number that is zero
template <int N, int L, int M> __device__ __forceinline__ void turns(long long* out, int n, u64 zero) {
  float d[N / 2];
#pragma unroll
  for (int i = 0; i < N / 2; i++) d[i] = 0;
  u64 w = threadIdx.x / 128, base = (sh(smem) + 1023) & ~1023u, desc = (1ull << 62) | (64ull << 32) | (1ull << 16), a = desc | ((base + w * 8192) >> 4 & 0x3fff), b = desc | ((base + 32768) >> 4 & 0x3fff);
  __shared__ u64 gate;
  if (threadIdx.x == 0) minit(sh(&gate), 1);
  __syncthreads();
  kept(d);
  long long t = now();
  for (int i = 0; i < n; i++) {
    mwait(sh(&gate), 1);
    if (M) { a += zero; b += zero; asm volatile("" : "+l"(a), "+l"(b)::"memory"); }
    begin();
#pragma unroll
    for (int k = 0; k < 4; k++) P<N>::go(d, a + 2 * k, b + 2 * k);
    commit(); drain<L>();
  }
  drain<0>(); kept(d);
  long long e = now();
  if (threadIdx.x % 128 == 0) out[blockIdx.x * 4 + w] = e - t;
  float s = 0; for (int i = 0; i < N / 2; i++) s += d[i]; if (s == 1.2345f) out[0] = 1;
}
#define SET(N) C(issue_##N)(long long* out) { issue<N>(out); } \
  C(turns_##N##_0_0)(long long* out, int n, u64 zero) { turns<N, 0, 0>(out, n, zero); } C(turns_##N##_0_1)(long long* out, int n, u64 zero) { turns<N, 0, 1>(out, n, zero); } \
  C(turns_##N##_1_0)(long long* out, int n, u64 zero) { turns<N, 1, 0>(out, n, zero); } C(turns_##N##_1_1)(long long* out, int n, u64 zero) { turns<N, 1, 1>(out, n, zero); }
SET(8) SET(64) SET(128) SET(256)
// waits whose phase is over, eight in a row
C(passed)(long long* out, int n) {
  __shared__ u64 b; uint32_t m = sh(&b);
  if (threadIdx.x == 0) minit(m, 1);
  __syncthreads();
  long long a = now();
  for (int i = 0; i < n; i++) {
#pragma unroll
    for (int k = 0; k < 8; k++) mwait(m, 1);
  }
  if (threadIdx.x == 0) out[0] = now() - a;
}
// sixteen branches in a row, which are taken or not
C(branches)(long long* out, int n, int taken) {
  long long a = now();
  for (int i = 0; i < n; i++) {
#pragma unroll
    for (int k = 0; k < 16; k++) asm volatile("{\n.reg .pred p;\nsetp.ne.s32 p, %0, %1;\n@p bra L_%=;\nmov.u32 %0, %0;\nbar.warp.sync 0xffffffff;\nL_%=:\n}" : "+r"(taken) : "r"(k) : "memory");
  }
  if (threadIdx.x == 0) out[0] = now() - a;
}
// a chain of so many additions, of which each needs the one before
C(chained)(long long* out, int n, int x) {
  long long a = now();
  for (int i = 0; i < n; i++) {
#pragma unroll
    for (int k = 0; k < 16; k++) asm volatile("xor.b32 %0, %0, %1;\n" : "+r"(x) : "r"(n) : "memory");
  }
  if (threadIdx.x == 0) { out[0] = now() - a; out[1] = x; }
}
