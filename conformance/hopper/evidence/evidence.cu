// One hazard, with or without the statement that keeps it away: `evidence NAME with|without LAUNCHES` runs its trials and writes a row of JSON for each
// size of the grid. A launch that faults ends the row, with its name; a launch that hangs is for the caller's clock.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "block.h"
#include "lanes.h"
#include "pair.h"
#include "product.h"

constexpr int most = 8448;
static u32 *in, *out, *flags, *counts;
static bool first = true;

template <int H, bool WITH>
struct InBlock {
  static void launch(int grid, int r) {
    block<H, WITH><<<grid, 64>>>(in, out, flags, r, counts);
    if (H == U2) after<<<grid, 64>>>(out, r, counts);
  }
};
template <int H, bool WITH>
struct InProduct {
  static void launch(int grid, int r) {
    const int shared = 2048 + chunks * chunk;
    cudaFuncSetAttribute(product<H, WITH>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
    product<H, WITH><<<grid, 128, shared>>>(r, counts);
  }
};
template <int H, bool WITH>
struct InPair {
  static void launch(int grid, int r) { pair<H, WITH><<<grid, 64>>>(in, r, counts); }
};

template <int H, bool WITH>
struct InWarp {
  static void launch(int grid, int r) { lanes<H, WITH><<<grid, 32>>>(in, out, r, counts); }
};

template <class T>
static void measure(const char* hazard, const char* reader, bool with, int launches, int large) {
  const int grids[2] = {132, large};
  for (int g = 0; g < 2; g++) {
    u32 host[2 * delays * delays];
    cudaMemset(counts, 0, sizeof host);
    cudaMemset(flags, 0, 4 * most);
    cudaMemset(in, 0, (size_t)most * bytes);
    cudaError_t fault = cudaDeviceSynchronize();
    int r = 0;
    for (; r < launches && fault == cudaSuccess; r++) {
      T::launch(grids[g], r);
      fault = cudaDeviceSynchronize();
    }
    if (!first) printf(",\n");
    first = false;
    printf("{\"hazard\":\"%s\",\"reader\":\"%s\",\"statement\":%s,\"blocks\":%d", hazard, reader, with ? "true" : "false", grids[g]);
    if (fault != cudaSuccess) {
      printf(",\"fault\":\"%s\",\"launches\":%d}", cudaGetErrorString(fault), r);
      exit(0);
    }
    cudaMemcpy(host, counts, sizeof host, cudaMemcpyDeviceToHost);
    u32 n = 0, w = 0;
    for (int i = 0; i < delays * delays; i++) n += host[2 * i], w += host[2 * i + 1];
    printf(",\"trials\":%u,\"wrong\":%u,\"byDelay\":[", n, w);
    for (int i = 0; i < delays * delays; i++) printf("%s%u", i ? "," : "", host[2 * i + 1]);
    printf("]}");
    fflush(stdout);
  }
}

static const char* asked;
static bool with;
static int launches;
static bool known = false;
template <template <int, bool> class In, int H>
static void when(const char* name, const char* hazard, const char* reader, int large = 1056) {
  if (strcmp(asked, name) != 0) return;
  known = true;
  if (with) measure<In<H, true>>(hazard, reader, true, launches, large);
  else measure<In<H, false>>(hazard, reader, false, launches, large);
}
#define BLOCK(id) when<InBlock, id>(#id, #id, "block")
#define WARP(name, id, hazard) when<InWarp, id>(name, hazard, "warp")
#define PAIR(id) when<InPair, id>(#id, #id, "cluster")

int main(int n, char** a) {
  if (n < 2) {
    // the names
    printf("D1 D2 D3 D5 D5.global D5.together D5.shuffle D6 D6.fence P1 P1.product P2 P3 P4 P5 R1 R2 R3 W1 W2 W3 W4 W5 B1 B2 B3 B4 B5 B6 B7 B9 U2 K1 K2 K3 V1 N1\n");
    return 0;
  }
  asked = a[1];
  with = n > 2 && strcmp(a[2], "with") == 0;
  launches = n > 3 ? atoi(a[3]) : 1000;
  cudaMalloc(&in, (size_t)most * bytes);
  cudaMalloc(&out, (size_t)most * bytes);
  cudaMalloc(&flags, 4 * most);
  cudaMalloc(&counts, 8 * delays * delays);
  BLOCK(D1); BLOCK(D2); BLOCK(D3);
  WARP("D5", D5, "D5"); WARP("D5.global", D5_global, "D5"); WARP("D5.together", D5_together, "D5"); WARP("D5.shuffle", D5_shuffle, "D5");
  WARP("D6", D6, "D6"); WARP("D6.fence", D6_fence, "D6");
  BLOCK(P1); BLOCK(P2); BLOCK(P3); BLOCK(P4); BLOCK(P5);
  BLOCK(R1); BLOCK(R2); BLOCK(R3);
  BLOCK(W1); BLOCK(W2); BLOCK(W4); BLOCK(W5);
  BLOCK(B1); BLOCK(B2); BLOCK(B3); BLOCK(B4); BLOCK(B5); BLOCK(B6); BLOCK(B7);
  BLOCK(V1); BLOCK(N1);
  // more blocks than lie on the chip at once: their places are used again
  when<InBlock, U2>("U2", "U2", "block", most);
  when<InProduct, W3>("W3", "W3", "warpgroup");
  when<InProduct, P1_product>("P1.product", "P1", "warpgroup");
  PAIR(B9); PAIR(K1); PAIR(K2); PAIR(K3);
  return known ? 0 : 2;
}
