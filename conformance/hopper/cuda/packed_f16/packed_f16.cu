// Pairs of f16: sums, products, fused multiply-adds, extrema, comparisons and conversions, with a partner that comes through shared memory.
// twin 1 missing-barrier: the partner is read before its warp has written it
// twin 2 out-of-bounds: the partner is one too far
// twin 3 divergent-barrier: only the threads with a positive element reach the barrier
#include "../twins.h"
#include <cuda_fp16.h>
extern "C" __global__ void packed_f16(const __half2* a, const __half2* b, __half2* out, float* widened, int n) {
  __shared__ __half2 partner[128];
  int t = threadIdx.x;
  int i = blockIdx.x * 128 + t;
  __half2 x = a[i];
  __half2 y = b[i];
  partner[t] = y;  //@1
  ONLY(3)
  if (__low2float(x) > 0)
    __syncthreads();  //@3
  EXCEPT(1)
  EXCEPT(3)
  __syncthreads();
  __half2 z = partner[EITHER(2, 128, 127) - t];  //@1 //@2
  out[0 * n + i] = __hadd2(x, y);
  out[1 * n + i] = __hsub2(x, z);
  out[2 * n + i] = __hmul2(x, y);
  out[3 * n + i] = __hfma2(x, y, z);
  out[4 * n + i] = __hfma2_relu(x, y, z);
  out[5 * n + i] = __hfma2_sat(x, y, z);
  out[6 * n + i] = __hmax2(x, z);
  out[7 * n + i] = __hmin2(x, y);
  out[8 * n + i] = __hmax2_nan(x, z);
  out[9 * n + i] = __hadd2_sat(x, z);
  out[10 * n + i] = __habs2(__hneg2(x));
  out[11 * n + i] = __hlt2(x, y);
  out[12 * n + i] = h2exp2(x);
  out[13 * n + i] = __floats2half2_rn(__low2float(x) * 1.001f, __high2float(y) / 3.0f);
  out[14 * n + i] = __halves2half2(__float2half_rz(__low2float(z) * 1.7f), __int2half_rn(__half2int_rz(__high2half(x))));
  out[15 * n + i] = __lowhigh2highlow(__hadd2_rn(x, __hmul2_rn(y, z)));
  float2 wide = __half22float2(z);
  widened[i] = fmaf(wide.x, 3.0f, wide.y);
}
