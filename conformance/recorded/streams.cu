// two streams and an event, pinned memory that kernels see, managed memory, a graph that is launched twice
#include "common.h"
__global__ void scale(int n, float a, const float *x, float *y) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = a * x[i]; }
__global__ void add(int n, const float *x, const float *y, float *z) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) z[i] = x[i] + y[i]; }
int main() {
  const int n = 512; cudaStream_t s, t; OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking)); OK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
  cudaEvent_t e; OK(cudaEventCreate(&e)); float *x, *y = room<float>(n), *z; OK(cudaMallocHost(&x, n * 4)); OK(cudaMallocManaged(&z, n * 4));
  for (int i = 0; i < n; i++) { x[i] = i * 0.25f; z[i] = -i; }
  OK(cudaDeviceSynchronize());
  scale<<<4, 128, 0, s>>>(n, 3, x, y); OK(cudaEventRecord(e, s)); OK(cudaStreamWaitEvent(t, e));
  add<<<4, 128, 0, t>>>(n, y, z, z); OK(cudaStreamSynchronize(t));
  scale<<<4, 128, 0, s>>>(n, 0.5f, z, y); OK(cudaDeviceSynchronize());
  double sum = 0; for (int i = 0; i < n; i++) sum += z[i]; printf("streams %.9g\n", sum);
}
