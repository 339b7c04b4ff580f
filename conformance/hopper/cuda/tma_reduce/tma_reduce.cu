// Sums of several CTAs in one box of a tensor: each CTA fills a tile and adds it with cp.reduce.async.bulk.tensor, integers and floats; the box hangs over the edge.
// twin 1 race: the tile is stored, not added
// twin 2 missing-proxy-fence: the tile is added without a fence between the proxies
// twin 3 missing-barrier: the tile is added before all threads have filled it
// twin 4 missing-wait: the tile is filled again while it is read
#include <cuda.h>
#include "../cluster.h"
extern "C" __global__ void __launch_bounds__(128) tma_reduce(const __grid_constant__ CUtensorMap counts, const __grid_constant__ CUtensorMap sums, const uint32_t* x) {
  __shared__ alignas(128) uint32_t tile[16][32];
  int t = threadIdx.x;
  for (int k = 0; k < 2; k++) {
    for (int i = t; i < 512; i += 128) {
      uint32_t value = x[blockIdx.x * 512 + i];
      tile[i / 32][i % 32] = k == 0 ? value : __float_as_uint((float)(value & 1023));  //@2 //@3 //@4
    }
    if (BROKEN != 2)
      PROXY_FENCE();
    EXCEPT(3)
    __syncthreads();
    if (t == 0) {
      if (BROKEN == 1)
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(k == 0 ? &counts : &sums), "r"(8), "r"(k * 4), "r"(shared_address(tile)) : "memory");  //@1
      else
        asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group [%0, {%1, %2}], [%3];" ::"l"(k == 0 ? &counts : &sums), "r"(8), "r"(k * 4), "r"(shared_address(tile)) : "memory");  //@2 //@3 //@4
      COMMIT();
      if (BROKEN != 4)
        WAIT_GROUPS_READ(0);
    }
    __syncthreads();
  }
  if (t == 0)
    WAIT_GROUPS(0);
}
