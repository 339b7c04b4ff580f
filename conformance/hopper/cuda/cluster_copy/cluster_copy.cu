// Tiles handed on: each CTA of four fills a tile and copies it with cp.async.bulk into the shared memory of the next one, whose mbarrier hears of it.
// twin 1 missing-proxy-fence: the tile is copied without a fence between the proxies
// twin 2 missing-wait: the tile is read before it has come
// twin 3 missing-barrier: a CTA ends while its tile may still be read
// twin 4 wrong-bytes: half of the bytes are expected
// twin 5 missing-barrier: a peer's mbarrier is told before it is initialised
// twin 6 race: the tile is overwritten while it is copied
#include "../cluster.h"
extern "C" __global__ void __cluster_dims__(4, 1, 1) __launch_bounds__(128) cluster_copy(const uint32_t* x, uint32_t* y) {
  __shared__ alignas(128) uint32_t tile[256];
  __shared__ alignas(128) uint32_t received[256];
  __shared__ alignas(8) uint64_t full;
  int t = threadIdx.x;
  uint32_t rank = cluster_rank();
  if (t == 0) {
    INIT(&full, 1);  //@5
    INIT_FENCE();
    EXPECT(&full, EITHER(4, 512, 1024));  //@4 //@5
  }
  for (int k = 0; k < 2; k++)
    tile[t + 128 * k] = x[blockIdx.x * 256 + t + 128 * k] * 3 + rank;  //@1
  if (BROKEN != 1)
    PROXY_FENCE();
  if (BROKEN == 5) {
    __syncthreads();
  } else {
    CLUSTER_SYNC();
  }
  if (t == 0)
    asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(at_rank(received, (rank + 1) % 4)), "r"(shared_address(tile)), "r"(1024), "r"(at_rank(&full, (rank + 1) % 4)) : "memory");  //@1 //@2 //@3 //@4 //@5 //@6
  ONLY(6)
  tile[t] = 0;  //@6
  if (BROKEN != 2) {
    WAIT("acquire.cta", &full, 0);  //@4
  }
  for (int k = 0; k < 2; k++)
    y[blockIdx.x * 256 + t + 128 * k] = received[(t + 128 * k) ^ 5];  //@2 //@4
  if (BROKEN != 3) {
    CLUSTER_SYNC();
  }
}
