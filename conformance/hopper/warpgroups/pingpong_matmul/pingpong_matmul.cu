// A persistent matrix product: a producer warp fills a ring by TMA for two consumer warpgroups, which take tiles of 64 x 128 in turn. Named barriers let one multiply
// while the other brings its tile to shared memory (stmatrix) and stores it by TMA.
// twin 1 missing-fence: what stmatrix wrote is stored by TMA without a proxy fence
// twin 2 missing-wait: the staging tile is written again while the store before still reads it
// twin 3 missing-wait: a stage is given back while the newest products read it
// twin 4 wrong-parity: the producer does not wait in the first turn of the ring, nor for the right phase in the others
// twin 5 missing-barrier: a thread stores the tile before its warpgroup has written it
// twin 6 wrong-barrier: both consumers give the turn to the second one
// twin 7 wrong-bytes: the ring expects more than what comes
#include "../hopper.h"
constexpr int ROWS = 64;
constexpr int COLUMNS = 128;
constexpr int STEP = 64;
constexpr int STAGES = 3;
struct Shared {
  alignas(1024) half a[STAGES][ROWS * STEP];
  alignas(1024) half b[STAGES][COLUMNS * STEP];
  alignas(1024) half c[2][2][ROWS * 64];
  alignas(8) uint64_t full[STAGES];
  alignas(8) uint64_t empty[STAGES];
};
extern "C" __global__ void __launch_bounds__(384) pingpong_matmul(const __grid_constant__ CUtensorMap ta, const __grid_constant__ CUtensorMap tb, const __grid_constant__ CUtensorMap tc, int across, int tiles, int steps) {
  Shared& s = *reinterpret_cast<Shared*>(raw);
  int group = threadIdx.x / 128;
  if (threadIdx.x == 0) {
    for (int i = 0; i < STAGES; i++) {
      INIT(shared_address(&s.full[i]), 1);
      INIT(shared_address(&s.empty[i]), 128);
    }
    PUBLISH();
  }
  __syncthreads();
  if (group == 0) {
    FEWER_REGISTERS(40);
    if (threadIdx.x == 0) {
      int turn = 0;
      for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x)
        for (int k = 0; k < steps; k++, turn++) {
          int i = turn % STAGES;
          uint32_t full = shared_address(&s.full[i]);
          WAIT(shared_address(&s.empty[i]), ((turn / STAGES) & 1) ^ EITHER(4, 0, 1));  //@4
          EXPECT(full, (ROWS + COLUMNS) * STEP * 2 + EITHER(7, 16, 0));  //@7
          LOAD(shared_address(s.a[i]), &ta, k * STEP, tile / across * ROWS, full);  //@3
          LOAD(shared_address(s.b[i]), &tb, k * STEP, tile % across * COLUMNS, full);  //@3
        }
    }
  } else {
    MORE_REGISTERS(232);
    int me = group - 1;
    int t = threadIdx.x % 128;
    int turns = (tiles - blockIdx.x + gridDim.x - 1) / gridDim.x;
    if (me == 1)
      GIVE(1, 256);  //@6
    for (int n = me; n < turns; n += 2) {
      int tile = blockIdx.x + n * gridDim.x;
      float d[64] = {};
      MEET(1 + me, 256);  //@6
      for (int k = 0; k < steps; k++) {
        int turn = n * steps + k;
        int i = turn % STAGES;
        WAIT(shared_address(&s.full[i]), (turn / STAGES) & 1);  //@4 //@7
        PRODUCT_FENCE();
        uint64_t a = descriptor(shared_address(s.a[i]));
        uint64_t b = descriptor(shared_address(s.b[i]));
#pragma unroll
        for (int kk = 0; kk < 4; kk++)
          PRODUCT_64x128x16(d, a + 2 * kk, b + 2 * kk);  //@3
        PRODUCT_COMMIT();
        if (BROKEN != 3 || k + 1 == steps)
          PRODUCT_WAIT(0);
        else
          PRODUCT_WAIT(1);
        ARRIVE(shared_address(&s.empty[i]));
      }
      if (me == 0 || n + 1 < turns)
        GIVE(EITHER(6, 2, 2 - me), 256);  //@6
      EXCEPT(2) {
        if (t == 0)
          STORES_READ();
        MEET(3 + me, 128);
      }
#pragma unroll
      for (int j = 0; j < 8; j++) {
        uint32_t w[4];
#pragma unroll
        for (int q = 0; q < 4; q++) {
          half2 pair = __floats2half2_rn(d[8 * j + 2 * q], d[8 * j + 2 * q + 1]);
          w[q] = *reinterpret_cast<uint32_t*>(&pair);
        }
        // matrices: rows 0..7 and 8..15 of columns 16 j, then of columns 16 j + 8
        int row = t / 32 * 16 + t % 16;
        int column = 16 * (j % 4) + 8 * (t % 32 / 16);
        MATRICES_TO_SHARED(shared_address(s.c[me][j / 4] + row * 64 + column), w);  //@1 //@2 //@5
      }
      EXCEPT(1) PROXY_FENCE();
      EXCEPT(5) MEET(3 + me, 128);
      if (t == 0) {
        STORE(&tc, tile % across * COLUMNS, tile / across * ROWS, shared_address(s.c[me][0]));  //@1 //@2 //@5
        STORE(&tc, tile % across * COLUMNS + 64, tile / across * ROWS, shared_address(s.c[me][1]));  //@1 //@2 //@5
        STORES_COMMIT();
      }
    }
    if (t == 0)
      STORES_DONE();
  }
}
