// Pointers that are chosen at run time between shared, global and local memory: generic loads, stores and atomics.
// twin 1 missing-barrier: shared memory is read through the pointer before other warps have written it
// twin 2 out-of-bounds: the pointer leaves whichever array it points to
// twin 3 divergent-barrier: only the threads that point to shared memory reach the barrier
#include "../twins.h"
__device__ __noinline__ int gather(const int* from, int at) {
  return from[at] + from[at ^ 1];  //@1 //@2
}
extern "C" __global__ void generic_address(const int* x, const int* choice, int* y, int* bins) {
  __shared__ int place[64];
  __shared__ int count[4];
  int t = threadIdx.x;
  int i = blockIdx.x * 64 + t;
  int own[8];
  for (int j = 0; j < 8; j++)
    own[j] = j * t + choice[j];
  int which = choice[i];
  if (t < 4)
    count[t] = 0;  //@1
  place[t] = x[i] * 2;  //@1
  ONLY(3)
  if (which == 0)
    __syncthreads();  //@3
  EXCEPT(1)
  EXCEPT(3)
  __syncthreads();
  const int* from = which == 0 ? place : which == 1 ? x : own;
  int limit = which == 2 ? 8 : 64;
  y[i] = gather(from, (63 - t) % limit + EITHER(2, 8192, 0));
  int* to = which == 1 ? &bins[t % 4] : &count[t % 4];
  atomicAdd(to, t + 1);  //@1
  __syncthreads();
  int* exchanged = which == 2 ? &own[t % 8] : &place[t];
  *exchanged += 5;
  __syncthreads();
  y[256 + i] = own[t % 8] + place[63 - t];
  if (t < 4)
    atomicAdd(&bins[4 + t], count[t]);
}
