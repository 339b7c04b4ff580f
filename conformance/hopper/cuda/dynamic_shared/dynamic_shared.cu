// Dynamic shared memory that the kernel itself aligns to 1024 bytes and cuts into three arrays of three types.
// twin 1 missing-barrier: an array is read before other warps have written it
// twin 2 out-of-bounds: the last array is longer than the bytes that the launch gives
// twin 3 divergent-barrier: only the threads with an even offset reach the barrier
// twin 4 race: two arrays overlap
#include "../twins.h"
extern __shared__ unsigned char raw[];
extern "C" __global__ void dynamic_shared(const float* x, double* y, int* where, int n) {
  uint32_t base = shared_address(raw);
  unsigned char* aligned = raw + ((1024 - base % 1024) % 1024);
  float* floats = reinterpret_cast<float*>(aligned);
  double* doubles = reinterpret_cast<double*>(aligned + 128 * sizeof(float) - EITHER(4, 256, 0));
  short* shorts = reinterpret_cast<short*>(aligned + 128 * (sizeof(float) + sizeof(double)));
  int t = threadIdx.x;
  int i = blockIdx.x * 128 + t;
  float v = x[i];
  floats[t] = v;  //@1 //@4
  doubles[127 - t] = 0.5 * v;  //@1 //@4
  shorts[t + EITHER(2, 1024, 0)] = (short)(t * t);  //@1 //@2
  ONLY(3)
  if (shorts[t] % 4 == 0)
    __syncthreads();  //@3
  EXCEPT(1)
  EXCEPT(3)
  __syncthreads();
  double d = floats[(t + 64) % 128];  //@1
  d += doubles[(t + 32) % 128];  //@1
  d += shorts[(t + 96) % 128];  //@1
  y[i] = d;
  if (t == 0)
    where[blockIdx.x] = (int)(shared_address(aligned) % 1024) + (n == 0 ? 1 : 0);
}
