// the driver alone: a module of PTX, its variables, launches with parameters, with a buffer of them, with attributes, with dynamic shared memory
#include <cuda.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
#define OK(e) do { CUresult r_ = (e); if (r_) { fprintf(stderr, "line %d: %d\n", __LINE__, r_); exit(1); } } while (0)
template <class T> static CUdeviceptr up(const std::vector<T> &v) { CUdeviceptr p; OK(cuMemAlloc(&p, v.size() * sizeof(T))); OK(cuMemcpyHtoD(p, v.data(), v.size() * sizeof(T))); return p; }
template <class T> static std::vector<T> down(CUdeviceptr p, size_t n) { std::vector<T> v(n); OK(cuMemcpyDtoH(v.data(), p, n * sizeof(T))); return v; }
int main(int, char **argv) {
  OK(cuInit(0)); CUdevice d; OK(cuDeviceGet(&d, 0)); CUcontext c; OK(cuDevicePrimaryCtxRetain(&c, d)); OK(cuCtxSetCurrent(c));
  std::string path = argv[0]; path = path.substr(0, path.rfind('/') + 1) + "pieces.ptx";
  CUmodule m; OK(cuModuleLoad(&m, path.c_str()));
  auto fn = [&](const char *name) { CUfunction f; OK(cuModuleGetFunction(&f, m, name)); return f; };
  const int n = 300; std::vector<float> x(n); for (int i = 0; i < n; i++) x[i] = (float)(i * 37 % 101) / 7 - 3;
  CUdeviceptr px = up(x), py = up(std::vector<float>(n)), ph = up(std::vector<unsigned short>(n)), ps = up(std::vector<float>(4));
  CUdeviceptr factors, tally; size_t bytes; OK(cuModuleGetGlobal(&factors, &bytes, m, "factors")); OK(cuModuleGetGlobal(&tally, &bytes, m, "tally"));
  float f[8] = {1, 0.5f, -2, 3, 0.125f, 7, -1, 10}; OK(cuMemcpyHtoD(factors, f, sizeof f)); OK(cuMemsetD32(tally, 0, 4));
  OK(cuCtxSynchronize());
  CUstream s; OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  int count = n; void *args[] = {&px, &py, &count};
  OK(cuLaunchKernel(fn("weighted"), 3, 1, 1, 128, 1, 1, 0, s, args, nullptr));
  struct { CUdeviceptr x; int n; } packed = {py, n}; size_t size = sizeof packed - 4;
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
  OK(cuLaunchKernel(fn("counted"), 2, 1, 1, 64, 1, 1, 0, s, nullptr, extra));
  void *args2[] = {&py, &ph, &count}; OK(cuLaunchKernel(fn("halves"), 5, 1, 1, 64, 1, 1, 0, s, args2, nullptr));
  std::vector<int> q(256); for (int i = 0; i < 256; i++) q[i] = i * i - 900; CUdeviceptr pq = up(q), pr = up(std::vector<int>(256)); OK(cuCtxSynchronize());
  CUlaunchConfig config; memset(&config, 0, sizeof config); config.gridDimX = 4; config.gridDimY = config.gridDimZ = 1; config.blockDimX = 64; config.blockDimY = config.blockDimZ = 1; config.hStream = s;
  CUlaunchAttribute a; memset(&a, 0, sizeof a); a.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION; a.value.clusterDim.x = 2; a.value.clusterDim.y = a.value.clusterDim.z = 1; config.attrs = &a; config.numAttrs = 1;
  void *args3[] = {&pq, &pr}; OK(cuLaunchKernelEx(&config, fn("exchanged"), args3, nullptr));
  CUfunction sum = fn("summed"); OK(cuFuncSetAttribute(sum, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 65536));
  void *args4[] = {&py, &ps, &count}; OK(cuLaunchKernel(sum, 4, 1, 1, 256, 1, 1, 60000, s, args4, nullptr));
  count = 100; OK(cuLaunchKernel(sum, 1, 1, 1, 32, 1, 1, 128, s, args4, nullptr));
  OK(cuStreamSynchronize(s));
  auto t = down<unsigned>(tally, 4); auto r = down<int>(pr, 256); auto z = down<float>(ps, 4); long k = 0; for (int v : r) k = k * 31 + v;
  printf("driver %u %u %u %u %ld %.9g %.9g\n", t[0], t[1], t[2], t[3], k, z[0], z[1]);
}
