// Device functions that are not inlined: scalars, a struct by value, a pointer to a local array, a result of two numbers; a sort in local memory.
// twin 1 missing-barrier: a thread reads ranks that other warps have not yet written
// twin 2 out-of-bounds: the sort runs past its local array
// twin 3 divergent-barrier: a function with a barrier is called by some of the threads
#include "../twins.h"
struct Range {
  int first;
  int step;
  short scale;
};
struct Pair {
  long long sum;
  int greatest;
};
__device__ __noinline__ void sort(int* values, int count) {
  for (int i = 1; i < count; i++) {
    int v = values[i];  //@2
    int j = i;
    while (j > 0 && values[j - 1] > v) {
      values[j] = values[j - 1];  //@2
      j--;
    }
    values[j] = v;
  }
}
__device__ __noinline__ Pair fold(const int* values, Range range, unsigned char count) {
  Pair pair;
  pair.sum = 0;
  pair.greatest = -2147483647;
  for (int i = range.first; i < count; i += range.step) {
    pair.sum += (long long)values[i] * range.scale;
    pair.greatest = max(pair.greatest, values[i]);
  }
  return pair;
}
__device__ __noinline__ void meet(int t, int* place) {
  place[t] = t ^ 37;
  __syncthreads();  //@3
}
extern "C" __global__ void calls(const int* x, long long* sums, int* greatest, int* medians, int* met) {
  __shared__ int ranks[64];
  int t = threadIdx.x;
  int i = blockIdx.x * 64 + t;
  int mine[9];
  for (int j = 0; j < 9; j++)
    mine[(j * 4 + t) % 9] = x[(i * 7 + j * 13) % 512];
  sort(mine, 9 + EITHER(2, 64, 0));
  Range range;
  range.first = t % 3;
  range.step = 1 + t % 2;
  range.scale = (short)(t - 30);
  Pair pair = fold(mine, range, 9);
  sums[i] = pair.sum;
  greatest[i] = pair.greatest;
  medians[i] = mine[(t + 4) % 9];
  EXCEPT(1)
  EXCEPT(3)
  meet(t, ranks);
  ONLY(1)
  ranks[t] = t ^ 37;  //@1
  ONLY(3)
  if (mine[0] > 100)
    meet(t, ranks);  //@3
  met[i] = ranks[63 - t] + 1000 * ranks[t ^ 32];  //@1
}
