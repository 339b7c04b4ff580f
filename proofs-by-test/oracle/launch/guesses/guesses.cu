// Kernels whose verdict depends on data or on the size of a launch. nvcc 13.0: -ptx -arch=sm_90a -std=c++17 -lineinfo
__global__ void scatter(const int* idx, int* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[idx[i]] = i;
}
__global__ void gather(const int* idx, const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[idx[i]];
}
__global__ void flagged(const int* flag, float* y) {
  __shared__ float s[128];
  int t = threadIdx.x;
  s[t] = t;
  if (flag[blockIdx.x] != 1) __syncthreads();
  y[blockIdx.x * 128 + t] = s[127 - t];
}
__global__ void rows(const float* x, float* y, int stride) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  y[t] = x[t];
  y[stride + t] = 2 * x[t];
}
__global__ void rotate(float* y) {
  __shared__ float s[128];
  int t = threadIdx.x;
  s[t] = y[blockIdx.x * 128 + t];
  y[blockIdx.x * 128 + t] = s[(t + 40) % 128];
}
