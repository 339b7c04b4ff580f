// Inclusive scan of 256 integers a block after Hillis and Steele: two buffers, one barrier a step.
// twin 1 missing-barrier: a step reads what the step before it has not yet written
// twin 2 race: one buffer instead of two, so a step overwrites what another warp still reads
// twin 3 divergent-barrier: only the threads that add reach the barrier
// twin 4 out-of-bounds: the first threads read before the buffer
#include "../twins.h"
extern "C" __global__ void scan_block(const int* x, int* y) {
  __shared__ int buffer[2 * 256];
  int t = threadIdx.x;
  int i = blockIdx.x * 256 + t;
  int from = 0;
  buffer[t] = x[i];
  __syncthreads();
  for (int d = 1; d < 256; d *= 2) {
    int to = EITHER(2, from, 256 - from);
    int v = buffer[from + t];  //@1
    if (t >= d || BROKEN == 4)
      v += buffer[from + t - d];  //@1 //@2 //@4
    buffer[to + t] = v;  //@1 //@2
    ONLY(3)
    if (t >= d)
      __syncthreads();  //@3
    EXCEPT(1)
    EXCEPT(3)
    __syncthreads();
    from = to;
  }
  y[i] = buffer[from + t];
}
