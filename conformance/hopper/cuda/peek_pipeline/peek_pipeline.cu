// A ring of stages between one producer warp and three consumer warps, in the style of CUTLASS: cp.async.bulk fills a stage and completes the transaction of its
// full barrier, consumers give it back at its empty barrier. Both sides peek: they try the barrier of the next stage before the work on this one, carry what
// they have seen over the loop, and wait only if the peek was false.
// twin 1 missing-wait: what was peeked is taken for true
// twin 2 missing-wait: the producer does not wait until the stage is free
// twin 3 wrong-parity: the peek of the consumers looks at the generation before
// twin 4 wrong-count: the empty barrier expects two of three consumer warps
// twin 5 out-of-bounds: a transfer is one vector too long
// twin 6 divergent-barrier: part of a warp reaches the last barrier
#include "../twins.h"
constexpr int STAGES = 3;
constexpr int WORDS = 96;
struct State {
  int stage;
  uint32_t phase;
  __device__ __forceinline__ void advance() {
    stage++;
    if (stage == STAGES) {
      stage = 0;
      phase ^= 1;
    }
  }
};
__device__ __forceinline__ uint32_t peek(uint32_t barrier, uint32_t parity) {
  uint32_t seen;
  asm volatile("{\n.reg .pred done;\nmbarrier.try_wait.parity.shared::cta.b64 done, [%1], %2;\nselp.b32 %0, 1, 0, done;\n}" : "=r"(seen) : "r"(barrier), "r"(parity) : "memory");  //@3
  return seen;
}
__device__ __forceinline__ void wait(uint32_t barrier, uint32_t parity) {
  asm volatile("{\n.reg .pred done;\nLAB_WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n@done bra DONE;\nbra LAB_WAIT;\nDONE:\n}" ::"r"(barrier), "r"(parity) : "memory");
}
extern "C" __global__ void __launch_bounds__(128) peek_pipeline(const float* x, float* y, int tiles) {
  __shared__ alignas(128) float ring[STAGES][WORDS];
  __shared__ alignas(8) uint64_t full[STAGES];
  __shared__ alignas(8) uint64_t empty[STAGES];
  int warp = threadIdx.x / 32;
  int lane = threadIdx.x % 32;
  const float* mine = x + blockIdx.x * tiles * WORDS;
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; s++) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&full[s])) : "memory");
      asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&empty[s])), "r"(EITHER(4, 2, 3)) : "memory");  //@4
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  __syncthreads();
  if (warp == 0) {
    if (lane == 0) {
      State state = {0, 1};
      uint32_t free = peek(shared_address(&empty[0]), state.phase);
      for (int k = 0; k < tiles; k++) {
        EXCEPT(2)
        if (!free)
          wait(shared_address(&empty[state.stage]), state.phase);
        uint32_t barrier = shared_address(&full[state.stage]);
        uint32_t bytes = 4 * WORDS + EITHER(5, 16, 0);
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared_address(ring[state.stage])), "l"(mine + k * WORDS), "r"(bytes), "r"(barrier) : "memory");  //@1 //@2 //@3 //@4 //@5
        state.advance();
        free = 0;
        if (k + 1 < tiles)
          free = peek(shared_address(&empty[state.stage]), state.phase);
      }
    }
  } else {
    State state = {0, 0};
    float sum = 0;
    uint32_t ready = peek(shared_address(&full[0]), EITHER(3, 1, 0));
    for (int k = 0; k < tiles; k++) {
      EXCEPT(1)
      if (!ready)
        wait(shared_address(&full[state.stage]), state.phase);
      State next = state;
      next.advance();
      ready = 0;
      if (k + 1 < tiles)
        ready = peek(shared_address(&full[next.stage]), next.phase ^ EITHER(3, 1, 0));
      for (int j = 0; j < 3; j++)
        sum = sum * 0.5f + ring[state.stage][(threadIdx.x + 33 * j) % WORDS];  //@1 //@2 //@3 //@4 //@5
      __syncwarp();
      if (lane == 0)
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&empty[state.stage])) : "memory");
      state = next;
    }
    y[blockIdx.x * WORDS + threadIdx.x - 32] = sum;
  }
  ONLY(6)
  if (threadIdx.x > 40)
    __syncthreads();  //@6
}
