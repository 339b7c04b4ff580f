// Runs the forms that generate.py wrote, a warp a tuple, and writes what they answered: raw.bin (the first tuples of each form), hashes.bin (a word a tuple).
// Usage: run FOLDER (plan.txt, formsN.cubin)
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include "operands.h"

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
  int index, part;
  std::string kind;
  int m, n, k, times;
  std::string types[4], layouts[2];
  int counts[4];
  size_t given, left;
  std::string name;
};

static bool isSparse(const Form &f) { return f.kind == "sp" || f.kind == "any"; }

// An element of a fragment as registers hold it: register by register, lane by lane.
static void slot(Bytes &to, size_t at, int bits, int reg, int lane, int position, uint64_t value) {
  const int size = bits == 64 ? 64 : 32;
  put(to, at, bits, (size_t(reg) * 32 + lane) * (size / bits) + position, value);
}

// Fragments of the shapes with rows of 8: the first dimension by lane / 4, the second by lane % 4.
static void fragments(const Form &f, const Matrices &x, Bytes &to, size_t at) {
  const int ka = isSparse(f) ? f.k / 2 : f.k;
  const int bits[3] = {bitsOf(f.types[0]), bitsOf(f.types[1]), bitsOf(f.types[2])};
  size_t place = at;
  for (int which = 0; which < 3; which++) {
    const int per = bits[which] >= 32 ? 1 : 32 / bits[which];
    for (int reg = 0; reg < f.counts[which]; reg++)
      for (int lane = 0; lane < 32; lane++)
        for (int e = 0; e < per; e++) {
          const int g = lane / 4, t = lane % 4;
          uint64_t v;
          if (which == 0) {
            const int tall = f.m / 8;
            v = x.a[(g + 8 * (reg % tall)) * ka + (reg / tall) * 4 * per + t * per + e];
          } else if (which == 1) {
            v = x.b[(reg * 4 * per + t * per + e) * f.n + g];
          } else {
            const int i = reg * per + e;
            v = x.c[(g + 8 * (i / 2)) * f.n + 2 * t + i % 2];
          }
          slot(to, place, bits[which], reg, lane, e, v);
        }
    place += size_t(f.counts[which]) * 32 * (bits[which] == 64 ? 8 : 4);
  }
}

// Four products of 8 x 8 x 4 by the quads of both halves of a warp.
static void quads(const Form &f, const std::vector<Matrices> &xs, Bytes &to, size_t at) {
  size_t place = at;
  for (int which = 0; which < 3; which++) {
    const int bits = bitsOf(f.types[which]), per = 32 / bits;
    for (int reg = 0; reg < f.counts[which]; reg++)
      for (int lane = 0; lane < 32; lane++)
        for (int e = 0; e < per; e++) {
          const Matrices &x = xs[lane % 16 / 4];
          const int i = reg * per + e, low = lane % 4, high = lane < 16 ? 0 : 4;
          uint64_t v;
          if (which == 0)
            v = f.layouts[0] == "row" ? x.a[(low + high) * 4 + i] : x.a[(i + high) * 4 + low];
          else if (which == 1)
            v = f.layouts[1] == "row" ? x.b[low * 8 + i + high] : x.b[i * 8 + low + high];
          else if (f.types[2] == "f16")
            v = x.c[(low + high) * 8 + i];
          else
            v = x.c[((lane & 1) + (i & 2) + high) * 8 + (i & 4) + (lane & 2) + (i & 1)];
          slot(to, place, bits, reg, lane, e, v);
        }
    place += size_t(f.counts[which]) * 128;
  }
}

static void matrices(const Form &f, const Matrices &x, Bytes &to, size_t at) {
  for (int which = 0; which < 3; which++) {
    const int bits = bitsOf(f.types[which]);
    const int rows = which == 1 ? f.k : f.m, columns = which == 0 ? f.k : f.n;
    const std::vector<uint64_t> &v = which == 0 ? x.a : which == 1 ? x.b : x.c;
    const bool turned = which < 2 && f.layouts[which] == "col";
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < columns; j++) put(to, at, bits, turned ? j * rows + i : i * columns + j, v[i * columns + j]);
    at += size_t(rows) * columns * bits / 8;
  }
}

static Bytes tuple(const Form &f, int number) {
  Bytes to(f.given);
  const int ka = isSparse(f) ? f.k / 2 : f.k;
  if (f.kind == "load") {
    const int which = f.counts[0] ? 0 : f.counts[1] ? 1 : 2;
    const int bits = bitsOf(f.types[which]);
    const size_t count = f.given * 8 / bits;
    for (size_t i = 0; i < count; i++) put(to, 0, bits, i, bits >= 16 ? i : (i >> (number * bits) % 64) & ((1u << bits) - 1));
  } else if (f.kind == "store") {
    const int bits = bitsOf(f.types[3]);
    for (size_t i = 0; i < f.given * 8 / bits; i++) put(to, 0, bits, i, i);
  } else if (f.kind == "raw") {
    Random r(f.name + "#" + std::to_string(number));
    size_t at = 0;
    for (int which = 0; which < 3; which++) {
      const int bits = bitsOf(f.types[which]);
      const size_t bytes = size_t(f.counts[which]) * 32 * (bits == 64 ? 8 : 4);
      for (size_t i = 0; i < bytes * 8 / bits; i++)
        put(to, at, bits, i, isFloat(f.types[which]) ? within(formatOf(f.types[which]), r, -3, 6) : r.next() & (bits == 32 ? 0xffffu : (1u << bits) - 1));
      at += bytes;
    }
  } else {
    std::vector<Matrices> xs;
    for (int q = 0; q < f.times; q++) xs.push_back(operands(f.name, number, q, f.types[0], f.types[1], f.types[2], f.m, f.n, ka, f.k));
    if (f.kind == "wmma")
      matrices(f, xs[0], to, 0);
    else if (f.times == 4)
      quads(f, xs, to, 0);
    else
      fragments(f, xs[0], to, 0);
    if (isSparse(f)) {
      Random r(f.name + "#" + std::to_string(number) + "#metadata");
      const int pairs[12] = {4, 8, 9, 12, 13, 14, 1, 2, 6, 3, 7, 11}, single[2] = {4, 14};
      for (int lane = 0; lane < 32; lane++) {
        uint32_t word = 0;
        for (int i = 0; i < 8; i++) word |= uint32_t(f.types[0] == "tf32" ? single[r.pick(2)] : pairs[r.pick(f.kind == "any" ? 12 : 6)]) << (4 * i);
        std::memcpy(&to[f.given - 128 + 4 * lane], &word, 4);
      }
    }
  }
  return to;
}

int main(int argc, char **argv) {
  const std::string folder = argv[1];
  std::ifstream plan(folder + "/plan.txt");
  std::ofstream raw(folder + "/raw.bin", std::ios::binary), hashes(folder + "/hashes.bin", std::ios::binary), list(folder + "/list.txt");
  Form f;
  int loaded = -1;
  cudaLibrary_t library = nullptr;
  while (plan >> f.index >> f.part >> f.kind >> f.m >> f.n >> f.k >> f.times >> f.types[0] >> f.types[1] >> f.types[2] >> f.types[3] >> f.layouts[0] >>
         f.layouts[1] >> f.counts[0] >> f.counts[1] >> f.counts[2] >> f.counts[3] >> f.given >> f.left >> f.name) {
    const bool any = f.kind == "any", ordered = any || f.name.find("ordered") != std::string::npos;
    const bool floating = isFloat(f.types[0]);
    const int tuples = f.kind == "load" ? 10 : f.kind == "store" ? 1 : f.kind == "raw" ? 2 : floating ? (ordered ? 40 : 400) : (ordered ? 16 : 128);
    const int whole = any ? tuples : f.kind == "load" ? 10 : f.kind == "store" ? 1 : f.kind == "raw" ? 2 : floating ? (f.kind == "mma" ? 100 : ordered ? 0 : 20) : (ordered ? 0 : 8);
    Bytes in;
    for (int t = 0; t < tuples; t++) {
      const Bytes one = tuple(f, t);
      in.insert(in.end(), one.begin(), one.end());
    }
    if (f.part != loaded) {
      CHECK(cudaLibraryLoadFromFile(&library, (folder + "/forms" + std::to_string(f.part) + ".cubin").c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
      loaded = f.part;
    }
    cudaKernel_t kernel;
    CHECK(cudaLibraryGetKernel(&kernel, library, ("form" + std::to_string(f.index)).c_str()));
    char *din, *dout;
    const size_t bytes = f.left * tuples;
    CHECK(cudaMalloc(&din, in.size()));
    CHECK(cudaMalloc(&dout, bytes));
    CHECK(cudaMemset(dout, 0xee, bytes));
    CHECK(cudaMemcpy(din, in.data(), in.size(), cudaMemcpyHostToDevice));
    void *args[] = {&din, &dout};
    CHECK(cudaLaunchKernel((void *)kernel, dim3(tuples), dim3(32), args, 0, 0));
    CHECK(cudaDeviceSynchronize());
    Bytes out(bytes);
    CHECK(cudaMemcpy(out.data(), dout, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(din));
    CHECK(cudaFree(dout));
    raw.write((const char *)out.data(), f.left * whole);
    for (int t = 0; t < tuples; t++) {
      uint32_t h = 2166136261u;
      for (size_t i = 0; i < f.left; i += 4) {
        uint32_t word;
        std::memcpy(&word, &out[f.left * t + i], 4);
        h = (h ^ word) * 16777619u;
        h ^= h >> 15;
      }
      hashes.write((const char *)&h, 4);
    }
    list << f.index << ' ' << tuples << ' ' << whole << ' ' << f.left << '\n';
  }
  std::printf("done\n");
}
