// Third set: whole loops of products. Copies by a warp of their own, products by warpgroups, in a ring of stages: what the two do to one another.
#include "products.cuh"
C(spin)(long long* out, int n) { long long a = now(); while (now() - a < n); }
template <int N> struct P;
template <> struct P<64> { static __device__ __forceinline__ void go(float (&d)[32], u64 a, u64 b) { mm64(d, a, b); } };
template <> struct P<128> { static __device__ __forceinline__ void go(float (&d)[64], u64 a, u64 b) { mm128(d, a, b); } };
template <> struct P<256> { static __device__ __forceinline__ void go(float (&d)[128], u64 a, u64 b) { mm256(d, a, b); } };
// G warpgroups, each S times 64 rows; tiles of 64 * G * S by N, 64 deep. doing: 1 products, 2 copies. left: groups of products that may be on their way.
template <int N, int G, int S> __device__ __forceinline__ void loop(long long* out, const void* ma, const void* mb, int steps, int stages, int rows, int doing, int left, int wide, int wrap) {
  __shared__ u64 full[8], empty[8];
  constexpr int BM = 64 * G * S, BA = BM * 128, BB = N * 128;
  if (threadIdx.x == 0) for (int i = 0; i < stages; i++) { minit(sh(full + i), 1); minit(sh(empty + i), G); }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  uint32_t base = (sh(smem) + 1023) & ~1023u;
  int w = threadIdx.x / 128;
  int band = blockIdx.x / (rows * wide), in = blockIdx.x % (rows * wide);
  int pm = in / wide * BM, pn = (band * wide + in % wide) * N;
  long long a = now();
  if (w == G) {
    if (threadIdx.x == 128 * G && (doing & 2)) for (int i = 0, s = 0, ph = 1; i < steps; i++) {
      if (doing & 1) mwait(sh(empty + s), ph); else if (i >= stages) mwait(sh(full + s), ph);
      mexpect(sh(full + s), BA + BB);
      uint32_t d = base + s * (BA + BB);
      int k = (i & wrap) * 64;
      for (int j = 0; j < BM; j += 128 < BM ? 128 : BM) tens(d + j * 128, ma, k, pm + j, sh(full + s));
      tens(d + BA, mb, k, pn, sh(full + s));
      if (++s == stages) s = 0, ph ^= 1;
    }
    if (threadIdx.x == 128 * G && !(doing & 1)) { for (int s = 0; s < stages; s++) { int uses = (steps - s + stages - 1) / stages; mwait(sh(full + s), (uses - 1) & 1); } out[2 * blockIdx.x] = now() - a; }
  } else if (doing & 1) {
    float d[S][N / 2];
    for (int j = 0; j < S; j++) for (int i = 0; i < N / 2; i++) d[j][i] = 0;
    u64 desc = (1ull << 62) | (64ull << 32) | (1ull << 16);
    for (int j = 0; j < S; j++) for (int i = 0; i < N / 2; i++) asm volatile("" : "+f"(d[j][i])::"memory");
    int before = 0;
    for (int i = 0, s = 0, ph = 0; i < steps; i++) {
      if (doing & 2) mwait(sh(full + s), ph);
      uint32_t at = base + s * (BA + BB);
      u64 A = desc | ((at + w * S * 8192) >> 4 & 0x3fff), B = desc | ((at + BA) >> 4 & 0x3fff);
      asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
      for (int k = 0; k < 4; k++)
#pragma unroll
        for (int j = 0; j < S; j++) P<N>::go(d[j], A + j * 512 + 2 * k, B + 2 * k);
      asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
      if (left) asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory"); else asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
      if (doing & 2) { if (threadIdx.x % 128 == 0 && (!left || i > 0)) marrive(sh(empty + (left ? before : s))); }
      before = s;
      if (++s == stages) s = 0, ph ^= 1;
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    for (int j = 0; j < S; j++) for (int i = 0; i < N / 2; i++) asm volatile("" : "+f"(d[j][i])::"memory");
    long long e = now();
    if (threadIdx.x % 128 == 0) out[2 * blockIdx.x + w] = e - a;
    float t = 0; for (int j = 0; j < S; j++) for (int i = 0; i < N / 2; i++) t += d[j][i];
    if (t == 1.2345f) out[0] = 1;
  }
}
C(loop_64_1_1)(long long* out, const __grid_constant__ CUtensorMap ma, const __grid_constant__ CUtensorMap mb, int steps, int stages, int rows, int doing, int left, int wide, int wrap) { loop<64, 1, 1>(out, &ma, &mb, steps, stages, rows, doing, left, wide, wrap); }
C(loop_64_2_1)(long long* out, const __grid_constant__ CUtensorMap ma, const __grid_constant__ CUtensorMap mb, int steps, int stages, int rows, int doing, int left, int wide, int wrap) { loop<64, 2, 1>(out, &ma, &mb, steps, stages, rows, doing, left, wide, wrap); }
C(loop_128_1_1)(long long* out, const __grid_constant__ CUtensorMap ma, const __grid_constant__ CUtensorMap mb, int steps, int stages, int rows, int doing, int left, int wide, int wrap) { loop<128, 1, 1>(out, &ma, &mb, steps, stages, rows, doing, left, wide, wrap); }
C(loop_128_2_1)(long long* out, const __grid_constant__ CUtensorMap ma, const __grid_constant__ CUtensorMap mb, int steps, int stages, int rows, int doing, int left, int wide, int wrap) { loop<128, 2, 1>(out, &ma, &mb, steps, stages, rows, doing, left, wide, wrap); }
C(loop_256_1_1)(long long* out, const __grid_constant__ CUtensorMap ma, const __grid_constant__ CUtensorMap mb, int steps, int stages, int rows, int doing, int left, int wide, int wrap) { loop<256, 1, 1>(out, &ma, &mb, steps, stages, rows, doing, left, wide, wrap); }
C(loop_256_2_1)(long long* out, const __grid_constant__ CUtensorMap ma, const __grid_constant__ CUtensorMap mb, int steps, int stages, int rows, int doing, int left, int wide, int wrap) { loop<256, 2, 1>(out, &ma, &mb, steps, stages, rows, doing, left, wide, wrap); }
C(loop_64_2_2)(long long* out, const __grid_constant__ CUtensorMap ma, const __grid_constant__ CUtensorMap mb, int steps, int stages, int rows, int doing, int left, int wide, int wrap) { loop<64, 2, 2>(out, &ma, &mb, steps, stages, rows, doing, left, wide, wrap); }
C(loop_128_2_2)(long long* out, const __grid_constant__ CUtensorMap ma, const __grid_constant__ CUtensorMap mb, int steps, int stages, int rows, int doing, int left, int wide, int wrap) { loop<128, 2, 2>(out, &ma, &mb, steps, stages, rows, doing, left, wide, wrap); }
