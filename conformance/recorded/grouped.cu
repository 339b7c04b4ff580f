// grouped matrix products in the style of CUTLASS: a struct of 912 bytes by value, arrays of pointers in device memory, tensor maps in device memory, TMA into swizzled shared memory
#include "common.h"
#include <cuda.h>
#include <cuda_fp16.h>
#include <cudaTypedefs.h>
enum { GROUPS = 3, TILE = 64, DEPTH = 64 };
struct Problem { int m, n, k, pad; };
struct Params { // 912 bytes
  Problem problems[GROUPS];          // 48
  const CUtensorMap *a, *b;          // arrays of maps, one a group
  float *const *c;                   // an array of pointers
  const float *const *bias;
  int64_t strides[GROUPS];
  float alpha, beta[GROUPS];
  unsigned char rest[912 - 48 - 32 - 24 - 16];
};
static_assert(sizeof(Params) == 912, "the struct");
__device__ __forceinline__ void tma(uint32_t to, const CUtensorMap *map, int x, int y, uint32_t bar) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(to), "l"(map), "r"(x), "r"(y), "r"(bar) : "memory");
}
__device__ __forceinline__ void wait(uint32_t bar, uint32_t phase) {
  asm volatile("{\n.reg .pred p;\nAGAIN: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@p bra DONE;\nbra AGAIN;\nDONE:\n}" ::"r"(bar), "r"(phase) : "memory");
}
// the place of an element of a row of 128 bytes, swizzled
__device__ __forceinline__ uint32_t place(uint32_t row, uint32_t column) { uint32_t at = row * 128 + column * 2; return at ^ ((at >> 3) & 0x70); }
__global__ void __launch_bounds__(128) grouped(const __grid_constant__ Params p) {
  __shared__ alignas(1024) __half sa[TILE * DEPTH];
  __shared__ alignas(1024) __half sb[TILE * DEPTH];
  __shared__ alignas(8) uint64_t full;
  const int g = blockIdx.z; const Problem q = p.problems[g];
  const int row = blockIdx.y * TILE, column = blockIdx.x * TILE;
  if (row >= q.m || column >= q.n) return;
  const uint32_t bar = (uint32_t)__cvta_generic_to_shared(&full), ta = (uint32_t)__cvta_generic_to_shared(sa), tb = (uint32_t)__cvta_generic_to_shared(sb);
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\nfence.mbarrier_init.release.cluster;" ::"r"(bar) : "memory");
  __syncthreads();
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  float acc[8][4] = {};
  uint32_t phase = 0;
  for (int k = 0; k < q.k; k += DEPTH) {
    if (threadIdx.x == 0) {
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(2 * TILE * DEPTH * 2) : "memory");
      tma(ta, p.a + g, k, row, bar); tma(tb, p.b + g, k, column, bar);
    }
    wait(bar, phase); phase ^= 1;
    for (int kk = 0; kk < DEPTH; kk += 16) {
      uint32_t a[4], b[2];
      for (int i = 0; i < 4; i++) asm volatile("ld.shared.b32 %0, [%1];" : "=r"(a[i]) : "r"(ta + place(warp * 16 + lane / 4 + (i & 1) * 8, kk + (lane % 4) * 2 + (i & 2) * 4)) : "memory");
      for (int j = 0; j < 8; j++) {
        for (int i = 0; i < 2; i++) asm volatile("ld.shared.b32 %0, [%1];" : "=r"(b[i]) : "r"(tb + place(j * 8 + lane / 4, kk + (lane % 4) * 2 + i * 8)) : "memory");
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                     : "+f"(acc[j][0]), "+f"(acc[j][1]), "+f"(acc[j][2]), "+f"(acc[j][3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
      }
    }
    __syncthreads();
  }
  float *c = p.c[g]; const float *bias = p.bias[g];
  for (int j = 0; j < 8; j++)
    for (int i = 0; i < 4; i++) {
      int r = row + warp * 16 + lane / 4 + (i & 2) * 4, s = column + j * 8 + (lane % 4) * 2 + (i & 1);
      if (r < q.m && s < q.n) c[r * p.strides[g] + s] = p.alpha * acc[j][i] + p.beta[g] * bias[s];
    }
}
static CUtensorMap mapOf(PFN_cuTensorMapEncodeTiled_v12000 encode, const __half *x, int rows, int k) {
  CUtensorMap m; cuuint64_t size[] = {(cuuint64_t)k, (cuuint64_t)rows}, stride[] = {(cuuint64_t)k * 2}; cuuint32_t box[] = {DEPTH, TILE}, step[] = {1, 1};
  if (encode(&m, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, (void *)x, size, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)) { fprintf(stderr, "map\n"); exit(1); }
  return m;
}
int main() {
  void *found; cudaDriverEntryPointQueryResult how;
  OK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &how));
  auto encode = (PFN_cuTensorMapEncodeTiled_v12000)found;
  Params p; memset(&p, 0, sizeof p);
  const int m[] = {64, 100, 40}, n[] = {64, 72, 128}, k[] = {64, 128, 192};
  std::vector<CUtensorMap> ma, mb; std::vector<float *> c; std::vector<const float *> bias; std::vector<std::vector<__half>> ha, hb; std::vector<std::vector<float>> hv;
  uint32_t s = 12345;
  for (int g = 0; g < GROUPS; g++) {
    std::vector<__half> a(m[g] * k[g]), b(n[g] * k[g]); std::vector<float> v(n[g]);
    for (auto &e : a) e = __float2half(real(s)); for (auto &e : b) e = __float2half(real(s)); for (auto &e : v) e = real(s);
    ma.push_back(mapOf(encode, up(a), m[g], k[g])); mb.push_back(mapOf(encode, up(b), n[g], k[g]));
    c.push_back(room<float>(m[g] * n[g])); bias.push_back(up(v)); ha.push_back(a); hb.push_back(b); hv.push_back(v);
    p.problems[g] = {m[g], n[g], k[g], 0}; p.strides[g] = n[g]; p.beta[g] = g + 0.5f;
  }
  p.a = up(ma); p.b = up(mb); p.c = up(c); p.bias = up(bias);
  double worst = 0, sum = 0;
  for (float alpha : {1.0f, -0.25f}) {
    p.alpha = alpha; grouped<<<dim3(2, 2, GROUPS), 128>>>(p); OK(cudaGetLastError()); OK(cudaDeviceSynchronize());
    for (int g = 0; g < GROUPS; g++) {
      auto r = down(c[g], m[g] * n[g]);
      for (int i = 0; i < m[g]; i++) for (int j = 0; j < n[g]; j++) {
        double e = 0; for (int x = 0; x < k[g]; x++) e += (double)__half2float(ha[g][i * k[g] + x]) * __half2float(hb[g][j * k[g] + x]);
        e = alpha * e + p.beta[g] * hv[g][j]; double d = e - r[i * n[g] + j]; if (d < 0) d = -d; if (d > worst) worst = d; sum += r[i * n[g] + j];
      }
    }
  }
  printf("grouped %s worst %.3g sum %.9g\n", worst < 1e-3 ? "PASS" : "FAIL", worst, sum); return worst < 1e-3 ? 0 : 1;
}
