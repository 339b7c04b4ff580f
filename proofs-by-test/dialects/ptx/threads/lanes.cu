// Lanes of one warp against another agent: what one lane releases is not what all lanes did. nvcc -ptx -arch=sm_90a -std=c++17 -lineinfo -DV=n; //@n ends the lines that a finding of n names.
// V0: ok: __syncwarp() on both sides
// V1: hazard: between CTAs: the lanes write, lane 0 releases, and no __syncwarp() is between
// V2: hazard: between CTAs: lane 0 acquires, the lanes read, and no __syncwarp() is between
// V3: hazard: of a warp and the TMA: the lanes read, lane 0 arrives without a __syncwarp(), and the slot is filled again
// V4: ok: the same with __syncwarp()
// V5: hazard: lane 0 alone waits, and the others read without a __syncwarp()
// V6: hazard: between warps: the lanes write, and lane 0 arrives without a __syncwarp()
// V7: hazard: of a warp and its store: the lanes write and fence, and lane 0 issues the bulk store without a __syncwarp()
// V8: hazard: between CTAs: the lanes write, lane 0 alone fences and sets the flag, and no __syncwarp() is between
#include "threads.h"
extern "C" __global__ void lanes(u32* data, u32* flag, u32* out, const u32* x) {
  __shared__ alignas(128) u32 s[32]; __shared__ alignas(8) u64 full, empty;
#if V<=2 || V==8
  if (WARP) return;
  if (blockIdx.x == 0) {
    data[LANE] = LANE;  //@1 2 8
#if V!=1 && V!=8
    __syncwarp();
#endif
#if V==8
    if (LANE == 0) { __threadfence(); *(volatile u32*)flag = 1; }
#else
    if (LANE == 0) ST("st.release.gpu.global.u32", flag, 1);
#endif
  } else {
    u32 v;
    if (LANE == 0) { do { LD(v, "ld.acquire.gpu.global.u32", flag); } while (v == 0); }
#if V!=2
    __syncwarp();
#endif
    out[LANE] = data[LANE];  //@1 2
  }
#elif V<=5
  if (blockIdx.x) return;
  if (TID == 0) { MB_INIT(&full, 1); MB_INIT(&empty, 1); MB_FENCE(); }
  __syncthreads();
  if (WARP == 0) {
    if (LANE == 0) for (int i = 0; i < 4; i++) { if (i) MB_WAIT(&empty, (i - 1) & 1); MB_EXPECT(&full, 128); BULK_G2S(s, x + i * 32, 128, &full); }  //@3 5
  } else {
    u32 a = 0;
    for (int i = 0; i < 4; i++) {
#if V==5
      if (LANE == 0) MB_WAIT(&full, i & 1);
#else
      MB_WAIT(&full, i & 1);
#endif
      a += s[LANE];  //@3 5
      FENCE_ASYNC();
#if V!=3
      __syncwarp();
#endif
      if (LANE == 0) MB_ARRIVE(&empty);
    }
    out[LANE] = a;
  }
#elif V==6
  if (blockIdx.x) return;
  if (TID == 0) { MB_INIT(&full, 1); MB_FENCE(); }
  __syncthreads();
  if (WARP == 0) { s[LANE] = x[LANE]; if (LANE == 0) MB_ARRIVE(&full); }  //@6
  else { MB_WAIT(&full, 0); out[LANE] = s[LANE]; }  //@6
#elif V==7
  if (blockIdx.x || WARP) return;
  s[LANE] = x[LANE]; FENCE_ASYNC();  //@7
  if (LANE == 0) { BULK_S2G(out, s, 128); BULK_COMMIT(); BULK_WAIT(0); }  //@7
#endif
}
