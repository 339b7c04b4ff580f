// Two producer warps and two consumer warps hand two buffers to each other with named barriers: bar.arrive on one side, bar.sync on the other.
// twin 1 missing-barrier: the consumers do not wait until a buffer is full
// twin 2 missing-barrier: the producers do not wait until a buffer is empty
// twin 3 race: the consumers give a buffer back before they have read it
// twin 4 divergent-barrier: half of a warp arrives
// twin 5 wrong-count: the consumers count the warps of their own side alone
// twin 6 out-of-bounds: the producers fill one buffer too many
#include "../twins.h"
__device__ __forceinline__ void bar_sync(int id, int count) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(count) : "memory");  //@5
}
__device__ __forceinline__ void bar_arrive(int id, int count) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(count) : "memory");  //@4 //@5
}
extern "C" __global__ void named_barriers(const int* x, int* y, int steps) {
  __shared__ int buffer[2 * 64];
  int t = threadIdx.x;
  const int* mine = x + blockIdx.x * steps * 64;
  if (t < 64) {
    for (int s = 0; s < steps; s++) {
      EXCEPT(2)
      if (s >= 2)
        bar_sync(3 + s % 2, 128);
      buffer[(s % 2 + EITHER(6, s / 3, 0)) * 64 + t] = 3 * mine[s * 64 + t] - s;  //@1 //@2 //@3 //@6
      ONLY(4)
      if (t % 32 < 16)
        bar_arrive(1 + s % 2, 128);  //@4
      EXCEPT(4)
      bar_arrive(1 + s % 2, 128);
    }
  } else {
    int sum = 0;
    int u = t - 64;
    for (int s = 0; s < steps; s++) {
      EXCEPT(1)
      bar_sync(1 + s % 2, EITHER(5, 64, 128));  //@5
      ONLY(3)
      if (s + 2 < steps)
        bar_arrive(3 + s % 2, 128);
      sum = sum * 31 + buffer[s % 2 * 64 + 63 - u];  //@1 //@2 //@3 //@5
      sum ^= buffer[s % 2 * 64 + (u + 32) % 64];  //@1 //@2 //@3 //@5
      EXCEPT(3)
      if (s + 2 < steps)
        bar_arrive(3 + s % 2, 128);
    }
    y[blockIdx.x * 64 + u] = sum;
  }
}
