// libcu++: a cuda::pipeline of two stages between the warp that copies and the warp that adds; each thread that copies brings two elements of a tile.
// twin 1 missing-wait: a stage is read before it is full
// twin 2 missing-wait: a stage is filled before it is free
// twin 3 missing-barrier: a stage is released before it is read
// twin 4 deadlock: no stage is ever released
#include <cooperative_groups.h>
#include <cuda/pipeline>
#include "../twins.h"
#pragma nv_diag_suppress static_var_with_dynamic_init
extern "C" __global__ void cxx_pipeline(const unsigned* x, unsigned* y, int tiles) {
  __shared__ alignas(16) unsigned tile[2][64];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  int t = threadIdx.x;
  auto role = t < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
  auto pipe = cuda::make_pipeline(cooperative_groups::this_thread_block(), &state, role);
  if (t < 32) {
    for (int k = 0; k < tiles; k++) {
      EXCEPT(2)
      pipe.producer_acquire();  //@4
      cuda::memcpy_async(&tile[k % 2][2 * t], x + (blockIdx.x * tiles + k) * 64 + 2 * t, cuda::aligned_size_t<8>(8), pipe);  //@1 //@2 //@3
      pipe.producer_commit();
    }
  } else {
    unsigned sum = 0;
    for (int k = 0; k < tiles; k++) {
      EXCEPT(1)
      pipe.consumer_wait();
      ONLY(3)
      pipe.consumer_release();
      sum = sum * 5 + tile[k % 2][t - 32] - tile[k % 2][95 - t];  //@1 //@2 //@3
      EXCEPT(3)
      EXCEPT(4)
      pipe.consumer_release();
    }
    y[blockIdx.x * 32 + t - 32] = sum;
  }
}
