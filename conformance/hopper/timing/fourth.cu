// Fourth set: kernels as authors write them, and what one part of them costs alone. Products in a ring of stages, with clusters, epilogues and orders of tiles; streams of
// copies that begin at different times; chains of products; stores of an epilogue.
#include "wgmma.cuh"
// what sixth.cu takes down: a tile is begun, a step's copies are issued, are there, the products of a tile are done, its output is written
#ifndef BEGUN
#define BEGUN(tile)
#define ISSUED(tile, step)
#define THERE(tile, step)
#define DONE(tile)
#define WRITTEN(tile)
#endif
__device__ __forceinline__ uint32_t smid() { uint32_t s; asm volatile("mov.u32 %0, %%smid;" : "=r"(s)); return s; }
__device__ __forceinline__ void commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int L> __device__ __forceinline__ void drain() { asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(L) : "memory"); }
__device__ __forceinline__ void begin() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
template <int D> __device__ __forceinline__ void kept(float (&d)[D]) {
#pragma unroll
  for (int i = 0; i < D; i++) asm volatile("" : "+f"(d[i])::"memory");
}
__device__ __forceinline__ uint32_t pair(float x, float y) { uint32_t r; asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(y), "f"(x)); return r; }
__device__ __forceinline__ void put(const void* m, int x, int y, uint32_t s) { asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(m), "r"(x), "r"(y), "r"(s) : "memory"); }
__device__ __forceinline__ void tensAll(uint32_t d, const void* m, int x, int y, uint32_t b, uint16_t mask) { asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(d), "l"(m), "r"(x), "r"(y), "r"(b), "h"(mask) : "memory"); }
__device__ __forceinline__ uint32_t rankOf() { uint32_t r; asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r)); return r; }
__device__ __forceinline__ void arriveAt(uint32_t b, uint32_t cta) { asm volatile("{.reg .b32 r; mapa.shared::cluster.u32 r, %0, %1; mbarrier.arrive.shared::cluster.b64 _, [r];}" ::"r"(b), "r"(cta) : "memory"); }
__device__ __forceinline__ void together() { asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory"); }
__device__ __forceinline__ void meet(int id, int n) { asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(n) : "memory"); }

// C = A B^T: A is M x K, B is N x K, C is M x N, of f16. G warpgroups of S times 64 rows each multiply, one more copies. Tiles in bands of `wide` columns; CTA b does tiles b, b + gridDim, ...
// A pair of CTAs (CL = 2) has the same rows and neighbouring columns: each loads half of A for both. E: how C is written, 0 by each thread, 1 through shared memory at once, 2 in pieces of 64 columns.
template <int N, int G, int S, int CL, int E> __device__ __forceinline__ void product(const void* ma, const void* mb, const void* mc, uint32_t* c, int rows, int columns, int steps, int stages, int wide) {
  __shared__ u64 full[8], empty[8];
  constexpr int BM = 64 * G * S, BA = BM * 128, BB = N * 128;
  uint32_t base = (sh(smem) + 1023) & ~1023u;
  if (threadIdx.x == 0) for (int i = 0; i < stages; i++) { minit(sh(full + i), 1); minit(sh(empty + i), G * CL); }
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  if (CL > 1) together(); else __syncthreads();
  int w = threadIdx.x / 128, rank = CL > 1 ? rankOf() : 0;
  int tiles = rows * columns, per = rows * wide;
  if (w == G) {
    if (threadIdx.x == 128 * G) {
      int s = 0, ph = 1;
      for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
        int band = t / per, in = t - band * per, row = in / wide, pm = row * BM, pn = (band * wide + in - row * wide) * N;
        BEGUN(t);
        for (int i = 0; i < steps; i++) {
          mwait(sh(empty + s), ph);
          ISSUED(t, i);
          mexpect(sh(full + s), BA + BB);
          uint32_t d = base + s * (BA + BB);
          if (CL > 1) tensAll(d + rank * (BA / 2), ma, i * 64, pm + rank * (BM / 2), sh(full + s), 3);
          else for (int j = 0; j < BM; j += BM < 128 ? BM : 128) tens(d + j * 128, ma, i * 64, pm + j, sh(full + s));
          tens(d + BA, mb, i * 64, pn, sh(full + s));
          if (++s == stages) s = 0, ph ^= 1;
        }
      }
    }
  } else {
    float d[S][N / 2];
    u64 desc = (1ull << 62) | (64ull << 32) | (1ull << 16);
    int s = 0, ph = 0;
    uint32_t out = base + stages * (BA + BB) + w * S * (E == 1 ? N * 128 : 2 * 8192);
    for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
      int band = t / per, in = t - band * per, row = in / wide, pm = row * BM, pn = (band * wide + in - row * wide) * N;
      for (int j = 0; j < S; j++)
#pragma unroll
        for (int i = 0; i < N / 2; i++) d[j][i] = 0;
      for (int j = 0; j < S; j++) kept(d[j]);
      int before = 0;
      for (int i = 0; i < steps; i++) {
        mwait(sh(full + s), ph);
        THERE(t, i);
        uint32_t at = base + s * (BA + BB);
        u64 A = desc | ((at + w * S * 8192) >> 4 & 0x3fff), B = desc | ((at + BA) >> 4 & 0x3fff);
        begin();
#pragma unroll
        for (int k = 0; k < 4; k++)
#pragma unroll
          for (int j = 0; j < S; j++) P<N>::go(d[j], A + j * 512 + 2 * k, B + 2 * k);
        commit();
        drain<1>();
        if (threadIdx.x % 128 == 0 && i > 0) { if (CL > 1) { arriveAt(sh(empty + before), 0); arriveAt(sh(empty + before), 1); } else marrive(sh(empty + before)); }
        before = s;
        if (++s == stages) s = 0, ph ^= 1;
      }
      drain<0>();
      for (int j = 0; j < S; j++) kept(d[j]);
      if (threadIdx.x % 128 == 0) { if (CL > 1) { arriveAt(sh(empty + before), 0); arriveAt(sh(empty + before), 1); } else marrive(sh(empty + before)); }
      DONE(t);
      int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4, r = warp * 16 + lane / 4;
      if (E == 0) {
        int pitch = columns * N / 2;
#pragma unroll
        for (int j = 0; j < S; j++)
#pragma unroll
          for (int x = 0; x < N / 8; x++) {
            uint32_t* to = c + (size_t)(pm + (w * S + j) * 64 + r) * pitch + (pn + x * 8) / 2 + lane % 4;
            to[0] = pair(d[j][4 * x], d[j][4 * x + 1]);
            to[8 * pitch] = pair(d[j][4 * x + 2], d[j][4 * x + 3]);
          }
      } else {
        // blocks of 64 rows by 64 columns of 128 bytes, swizzled
#pragma unroll
        for (int j = 0; j < S; j++)
#pragma unroll
          for (int p = 0; p < N / 64; p++) {
            uint32_t block = E == 1 ? out + (j * (N / 64) + p) * 8192 : out + (p & 1) * 8192;
            if (E == 2) { if (threadIdx.x % 128 == 0) asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory"); meet(1 + w, 128); }
            else if (j + p == 0) { if (threadIdx.x % 128 == 0) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory"); meet(1 + w, 128); }
#pragma unroll
            for (int x = 0; x < 8; x++) {
              uint32_t to = block + r * 128 + ((x ^ (r & 7)) << 4) + (lane & 3) * 4;
              int e = 4 * (p * 8 + x);
              asm volatile("st.shared.b32 [%0], %1;" ::"r"(to), "r"(pair(d[j][e], d[j][e + 1])) : "memory");
              asm volatile("st.shared.b32 [%0], %1;" ::"r"(to + 1024), "r"(pair(d[j][e + 2], d[j][e + 3])) : "memory");
            }
            if (E == 2 || (j == S - 1 && p == N / 64 - 1)) {
              asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
              meet(1 + w, 128);
              if (threadIdx.x % 128 == 0) {
                if (E == 2) put(mc, pn + p * 64, pm + (w * S + j) * 64, block);
                else for (int q = 0; q < S * (N / 64); q++) put(mc, pn + q % (N / 64) * 64, pm + (w * S + q / (N / 64)) * 64, out + q * 8192);
                asm volatile("cp.async.bulk.commit_group;" ::: "memory");
              }
            }
          }
      }
      WRITTEN(t);
    }
    if (E > 0 && threadIdx.x % 128 == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
  __syncwarp();
  if (CL > 1) together();
}
#define MAPS const __grid_constant__ CUtensorMap ma, const __grid_constant__ CUtensorMap mb, const __grid_constant__ CUtensorMap mc, uint32_t* c, int rows, int columns, int steps, int stages, int wide
#define PRODUCT(N, G, S, E) extern "C" __global__ void __launch_bounds__(128 * (G + 1)) product_##N##_##G##_##S##_##E(MAPS) { product<N, G, S, 1, E>(&ma, &mb, &mc, c, rows, columns, steps, stages, wide); }
#define PAIRED(N, G, S, E) extern "C" __global__ void __launch_bounds__(128 * (G + 1)) __cluster_dims__(2, 1, 1) paired_##N##_##G##_##S##_##E(MAPS) { product<N, G, S, 2, E>(&ma, &mb, &mc, c, rows, columns, steps, stages, wide); }
#ifndef ONLY
PRODUCT(64, 1, 1, 0) PRODUCT(64, 1, 1, 2) PRODUCT(128, 1, 1, 0) PRODUCT(128, 1, 1, 2) PRODUCT(256, 1, 1, 2)
PRODUCT(64, 2, 1, 0) PRODUCT(64, 2, 1, 2) PRODUCT(128, 2, 1, 0) PRODUCT(128, 2, 1, 1) PRODUCT(128, 2, 1, 2) PRODUCT(256, 2, 1, 0) PRODUCT(256, 2, 1, 2) PRODUCT(128, 2, 2, 2) PRODUCT(192, 2, 1, 2)
PAIRED(64, 1, 1, 2) PAIRED(128, 2, 1, 2) PAIRED(256, 2, 1, 2) PAIRED(64, 2, 1, 2)

// Streams: each CTA copies its own list of pieces in a ring of `deep`, beginning `later` cycles after the others have come. kind 0: bulk, 1: boxes of rows of 128 bytes, 2: boxes of 64 bytes a row, 3: cp.async by all threads.
C(streams)(long long* out, const __grid_constant__ CUtensorMap m, const char* p, const u64* from, const int* later, unsigned* gate, int kind, int bytes, int deep, int n, u64 mask, u64 span) {
  __shared__ u64 bar[16];
  uint32_t base = (sh(smem) + 1023) & ~1023u;
  if (threadIdx.x == 0) for (int i = 0; i < deep; i++) minit(sh(bar + i), 1);
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  u64 at = from[blockIdx.x], begun = at;
  if (threadIdx.x == 0) { out[4 * blockIdx.x + 1] = smid(); atomicAdd(gate, 1); while (*(volatile unsigned*)gate < gridDim.x); }
  __syncthreads();
  int d = later[blockIdx.x];
  if (d < 0) { if (threadIdx.x == 0) out[4 * blockIdx.x] = 0; return; }
  long long z = now(); while (now() - z < d);
  long long a = now();
  if (kind == 3) {
    int each = bytes / blockDim.x;
    auto go = [&](int i) { uint32_t to = base + i % deep * bytes + threadIdx.x * 16; const char* f = p + (at & mask) + threadIdx.x * 16; for (int x = 0; x < each; x += 16) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + x * blockDim.x), "l"(f + x * blockDim.x) : "memory"); asm volatile("cp.async.commit_group;" ::: "memory"); at += bytes; if (at - begun >= span) at = begun; };
    for (int i = 0; i < n; i++) { go(i); asm volatile("cp.async.wait_group 3;" ::: "memory"); __syncthreads(); }
    asm volatile("cp.async.wait_group 0;" ::: "memory"); __syncthreads();
  } else if (threadIdx.x == 0) {
    auto go = [&](int i, int s) { uint32_t to = base + s * bytes, b = sh(bar + s); mexpect(b, bytes);
      if (kind == 0) bulk(to, p + (at & mask), bytes, b); else if (kind == 1) tens(to, &m, 0, (int)((at & mask) >> 7), b); else tens(to, &m, 0, (int)((at & mask) >> 6), b);
      at += bytes; if (at - begun >= span) at = begun; };
    for (int i = 0; i < deep; i++) go(i, i);
    for (int i = 0, s = 0, ph = 0; i < n; i++) { mwait(sh(bar + s), ph); if (i + deep < n) go(i + deep, s); if (++s == deep) s = 0, ph ^= 1; }
  }
  if (threadIdx.x == 0) { long long e = now(); out[4 * blockIdx.x] = e - a; out[4 * blockIdx.x + 2] = a; out[4 * blockIdx.x + 3] = e; }
}
// the same data by pairs of CTAs: each copies half for both
extern "C" __global__ void __cluster_dims__(2, 1, 1) streams_paired(long long* out, const __grid_constant__ CUtensorMap m, const u64* from, int box, int deep, int n, u64 mask) {
  __shared__ u64 full[16], empty[16];
  uint32_t base = (sh(smem) + 1023) & ~1023u;
  if (threadIdx.x == 0) for (int i = 0; i < deep; i++) { minit(sh(full + i), 1); minit(sh(empty + i), 2); }
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  together();
  int rank = rankOf();
  u64 at = from[blockIdx.x / 2];
  long long a = now();
  if (threadIdx.x == 0) for (int i = 0, s = 0, ph = 1; i < n; i++) { mwait(sh(empty + s), ph); mexpect(sh(full + s), box * 256); tensAll(base + s * box * 256 + rank * box * 128, &m, 0, (int)((at & mask) >> 7) + rank * box, sh(full + s), 3); at += box * 256; if (++s == deep) s = 0, ph ^= 1; }
  if (threadIdx.x == 32) for (int i = 0, s = 0, ph = 0; i < n; i++) { mwait(sh(full + s), ph); arriveAt(sh(empty + s), 0); arriveAt(sh(empty + s), 1); if (++s == deep) s = 0, ph ^= 1; }
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = now() - a;
  __syncwarp();
  together();
}
// a load of each line, one after the other, three times over: the last time is kept
C(lines)(long long* out, const char* p, int n, u64 step) { out += (size_t)blockIdx.x * n; u64 v = 0; for (int round = 0; round < 3; round++) for (int i = 0; i < n; i++) { long long a = now(), b; v = __ldcg((const u64*)(p + i * step + v)); asm volatile("{.reg .pred q; setp.ne.u64 q, %1, 0; @q trap; mov.u64 %0, %%clock64;}" : "=l"(b) : "l"(v) : "memory"); out[i] = (b - a) | ((long long)smid() << 32); } }
// chains of products: so many, a commit, a wait that leaves L groups
template <int N, int H, int L> __device__ __forceinline__ void chain(long long* out, int n) {
  float d[N / 2];
#pragma unroll
  for (int i = 0; i < N / 2; i++) d[i] = 0;
  uint32_t w = threadIdx.x / 128, a4[4] = {0, 0, 0, 0};
  u64 base = (sh(smem) + 1023) & ~1023u, desc = (1ull << 62) | (64ull << 32) | (1ull << 16), a = desc | ((base + w * 8192) >> 4 & 0x3fff), b = desc | ((base + 32768) >> 4 & 0x3fff);
  __syncthreads();
  kept(d);
  long long t = now();
  for (int i = 0; i < n; i++) {
    begin();
#pragma unroll
    for (int k = 0; k < 4; k++) { if (H) P<N>::held(d, a4, b + 2 * k); else P<N>::go(d, a + 2 * k, b + 2 * k); }
    commit(); drain<L>();
  }
  drain<0>(); kept(d);
  long long e = now();
  if (threadIdx.x % 128 == 0) out[blockIdx.x * 4 + w] = e - t;
  float s = 0; for (int i = 0; i < N / 2; i++) s += d[i]; if (s == 1.2345f) out[0] = 1;
}
#define CHAIN(N) C(chain_##N##_0_0)(long long* out, int n) { chain<N, 0, 0>(out, n); } C(chain_##N##_0_1)(long long* out, int n) { chain<N, 0, 1>(out, n); } C(chain_##N##_1_0)(long long* out, int n) { chain<N, 1, 0>(out, n); } C(chain_##N##_1_1)(long long* out, int n) { chain<N, 1, 1>(out, n); }
CHAIN(8) CHAIN(16) CHAIN(32) CHAIN(64) CHAIN(96) CHAIN(128) CHAIN(192) CHAIN(256)
// stores of tiles of 64 rows by `width` columns of f16 of a matrix with so many; how 0: as products lie in registers, 1: 16 bytes a lane, 2: boxes from shared memory
C(stores)(long long* out, const __grid_constant__ CUtensorMap mc, char* c, int how, int n, int pitch) {
  uint32_t base = (sh(smem) + 1023) & ~1023u;
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  __syncthreads();
  long long a = now();
  int pm = blockIdx.x * 64;
  for (int i = 0; i < n; i++) {
    if (how == 0) for (int x = 0; x < 16; x++) { char* to = c + (size_t)(pm + warp * 16 + lane / 4) * pitch + i * 256 + x * 16 + lane % 4 * 4; *(uint32_t*)to = i; *(uint32_t*)(to + 8 * (size_t)pitch) = i; }
    else if (how == 1) for (int x = 0; x < 8; x++) { char* to = c + (size_t)(pm + warp * 16 + x * 2 + lane / 16) * pitch + i * 256 + lane % 16 * 16; *(uint4*)to = make_uint4(i, i, i, i); }
    else if (threadIdx.x == 0) { asm volatile("cp.async.bulk.wait_group.read 2;" ::: "memory"); put(&mc, i * 128, pm, base + i % 4 * 16384); put(&mc, i * 128 + 64, pm, base + i % 4 * 16384 + 8192); asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
  }
  if (how == 2 && threadIdx.x == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = now() - a;
}
C(spin)(long long* out, int n) { long long a = now(); while (now() - a < n); }
#endif
