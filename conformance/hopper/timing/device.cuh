// What the programs beside this one share: clocks, barriers in shared memory, copies.
#pragma once
#include <cuda.h>
#include <stdint.h>
#define C(name) extern "C" __global__ void name
typedef unsigned long long u64;
__device__ __forceinline__ long long now() { long long t; asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory"); return t; }
__device__ __forceinline__ long long ns() { long long t; asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory"); return t; }
__device__ __forceinline__ uint32_t sh(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ __forceinline__ void minit(uint32_t b, uint32_t n) { asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(b), "r"(n) : "memory"); }
__device__ __forceinline__ void mexpect(uint32_t b, uint32_t n) { asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(b), "r"(n) : "memory"); }
__device__ __forceinline__ void marrive(uint32_t b) { asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(b) : "memory"); }
__device__ __forceinline__ void mwait(uint32_t b, uint32_t ph) {
  asm volatile("{\n.reg .pred p;\nL_%=:\nmbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n@!p bra L_%=;\n}" ::"r"(b), "r"(ph) : "memory");
}
__device__ __forceinline__ void bulk(uint32_t d, const void* s, uint32_t n, uint32_t b) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(d), "l"(s), "r"(n), "r"(b) : "memory");
}
__device__ __forceinline__ void tens(uint32_t d, const void* m, int x, int y, uint32_t b) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(d), "l"(m), "r"(x), "r"(y), "r"(b) : "memory");
}
extern __shared__ __align__(1024) unsigned char smem[];
// when: clock and nanoseconds of each multiprocessor
C(stamp)(long long* out) { uint32_t s; asm("mov.u32 %0, %%smid;" : "=r"(s)); if (threadIdx.x == 0) { out[2 * s] = now(); out[2 * s + 1] = ns(); } }
// the frequency: clocks and nanoseconds of a spin
C(freq)(long long* out, int spin) { long long a = now(), n = ns(); while (now() - a < spin); out[0] = now() - a; out[1] = ns() - n; }
// nothing at all
C(nothing)(long long* out) {}
