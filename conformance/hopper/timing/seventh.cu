// Seventh set: copies by threads (cp.async), by how many threads of how many CTAs; short products of 64 columns in several CTAs of a multiprocessor, with and without such copies beside them.
#include "products.cuh"
__device__ __forceinline__ void commitProducts() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
__device__ __forceinline__ void drainProducts() { asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory"); }
__device__ __forceinline__ void beginProducts() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ __forceinline__ uint32_t multiprocessor() { uint32_t s; asm volatile("mov.u32 %0, %%smid;" : "=r"(s)); return s; }
__device__ __forceinline__ void chunk(uint32_t to, const char* from) { asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory"); }
__device__ __forceinline__ void meetAll(unsigned* gate) {
  if (threadIdx.x == 0) { atomicAdd(gate, 1); while (*(volatile unsigned*)gate < gridDim.x); }
  __syncthreads();
}
// Each step copies PER chunks of 16 bytes a thread into a ring of four, and waits until three steps are on their way; K products of 64 x 64 x 16 between, of the warpgroup (K = 0: none).
template <int PER, int K> __device__ __forceinline__ void steps(long long* out, const char* p, const u64* from, const int* later, unsigned* gate, int n, u64 mask) {
  uint32_t base = (sh(smem) + 1023) & ~1023u, bytes = blockDim.x * 16 * PER;
  float d[32];
#pragma unroll
  for (int i = 0; i < 32; i++) d[i] = 0;
  u64 desc = (1ull << 62) | (64ull << 32) | (1ull << 16);
  u64 at = from[blockIdx.x];
  meetAll(gate);
  long long z = now(); int l = later[blockIdx.x]; while (now() - z < l);
  __syncthreads();
  long long a = now();
  uint32_t to = base + threadIdx.x * 16;
  const char* f = p + threadIdx.x * 16;
  for (int i = 0; i < n; i++) {
    if (PER > 0) {
      const char* g = f + (at & mask);
      uint32_t t = to + (i & 3) * bytes;
#pragma unroll
      for (int x = 0; x < PER; x++) chunk(t + x * 16 * blockDim.x, g + x * 16 * blockDim.x);
      asm volatile("cp.async.commit_group;" ::: "memory");
      at += bytes;
      asm volatile("cp.async.wait_group 3;" ::: "memory");
    }
    __syncthreads();
    if (K > 0) {
      uint32_t s = base + (i & 1) * 16384;
      u64 A = desc | (s >> 4 & 0x3fff), B = desc | ((s + 8192) >> 4 & 0x3fff);
      beginProducts();
#pragma unroll
      for (int k = 0; k < K; k++) mm64(d, A + 2 * (k & 1), B + 2 * (k & 1));
      commitProducts();
      drainProducts();
    }
  }
  asm volatile("cp.async.wait_group 0;" ::: "memory");
  __syncthreads();
  long long e = now();
  float s = 0;
#pragma unroll
  for (int i = 0; i < 32; i++) s += d[i];
  if (threadIdx.x == 0) { out[2 * blockIdx.x] = e - a; out[2 * blockIdx.x + 1] = multiprocessor(); }
  if (s == 12345.f) out[0] = 0;
}
#define STEPS(PER, K) extern "C" __global__ void steps_##PER##_##K(long long* out, const char* p, const u64* from, const int* later, unsigned* gate, int n, u64 mask) { steps<PER, K>(out, p, from, later, gate, n, mask); }
STEPS(8, 0) STEPS(4, 0) STEPS(16, 0) STEPS(0, 2) STEPS(0, 4) STEPS(4, 2) STEPS(8, 4)
