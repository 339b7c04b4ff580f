// Words that each lane tells and hears for itself. nvcc -ptx -arch=sm_90a -std=c++17 -lineinfo -DV=n; //@n ends the lines that a finding of n names.
// V0: ok: each lane waits for its own word, and reads what its writer wrote
// V1: hazard: each lane waits for its own word, and reads what another word tells
// V2: ok: the same behind __syncwarp()
// V3: hazard: one acquire by all lanes, each of its own word, and each reads what another word tells where its own says so
// V4: ok: one acquire by all lanes, and each reads what its own word tells
// V5: hazard: they acquire until a vote says that all words are set, and a vote orders no memory
// V6: ok: relaxed loads until a vote says so, a fence by each lane, and __syncwarp()
// V7: hazard: the same without __syncwarp()
// V8: hazard: lane 0 alone waits
#include "threads.h"
extern "C" __global__ void words(u32* data, u32* flag, u32* out) {
  u32 v;
  if (WARP == 0) {
    data[LANE] = LANE + 7;  //@1 3 5 7 8
    ST("st.release.gpu.global.u32", flag + LANE, 1);
    return;
  }
#if V<=2
  do { LD(v, "ld.acquire.gpu.global.u32", flag + LANE); } while (v == 0);
#elif V==3
  LD(v, "ld.acquire.gpu.global.u32", flag + 31 - LANE);
  out[LANE] = v ? data[LANE] : 0;  //@3
#elif V==4
  LD(v, "ld.acquire.gpu.global.u32", flag + LANE);
  out[LANE] = v ? data[LANE] : 0;
#elif V==5
  do { LD(v, "ld.acquire.gpu.global.u32", flag + LANE); } while (__any_sync(~0u, v == 0));
#elif V<=7
  do { LD(v, "ld.relaxed.gpu.global.u32", flag + LANE); } while (__any_sync(~0u, v == 0));
  __threadfence();
#else
  if (LANE == 0) { do { LD(v, "ld.acquire.gpu.global.u32", flag); } while (v == 0); }
#endif
#if V==2 || V==6
  __syncwarp();
#endif
#if V==0
  out[LANE] = data[LANE];
#elif V!=3 && V!=4
  out[LANE] = data[31 - LANE];  //@1 5 7 8
#endif
}
