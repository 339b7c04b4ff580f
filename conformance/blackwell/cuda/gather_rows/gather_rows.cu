// Rows of a table, four at a time by their numbers, are brought to shared memory, doubled there, and put at rows of another table. Two buffers take turns.
// twin 1 missing-wait: rows are read before they have come
// twin 2 missing-fence: what was doubled is not handed to the copy that brings it out
// twin 3 missing-wait: a buffer is filled again while it is still read by the copy that brings it out
// twin 4 wrong-bytes: the barrier expects three of four rows
// twin 5 missing-barrier: rows are brought out while other warps still double them
#include "../tcgen.h"
constexpr int WIDTH = 32;
#define GATHER(into, map, column, i, barrier) asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4, %5, %6}], [%7];" ::"r"(shared_address(into)), "l"(&map), "r"(column), "r"((i)[0]), "r"((i)[1]), "r"((i)[2]), "r"((i)[3]), "r"(shared_address(barrier)) : "memory")
#define SCATTER(map, column, i, from) asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [%0, {%1, %2, %3, %4, %5}], [%6];" ::"l"(&map), "r"(column), "r"((i)[0]), "r"((i)[1]), "r"((i)[2]), "r"((i)[3]), "r"(shared_address(from)) : "memory")
extern "C" __global__ void __launch_bounds__(64) gather_rows(const __grid_constant__ Map from, const __grid_constant__ Map into, const int* rows, const int* to, int fours) {
  __shared__ alignas(128) float buffer[2][4 * WIDTH];
  __shared__ alignas(8) uint64_t full[2];
  if (threadIdx.x == 0) {
    INIT(&full[0], 1);
    INIT(&full[1], 1);
    INITS_VISIBLE();
  }
  __syncthreads();
  for (int k = 0; k < fours; k++) {
    int s = k % 2;
    if (threadIdx.x == 0) {
      EXCEPT(3)
      asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
      EXPECT(&full[s], (uint32_t)(EITHER(4, 3, 4) * WIDTH * 4));  //@4
      GATHER(buffer[s], from, 0, rows + 4 * k, &full[s]);  //@1 //@3 //@4
    }
    EXCEPT(1)
    WAIT(&full[s], k / 2 & 1);  //@4
    for (int i = threadIdx.x; i < 4 * WIDTH; i += 64)
      buffer[s][i] = 2 * buffer[s][i];  //@1 //@2 //@4 //@5
    EXCEPT(2)
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    EXCEPT(5)
    __syncthreads();
    if (threadIdx.x == 0) {
      SCATTER(into, 0, to + 4 * k, buffer[s]);  //@2 //@3 //@5
      asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    }
  }
  if (threadIdx.x == 0)
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
