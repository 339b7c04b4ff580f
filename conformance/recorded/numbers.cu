// conversions and functions of the chip: every output bit counts
#include "common.h"
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cuda_fp8.h>
__global__ void functions(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
  float v = x[i];
  y[i] = __expf(v); y[n + i] = __logf(fabsf(v)); y[2 * n + i] = rsqrtf(fabsf(v)); y[3 * n + i] = __frcp_rn(v); y[4 * n + i] = sqrtf(fabsf(v)); y[5 * n + i] = __sinf(v); y[6 * n + i] = tanhf(v); y[7 * n + i] = v / 3.7f;
}
__global__ void precise(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
  float v = x[i]; y[i] = expf(v); y[n + i] = logf(fabsf(v) + 1e-3f); y[2 * n + i] = powf(fabsf(v), 1.3f); y[3 * n + i] = erff(v); y[4 * n + i] = cbrtf(v); y[5 * n + i] = atan2f(v, 0.3f);
}
__global__ void narrow(const float *x, __half *h, __nv_bfloat16 *b, __nv_fp8_e4m3 *e, __nv_fp8_e5m2 *f, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
  h[i] = __float2half_rn(x[i] * 37); b[i] = __float2bfloat16_rn(x[i] * 1e20f); e[i] = __nv_fp8_e4m3(x[i] * 9); f[i] = __nv_fp8_e5m2(x[i] * 900);
}
__global__ void wide(const __half *h, const __nv_bfloat16 *b, const __nv_fp8_e4m3 *e, const __nv_fp8_e5m2 *f, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
  y[i] = fmaf(__half2float(h[i]), __bfloat162float(b[i]), (float)e[i]) - (float)f[i]; y[n + i] = __half2float(__hfma(h[i], h[i], __float2half(1.25f)));
}
__global__ void doubles(const float *x, double *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
  double v = x[i]; y[i] = v * v + 1 / (v * v + 1); y[n + i] = sqrt(v * v + 2); y[2 * n + i] = fma(v, 1e-7, v); y[3 * n + i] = (double)(long long)(v * 1e9);
}
__global__ void whole(const unsigned *x, unsigned *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
  unsigned v = x[i], w = x[(i + 1) % n] | 1;
  y[i] = v / w; y[n + i] = v % w; y[2 * n + i] = __umulhi(v, w); y[3 * n + i] = __popc(v) + __clz(v) * 64 + __ffs(v) * 4096; y[4 * n + i] = __brev(v) ^ __byte_perm(v, w, 0x3614); y[5 * n + i] = __funnelshift_l(v, w, v & 31); y[6 * n + i] = __vadd4(v, w) ^ __dp4a(v, w, 7u); y[7 * n + i] = (unsigned)((int)v >> (w & 31));
}
int main() {
  const int n = 384; uint32_t s = 99; std::vector<float> x(n); for (auto &e : x) e = real(s) * 8; x[0] = 0; x[1] = -0.0f; x[2] = 1e-40f; x[3] = 1e30f; std::vector<unsigned> u(n); for (auto &e : u) e = noise(s);
  float *d = up(x); unsigned *v = up(u); auto *y = room<float>(8 * n); auto *z = room<float>(8 * n); auto *h = room<__half>(n); auto *b = room<__nv_bfloat16>(n); auto *e = room<__nv_fp8_e4m3>(n); auto *f = room<__nv_fp8_e5m2>(n); auto *w = room<double>(4 * n); auto *q = room<unsigned>(8 * n);
  functions<<<3, 128>>>(d, y, n); precise<<<3, 128>>>(d, z, n); narrow<<<3, 128>>>(d, h, b, e, f, n); wide<<<3, 128>>>(h, b, e, f, y, n); doubles<<<3, 128>>>(d, w, n); whole<<<3, 128>>>(v, q, n);
  OK(cudaDeviceSynchronize()); auto r = down(q, 8 * n); unsigned k = 0; for (unsigned t : r) k = k * 31 + t; printf("numbers %u\n", k);
}
