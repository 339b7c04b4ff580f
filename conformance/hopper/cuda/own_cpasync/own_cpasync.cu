// The kernel of `conformance/cuda/cpasync.cu`, a statement a line: sums of rows through two buffers of cp.async; divergence, shuffles, local memory, an atomic.
// twin 1 missing-barrier: a stage is read before the copies of other warps have been waited for
// twin 2 missing-barrier: a stage is fetched into the buffer that other warps still read
// twin 3 missing-wait: one group too many may be in flight when a stage is read
// twin 4 out-of-bounds: one stage too many is fetched
// twin 5 divergent-barrier: only the threads with a large element reach the barrier
// twin 6 uninitialised: an element of the local array that nothing has written
#include "../twins.h"
#include <cuda_pipeline.h>
__global__ void cpasync(const float* __restrict__ x, float* y, int n, int* hist) {
  __shared__ alignas(16) float buf[2][256];
  int t = threadIdx.x;
  float acc = 0;
  float loc[8];
  auto fetch = [&](int i, int b) {
    if (t < 64)
      __pipeline_memcpy_async(&buf[b][4 * t], x + (size_t)blockIdx.x * n + i * 256 + 4 * t, 16);  //@1 //@2 //@3 //@4
    __pipeline_commit();
  };
  fetch(0, 0);
  for (int i = 0; i < n / 256; i++) {
    if (i + 1 < n / 256 + EITHER(4, 1, 0)) {
      fetch(i + 1, (i + 1) & 1);  //@1 //@2 //@3 //@4
      __pipeline_wait_prior(EITHER(3, 2, 1));
    } else {
      __pipeline_wait_prior(0);
    }
    EXCEPT(1)
    __syncthreads();
    float v = buf[i & 1][t];  //@1 //@2 //@3
    loc[(int)v & 7] = v;
    if (v > 0.5f) {
      acc += v;
      ONLY(5)
      __syncthreads();  //@5
    } else if (v < -0.5f)
      acc -= __expf(v);
    else
      acc += loc[EITHER(6, t + 1, t) & 7];  //@6
    EXCEPT(2)
    EXCEPT(5)
    __syncthreads();
  }
  for (int o = 16; o; o >>= 1)
    acc += __shfl_xor_sync(~0u, acc, o);
  __shared__ float part[8];
  if (t % 32 == 0)
    part[t / 32] = acc;
  __syncthreads();
  if (t == 0) {
    float s = 0;
    for (int w = 0; w < 8; w++)
      s += part[w];
    y[blockIdx.x] = s;
    atomicAdd(hist + ((int)s & 15), 1);
  }
}
