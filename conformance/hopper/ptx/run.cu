// Runs the modules that generate.py wrote and writes what they answered: results.bin, dense.bin and sums.bin.
// Usage: run FOLDER (plan.txt, inputs.bin, formsNN.cubin, dense.cubin)
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>
#include <fstream>
#include <iterator>
#include <cstdint>

#define CHECK(call)                                                                       \
  do {                                                                                    \
    cudaError_t e = (call);                                                               \
    if (e != cudaSuccess) {                                                               \
      std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e));                     \
      std::exit(1);                                                                       \
    }                                                                                     \
  } while (0)

static std::vector<char> read(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

int main(int argc, char **argv) {
  const std::string folder = argv[1];
  std::ifstream plan(folder + "/plan.txt");
  size_t count, kernels;
  plan >> count >> kernels;
  const std::vector<char> inputs = read(folder + "/inputs.bin");
  char *in = nullptr;
  CHECK(cudaMalloc(&in, inputs.size()));
  CHECK(cudaMemcpy(in, inputs.data(), inputs.size(), cudaMemcpyHostToDevice));
  std::ofstream results(folder + "/results.bin", std::ios::binary);
  cudaLibrary_t library = nullptr;
  for (size_t k = 0; k < kernels; k++) {
    std::string name;
    size_t at, words;
    plan >> name >> at >> words;
    if (k % 40 == 0) {
      char file[64];
      std::snprintf(file, sizeof file, "/forms%02zu.cubin", k / 40);
      CHECK(cudaLibraryLoadFromFile(&library, (folder + file).c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    }
    cudaKernel_t kernel;
    CHECK(cudaLibraryGetKernel(&kernel, library, name.c_str()));
    char *out = nullptr;
    const size_t bytes = words * count * 4;
    CHECK(cudaMalloc(&out, bytes));
    CHECK(cudaMemset(out, 0xee, bytes));
    char *operands = in + at;
    void *args[] = {&operands, &out};
    CHECK(cudaLaunchKernel((void *)kernel, dim3((count + 127) / 128), dim3(128), args, 0, 0));
    CHECK(cudaDeviceSynchronize());
    std::vector<char> host(bytes);
    CHECK(cudaMemcpy(host.data(), out, bytes, cudaMemcpyDeviceToHost));
    results.write(host.data(), bytes);
    CHECK(cudaFree(out));
  }
  results.close();

  // The dense ones: results for operands first + i * step, and sums over all operands of 2^20 in each block.
  CHECK(cudaLibraryLoadFromFile(&library, (folder + "/dense.cubin").c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  std::ifstream dense_plan(folder + "/dense.txt");
  std::ofstream dense(folder + "/dense.bin", std::ios::binary);
  std::string name, kind;
  while (dense_plan >> name >> kind) {
    cudaKernel_t kernel;
    CHECK(cudaLibraryGetKernel(&kernel, library, name.c_str()));
    unsigned first, step, n;
    dense_plan >> first >> step >> n;
    const size_t bytes = kind == "sum" ? size_t(4096) * 8 : size_t(n) * 4;
    char *out = nullptr;
    CHECK(cudaMalloc(&out, bytes));
    CHECK(cudaMemset(out, 0, bytes));
    void *args[] = {&out, &first, &step, &n};
    CHECK(cudaLaunchKernel((void *)kernel, kind == "sum" ? dim3(4096) : dim3((n + 255) / 256), dim3(256), args, 0, 0));
    CHECK(cudaDeviceSynchronize());
    std::vector<char> host(bytes);
    CHECK(cudaMemcpy(host.data(), out, bytes, cudaMemcpyDeviceToHost));
    dense.write(host.data(), bytes);
    CHECK(cudaFree(out));
  }
  std::printf("done\n");
}
