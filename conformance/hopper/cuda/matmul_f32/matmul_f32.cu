// c = a @ b in f32 with fused multiply-adds: 16 x 16 tiles in shared memory, ragged edges.
// twin 1 missing-barrier: products before both tiles are there
// twin 2 missing-barrier: the next tiles overwrite what other warps still read
// twin 3 out-of-bounds: the edge of b is not looked at
// twin 4 divergent-barrier: only the threads inside of c reach the barrier
#include "../twins.h"
extern "C" __global__ void matmul_f32(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float tile_a[16][16];
  __shared__ float tile_b[16][17];
  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int row = blockIdx.y * 16 + ty;
  int column = blockIdx.x * 16 + tx;
  bool inside = row < m && column < n;
  float sum = 0;
  for (int base = 0; base < k; base += 16) {
    tile_a[ty][tx] = row < m && base + tx < k ? a[row * k + base + tx] : 0.0f;  //@1 //@2
    tile_b[ty][tx] = (base + ty < k || BROKEN == 3) && column < n ? b[(base + ty) * n + column] : 0.0f;  //@1 //@2 //@3
    EXCEPT(1)
    __syncthreads();
    for (int j = 0; j < 16; j++)
      sum = fmaf(tile_a[ty][j], tile_b[j][tx], sum);  //@1 //@2
    ONLY(4)
    if (inside)
      __syncthreads();  //@4
    EXCEPT(2)
    EXCEPT(4)
    __syncthreads();
  }
  if (inside)
    c[row * n + column] = sum;
}
