// Races between lanes of one warp. nvcc -ptx -arch=sm_90a -std=c++17 -lineinfo -DV=n; //@n ends the lines that a finding of n names.
// V0: ok: __syncwarp() between
// V1: hazard: a store to shared memory, and a load of what another lane stored
// V2: hazard: a reduction of one warp over volatile words
// V3: hazard: a __syncwarp() whose mask lacks the lanes that stored
// V4: hazard: a shuffle between store and load, which orders no memory
// V5: hazard: lane 0 stores in a branch, and the others read after it
// V6: hazard: through global memory
// V7: hazard: two lanes store what they differ in at one place
// V8: hazard: atomics, and a plain read of their word
#include "threads.h"
extern "C" __global__ void warp(const u32* x, u32* out) {
  __shared__ u32 s[32];
#if V==0
  s[LANE] = x[LANE]; __syncwarp(); out[LANE] = s[31 - LANE];
#elif V==1
  s[LANE] = x[LANE];  //@1
  out[LANE] = s[31 - LANE];  //@1
#elif V==2
  volatile u32* v = s; v[LANE] = x[LANE];
  if (LANE < 16) { v[LANE] += v[LANE + 16]; v[LANE] += v[LANE + 8]; v[LANE] += v[LANE + 4]; v[LANE] += v[LANE + 2]; v[LANE] += v[LANE + 1]; }  //@2
  out[LANE] = s[LANE];
#elif V==3
  s[LANE] = x[LANE];  //@3
  if (LANE < 16) { __syncwarp(0xffff); out[LANE] = s[LANE + 16]; } else out[LANE] = 0;  //@3
#elif V==4
  s[LANE] = x[LANE];  //@4
  u32 t = __shfl_xor_sync(~0u, x[LANE], 1);
  out[LANE] = s[31 - LANE] + t;  //@4
#elif V==5
  if (LANE == 0) s[0] = x[5];  //@5
  out[LANE] = s[0];  //@5
#elif V==6
  out[LANE] = x[LANE];  //@6
  u32 t = ((volatile u32*)out)[31 - LANE];  //@6
  out[LANE] = t;
#elif V==7
  s[LANE / 2] = x[LANE];  //@7
  __syncwarp();
  out[LANE] = s[LANE / 2];
#elif V==8
  if (LANE == 0) s[0] = 0;
  __syncwarp();
  atomicAdd(&s[0], LANE);  //@8
  out[LANE] = s[0];  //@8
#endif
}
