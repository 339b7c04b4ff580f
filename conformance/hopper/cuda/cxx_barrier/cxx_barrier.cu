// libcu++: factors come by cuda::memcpy_async, tiles by cuda::device::memcpy_async_tx, each on a cuda::barrier of the block; two tiles take turns.
// twin 1 missing-wait: a tile is read before its barrier has completed
// twin 2 missing-barrier: all tiles come to one place, which the next tile overwrites while others still read
// twin 3 missing-wait: the factor of another thread is read before the barrier has completed
// twin 4 deadlock: the barrier of the first tile expects one thread more than there are
// twin 5 deadlock: the transaction is expected to have 16 bytes more than are copied
#include <cuda/barrier>
#include <utility>
#include "../twins.h"
#pragma nv_diag_suppress static_var_with_dynamic_init
using barrier = cuda::barrier<cuda::thread_scope_block>;
extern "C" __global__ void cxx_barrier(const unsigned* x, const unsigned* factors, unsigned* y, int tiles) {
  __shared__ alignas(16) unsigned tile[2][64];
  __shared__ unsigned factor[64];
  __shared__ barrier full[2];
  __shared__ barrier all;
  int t = threadIdx.x;
  if (t == 0) {
    init(&full[0], EITHER(4, 65, 64));  //@4
    init(&full[1], 64);
    init(&all, 64);
  }
  __syncthreads();
  cuda::memcpy_async(&factor[t], &factors[t], sizeof(unsigned), all);  //@3
  auto here = all.arrive();
  EXCEPT(3)
  all.wait(std::move(here));
  unsigned scale = factor[63 - t];  //@3
  unsigned sum = 0;
  for (int k = 0; k < tiles; k++) {
    int stage = EITHER(2, 0, k % 2);
    barrier::arrival_token token;
    if (t == 0) {
      cuda::device::memcpy_async_tx(tile[stage], x + (blockIdx.x * tiles + k) * 64, cuda::aligned_size_t<16>(256), full[k % 2]);  //@1 //@2
      token = cuda::device::barrier_arrive_tx(full[k % 2], 1, EITHER(5, 272, 256));  //@5
    } else
      token = full[k % 2].arrive();
    EXCEPT(1)
    full[k % 2].wait(std::move(token));  //@4 //@5
    sum = sum * 3 + tile[stage][(t + 1) % 64] * scale;  //@1 //@2
  }
  y[blockIdx.x * 64 + t] = sum;
}
