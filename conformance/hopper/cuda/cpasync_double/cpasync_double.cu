// cp.async with two buffers: each thread adds its element and its mirror's, stage by stage.
// twin 1 missing-wait: one group too many may be in flight when a stage is read
// twin 2 missing-barrier: a stage is fetched into the buffer that other warps still read
// twin 3 missing-barrier: a stage is read before the copies of other warps have been waited for
// twin 4 out-of-bounds: one stage too many is fetched
// twin 5 divergent-barrier: only the threads that fetch reach the barrier
#include "../twins.h"
#include <cuda_pipeline.h>
__device__ __forceinline__ void fetch(float* stage, const float* from) {
  if (threadIdx.x < 64)
    __pipeline_memcpy_async(stage + 4 * threadIdx.x, from + 4 * threadIdx.x, 16);  //@1 //@2 //@3 //@4
  __pipeline_commit();
}
extern "C" __global__ void cpasync_double(const float* x, float* y, int stages) {
  __shared__ alignas(16) float buffer[2][256];
  int t = threadIdx.x;
  const float* mine = x + blockIdx.x * stages * 256;
  float sum = 0;
  fetch(buffer[0], mine);
  for (int s = 0; s < stages; s++) {
    if (s + 1 < stages + EITHER(4, 1, 0)) {
      fetch(buffer[(s + 1) % 2], mine + (s + 1) * 256);  //@2 //@4
      EXCEPT(1)
      __pipeline_wait_prior(1);
      ONLY(1)
      __pipeline_wait_prior(2);
    } else {
      __pipeline_wait_prior(0);
    }
    EXCEPT(3)
    __syncthreads();
    sum = sum * 0.5f + buffer[s % 2][t];  //@1 //@3
    sum += buffer[s % 2][255 - t];  //@1 //@2 //@3
    ONLY(5)
    if (t < 48)
      __syncthreads();  //@5
    EXCEPT(2)
    EXCEPT(5)
    __syncthreads();
  }
  y[blockIdx.x * 256 + t] = sum;
}
