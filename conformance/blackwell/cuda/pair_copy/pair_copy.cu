// Both blocks of a pair fetch their half of a tile by copies that tell the barrier of the even one; it waits for all bytes, lets the odd one know, and each
// sums its own half.
// twin 1 wrong-bytes: the even block expects its own half alone
// twin 2 missing-wait: the odd block reads its half without having heard that it is there
// twin 3 wrong-barrier: the odd block tells its own barrier, and the even one waits for bytes that never come
// twin 4 missing-init-fence: the odd block may tell a barrier that is not there yet
#include "../tcgen.h"
constexpr int WIDTH = 32, ROWS = 16;
#define CLUSTER_ARRIVE() asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory")
#define CLUSTER_WAIT() asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory")
extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(32) pair_copy(const __grid_constant__ Map x, float* y) {
  __shared__ alignas(128) float tile[ROWS * WIDTH];
  __shared__ alignas(8) uint64_t full, ready;
  int own = blockIdx.x % 2;
  if (threadIdx.x == 0) {
    INIT(&full, 1);  //@4
    INIT(&ready, 1);
    INITS_VISIBLE();
  }
  EXCEPT(4)
  CLUSTER_ARRIVE();
  EXCEPT(4)
  CLUSTER_WAIT();
  __syncwarp();
  if (threadIdx.x == 0) {
    if (own == 0)
      EXPECT(&full, (uint32_t)(EITHER(1, 1, 2) * sizeof(tile)));  //@1
    if (EITHER(3, own == 0, true))
      LOAD_PAIR(tile, x, 0, own * ROWS, &full);  //@1 //@2 //@4
    else
      LOAD(tile, x, 0, own * ROWS, &full);  //@3
    if (own == 0) {
      WAIT(&full, 0);  //@1 //@3
      uint32_t far;
      asm volatile("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(far) : "r"(shared_address(&ready)));
      asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(far) : "memory");  //@4
    }
  }
  __syncwarp();
  if (own == 0)
    WAIT(&full, 0);  //@3
  else EXCEPT(2)
    asm volatile("{\n.reg .pred done;\nAGAIN_%=:\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], 0;\n@!done bra AGAIN_%=;\n}" ::"r"(shared_address(&ready)) : "memory");
  float sum = 0;
  for (int r = 0; r < ROWS; r++)
    sum += tile[r * WIDTH + threadIdx.x];  //@1 //@2
  y[blockIdx.x * WIDTH + threadIdx.x] = sum;
  CLUSTER_ARRIVE();
  CLUSTER_WAIT();
}
