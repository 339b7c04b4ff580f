// Each hazard as two kernels, with and without the statement that keeps it away. One block is one trial: what it read is compared with what
// it had to read. Counts go to standard output as JSON: per hazard, per kernel, per grid, per pair of delays (clocks before either side).
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

typedef uint32_t u32;
typedef uint64_t u64;
constexpr int words = 1024, bytes = 4 * words, delays = 5, patience = 200000;
__constant__ int clocks[delays] = {0, 50, 300, 1500, 6000};

__device__ u32 at(const void* p) { return (u32)__cvta_generic_to_shared(p); }
__device__ void spin(int n) {
  if (n == 0) return;
  const long long from = clock64();
  while (clock64() - from < n) {}
}
__device__ void init(u64* b, u32 n) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(at(b)), "r"(n) : "memory"); }
__device__ void fenceInit() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
__device__ void fence() { asm volatile("fence.proxy.async;" ::: "memory"); }
__device__ void arrive(u64* b) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at(b)) : "memory"); }
__device__ void expect(u64* b, u32 n) { asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at(b)), "r"(n) : "memory"); }
// false where the watchdog gave up
__device__ bool wait(u64* b, u32 parity) {
  const long long from = clock64();
  while (clock64() - from < patience) {
    u32 done;
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(at(b)), "r"(parity) : "memory");
    if (done) return true;
  }
  return false;
}
__device__ void load(void* to, const void* from, u32 n, u64* b) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(at(to)), "l"(from), "r"(n), "r"(at(b)) : "memory");
}
__device__ void store(void* to, const void* from, u32 n) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2; cp.async.bulk.commit_group;" ::"l"(to), "r"(at(from)), "r"(n) : "memory");
}
__device__ void stored() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }
__device__ void storeRead() { asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory"); }

enum { D1, D2, D3, P1, P4, P5, R1, R2, R3, W1, W4, B1, B4, B6, B7, hazards };
const char* names[hazards] = {"D1", "D2", "D3", "P1", "P4", "P5", "R1", "R2", "R3", "W1", "W4", "B1", "B4", "B6", "B7"};

// 64 threads: warp 0 is the one side, warp 1 the other. `in` holds fresh(i) = salt + i; `old` is what lies there before.
template <int H, bool WITH>
__global__ void trial(u32* global, u32* out, u32* flags, u32 round, u32* counts) {
  __shared__ __align__(128) u32 x[words];
  __shared__ __align__(128) u32 z[words];
  __shared__ __align__(8) u64 bars[2];
  __shared__ u32 wrong;
  const int t = threadIdx.x, lane = t & 31;
  const bool one = t < 32, other = !one;
  const u32 nth = blockIdx.x + round * gridDim.x, cell = (nth / 2) % (delays * delays);
  const int da = clocks[cell / delays], db = clocks[cell % delays];
  // D3 takes two blocks: the even one writes for the odd one
  const u32 pair = H == D3 ? blockIdx.x / 2 : blockIdx.x;
  u32* in = global + (size_t)pair * words;
  u32* to = out + (size_t)blockIdx.x * words;
  const u32 salt = 0x10000u + (H == D3 ? (round + 1) * 4096u : (nth + 1) * 4096u);
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
    init(&bars[0], H == R3 && WITH ? 2 : 1);
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
  if (H == P1) {
    // ordinary stores, then a bulk store reads them: the fence of the proxy stands before the bar.sync
    spin(one ? da : 0);
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
    // two copies signal one barrier; it counts the arrivals of both, or of the first alone
    if (t == 0) {
      expect(&bars[0], bytes / 2);
      load(x, in, bytes / 2, &bars[0]);
    }
    if (t == 1) {
      spin(da);
      expect(&bars[0], bytes / 2);
      load(x + words / 2, in + words / 2, bytes / 2, &bars[0]);
    }
    if (other) {
      bad |= !wait(&bars[0], 0);
      spin(db);
      for (int i = lane; i < words; i += 32) bad |= ((volatile u32*)x)[i] != salt + i;
    }
    __syncthreads();
    if (!WITH) wait(&bars[0], 1);
    spin(4000);
  }
  if (H == W1) {
    // a slot of one: filled, read, filled again behind the release by its reader
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
      if (WITH) bad |= !wait(&bars[1], 0);
      spin(da);
      expect(&bars[0], bytes);
      load(x, next, bytes, &bars[0]);
      bad |= !wait(&bars[0], 1);
    }
    if (other) {
      spin(db);
      for (int i = lane; i < words; i += 32) bad |= ((volatile u32*)x)[i] != salt + i;
      __syncwarp();
      if (lane == 0) arrive(&bars[1]);
    }
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
  if (bad) wrong = 1;
  __syncthreads();
  if (t == 0 && (H != D3 || blockIdx.x % 2 == 1)) {
    atomicAdd(&counts[2 * cell], 1u);
    if (wrong) atomicAdd(&counts[2 * cell + 1], 1u);
  }
}

static u32 *in, *out, *flags, *counts;
static bool first = true;
static void check(const char* what) {
  const cudaError_t e = cudaDeviceSynchronize();
  if (e != cudaSuccess) {
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e));
    exit(1);
  }
}

template <int H, bool WITH>
static void measure(int launches) {
  const int grids[2] = {132, 1056};
  for (int g = 0; g < 2; g++) {
    u32 host[2 * delays * delays];
    cudaMemset(counts, 0, sizeof host);
    cudaMemset(flags, 0, 4 * 1056);
    cudaMemset(in, 0, (size_t)1056 * bytes);
    for (int r = 0; r < launches; r++) trial<H, WITH><<<grids[g], 64>>>(in, out, flags, r, counts);
    check(names[H]);
    cudaMemcpy(host, counts, sizeof host, cudaMemcpyDeviceToHost);
    u32 n = 0, w = 0;
    for (int i = 0; i < delays * delays; i++) n += host[2 * i], w += host[2 * i + 1];
    printf("%s{\"hazard\":\"%s\",\"statement\":%s,\"blocks\":%d,\"trials\":%u,\"wrong\":%u,\"byDelay\":[", first ? "" : ",\n", names[H], WITH ? "true" : "false", grids[g], n, w);
    for (int i = 0; i < delays * delays; i++) printf("%s%u", i ? "," : "", host[2 * i + 1]);
    printf("]}");
    fflush(stdout);
    first = false;
  }
}
template <int H>
static void both(int launches, const char* only) {
  for (const char* o = only; *o;) {
    if (o[0] == names[H][0] && o[1] == names[H][1]) {
      measure<H, true>(launches);
      measure<H, false>(launches);
      return;
    }
    o += o[2] ? 3 : 2;
  }
}

int main(int n, char** a) {
  const int launches = n > 1 ? atoi(a[1]) : 200;
  const char* only = n > 2 ? a[2] : "D1,D2,D3,P1,P4,P5,R1,R2,R3,W1,W4,B1,B4,B6,B7";
  cudaDeviceProp p;
  cudaGetDeviceProperties(&p, 0);
  cudaMalloc(&in, (size_t)1056 * bytes);
  cudaMalloc(&out, (size_t)1056 * bytes);
  cudaMalloc(&flags, 4 * 1056);
  cudaMalloc(&counts, 8 * delays * delays);
  printf("{\"device\":\"%s\",\"launches\":%d,\"clocks\":[0,50,300,1500,6000],\"rows\":[\n", p.name, launches);
  both<D1>(launches, only);
  both<D2>(launches, only);
  both<D3>(launches, only);
  both<P1>(launches, only);
  both<P4>(launches, only);
  both<P5>(launches, only);
  both<R1>(launches, only);
  both<R2>(launches, only);
  both<R3>(launches, only);
  both<W1>(launches, only);
  both<W4>(launches, only);
  both<B1>(launches, only);
  both<B4>(launches, only);
  both<B6>(launches, only);
  both<B7>(launches, only);
  printf("\n]}\n");
  return 0;
}
