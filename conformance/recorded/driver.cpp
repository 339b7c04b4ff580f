// the driver alone: PTX by cuModuleLoadData, cuLaunchKernel with parameters, and with a buffer of them
#include <cuda.h>
#include <cstdio>
#include <cstdlib>
#include <vector>
#define OK(e) do { CUresult r_ = (e); if (r_) { fprintf(stderr, "line %d: %d\n", __LINE__, r_); exit(1); } } while (0)
static const char *text = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry twice(.param .u64 p, .param .u32 n)
{
  .reg .b64 %d<4>; .reg .b32 %r<6>; .reg .pred %q;
  ld.param.u64 %d0, [p]; ld.param.u32 %r0, [n];
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r1, %r1, %r2, %r3;
  setp.ge.u32 %q, %r1, %r0; @%q ret;
  mul.wide.u32 %d1, %r1, 4; cvta.to.global.u64 %d0, %d0; add.u64 %d1, %d0, %d1;
  ld.global.u32 %r4, [%d1]; add.u32 %r4, %r4, %r4; st.global.u32 [%d1], %r4;
  ret;
})";
int main() {
  OK(cuInit(0)); CUdevice d; OK(cuDeviceGet(&d, 0)); CUcontext c; OK(cuDevicePrimaryCtxRetain(&c, d)); OK(cuCtxSetCurrent(c));
  CUmodule m; OK(cuModuleLoadData(&m, text)); CUfunction f; OK(cuModuleGetFunction(&f, m, "twice"));
  std::vector<unsigned> x(300); for (unsigned i = 0; i < 300; i++) x[i] = i * 2654435761u;
  CUdeviceptr p; OK(cuMemAlloc(&p, 1200)); OK(cuMemcpyHtoD(p, x.data(), 1200));
  unsigned n = 299; void *args[] = {&p, &n};
  OK(cuLaunchKernel(f, 3, 1, 1, 128, 1, 1, 0, nullptr, args, nullptr));
  struct { CUdeviceptr p; unsigned n; } packed = {p, 17}; size_t size = 12; void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
  OK(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, extra));
  OK(cuCtxSynchronize()); OK(cuMemcpyDtoH(x.data(), p, 1200)); unsigned s = 0; for (unsigned v : x) s = s * 31 + v; printf("driver %u\n", s);
}
