// Loops that ask for words, as kernels have them. twin 1: no barrier behind the read of the tile; 2: the turn is passed on relaxed; 3: the turn is heard relaxed;
// 4: the fifo is written without asking for room; 5: room is given back before the slot is read
#ifndef TWIN
#define TWIN 0
#endif
// Each block fetches tiles until there are none.
extern "C" __global__ void tiles(const float* x, float* y, int* next, int n) {
  __shared__ int tile;
  for (;;) {
    if (threadIdx.x == 0)
      tile = atomicAdd(next, 1);
    __syncthreads();
    int t = tile;
    if (TWIN != 1)
      __syncthreads();
    if (t >= n)
      return;
    y[t * 64 + threadIdx.x] = x[t * 64 + threadIdx.x] + 1.0f;
  }
}
__device__ int turnOf(const int* turn) {
  int t;
  if (TWIN == 3)
    asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(t) : "l"(turn) : "memory");
  else
    asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(t) : "l"(turn) : "memory");
  return t;
}
// Blocks add to one sum in their order: all threads of a block go round until the first has seen its turn.
extern "C" __global__ void turns(const float* x, float* sum, int* turn) {
  int t = threadIdx.x;
  int seen = t == 0 ? turnOf(turn) : -1;
  float part = x[blockIdx.x * 64 + t];
  while (__syncthreads_and(seen != blockIdx.x))
    if (t == 0)
      seen = turnOf(turn);
  sum[t] += part;
  __syncthreads();
  if (t == 0) {
    if (TWIN == 2)
      asm volatile("st.relaxed.gpu.global.s32 [%0], %1;" ::"l"(turn), "r"(blockIdx.x + 1) : "memory");
    else
      asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(turn), "r"(blockIdx.x + 1) : "memory");
  }
}
__device__ void waitFor(const unsigned long long* word, unsigned long long least, unsigned long long& seen) {
  while (seen < least)
    asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(seen) : "l"(word) : "memory");
}
__device__ void tell(unsigned long long* word, unsigned long long value) {
  asm volatile("st.release.gpu.global.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
}
// A fifo of two slots between two blocks, with steps of 64 bits, of which each remembers the last that it has seen.
extern "C" __global__ void fifo(const float* x, float* y, float* slots, unsigned long long* steps, int n) {
  unsigned long long seen = 0;
  unsigned long long *tail = steps, *head = steps + 1;
  for (int k = 0; k < n; k++) {
    float* slot = slots + (k % 2) * 32 + threadIdx.x;
    if (blockIdx.x == 0) {
      if (threadIdx.x == 0 && k >= 2 && TWIN != 4)
        waitFor(head, k - 1, seen);
      __syncwarp();
      *slot = x[k * 32 + threadIdx.x];
      __syncwarp();
      if (threadIdx.x == 0)
        tell(tail, k + 1);
    } else {
      if (threadIdx.x == 0)
        waitFor(tail, k + 1, seen);
      __syncwarp();
      if (TWIN == 5 && threadIdx.x == 0)
        tell(head, k + 1);
      y[k * 32 + threadIdx.x] = *slot;
      __syncwarp();
      if (TWIN != 5 && threadIdx.x == 0)
        tell(head, k + 1);
    }
  }
}
