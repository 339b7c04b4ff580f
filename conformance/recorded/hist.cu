// atomics of shared and global memory, variables of the module, a last block that sums, votes and matches
#include "common.h"
__constant__ int edges[9]; __device__ unsigned done; __device__ int total[8];
__global__ void bins(int n, const int *x, int *out) {
  __shared__ int h[8];
  if (threadIdx.x < 8) h[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) for (int b = 0; b < 8; b++) if (x[i] >= edges[b] && x[i] < edges[b + 1]) atomicAdd(&h[b], 1);
  __syncthreads();
  if (threadIdx.x < 8) out[blockIdx.x * 8 + threadIdx.x] = h[threadIdx.x];
}
__global__ void sum(int blocks, const int *out, int *result) {
  int t = threadIdx.x; if (t < 8) atomicAdd(&total[t], out[blockIdx.x * 8 + t]);
  __threadfence(); __syncthreads();
  __shared__ bool isLast;
  if (t == 0) isLast = atomicAdd(&done, 1) == (unsigned)blocks - 1;
  __syncthreads();
  if (isLast && t < 8) { __threadfence(); result[t] = atomicAdd(&total[t], 0); }
}
__global__ void votes(int n, const int *x, unsigned *v) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned odd = __ballot_sync(~0u, x[i] & 1), same = __match_any_sync(~0u, x[i] & 3), most = __reduce_max_sync(~0u, (unsigned)x[i]);
  v[i] = __popc(odd) * 1000003u + same * 31u + (most ^ __clz(x[i])) + __brev(x[i]) + __byte_perm(x[i], odd, 0x5140);
}
int main() {
  const int n = 1000; uint32_t s = 5; std::vector<int> x(1024); for (auto &v : x) v = noise(s) % 800;
  int e[9]; for (int i = 0; i < 9; i++) e[i] = i * i * 12; e[8] = 800;
  OK(cudaMemcpyToSymbol(edges, e, sizeof e)); int zero[8] = {}; unsigned none = 0; OK(cudaMemcpyToSymbol(total, zero, sizeof zero)); OK(cudaMemcpyToSymbol(done, &none, 4));
  int *dx = up(x), *out = room<int>(64), *r = room<int>(8); unsigned *v = room<unsigned>(1024);
  bins<<<8, 128>>>(n, dx, out);
  sum<<<8, 32>>>(8, out, r);
  votes<<<8, 128>>>(1024, dx, v);
  OK(cudaDeviceSynchronize());
  auto h = down(r, 8); printf("hist"); for (int k : h) printf(" %d", k); puts("");
}
