// Partial sums of blocks that share a tile, one after another: a semaphore in global memory says whose turn it is, and a second kernel of flags hands values down a row of blocks.
// twin 1: the turn is not waited for; 2: it is given on before the sums are written; 3: without the fence
#include <cstdint>
#ifndef BROKEN
#define BROKEN 0
#endif
extern "C" __global__ void __launch_bounds__(64) split_k(const int* x, int* tile, unsigned* turn, int n) {
  int v = 0;
  for (int i = threadIdx.x; i < n; i += 64)
    v += x[blockIdx.x * n + i];
  if (BROKEN != 1) {
    if (threadIdx.x == 0) {
      unsigned now;
      do {
        asm volatile("ld.global.acquire.gpu.b32 %0, [%1];" : "=r"(now) : "l"(turn) : "memory");
      } while (now != blockIdx.x);
    }
    __syncthreads();
  }
  if (BROKEN == 2) {
    __syncthreads();
    if (threadIdx.x == 0)
      asm volatile("st.global.release.gpu.b32 [%0], %1;" ::"l"(turn), "r"(blockIdx.x + 1) : "memory");
  }
  tile[threadIdx.x] = (blockIdx.x == 0 ? 0 : tile[threadIdx.x]) + v;
  if (BROKEN != 2) {
    __syncthreads();
    if (threadIdx.x == 0) {
      if (BROKEN == 3)
        asm volatile("st.global.relaxed.gpu.b32 [%0], %1;" ::"l"(turn), "r"(blockIdx.x + 1) : "memory");
      else
        asm volatile("st.global.release.gpu.b32 [%0], %1;" ::"l"(turn), "r"(blockIdx.x + 1) : "memory");
    }
  }
}
// Every block counts itself; block 0 waits for all of them and adds what they have left.
extern "C" __global__ void __launch_bounds__(32) gather(const int* x, int* partial, unsigned* count, int* sum) {
  int v = x[blockIdx.x * 32 + threadIdx.x];
  partial[blockIdx.x * 32 + threadIdx.x] = v * v;
  if (BROKEN != 3)
    __threadfence();
  __syncwarp();
  if (threadIdx.x == 0)
    atomicAdd(count, 1u);
  if (blockIdx.x == 0) {
    if (threadIdx.x == 0 && BROKEN != 1)
      while (*(volatile unsigned*)count < gridDim.x - (BROKEN == 2 ? 1 : 0))
        ;
    __syncwarp();
    __threadfence();
    int s = 0;
    for (int b = 0; b < gridDim.x; b++)
      s += partial[b * 32 + threadIdx.x];
    sum[threadIdx.x] = s;
  }
}
