// Tables: __constant__ that the host may write, const data in global memory, and a __device__ counter that outlives the block.
// twin 1 missing-barrier: the gathered table is read before other warps have written it
// twin 2 out-of-bounds: elements behind the tables in constant memory
// twin 3 divergent-barrier: only the threads with a short step reach the barrier
// twin 4 race: blocks count without an atomic
#include "../twins.h"
extern "C" {
__constant__ int steps[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
__constant__ float weights[4] = {0.5f, -1.25f, 3.0f, 0.0625f};
__device__ const unsigned short primes[12] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
__device__ unsigned counter = 100;
__device__ int2 pairs[3] = {{1, -1}, {20, -20}, {300, -300}};
__device__ const unsigned short* second = primes + 6;
}
extern "C" __global__ void constants(const float* x, float* y, int* z) {
  __shared__ int table[64];
  int t = threadIdx.x;
  int i = blockIdx.x * 64 + t;
  table[t] = steps[t % 16 + EITHER(2, 4096, 0)] * primes[t % 12] + second[t % 6];  //@1 //@2
  ONLY(3)
  if (steps[t % 16] < 6)
    __syncthreads();  //@3
  EXCEPT(1)
  EXCEPT(3)
  __syncthreads();
  y[i] = x[i] * weights[t / 2 % 4] + weights[blockIdx.x % 4];
  z[i] = table[63 - t] + pairs[t % 3].x - 2 * pairs[(t + 1) % 3].y;  //@1
  EXCEPT(4)
  atomicAdd(&counter, (unsigned)t);
  ONLY(4)
  counter += (unsigned)t;  //@4
}
