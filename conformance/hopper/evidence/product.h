// Trials of a warpgroup that multiplies: all elements of a tile are alike, so what is read is known whatever the layout.
#pragma once
#include "../warpgroups/hopper.h"
#include "device.h"

enum Product { W3, P1_product };
constexpr int chunks = 16, chunk = 4096;

// rows of 16 elements in cores of 8 x 8, not swizzled: the two cores of a row 128 bytes apart, groups of 8 rows 256
__device__ u64 tile(const void* p) { return (u64)((at(p) & 0x3ffff) >> 4) | ((u64)(128 >> 4) << 16) | ((u64)(256 >> 4) << 32); }

// 128 threads; 16 products of 64 x 64 x 16, B of each in a place of its own
template <int H, bool WITH>
__global__ void product(u32 round, u32* counts) {
  extern __shared__ __align__(1024) unsigned char shared[];
  unsigned char* a = shared;
  unsigned char* b = shared + 2048;
  __shared__ u32 wrong;
  const int t = threadIdx.x;
  const Trial trial = trialOf(round, blockIdx.x, gridDim.x, 2);
  constexpr u32 one = 0x3c003c00u, two = 0x40004000u;
  if (t == 0) wrong = 0;
  for (int i = t; i < 2048 / 4; i += 128) ((volatile u32*)a)[i] = one;
  for (int i = t; i < chunks * chunk / 4; i += 128) ((volatile u32*)b)[i] = one;
  fence();
  __syncthreads();
  float d[32];
  for (int i = 0; i < 32; i++) d[i] = 0;
  if (H == P1_product) {
    // the tile is written anew by ordinary stores, with the fence of the proxy behind them or without
    spin(t < 32 ? trial.da : 0);
    for (int i = t; i < chunks * chunk / 4; i += 128) ((volatile u32*)b)[i] = two;
    if (WITH) fence();
    __syncthreads();
    spin(trial.db);
  }
  PRODUCT_FENCE();
  for (int k = 0; k < chunks; k++) PRODUCT_64x64x16(d, tile(a), tile(b + k * chunk), 1);
  PRODUCT_COMMIT();
  if (H == W3) {
    // the operands are replaced behind the wait for the group, or before it
    if (WITH) PRODUCT_WAIT(0);
    spin(trial.db);
    for (int i = t; i < chunks * chunk / 4; i += 128) ((volatile u32*)b)[chunks * chunk / 4 - 1 - i] = two;
  }
  PRODUCT_WAIT(0);
  bool bad = false;
  for (int i = 0; i < 32; i++) bad |= d[i] != 16.0f * chunks * (H == P1_product ? 2 : 1);
  if (bad) wrong = 1;
  __syncthreads();
  if (t == 0) counted(counts, trial.cell, wrong);
}
