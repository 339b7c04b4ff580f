// Trials of one CTA.
#pragma once
#include "device.h"

enum Block { D1, D2, D3, P1, P2, P3, P4, P5, R1, R2, R3, W1, W2, W4, W5, B1, B2, B3, B4, B5, B6, B7, U2, V1, N1 };

// 64 threads: warp 0 is the one side, warp 1 the other. `in` holds fresh(i) = salt + i; `old` is what lies there before.
template <int H, bool WITH>
__global__ void block(u32* global, u32* out, u32* flags, u32 round, u32* counts) {
  __shared__ __align__(128) u32 x[words];
  __shared__ __align__(128) u32 z[words];
  __shared__ __align__(8) u64 bars[2];
  __shared__ u32 wrong;
  const int t = threadIdx.x, lane = t & 31;
  const bool one = t < 32, other = !one;
  const Trial trial = trialOf(round, blockIdx.x, gridDim.x, 2);
  const int da = trial.da, db = trial.db;
  // D3 takes two blocks: the even one writes for the odd one
  const u32 pair = H == D3 ? blockIdx.x / 2 : blockIdx.x;
  u32* in = global + (size_t)pair * words;
  u32* to = out + (size_t)blockIdx.x * words;
  const u32 salt = 0x10000u + (H == D3 ? (round + 1) * 4096u : (trial.nth + 1) * 4096u);
  const u32 second = salt ^ 0x80000000u;
  if (t == 0) wrong = 0;
  for (int i = t; i < words; i += 64) {
    x[i] = 7u;
    z[i] = 7u;
    to[i] = 7u;
    if (H != D3) in[i] = H == P5 || H == D2 ? 7u : salt + i;
  }
  if (H == B7 && t == 0) {
    // zeros there would end the launch with a fault, and say nothing of how often
    init(&bars[0], 2);
    fenceInit();
  }
  if (H != B7 && t == 0) {
    init(&bars[0], (H == R3 || H == B2 || H == B3 || H == V1) && WITH ? 2 : 1);
    init(&bars[1], 1);
    fenceInit();
  }
  fence();
  __syncthreads();
  u32 bad = 0;

  if (H == D1 || H == D2) {
    // what the one side writes, the other reads behind a bar.sync
    volatile u32* p = H == D1 ? x : in;
    if (one) {
      spin(da);
      for (int i = lane; i < words; i += 32) p[i] = salt + i;
    }
    if (WITH) __syncthreads();
    if (other) {
      spin(db);
      for (int i = lane; i < words; i += 32) bad |= p[i] != salt + i;
    }
  }
  if (H == D3) {
    // the flag is raised by a release and awaited by an acquire; without, the reader does not wait
    volatile u32* p = in;
    u32* flag = flags + pair;
    if (blockIdx.x % 2 == 0) {
      spin(da);
      for (int i = t; i < words; i += 64) p[i] = salt + i;
      __syncthreads();
      if (t == 0) asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(flag), "r"(round + 1) : "memory");
    } else {
      if (WITH) {
        u32 seen = 0;
        const long long from = clock64();
        while (seen != round + 1 && clock64() - from < 100ll * patience) asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
        __syncthreads();
      }
      spin(db);
      for (int i = t; i < words; i += 64) bad |= p[i] != salt + i;
    }
  }
  if (H == P1 || H == P2) {
    // ordinary stores, then a bulk store reads them: the fence of the proxy stands behind them (P1: nowhere, P2: before them)
    spin(one ? da : 0);
    if (H == P2 && !WITH) fence();
    for (int i = t; i < words; i += 64) x[i] = salt + i;
    if (WITH) fence();
    __syncthreads();
    if (t == 0) {
      spin(db);
      store(to, x, bytes);
      stored();
    }
    __syncthreads();
    for (int i = t; i < words; i += 64) bad |= ((volatile u32*)to)[i] != salt + i;
  }
  if (H == P5) {
    // ordinary stores to global memory, then a bulk load reads them
    spin(one ? da : 0);
    for (int i = t; i < words; i += 64) ((volatile u32*)in)[i] = salt + i;
    if (WITH) fence();
    __syncthreads();
    if (t == 0) {
      spin(db);
      expect(&bars[0], bytes);
      load(x, in, bytes, &bars[0]);
    }
    bad |= !wait(&bars[0], 0);
    for (int i = t; i < words; i += 64) bad |= ((volatile u32*)x)[i] != salt + i;
  }
  if (H == P4 || H == R1 || H == R2) {
    // a bulk load and its reader: its issuer (P4), another that does not wait (R1) or waits for a barrier of another slot (R2)
    if (t == 0) {
      spin(da);
      expect(&bars[1], 16);
      load(z, in, 16, &bars[1]);
      expect(&bars[0], bytes);
      load(x, in, bytes, &bars[0]);
    }
    if (H == P4 ? t == 0 : other) {
      if (WITH) bad |= !wait(&bars[0], 0);
      else if (H == R2) bad |= !wait(&bars[1], 0);
      spin(db);
      for (int i = H == P4 ? 0 : lane; i < words; i += H == P4 ? 1 : 32) bad |= ((volatile u32*)x)[i] != salt + i;
    }
    __syncthreads();
    bad |= !wait(&bars[0], 0) | !wait(&bars[1], 0);
  }
  if (H == R3) {
    // two copies complete one barrier; the second's announcement is an arrival that counts, or none
    if (t == 0) {
      expect(&bars[0], bytes / 2);
      load(x, in, bytes / 2, &bars[0]);
    }
    if (t == 1) {
      spin(da);
      if (WITH) expect(&bars[0], bytes / 2);
      else announce(&bars[0], bytes / 2);
      load(x + halfTile, in + halfTile, bytes / 2, &bars[0]);
    }
    if (other) {
      bad |= !wait(&bars[0], 0);
      spin(db);
      for (int i = lane; i < words; i += 32) bad |= ((volatile u32*)x)[i] != salt + i;
    }
    __syncthreads();
    if (!WITH) {
      // the second copy is over before the block ends
      if (t == 0) arrive(&bars[0]);
      wait(&bars[0], 1);
    }
  }
  if (H == W1 || H == P3) {
    // a slot of one: filled, read, filled again behind the release by its reader (W1: or not behind it; P3: with a fence in it, or none)
    u32* next = to;
    for (int i = t; i < words; i += 64) ((volatile u32*)next)[i] = second + i;
    fence();
    __syncthreads();
    if (t == 0) {
      expect(&bars[0], bytes);
      load(x, in, bytes, &bars[0]);
      bad |= !wait(&bars[0], 0);
    }
    __syncthreads();
    if (t == 0) {
      if (WITH || H == P3) bad |= !wait(&bars[1], 0);
      spin(da);
      expect(&bars[0], bytes);
      load(x, next, bytes, &bars[0]);
      bad |= !wait(&bars[0], 1);
    }
    if (other) {
      spin(db);
      for (int i = lane; i < words; i += 32) bad |= ((volatile u32*)x)[i] != salt + i;
      if (H == P3 && WITH) fence();
      __syncwarp();
      if (lane == 0) arrive(&bars[1]);
    }
    __syncthreads();
  }
  if (H == W2) {
    // the consumer of a slot is a bulk store; its issuer releases the slot when the store has read it, or when it is issued
    if (t == 0) {
      expect(&bars[0], bytes / 2);
      load(x, in, bytes / 2, &bars[0]);
      bad |= !wait(&bars[1], 0);
      spin(da);
      expect(&bars[0], bytes / 2);
      load(x, in + halfTile, bytes / 2, &bars[0]);
      bad |= !wait(&bars[0], 1);
    }
    if (t == 32) {
      bad |= !wait(&bars[0], 0);
      spin(db);
      asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2; cp.async.bulk.commit_group;" ::"l"(to), "r"(at(x)), "r"(bytes / 2) : "memory");
      if (WITH) storeRead();
      arrive(&bars[1]);
      stored();
    }
    __syncthreads();
    for (int i = t; i < halfTile; i += 64) bad |= ((volatile u32*)to)[i] != salt + i;
  }
  if (H == W5) {
    // two steps with a barrier each, and a slot each or one between them
    if (t == 0) {
      expect(&bars[0], bytes / 2);
      load(x, in, bytes / 2, &bars[0]);
      spin(da);
      expect(&bars[1], bytes / 2);
      load(WITH ? x + halfTile : x, in + halfTile, bytes / 2, &bars[1]);
    }
    if (other) {
      bad |= !wait(&bars[0], 0);
      spin(db);
      for (int i = lane; i < halfTile; i += 32) bad |= ((volatile u32*)x)[i] != salt + i;
    }
    bad |= !wait(&bars[1], 0);
    __syncthreads();
  }
  if (H == W4) {
    // the source of a bulk store is written again
    for (int i = t; i < words; i += 64) x[i] = salt + i;
    fence();
    __syncthreads();
    if (t == 0) {
      spin(da);
      store(to, x, bytes);
      if (WITH) storeRead();
    }
    __syncthreads();
    spin(db);
    for (int i = t; i < words; i += 64) ((volatile u32*)x)[i] = second + i;
    if (t == 0) stored();
    __syncthreads();
    for (int i = t; i < words; i += 64) bad |= ((volatile u32*)to)[i] != salt + i;
  }
  if (H == B1) {
    // the barrier completes twice; the second time only after the waiter has said that it saw the first
    if (t == 0) {
      spin(da);
      arrive(&bars[0]);
      if (WITH) bad |= !wait(&bars[1], 0);
      arrive(&bars[0]);
    }
    if (t == 32) {
      spin(db);
      bad |= !wait(&bars[0], 0);
      arrive(&bars[1]);
    }
  }
  if (H == B2) {
    // two arrivals in one generation, of which the barrier counts two or one; bytes hold it open
    if (t == 0) {
      expect(&bars[0], bytes);
      arrive(&bars[0]);
      spin(da);
      load(x, in, bytes, &bars[0]);
    }
    if (other) bad |= !wait(&bars[0], 0);
  }
  if (H == B3) {
    // two producers of a barrier that counts both, or one; the left one reads what the right one wrote
    for (int i = lane; i < halfTile; i += 32) ((volatile u32*)x)[i + (one ? 0 : halfTile)] = (spin(i == lane ? (one ? da : db) : 0), salt + i);
    __syncwarp();
    if (lane == 0) arrive(&bars[0]);
    if (one) {
      bad |= !wait(&bars[0], 0);
      for (int i = lane; i < halfTile; i += 32) bad |= ((volatile u32*)x)[i + halfTile] != salt + i;
    }
  }
  if (H == B4) {
    // bytes announced and bytes delivered: 16 more are announced than come
    if (t == 0) {
      spin(da);
      expect(&bars[0], WITH ? bytes : bytes + 16);
      load(x, in, bytes, &bars[0]);
    }
    if (other) {
      spin(db);
      bad |= !wait(&bars[0], 0);
    }
  }
  if (H == B5) {
    // each waits for the other first, or one of them arrives first
    if (t == 0) {
      spin(da);
      if (WITH) arrive(&bars[1]);
      bad |= !wait(&bars[0], 0);
      if (!WITH) arrive(&bars[1]);
    }
    if (t == 32) {
      spin(db);
      bad |= !wait(&bars[1], 0);
      arrive(&bars[0]);
    }
  }
  if (H == B6) {
    // the producer waits for an empty slot that was not primed
    if (t == 32 && WITH) {
      spin(db);
      arrive(&bars[1]);
    }
    if (t == 0) {
      spin(da);
      bad |= !wait(&bars[1], 0);
    }
  }
  if (H == B7) {
    // the barrier lies where another lay, of a count of two: used behind its own initialisation, or not behind it
    if (t == 0) {
      spin(da);
      init(&bars[0], 1);
      fenceInit();
    }
    if (WITH) __syncthreads();
    if (t == 32) {
      spin(db);
      arrive(&bars[0]);
      bad |= !wait(&bars[0], 0);
    }
  }
  if (H == U2) {
    // the block ends behind its bulk store, or before it is over; the launch that follows reads it (`after`)
    for (int i = t; i < words; i += 64) x[i] = salt + i;
    fence();
    __syncthreads();
    if (t == 0) {
      spin(da);
      store(to, x, bytes);
      if (WITH) stored();
    }
    return;
  }
  if (H == V1) {
    // what is written before a bulk load is issued, read behind the load's completion: the writer arrives behind it, or its announcement came before
    if (t == 0) {
      expect(&bars[0], 16);
      spin(da);
      for (int i = 0; i < 64; i++) ((volatile u32*)z)[i] = salt + i;
      load(x, in, 16, &bars[0]);
      if (WITH) arrive(&bars[0]);
    }
    if (other) {
      bad |= !wait(&bars[0], 0);
      spin(db);
      for (int i = lane; i < 64; i += 32) bad |= ((volatile u32*)z)[i] != salt + i;
    }
  }
  if (H == N1) {
    // two sums of floats on one word, in order or in none: 2^24 + 1 is 2^24, and 2 more 2^24 + 2; but 2^24 + 2 and 1 more are 2^24 + 4
    float* sum = (float*)&x[0];
    if (t == 0) *(volatile float*)sum = 16777216.0f;
    __syncthreads();
    if (t == 0) {
      spin(da);
      atomicAdd(sum, 1.0f);
    }
    if (WITH) __syncthreads();
    if (t == 32) {
      spin(db);
      atomicAdd(sum, 2.0f);
    }
    __syncthreads();
    bad |= *(volatile float*)sum != 16777218.0f;
  }
  if (bad) wrong = 1;
  __syncthreads();
  if (t == 0 && (H != D3 || blockIdx.x % 2 == 1)) counted(counts, trial.cell, wrong);
}

// what U2's launch left
__global__ void after(u32* out, u32 round, u32* counts) {
  __shared__ u32 wrong;
  const Trial trial = trialOf(round, blockIdx.x, gridDim.x, 2);
  const u32 salt = 0x10000u + (trial.nth + 1) * 4096u;
  if (threadIdx.x == 0) wrong = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < words; i += 64)
    if (((volatile u32*)out)[(size_t)blockIdx.x * words + i] != salt + i) wrong = 1;
  __syncthreads();
  if (threadIdx.x == 0) counted(counts, trial.cell, wrong);
}
