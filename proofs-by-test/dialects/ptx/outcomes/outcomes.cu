// What one run leaves open: who comes first. twin 1: a fence that only one block, the last of an eager run, leaves out; 2: the lock is given back before the sum is there
#ifndef BROKEN
#define BROKEN 0
#endif
// The block that counts last adds what all have left.
extern "C" __global__ void last(const int* x, int* partial, unsigned* count, int* sum) {
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = x[blockIdx.x] * 3;
    if (BROKEN != 1 || blockIdx.x + 1 < gridDim.x)
      __threadfence();
    if (atomicAdd(count, 1u) == gridDim.x - 1) {
      __threadfence();
      int s = 0;
      for (int b = 0; b < gridDim.x; b++)
        s += partial[b];
      *sum = s;
    }
  }
}
// Blocks add one after another, whoever takes the lock.
extern "C" __global__ void lock(const int* x, int* partial, unsigned* held, int* sum) {
  if (threadIdx.x == 0) {
    while (atomicCAS(held, 0u, 1u) != 0u)
      ;
    __threadfence();
    if (BROKEN == 2)
      atomicExch(held, 0u);
    *sum += x[blockIdx.x];
    __threadfence();
    if (BROKEN != 2)
      atomicExch(held, 0u);
  }
}
// A ticket says which part a block works on: all do the same, wherever they come.
extern "C" __global__ void tickets(const int* x, int* partial, unsigned* next, int* sum) {
  if (threadIdx.x == 0)
    for (unsigned t = atomicAdd(next, 1u); t < gridDim.x; t = atomicAdd(next, 1u))
      partial[t] = x[t] * 5;
}
