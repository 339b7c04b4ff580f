// Inclusive scan of a row a block, 256 elements at a time: shuffles within a warp, totals of warps and a carry in shared memory.
// twin 1 missing-barrier: warp 0 reads totals that other warps have not yet written
// twin 2 missing-barrier: the carry is overwritten while other warps still read it
// twin 3 out-of-bounds: the end of the row is not looked at
// twin 4 divergent-barrier: only the threads inside of the row reach the barrier
#include "../twins.h"
extern "C" __global__ void scan_warp(const unsigned* x, unsigned* y, int n) {
  __shared__ unsigned total[8];
  __shared__ unsigned carry;
  int t = threadIdx.x;
  int lane = t % 32;
  int warp = t / 32;
  const unsigned* row = x + blockIdx.x * n;
  unsigned* out = y + blockIdx.x * n;
  if (t == 0)
    carry = 0;
  for (int base = 0; base < n; base += 256) {
    bool inside = base + t < n;
    unsigned v = 0;
    if (inside)
      v = row[base + t];
    for (int d = 1; d < 32; d *= 2) {
      unsigned left = __shfl_up_sync(~0u, v, d);
      if (lane >= d)
        v += left;
    }
    if (lane == 31)
      total[warp] = v;  //@1 //@2
    EXCEPT(1)
    __syncthreads();
    if (warp == 0) {
      unsigned w = 0;
      if (lane < 8)
        w = total[lane];  //@1
      for (int d = 1; d < 8; d *= 2) {
        unsigned left = __shfl_up_sync(~0u, w, d);
        if (lane >= d)
          w += left;
      }
      if (lane < 8)
        total[lane] = w;
    }
    __syncthreads();
    unsigned before = carry;  //@2
    if (warp > 0)
      v += total[warp - 1];  //@2
    v += before;
    if (inside || BROKEN == 3) {
      out[base + t] = v;  //@3
      ONLY(4)
      __syncthreads();  //@4
    }
    EXCEPT(2)
    EXCEPT(4)
    __syncthreads();
    if (t == 255)
      carry = v;  //@2
  }
}
