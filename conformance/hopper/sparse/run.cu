// Applies every form of plan.txt to its tuples and writes a hash of each result (hashes.bin), and the words of the first tuples (raw.bin).
// Usage: run FOLDER. operands.h makes matrices; what is made of them here proofs-by-test/numerics/mma/sparse.ts makes again.
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

using Bytes = std::vector<unsigned char>;

static void put(Bytes &to, size_t at, int bits, size_t element, uint64_t value) {
  const size_t bit = element * bits;
  if (bits >= 8)
    std::memcpy(&to[at + bit / 8], &value, bits / 8);
  else
    to[at + bit / 8] |= (unsigned char)(value << (bit % 8));
}

struct Form {
  int index;
  std::string kind;
  int n, k;
  std::string types[4];
  int registers;
  size_t image, given, left;
  int tuples;
  std::string name;
};

static uint64_t moderate(const std::string &type, Random &r) {
  const int bits = bitsOf(type);
  return isFloat(type) ? within(formatOf(type), r, -3, 6) : r.next() & (bits == 32 ? 0xffffu : (1u << bits) - 1);
}

// Thread and register of element (row, column) of C and D; a register of f16 holds two neighbours.
static void registersOfC(const Form &f, const std::vector<uint64_t> &c, Bytes &to, size_t at) {
  const bool packed = f.types[2] == "f16";
  for (int i = 0; i < 64; i++)
    for (int j = 0; j < f.n; j++) {
      const int thread = i / 16 * 32 + i % 8 * 4 + j % 8 / 2, half = i % 16 / 8;
      const int reg = packed ? j / 8 * 2 + half : j / 8 * 4 + half * 2 + j % 2;
      const size_t byte = at + (size_t(reg) * 128 + thread) * 4 + (packed ? j % 2 * 2 : 0);
      std::memcpy(&to[byte], &c[size_t(i) * f.n + j], packed ? 2 : 4);
    }
}

static uint64_t descriptor(uint64_t start, uint64_t leading, uint64_t stride, uint64_t swizzle) {
  return start >> 4 | leading >> 4 << 16 | stride >> 4 << 32 | swizzle << 62;
}

static Bytes tuple(const Form &f, int number) {
  Bytes to(f.given);
  const std::string seed = f.name + "#" + std::to_string(number);
  const bool isSparse = f.types[0] != "b1";
  const int ka = isSparse ? f.k / 2 : f.k;
  const int bits = bitsOf(f.types[0]);
  size_t at = f.image;
  uint64_t words[2];
  if (f.kind == "layout") {
    Random r(seed);
    for (size_t i = 0; i < f.image * 8 / bits; i++) put(to, 0, bits, i, moderate(f.types[1], r));
    for (size_t i = 0; i < 2048 * 8u / bits; i++) put(to, at, bits, i, moderate(f.types[0], r));
    at += 2048;
    std::vector<uint64_t> c(64 * f.n);
    for (uint64_t &x : c) x = moderate(f.types[2], r);
    registersOfC(f, c, to, at);
    for (uint64_t &word : words) {
      const uint64_t start = 16 * r.pick(64), leading = 16 * r.pick(48), stride = 16 * r.pick(48);
      word = descriptor(start, leading, stride, r.pick(4));
    }
  } else {
    const Matrices x = operands(f.name, number, 0, f.types[0], f.types[1], f.types[2], 64, f.n, ka, f.k);
    // both operands in core matrices of 8 rows by 16 bytes, those of one row of core matrices one behind the other
    const int cores = isSparse ? 4 : 2;
    for (int i = 0; i < 64; i++)
      for (int p = 0; p < ka; p++) {
        const int bit = p * bits, c = bit / 8;
        put(to, (i / 8 * 2 + c / 16) * 128 + i % 8 * 16, bits, p - c / 16 * 128 / bits, x.a[size_t(i) * ka + p]);
        const int reg = i % 16 / 8 + c / 16 * 2, thread = i / 16 * 32 + i % 8 * 4 + c % 16 / 4;
        put(to, at + (size_t(reg) * 128 + thread) * 4, bits, p - c / 4 * 32 / bits, x.a[size_t(i) * ka + p]);
      }
    for (int j = 0; j < f.n; j++)
      for (int p = 0; p < f.k; p++) {
        const int bit = p * bits, c = bit / 8;
        put(to, 2048 + (j / 8 * cores + c / 16) * 128 + j % 8 * 16, bits, p - c / 16 * 128 / bits, x.b[size_t(p) * f.n + j]);
      }
    at += 2048;
    registersOfC(f, x.c, to, at);
    words[0] = descriptor(0, 128, 256, 0);
    words[1] = descriptor(2048, 128, cores * 128, 0);
  }
  at += size_t(f.registers) * 512;
  Random r(seed + "#metadata");
  const int pairs[12] = {4, 8, 9, 12, 13, 14, 1, 2, 6, 3, 7, 11}, single[2] = {4, 14};
  for (int thread = 0; thread < 128; thread++) {
    uint32_t word = 0;
    for (int i = 0; i < 8; i++)
      word |= uint32_t(f.types[0] == "tf32" ? single[r.pick(2)] : pairs[r.pick(f.kind == "any" ? 12 : 6)]) << (4 * i);
    std::memcpy(&to[at + 4 * thread], &word, 4);
  }
  std::memcpy(&to[at + 512], words, 16);
  return to;
}

int main(int argc, char **argv) {
  const std::string folder = argv[1];
  std::ifstream plan(folder + "/plan.txt");
  std::ofstream raw(folder + "/raw.bin", std::ios::binary), hashes(folder + "/hashes.bin", std::ios::binary), list(folder + "/list.txt");
  Form f;
  cudaLibrary_t library = nullptr;
  CHECK(cudaLibraryLoadFromFile(&library, (folder + "/forms.cubin").c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  while (plan >> f.index >> f.kind >> f.n >> f.k >> f.types[0] >> f.types[1] >> f.types[2] >> f.types[3] >> f.registers >> f.image >> f.given >> f.left >>
         f.tuples >> f.name) {
    Bytes in;
    for (int t = 0; t < f.tuples; t++) {
      const Bytes one = tuple(f, t);
      in.insert(in.end(), one.begin(), one.end());
    }
    cudaKernel_t kernel;
    CHECK(cudaLibraryGetKernel(&kernel, library, ("form" + std::to_string(f.index)).c_str()));
    char *din, *dout;
    const size_t bytes = f.left * f.tuples;
    CHECK(cudaMalloc(&din, in.size()));
    CHECK(cudaMalloc(&dout, bytes));
    CHECK(cudaMemset(dout, 0xee, bytes));
    CHECK(cudaMemcpy(din, in.data(), in.size(), cudaMemcpyHostToDevice));
    void *args[] = {&din, &dout};
    CHECK(cudaLaunchKernel((void *)kernel, dim3(f.tuples), dim3(128), args, 0, 0));
    CHECK(cudaDeviceSynchronize());
    Bytes out(bytes);
    CHECK(cudaMemcpy(out.data(), dout, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(din));
    CHECK(cudaFree(dout));
    const int whole = f.tuples < 20 ? f.tuples : 20;
    raw.write((const char *)out.data(), f.left * whole);
    for (int t = 0; t < f.tuples; t++) {
      uint32_t h = 2166136261u;
      for (size_t i = 0; i < f.left; i += 4) {
        uint32_t word;
        std::memcpy(&word, &out[f.left * t + i], 4);
        h = (h ^ word) * 16777619u;
        h ^= h >> 15;
      }
      hashes.write((const char *)&h, 4);
    }
    list << f.index << ' ' << f.tuples << ' ' << whole << ' ' << f.left << '\n';
  }
  std::printf("done\n");
}
