// Square roots, sines, cosines, and the first steps of f64 reciprocals, as the special function unit of the chip answers; and what a launch finds in special
// registers. Writes raw files into the folder that it is given; capture.py makes the captures of them.
//
//     nvcc -O2 -std=c++17 -arch=sm_90a -o capture capture.cu; python3 capture.py inputs RAW; ./capture RAW; python3 capture.py pack RAW OUT
#include <cooperative_groups.h>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

using u32 = uint32_t;
using u64 = uint64_t;

template <int F> __device__ u32 of32(u32 x) {
  float a = __uint_as_float(x), d;
  if constexpr (F == 0) asm volatile("sqrt.approx.ftz.f32 %0, %1;" : "=f"(d) : "f"(a));
  if constexpr (F == 1) asm volatile("sqrt.approx.f32 %0, %1;" : "=f"(d) : "f"(a));
  if constexpr (F == 2) asm volatile("sin.approx.ftz.f32 %0, %1;" : "=f"(d) : "f"(a));
  if constexpr (F == 3) asm volatile("sin.approx.f32 %0, %1;" : "=f"(d) : "f"(a));
  if constexpr (F == 4) asm volatile("cos.approx.ftz.f32 %0, %1;" : "=f"(d) : "f"(a));
  if constexpr (F == 5) asm volatile("cos.approx.f32 %0, %1;" : "=f"(d) : "f"(a));
  return __float_as_uint(d);
}
template <int F> __device__ u64 of64(u64 x) {
  double a = __longlong_as_double((long long)x), d;
  if constexpr (F == 0) asm volatile("rcp.approx.ftz.f64 %0, %1;" : "=d"(d) : "d"(a));
  if constexpr (F == 1) asm volatile("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(d) : "d"(a));
  if constexpr (F == 2) asm volatile("rsqrt.approx.f64 %0, %1;" : "=d"(d) : "d"(a));
  return (u64)__double_as_longlong(d);
}

// splitmix64
__device__ u64 mixed(u64 z) {
  z += 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

// sums over 512 blocks of 2^23 operands each
template <int F> __global__ void blocks(unsigned long long *sums) {
  u64 sum = 0;
  for (u32 i = threadIdx.x; i < (1u << 16); i += blockDim.x) {
    u32 x = (blockIdx.x << 16) + i;
    sum += mixed((u64(x) << 32) + of32<F>(x));
  }
  atomicAdd(&sums[blockIdx.x >> 7], (unsigned long long)sum);
}
template <int F> __global__ void given32(const u32 *x, u32 *y, size_t n) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += gridDim.x * size_t(blockDim.x)) y[i] = of32<F>(x[i]);
}
template <int F> __global__ void given64(const u64 *x, u64 *y, size_t n) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += gridDim.x * size_t(blockDim.x)) y[i] = of64<F>(x[i]);
}

#define REGISTER(i, name) asm volatile("mov.u32 %0, " name ";" : "=r"(v)); out[i] = v;
__global__ void registers(u32 *out) {
  extern __shared__ u32 dynamic[];
  __shared__ u32 fixed[7];
  if (out == nullptr) fixed[threadIdx.x] = dynamic[threadIdx.x];
  if (threadIdx.x != 0) return;
  u32 v;
  REGISTER(0, "%envreg0") REGISTER(1, "%envreg1") REGISTER(2, "%envreg2") REGISTER(3, "%envreg3") REGISTER(4, "%envreg4")
  REGISTER(5, "%envreg5") REGISTER(6, "%envreg6") REGISTER(7, "%envreg7")
  REGISTER(8, "%reserved_smem_offset_begin") REGISTER(9, "%reserved_smem_offset_end") REGISTER(10, "%reserved_smem_offset_cap")
  REGISTER(11, "%reserved_smem_offset_0") REGISTER(12, "%reserved_smem_offset_1") REGISTER(13, "%total_smem_size")
  REGISTER(14, "%dynamic_smem_size") REGISTER(15, "%aggr_smem_size") REGISTER(16, "%nsmid") REGISTER(17, "%nwarpid")
  out[18] = (u32)__cvta_generic_to_shared(fixed);
  out[19] = (u32)__cvta_generic_to_shared(dynamic);
  u64 workspace = (u64(out[1]) << 32) | out[2];
  out[20] = workspace != 0;
  if (workspace != 0)
    for (int k = 0; k < 16; k++) out[21 + k] = ((volatile u32 *)workspace)[k];
}

static void *made(size_t bytes) { void *p; cudaMalloc(&p, bytes); cudaMemset(p, 0, bytes); return p; }
static void write(const std::string &path, const void *device, size_t bytes) {
  std::vector<char> here(bytes);
  cudaMemcpy(here.data(), device, bytes, cudaMemcpyDeviceToHost);
  FILE *f = fopen(path.c_str(), "wb"); fwrite(here.data(), 1, bytes, f); fclose(f);
}
static std::vector<char> read(const std::string &path) {
  FILE *f = fopen(path.c_str(), "rb"); fseek(f, 0, SEEK_END); std::vector<char> v(ftell(f)); fseek(f, 0, SEEK_SET);
  if (fread(v.data(), 1, v.size(), f) != v.size()) exit(1); fclose(f); return v;
}
template <int F> static void functions32(const std::string &out) {
  auto in = read(out + "/in32"); size_t n = in.size() / 4;
  void *x = made(n * 4), *y = made(n * 4), *s = made(512 * 8);
  cudaMemcpy(x, in.data(), n * 4, cudaMemcpyHostToDevice);
  given32<F><<<1024, 256>>>((u32 *)x, (u32 *)y, n);
  blocks<F><<<65536, 256>>>((unsigned long long *)s);
  write(out + "/out32." + std::to_string(F), y, n * 4);
  write(out + "/sums." + std::to_string(F), s, 512 * 8);
  cudaFree(x); cudaFree(y); cudaFree(s);
}
template <int F> static void functions64(const std::string &out) {
  auto in = read(out + "/in64"); size_t n = in.size() / 8;
  void *x = made(n * 8), *y = made(n * 8);
  cudaMemcpy(x, in.data(), n * 8, cudaMemcpyHostToDevice);
  given64<F><<<1024, 256>>>((u64 *)x, (u64 *)y, n);
  write(out + "/out64." + std::to_string(F), y, n * 8);
  cudaFree(x); cudaFree(y);
}
int main(int, char **argv) {
  std::string out = argv[1];
  functions32<0>(out); functions32<1>(out); functions32<2>(out); functions32<3>(out); functions32<4>(out); functions32<5>(out);
  functions64<0>(out); functions64<1>(out); functions64<2>(out);
  u32 *r = (u32 *)made(256);
  registers<<<1, 32, 64>>>(r); write(out + "/registers.plain", r, 256);
  cudaMemset(r, 0, 256);
  void *args[] = {&r};
  cudaLaunchCooperativeKernel((void *)registers, dim3(2), dim3(32), args, 64, 0); write(out + "/registers.cooperative", r, 256);
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
