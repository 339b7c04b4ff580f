// kernels that the driver loads as PTX
#include <cstdint>
#include <cuda_fp16.h>
__constant__ float factors[8];
__device__ unsigned tally[4];
extern "C" __global__ void weighted(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * factors[i & 7];
}
extern "C" __global__ void counted(const unsigned *x, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&tally[x[i] & 3], 1u);
}
extern "C" __global__ void halves(const float *x, __half *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = __float2half_rn(x[i] * 1.5f);
}
extern "C" __global__ void __cluster_dims__(2, 1, 1) exchanged(const int *x, int *y) {
  __shared__ int mine[64];
  uint32_t rank, own, theirs; int got;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  mine[threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x];
  own = (uint32_t)__cvta_generic_to_shared(&mine[63 - threadIdx.x]);
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(theirs) : "r"(own), "r"(rank ^ 1));
  asm volatile("ld.shared::cluster.s32 %0, [%1];" : "=r"(got) : "r"(theirs) : "memory");
  y[blockIdx.x * 64 + threadIdx.x] = got * 3 + (int)rank;
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
extern "C" __global__ void summed(const float *x, float *y, int n) {
  extern __shared__ float part[];
  float s = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) s += x[i];
  part[threadIdx.x] = s; __syncthreads();
  for (int w = blockDim.x / 2; w > 0; w /= 2) { if (threadIdx.x < w) part[threadIdx.x] += part[threadIdx.x + w]; __syncthreads(); }
  if (threadIdx.x == 0) y[blockIdx.x] = part[0];
}
