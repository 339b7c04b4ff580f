// warps, shared memory, atomics, a linked list, a struct of pointers
#include "common.h"
struct Lists { const int *keys; int *sums, *ranks; unsigned *bins; int n; };
struct Cell { Cell *next; int value; };
__global__ void scanned(Lists l) {
  __shared__ int part[8];
  int i = threadIdx.x, lane = i & 31, v = i < l.n ? l.keys[i] : 0;
  for (int d = 1; d < 32; d *= 2) { int o = __shfl_up_sync(~0u, v, d); if (lane >= d) v += o; }
  if (lane == 31) part[i / 32] = v; __syncthreads();
  for (int w = 0; w < i / 32; w++) v += part[w];
  if (i < l.n) l.sums[i] = v;
}
__global__ void binned(Lists l) {
  __shared__ unsigned bins[16];
  if (threadIdx.x < 16) bins[threadIdx.x] = 0; __syncthreads();
  for (int i = threadIdx.x; i < l.n; i += blockDim.x) atomicAdd(&bins[l.keys[i] & 15], 1u); __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&l.bins[threadIdx.x], bins[threadIdx.x]);
}
__global__ void ranked(Lists l) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; bool odd = i < l.n && (l.keys[i] & 1);
  unsigned mask = __ballot_sync(~0u, odd); unsigned same = __match_any_sync(~0u, i < l.n ? l.keys[i] & 7 : -1);
  if (i < l.n) l.ranks[i] = __popc(mask & ((1u << (threadIdx.x & 31)) - 1)) * 64 + __popc(same);
}
__global__ void walked(const Cell *c, int *y) { int s = 0; for (c += threadIdx.x; c; c = c->next) s = s * 3 + c->value; y[threadIdx.x] = s; }
__global__ void linked(Cell *c, int n) { int i = threadIdx.x; if (i < n) { c[i].next = i + 5 < n ? c + i + 5 : nullptr; c[i].value = i * i; } }
__global__ void greatest(const int *k, int n, int *y) { int v = (int)0x80000000; for (int i = threadIdx.x; i < n; i += 32) v = max(v, k[i]); v = __reduce_max_sync(~0u, v); if (threadIdx.x == 0) atomicMax(y, v); }
int main() {
  uint32_t s = 7; std::vector<int> k(250); for (auto &e : k) e = (int)(noise(s) % 1000) - 300;
  Lists l{up(k), room<int>(250), room<int>(250), room<unsigned>(16), 250}; Cell *c = room<Cell>(40); int *y = room<int>(32), *g = room<int>(1);
  scanned<<<1, 256>>>(l); binned<<<2, 64>>>(l); ranked<<<4, 64>>>(l); linked<<<1, 64>>>(c, 40); walked<<<1, 5>>>(c, y); greatest<<<1, 32>>>(k.size() ? l.keys : nullptr, 250, g);
  l.n = 100; scanned<<<1, 128>>>(l); ranked<<<2, 64>>>(l);
  OK(cudaDeviceSynchronize()); auto r = down(l.sums, 250); auto w = down(y, 32); printf("scans %d %d %d %d\n", r[99], r[249], w[0], down(g, 1)[0]);
}
