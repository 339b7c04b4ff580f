// C = A B', f16 to f32, a tile of 128 x 64 a block. TMA fills a ring of stages, one thread multiplies them on the tensor core, and four warps bring the sum
// out of tensor memory.
// twin 1 missing-fence: no fence between the barrier of the products and the loads of the sum
// twin 2 missing-wait: the sum is loaded before the products are done
// twin 3 missing-wait: registers of a load are stored before it has been waited for
// twin 4 wrong-lane: every warp loads the lanes of the first
// twin 5 missing-wait: the products do not wait for the copies
// twin 6 leak: the columns are never given back
// twin 7 early-release: a stage is free when its products are issued, not when they are done
// twin 8 wrong-size: fewer columns are given back than were allocated
// twin 9 out-of-bounds: the accumulator begins behind the columns
#include "../tcgen.h"
constexpr int M = 128, N = 64, K = 64, STAGES = 2, COLUMNS = 64;
struct Stage {
  uint8_t a[M * K * 2];
  uint8_t b[N * K * 2];
};
extern "C" __global__ void __launch_bounds__(128) tcgen_matmul(const __grid_constant__ Map a, const __grid_constant__ Map b, float* c, int steps, int width) {
  extern __shared__ __align__(1024) uint8_t memory[];
  Stage* ring = (Stage*)memory;
  __shared__ alignas(8) uint64_t full[STAGES], empty[STAGES], done;
  __shared__ uint32_t columns;
  int warp = threadIdx.x / 32;
  if (warp == 0) {
    ALLOC(1, &columns, COLUMNS);  //@6 //@8
    RELINQUISH(1);
  }
  if (threadIdx.x == 32) {
    for (int s = 0; s < STAGES; s++) {
      INIT(&full[s], 1);
      INIT(&empty[s], 1);
    }
    INIT(&done, 1);
    INITS_VISIBLE();
  }
  BEFORE_SYNC();
  __syncthreads();
  AFTER_SYNC();
  uint32_t d = columns;
  if (warp == 0 && elected()) {
    for (int k = 0; k < steps; k++) {
      int s = k % STAGES;
      WAIT(&empty[s], (k / STAGES + 1) & 1);
      EXPECT(&full[s], (uint32_t)sizeof(Stage));
      LOAD(ring[s].a, a, k * K, blockIdx.y * M, &full[s]);  //@5 //@7
      LOAD(ring[s].b, b, k * K, blockIdx.x * N, &full[s]);  //@5 //@7
    }
  }
  __syncwarp();
  if (warp == 1 && elected()) {
    uint32_t idesc = 1 << 4 | N / 8 << 17 | M / 16 << 24;
    for (int k = 0; k < steps; k++) {
      int s = k % STAGES;
      EXCEPT(5)
      WAIT(&full[s], k / STAGES & 1);
      AFTER_SYNC();
      uint64_t left = matrix(ring[s].a), right = matrix(ring[s].b);
      for (int i = 0; i < K / 16; i++)
        MMA(1, f16, d + EITHER(9, 32, 0), left + 2 * i, right + 2 * i, idesc, (uint32_t)(k + i > 0));  //@1 //@2 //@5 //@7 //@9
      EXCEPT(7)
      COMMIT(&empty[s]);
      ONLY(7)
      ARRIVE(&empty[s]);
    }
    COMMIT(&done);
  }
  __syncwarp();
  EXCEPT(2)
  WAIT(&done, 0);
  EXCEPT(1)
  AFTER_SYNC();
  float* row = c + (blockIdx.y * M + threadIdx.x) * width + blockIdx.x * N;
  for (int half = 0; half < 2; half++) {
    uint32_t sum[32];
    LOAD_32(sum, d + EITHER(4, 0, warp << 21) + 32 * half);  //@1 //@2 //@3 //@4
    EXCEPT(3)
    WAIT_LOADS();
    for (int i = 0; i < 32; i++)
      row[32 * half + i] = __uint_as_float(sum[i]);  //@3
  }
  ONLY(3)
  WAIT_LOADS();
  BEFORE_SYNC();
  __syncthreads();
  EXCEPT(6)
  if (warp == 0) {
    AFTER_SYNC();
    DEALLOC(1, d, EITHER(8, 32, COLUMNS));  //@8
  }
}
