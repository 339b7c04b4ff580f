// A gather of rows with cp.async.bulk: eight lanes of a warp copy a row each, where an index says, and the bytes of all come off one mbarrier. Two stages.
// twin 1 missing-wait: the rows are read before they have come
// twin 2 missing-barrier: a stage is filled again while it is read
// twin 3 wrong-bytes: one row too few is expected
// twin 4 out-of-bounds: an index is taken as it is
// twin 5 wrong-parity: the wait is for the generation before
#include "../cluster.h"
constexpr int ROWS = 8;
constexpr int COLUMNS = 64;
extern "C" __global__ void __launch_bounds__(64) bulk_gather(const float* table, const int* index, float* y, int rows, int turns) {
  __shared__ alignas(128) float stage[2][ROWS][COLUMNS];
  __shared__ alignas(8) uint64_t full[2];
  int t = threadIdx.x;
  const int* mine = index + blockIdx.x * turns * ROWS;
  if (t == 0) {
    INIT(&full[0], 1);
    INIT(&full[1], 1);
    INIT_FENCE();
  }
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < turns; k++) {
    int s = k % 2;
    if (t < ROWS) {
      if (t == 0)
        EXPECT(&full[s], 4 * COLUMNS * (ROWS - EITHER(3, 1, 0)));
      __syncwarp(0xff);
      int row = mine[k * ROWS + t];
      EXCEPT(4)
      row = min(max(row, 0), rows - 1);
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared_address(stage[s][t])), "l"(table + (int64_t)row * COLUMNS), "r"(4 * COLUMNS), "r"(shared_address(&full[s])) : "memory");  //@1 //@2 //@3 //@4 //@5
    }
    if (BROKEN != 1) {
      WAIT("acquire.cta", &full[s], EITHER(5, (k / 2 & 1) ^ 1, k / 2 & 1));  //@2 //@3 //@5
    }
    for (int r = 0; r < ROWS; r++)
      sum = sum * 0.5f + stage[s][r][t];  //@1 //@2 //@3 //@5
    EXCEPT(2)
    __syncthreads();
  }
  y[blockIdx.x * COLUMNS + t] = sum;
}
