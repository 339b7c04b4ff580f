#pragma once
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cstdint>
#include <vector>
#include <cuda_runtime.h>
#define OK(e) do { cudaError_t r_ = (e); if (r_) { fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(r_)); exit(1); } } while (0)
template <class T> T *up(const std::vector<T> &v) { T *p; OK(cudaMalloc(&p, v.size() * sizeof(T))); OK(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice)); return p; }
template <class T> T *room(size_t n) { T *p; OK(cudaMalloc(&p, n * sizeof(T))); OK(cudaMemset(p, 0, n * sizeof(T))); return p; }
template <class T> std::vector<T> down(const T *p, size_t n) { std::vector<T> v(n); OK(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost)); return v; }
inline uint32_t noise(uint32_t &s) { s ^= s << 13; s ^= s >> 17; s ^= s << 5; return s; }
inline float real(uint32_t &s) { return (float)(int)(noise(s) >> 8) / 8388608.0f - 1.0f; }
