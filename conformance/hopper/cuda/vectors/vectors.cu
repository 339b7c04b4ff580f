// Loads and stores of two and four elements at once, of every width, in global and shared memory.
// twin 1 missing-barrier: vectors are read before other warps have written them
// twin 2 misaligned: a vector of four words starts at an odd word
// twin 3 out-of-bounds: the last vector ends behind its array
// twin 4 divergent-barrier: half of warp 0 does not reach the barrier
#include "../twins.h"
extern "C" __global__ void vectors(const float4* f, const ulonglong2* u, const uchar4* c, const ushort4* s, float4* f_out, ulonglong2* u_out, uchar4* c_out, ushort2* s_out, double2* d_out) {
  __shared__ alignas(16) float4 place[129];
  int t = threadIdx.x;
  int i = blockIdx.x * 128 + t;
  float4 v = f[i];
  ulonglong2 w = __ldg(&u[i + EITHER(3, 1, 0)]);  //@3
  uchar4 b = c[i];
  ushort4 h = s[i];
  float* at = reinterpret_cast<float*>(place) + 4 * t + EITHER(2, 1, 0);
  *reinterpret_cast<float4*>(at) = make_float4(v.w, v.z, v.y, v.x);  //@1 //@2
  ONLY(4)
  if (t >= 16)
    __syncthreads();  //@4
  EXCEPT(1)
  EXCEPT(4)
  __syncthreads();
  float4 o = place[127 - t];  //@1
  float2 p = reinterpret_cast<float2*>(place)[(2 * t + 64) % 256];  //@1
  f_out[i] = make_float4(o.x + v.x, o.y - v.y, o.z * p.x, o.w + p.y);
  u_out[i] = make_ulonglong2(w.y + h.w, w.x ^ w.y);
  c_out[i] = make_uchar4(b.w, b.z + b.x, b.y * 3, h.x);
  s_out[i] = make_ushort2(h.y + b.x, h.z << 3);
  d_out[i] = make_double2(0.25 * p.x, (double)w.x);
}
