// Applies every form to 1,024 tuples of words and writes a hash of what each left (hashes.bin) and the words (raw.bin); then special.ptx on a few threads.
// Usage: run FOLDER (count.txt, forms.cubin, special.cubin). proofs-by-test/numerics/scalar/video.proof.ts makes the words again.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include "../mma/operands.h"

#define CHECK(call)                                                                       \
  do {                                                                                    \
    cudaError_t e = (call);                                                               \
    if (e != cudaSuccess) {                                                               \
      std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e));                     \
      std::exit(1);                                                                       \
    }                                                                                     \
  } while (0)

// Any bits, small numbers, ends of ranges, and bytes that are each an end.
static uint32_t word(Random &r) {
  static const uint32_t ends[] = {0, 1, 0xffffffffu, 0x7fffffffu, 0x80000000u, 0x7fff8000u, 0x80007fffu, 0xffff0001u, 0x7f80ff01u, 0x0180807fu};
  const int way = r.pick(4);
  if (way == 0) return r.next();
  if (way == 1) return uint32_t(r.pick(80)) - 40;
  if (way == 2) return ends[r.pick(10)];
  uint32_t bytes = 0;
  for (int i = 0; i < 4; i++) bytes = bytes << 8 | (r.pick(2) ? 0x7f + r.pick(3) : 0xff + r.pick(3)) % 256;
  return bytes;
}

int main(int argc, char **argv) {
  const std::string folder = argv[1];
  std::ifstream plan(folder + "/count.txt");
  size_t count, forms;
  plan >> count >> forms;
  std::vector<uint32_t> in(3 * count), out(count);
  Random r("single");
  for (uint32_t &x : in) x = word(r);
  char *din, *dout;
  CHECK(cudaMalloc(&din, 12 * count));
  CHECK(cudaMalloc(&dout, 1 << 16));
  CHECK(cudaMemcpy(din, in.data(), 12 * count, cudaMemcpyHostToDevice));
  void *args[] = {&din, &dout};
  cudaLibrary_t library;
  cudaKernel_t kernel;
  CHECK(cudaLibraryLoadFromFile(&library, (folder + "/forms.cubin").c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  std::ofstream raw(folder + "/raw.bin", std::ios::binary), hashes(folder + "/hashes.bin", std::ios::binary);
  for (size_t i = 0; i < forms; i++) {
    CHECK(cudaLibraryGetKernel(&kernel, library, ("form" + std::to_string(i)).c_str()));
    CHECK(cudaMemset(dout, 0xee, 4 * count));
    CHECK(cudaLaunchKernel((void *)kernel, dim3(count / 128), dim3(128), args, 0, 0));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(out.data(), dout, 4 * count, cudaMemcpyDeviceToHost));
    raw.write((const char *)out.data(), 4 * count);
    uint32_t h = 2166136261u;
    for (uint32_t x : out) {
      h = (h ^ x) * 16777619u;
      h ^= h >> 15;
    }
    hashes.write((const char *)&h, 4);
  }
  CHECK(cudaLibraryLoadFromFile(&library, (folder + "/special.cubin").c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  CHECK(cudaLibraryGetKernel(&kernel, library, "special"));
  CHECK(cudaMemset(dout, 0xee, 1 << 16));
  void *only[] = {&dout};
  CHECK(cudaLaunchKernel((void *)kernel, dim3(2, 3, 2), dim3(4, 2, 2), only, 0, 0));
  CHECK(cudaDeviceSynchronize());
  std::vector<uint32_t> special(8 * 48);
  CHECK(cudaMemcpy(special.data(), dout, 8 * 192, cudaMemcpyDeviceToHost));
  std::ofstream(folder + "/special.bin", std::ios::binary).write((const char *)special.data(), 8 * 192);
  std::printf("done\n");
}
