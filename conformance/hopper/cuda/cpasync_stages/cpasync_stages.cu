// cp.async with four stages and every size: 16 bytes past the first-level cache, 16, 8 and 4 through it, zeros behind the end of the input.
// twin 1 missing-wait: waits for one group fewer than the stage needs
// twin 2 missing-barrier: a stage is overwritten while other warps read it
// twin 3 out-of-bounds: the length of a copy does not end with the input
// twin 4 missing-commit: the copies of the loop are in no group, so no wait covers them
// twin 5 divergent-barrier: a barrier under the condition that copies are left
#include "../twins.h"
constexpr int STAGES = 4;
constexpr int WORDS = 128 * (4 + 4 + 2 + 1);
__device__ __forceinline__ int left(int n, int at, int words) {
  int rest = n - at;
  return BROKEN == 3 ? 4 * words : rest <= 0 ? 0 : rest < words ? 4 * rest : 4 * words;
}
__device__ __forceinline__ void fetch(const unsigned* x, int n, int at, unsigned* stage) {
  int t = threadIdx.x;
  int i = at + 4 * t;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(stage + 4 * t)), "l"(x + (i < n || BROKEN == 3 ? i : 0)), "r"(left(n, i, 4)) : "memory");  //@1 //@2 //@3 //@4
  i += 512;
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(stage + 512 + 4 * t)), "l"(x + (i < n || BROKEN == 3 ? i : 0)), "r"(left(n, i, 4)) : "memory");  //@1 //@2 //@3 //@4
  i = at + 1024 + 2 * t;
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(shared_address(stage + 1024 + 2 * t)), "l"(x + (i < n || BROKEN == 3 ? i : 0)), "r"(left(n, i, 2)) : "memory");  //@1 //@2 //@3 //@4
  i = at + 1280 + t;
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(shared_address(stage + 1280 + t)), "l"(x + (i < n || BROKEN == 3 ? i : 0)), "r"(left(n, i, 1)) : "memory");  //@1 //@2 //@3 //@4
}
extern "C" __global__ void cpasync_stages(const unsigned* x, unsigned* y, int n) {
  __shared__ alignas(16) unsigned ring[STAGES * WORDS];
  int t = threadIdx.x;
  int steps = (n + WORDS - 1) / WORDS;
  unsigned sum = blockIdx.x;
  for (int s = 0; s < STAGES - 1; s++) {
    if (s < steps)
      fetch(x, n, s * WORDS, ring + s * WORDS);
    asm volatile("cp.async.commit_group;" ::: "memory");
  }
  for (int s = 0; s < steps; s++) {
    EXCEPT(1)
    asm volatile("cp.async.wait_group 2;" ::: "memory");
    ONLY(1)
    asm volatile("cp.async.wait_group 3;" ::: "memory");
    __syncthreads();
    const unsigned* stage = ring + s % STAGES * WORDS;
    for (int j = 0; j < WORDS / 128; j++)
      sum = sum * 1664525u + stage[(j * 128 + t + 32 * blockIdx.x) % WORDS];  //@1 //@2 //@4
    ONLY(2)
    if (s + 3 < steps)
      fetch(x, n, (s + 3) * WORDS, ring + s % STAGES * WORDS);  //@2
    EXCEPT(2)
    if (s + 3 < steps)
      fetch(x, n, (s + 3) * WORDS, ring + (s + 3) % STAGES * WORDS);
    ONLY(5)
    if (s * WORDS + 11 * t < n)
      __syncthreads();  //@5
    EXCEPT(4)
    asm volatile("cp.async.commit_group;" ::: "memory");
  }
  y[blockIdx.x * 128 + t] = sum;
}
