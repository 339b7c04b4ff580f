// A transpose through a padded tile of shared memory, 32 x 8 threads, ragged edges.
// twin 1 missing-barrier: a warp reads rows of the tile that other warps have not yet written
// twin 2 out-of-bounds: the guard of the store looks at the extents of the input
// twin 3 uninitialised: the tile is written with a pitch of 32 and read with a pitch of 33
// twin 4 divergent-barrier: only the threads inside of the matrix reach the barrier
#include "../twins.h"
extern "C" __global__ void transpose(const float* x, float* y, int rows, int columns) {
  __shared__ float tile[32 * 33];
  int tx = threadIdx.x;
  int c = blockIdx.x * 32 + tx;
  for (int ty = threadIdx.y; ty < 32; ty += 8) {
    int r = blockIdx.y * 32 + ty;
    if (r < rows && c < columns) {
      tile[ty * EITHER(3, 32, 33) + tx] = x[r * columns + c];  //@1
      ONLY(4)
      __syncthreads();  //@4
    }
  }
  EXCEPT(1)
  EXCEPT(4)
  __syncthreads();
  int r = blockIdx.y * 32 + tx;
  for (int ty = threadIdx.y; ty < 32; ty += 8) {
    int c = blockIdx.x * 32 + ty;
    if (EITHER(2, c, r) < rows && EITHER(2, r, c) < columns)
      y[c * rows + r] = tile[tx * 33 + ty];  //@1 //@2 //@3
  }
}
