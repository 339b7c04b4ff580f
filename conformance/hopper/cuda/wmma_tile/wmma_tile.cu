// d = a b + c of f16 by nvcuda::wmma, and bytes beside it: tiles of 32 x 32 through shared memory, four warps, a ragged edge.
// twin 1 missing-barrier: a tile is read before the other warps have filled it
// twin 2 missing-barrier: a tile is filled while other warps still read it
// twin 3 missing-barrier: the sums of other warps are read before they are stored
// twin 4 divergent-barrier: half of a warp multiplies
// twin 5 out-of-bounds: the ragged edge is not looked at
#include "../twins.h"
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void wmma_tile(const __half* a, const __half* b, const float* c, __half* d, const signed char* p, const signed char* q, int* r, int m, int n, int k) {
  __shared__ alignas(32) __half left[32 * 24], right[32 * 24];
  __shared__ alignas(32) float sums[32 * 36];
  int t = threadIdx.x, warp = t / 32;
  int i = warp / 2 * 16, j = warp % 2 * 16;
  int row = blockIdx.y * 32, column = blockIdx.x * 32;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int step = 0; step < k; step += 16) {
    for (int e = t; e < 512; e += 128) {
      int at = row + e / 16, bt = column + e / 16;
      bool insideA = EITHER(5, true, at < m), insideB = EITHER(5, true, bt < n);
      left[e / 16 * 24 + e % 16] = insideA ? a[at * k + step + e % 16] : __half(0);  //@1 //@2 //@5
      right[e / 16 * 24 + e % 16] = insideB ? b[bt * k + step + e % 16] : __half(0);  //@1 //@2 //@5
    }
    EXCEPT(1)
    __syncthreads();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> y;
    wmma::load_matrix_sync(x, left + i * 24, 24);  //@1 //@2
    wmma::load_matrix_sync(y, right + j * 24, 24);  //@1 //@2
    ONLY(4)
    if (t % 32 < 16)
      wmma::mma_sync(sum, x, y, sum);  //@4
    EXCEPT(4)
    wmma::mma_sync(sum, x, y, sum);
    EXCEPT(2)
    __syncthreads();
  }
  for (int e = 0; e < sum.num_elements; e++) sum.x[e] *= 0.5f;
  wmma::store_matrix_sync(sums + i * 36 + j, sum, 36, wmma::mem_row_major);  //@3
  EXCEPT(3)
  __syncthreads();
  for (int e = t; e < 1024; e += 128) {
    int at = row + (e % 32 + 8) % 32, bt = column + e / 32;
    if (EITHER(5, true, at < m && bt < n))
      d[at * n + bt] = __float2half(sums[(at - row) * 36 + bt - column] + c[at * n + bt]);  //@3 //@5
  }
  // bytes: warp 0 of each block, from global memory, one tile of 16 x 16 x 16
  if (warp == 0) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::row_major> y;
    wmma::fragment<wmma::accumulator, 16, 16, 16, int> z;
    int block = blockIdx.y * gridDim.x + blockIdx.x;
    wmma::load_matrix_sync(x, p + block * 256, 16);
    wmma::load_matrix_sync(y, q + block * 256, 16);
    wmma::fill_fragment(z, 1000);
    wmma::mma_sync(z, x, y, z);
    wmma::store_matrix_sync(r + block * 256, z, 16, wmma::mem_col_major);
  }
}
