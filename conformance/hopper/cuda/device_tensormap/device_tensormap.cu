// A tensor map made on the device: a thread copies the one it was given, points it at its own matrix with its own extents, and hands it over with cp_fenceproxy; all then load through it.
// twin 1 missing-fence: nothing takes the map over before it is used
// twin 2 missing-wait: the box is read before it has come
// twin 3 missing-barrier: the map is used before it is handed over
// twin 4 out-of-bounds: the map has more rows than its matrix
// twin 5 wrong-bytes: half of the bytes are expected
#include <cuda.h>
#include "../cluster.h"
__device__ CUtensorMap made[3];
extern "C" __global__ void __launch_bounds__(64) device_tensormap(const __grid_constant__ CUtensorMap given, const float* x, float* y, int rows) {
  __shared__ alignas(128) uint32_t map[32];
  __shared__ alignas(128) float box[8][32];
  __shared__ alignas(8) uint64_t full;
  int t = threadIdx.x;
  const float* mine = x + blockIdx.x * rows * 32;
  CUtensorMap* own = made + blockIdx.x;
  if (t == 0) {
    INIT(&full, 1);
    INIT_FENCE();
  }
  if (t < 32) {
    map[t] = ((const uint32_t*)&given)[t];
    __syncwarp();
    if (t == 0) {
      asm volatile("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" ::"r"(shared_address(map)), "l"(mine) : "memory");
      asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 1, %1;" ::"r"(shared_address(map)), "r"(rows - (int)blockIdx.x + EITHER(4, 6, 0)) : "memory");
    }
    __syncwarp();
    asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%0], [%1], 128;" ::"l"(own), "r"(shared_address(map)) : "memory");  //@1 //@3
  }
  EXCEPT(3)
  __syncthreads();
  if (t == EITHER(3, 32, 0)) {
    if (BROKEN != 1)
      asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(own) : "memory");
    if (BROKEN == 3)
      INIT(&full, 1);
    EXPECT(&full, EITHER(5, 512, 1024));
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(box)), "l"(own), "r"(0), "r"(rows - 6), "r"(shared_address(&full)) : "memory");  //@1 //@2 //@3 //@4 //@5
  }
  __syncthreads();
  if (BROKEN != 2) {
    WAIT("acquire.cta", &full, 0);  //@5
  }
  for (int i = t; i < 256; i += 64)
    y[blockIdx.x * 256 + i] = box[i / 32][i % 32];  //@2 //@5
}
