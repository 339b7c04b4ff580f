// C = A B', f16 to f32, a tile of 256 x 64 a pair of blocks: each has half of the rows of A and half of the columns of B in its shared memory, one thread of
// the even block multiplies for both, and each brings its 128 rows of the sum out of its own tensor memory.
// twin 1 wrong-bytes: the even block expects its own bytes alone
// twin 2 missing-multicast: the odd block never hears that the products are done
// twin 3 missing-fence: no fence between the barrier of the products and the loads of the sum
// twin 4 missing-wait: the odd block loads the sum before it has heard of the products
// twin 5 missing-barrier: a product may find the other block without its columns
// twin 6 one-sided: the odd block does not give its columns back
// twin 7 missing-start: a block allocates for the pair, and the other may not have started
#include "../tcgen.h"
constexpr int M = 256, N = 64, K = 64, STAGES = 2, COLUMNS = 64;
struct Stage {
  uint8_t a[M / 2 * K * 2];
  uint8_t b[N / 2 * K * 2];
};
__device__ __forceinline__ uint32_t rank() {
  uint32_t r;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
  return r;
}
#define CLUSTER_SYNC() asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory")
extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(128) tcgen_pair(const __grid_constant__ Map a, const __grid_constant__ Map b, float* c, int steps, int width) {
  extern __shared__ __align__(1024) uint8_t memory[];
  Stage* ring = (Stage*)memory;
  __shared__ alignas(8) uint64_t full[STAGES], empty[STAGES], done;
  __shared__ uint32_t columns;
  int warp = threadIdx.x / 32;
  int own = rank();
  int tile = blockIdx.x / 2;
  EXCEPT(7)
  CLUSTER_SYNC();
  if (warp == 0) {
    ALLOC(2, &columns, COLUMNS);  //@5 //@6 //@7
    RELINQUISH(2);
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
  EXCEPT(5)
  CLUSTER_SYNC();
  AFTER_SYNC();
  uint32_t d = columns;
  if (warp == 0 && elected()) {
    for (int k = 0; k < steps; k++) {
      int s = k % STAGES;
      WAIT(&empty[s], (k / STAGES + 1) & 1);
      if (own == 0)
        EXPECT(&full[s], (uint32_t)(EITHER(1, 1, 2) * sizeof(Stage)));  //@1
      LOAD_PAIR(ring[s].a, a, k * K, own * (M / 2), &full[s]);  //@1 //@5
      LOAD_PAIR(ring[s].b, b, k * K, tile * N + own * (N / 2), &full[s]);  //@1 //@5
    }
  }
  __syncwarp();
  if (own == 0 && warp == 1 && elected()) {
    uint32_t idesc = 1 << 4 | N / 8 << 17 | M / 16 << 24;
    for (int k = 0; k < steps; k++) {
      int s = k % STAGES;
      WAIT(&full[s], k / STAGES & 1);  //@1
      AFTER_SYNC();
      uint64_t left = matrix(ring[s].a), right = matrix(ring[s].b);
      for (int i = 0; i < K / 16; i++)
        MMA(2, f16, d, left + 2 * i, right + 2 * i, idesc, (uint32_t)(k + i > 0));  //@1 //@3 //@4 //@5
      COMMIT_PAIR(&empty[s], 3);
    }
    COMMIT_PAIR(&done, EITHER(2, 1, 3));  //@2
  }
  __syncwarp();
  EXCEPT(4)
  WAIT(&done, 0);  //@2
  ONLY(4)
  if (own == 0)
    WAIT(&done, 0);
  EXCEPT(3)
  AFTER_SYNC();
  float* row = c + (own * (M / 2) + threadIdx.x) * width + tile * N;
  for (int half = 0; half < 2; half++) {
    uint32_t sum[32];
    LOAD_32(sum, d + (warp << 21) + 32 * half);  //@3 //@4
    WAIT_LOADS();
    for (int i = 0; i < 32; i++)
      row[32 * half + i] = __uint_as_float(sum[i]);
  }
  BEFORE_SYNC();
  CLUSTER_SYNC();
  if (warp == 0 && EITHER(6, own == 0, true)) {
    AFTER_SYNC();
    DEALLOC(2, d, COLUMNS);  //@6
  }
}
