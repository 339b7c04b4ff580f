// Trials of the lanes of one warp.
#pragma once
#include "device.h"

enum Lanes { D5, D5_global, D5_together, D5_shuffle, D6, D6_fence };

// 32 threads: lanes 16 to 31 are the one side and come late, lanes 0 to 15 the other. Fresh is salt + i; 7 lies there before.
template <int H, bool WITH>
__global__ void lanes(u32* global, u32* out, u32 round, u32* counts) {
  __shared__ __align__(128) u32 x[words];
  const int lane = threadIdx.x;
  const bool one = lane >= 16;
  const Trial trial = trialOf(round, blockIdx.x, gridDim.x, 2);
  const int da = trial.da, db = trial.db;
  u32* in = global + (size_t)blockIdx.x * words;
  u32* to = out + (size_t)blockIdx.x * words;
  const u32 salt = 0x10000u + (trial.nth + 1) * 4096u;
  for (int i = lane; i < words; i += 32) {
    x[i] = 7u;
    in[i] = 7u;
    to[i] = 7u;
  }
  fence();
  __syncthreads();
  u32 bad = 0;

  if (H == D5 || H == D5_global) {
    // what the one half writes, the other reads behind a bar.warp.sync
    volatile u32* p = H == D5 ? x : in;
    if (one) {
      spin(da);
      for (int i = lane - 16; i < words; i += 16) p[i] = salt + i;
      if (WITH) __syncwarp();
    } else {
      if (WITH) __syncwarp();
      spin(db);
      for (int i = lane; i < words; i += 16) bad |= p[i] != salt + i;
    }
  }
  if (H == D5_together || H == D5_shuffle) {
    // the halves part and meet again, then the whole warp writes and reads; or each half does the one of them, and between them they shuffle
    volatile u32* p = x;
    if (one) spin(da);
    else spin(db);
    if (H == D5_together || one)
      for (int i = lane; i < words; i += 32) p[i] = salt + i;
    if (WITH) __syncwarp();
    if (H == D5_shuffle) bad |= __shfl_sync(0xffffffffu, lane, 31 - lane) != 31 - lane;
    if (H == D5_together || !one)
      for (int i = lane; i < words; i += 32) bad |= p[i ^ 16] != salt + (i ^ 16);
  }
  if (H == D6 || H == D6_fence) {
    // all lanes store, then a bulk store that lane 0 issues reads it: each lane fences its own (D6), or lane 0 behind the bar.warp.sync for all of them
    if (one) {
      spin(da);
      for (int i = lane; i < words; i += 32) x[i] = salt + i;
      if (H == D6) fence();
      if (WITH) __syncwarp();
    } else {
      for (int i = lane; i < words; i += 32) x[i] = salt + i;
      if (H == D6) fence();
      if (WITH) __syncwarp();
      if (lane == 0) {
        spin(db);
        if (H == D6_fence) fence();
        store(to, x, bytes);
        stored();
      }
    }
    __syncwarp();
    for (int i = lane; i < words; i += 32) bad |= ((volatile u32*)to)[i] != salt + i;
  }

  bad = __any_sync(0xffffffffu, bad);
  if (lane == 0) counted(counts, trial.cell, bad);
}
