// Two rings of stages that one warp fills and four empty, in the style of CUTLASS: tokens of peeks are carried over the loop, and handed to the wait.
#include <cstdint>
constexpr int STAGES = 3;
constexpr int WORDS = 64;
enum class Status : uint32_t { WaitAgain = 0u, WaitDone = 1u };
struct Token {
  Status status;
  __device__ bool again() const { return status == Status::WaitAgain; }
};
struct State {
  int stage = 0;
  uint32_t phase = 0;
  __device__ __forceinline__ State& operator++() {
    if (++stage == STAGES) {
      stage = 0;
      phase ^= 1;
    }
    return *this;
  }
};
__device__ __forceinline__ uint32_t address(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ __forceinline__ uint32_t try_wait(uint64_t* barrier, uint32_t phase) {
  uint32_t done;
  asm volatile("{\n.reg .pred P1;\nmbarrier.try_wait.parity.shared::cta.b64 P1, [%1], %2;\nselp.b32 %0, 1, 0, P1;\n}" : "=r"(done) : "r"(address(barrier)), "r"(phase) : "memory");
  return done;
}
__device__ __forceinline__ void wait(uint64_t* barrier, uint32_t phase) {
  asm volatile("{\n.reg .pred P1;\nLAB_WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n@P1 bra DONE;\nbra LAB_WAIT;\nDONE:\n}" ::"r"(address(barrier)), "r"(phase) : "memory");
}
struct Ring {
  float data[STAGES][WORDS];
  alignas(8) uint64_t full[STAGES];
  uint64_t empty[STAGES];
  __device__ __forceinline__ Token producer_try(State s) { return {Status(try_wait(&empty[s.stage], s.phase ^ 1))}; }
  __device__ __forceinline__ void producer_acquire(State s, Token t) {
    if (t.again())
      wait(&empty[s.stage], s.phase ^ 1);
  }
  __device__ __forceinline__ Token consumer_try(State s) { return {Status(try_wait(&full[s.stage], s.phase))}; }
  __device__ __forceinline__ void consumer_wait(State s, Token t) {
    if (t.again())
      wait(&full[s.stage], s.phase);
  }
  __device__ __forceinline__ void fill(State s, const float* from) {
    uint32_t barrier = address(&full[s.stage]);
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(4 * WORDS) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(address(data[s.stage])), "l"(from), "r"(4 * WORDS), "r"(barrier) : "memory");
  }
  __device__ __forceinline__ void release(State s) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address(&empty[s.stage])) : "memory");
  }
};
extern "C" __global__ void __launch_bounds__(160) two_rings(const float* x, const float* w, float* y, int tiles) {
  __shared__ alignas(128) Ring a;
  __shared__ alignas(128) Ring b;
  int warp = threadIdx.x / 32;
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; s++)
      for (Ring* r : {&a, &b}) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address(&r->full[s])) : "memory");
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 4;" ::"r"(address(&r->empty[s])) : "memory");
      }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  if (warp == 4) {
    if (threadIdx.x % 32 == 0) {
      State s;
      Token free = a.producer_try(s);
      for (int k = 0; k < tiles; k++) {
        a.producer_acquire(s, free);
        a.fill(s, x + k * WORDS);
        Token other = b.producer_try(s);
        b.producer_acquire(s, other);
        b.fill(s, w + k * WORDS);
        ++s;
        free = {Status::WaitAgain};
        if (k + 1 < tiles)
          free = a.producer_try(s);
      }
    }
    return;
  }
  State s;
  float sum = 0;
  Token ready = a.consumer_try(s);
  Token also = b.consumer_try(s);
  for (int k = 0; k < tiles; k++) {
    a.consumer_wait(s, ready);
    b.consumer_wait(s, also);
    State now = s;
    ++s;
    ready = {Status::WaitAgain};
    also = {Status::WaitAgain};
    if (k + 1 < tiles) {
      ready = a.consumer_try(s);
      also = b.consumer_try(s);
    }
    sum += a.data[now.stage][threadIdx.x % WORDS] * b.data[now.stage][(threadIdx.x + 7) % WORDS];
    __syncwarp();
    if (threadIdx.x % 32 == 0) {
      a.release(now);
      b.release(now);
    }
  }
  y[threadIdx.x] = sum;
}
