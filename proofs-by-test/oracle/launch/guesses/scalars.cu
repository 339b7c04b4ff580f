// Kernels whose numbers are guessed: what each number is, and what goes wrong with another one.
// The last threads have nothing to do where the length is no multiple of the block, and miss the barrier.
extern "C" __global__ void rest(const float* x, float* y, int n) {
  __shared__ float s[1024];
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    s[threadIdx.x] = x[i];
    if (i < (n & ~31)) __syncthreads();
    y[i] = s[threadIdx.x ^ 32];
    __syncthreads();
  }
}
// Right: a slot is filled again after all have passed the next barrier. It runs long, and its rows must not overlap meanwhile.
extern "C" __global__ void ring(const float* x, float* y, int turns, int pitch) {
  __shared__ float s[2][256];
  float sum = 0;
  for (int k = 0; k < turns; k++) {
    s[k & 1][threadIdx.x] = x[k * 256 + threadIdx.x];
    __syncthreads();
    sum += s[k & 1][threadIdx.x ^ 64];
  }
  y[blockIdx.x * pitch + threadIdx.x] = sum;
}
// Right for every length and every pitch that is long enough.
extern "C" __global__ void good(const float* x, float* y, int n, int pitch) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[blockIdx.x * pitch + i] = x[i] + n;
}
