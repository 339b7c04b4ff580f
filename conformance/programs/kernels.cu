// Small kernels whose launches are right or wrong by what stands between them.
#include <cuda_device_runtime_api.h>
extern "C" {
__global__ void scale(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}
__global__ void add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}
// lets the next launch begin when it has written
__global__ void produce(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
  cudaTriggerProgrammaticLaunchCompletion();
}
// lets the next launch begin before it has written
__global__ void produce_early(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  cudaTriggerProgrammaticLaunchCompletion();
  if (i < n) y[i] = 2 * x[i];
}
// waits for the launch before it
__global__ void consume(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  cudaGridDependencySynchronize();
  if (i < n) y[i] = x[i] + 1;
}
// reads what the launch before it writes, and waits then
__global__ void consume_early(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i < n ? x[i] : 0;
  cudaGridDependencySynchronize();
  if (i < n) y[i] = v + 1;
}
// never waits
__global__ void consume_never(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] + 1;
}
// one thread waits for all
__global__ void consume_one(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) cudaGridDependencySynchronize();
  __syncthreads();
  if (i < n) y[i] = x[i] + 1;
}
// one thread waits for itself alone
__global__ void consume_self(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) cudaGridDependencySynchronize();
  if (i < n) y[i] = x[i] + 1;
}
// does nothing to x, and lets the next launch begin
__global__ void between(float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  cudaTriggerProgrammaticLaunchCompletion();
  if (i < n) z[i] = 0;
}
__global__ void between_waits(float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  cudaTriggerProgrammaticLaunchCompletion();
  cudaGridDependencySynchronize();
  if (i < n) z[i] = 0;
}
// adds to one word
__global__ void count(const float* x, int* total, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] >= 0) atomicAdd(total, 1);
}
struct Node { const float* data; Node* next; };
__global__ void sum_list(const Node* head, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (const Node* p = head; p != nullptr; p = p->next) s += p->data[i];
  if (i < n) y[i] = s;
}
__constant__ float factor[1];
__global__ void scale_by(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = factor[0] * x[i];
}
}
