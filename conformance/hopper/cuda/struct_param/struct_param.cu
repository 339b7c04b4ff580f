// One parameter that holds everything: a struct of 208 bytes with pointers, strides, scalars of several widths, and holes.
// twin 1 missing-barrier: a tile is read before other warps have written it
// twin 2 out-of-bounds: the strides of the output are exchanged
// twin 3 divergent-barrier: only the threads inside of the problem reach the barrier
#include "../twins.h"
struct Operand {
  const float* data;
  long long strides[2];
  int extents[2];
};
struct Epilogue {
  float alpha;
  float beta;
  double clip;
  bool relu;
  short bias[5];
};
struct Params {
  int problem[3];
  Operand a;
  Operand b;
  float* out;
  long long out_stride;
  Epilogue epilogue;
  unsigned char mode;
  const int* shifts;
  unsigned long long count;
  int spare[13];
};
static_assert(sizeof(Params) == 208, "the launch file has the offsets");
extern "C" __global__ void struct_param(const __grid_constant__ Params p) {
  __shared__ float tile[128];
  int t = threadIdx.x;
  int row = blockIdx.x;
  bool inside = t < p.problem[1];
  float v = 0;
  if (inside)
    v = p.a.data[row * p.a.strides[0] + t * p.a.strides[1]];
  tile[t] = v;  //@1
  ONLY(3)
  if (inside)
    __syncthreads();  //@3
  EXCEPT(1)
  EXCEPT(3)
  __syncthreads();
  if (inside) {
    float w = tile[p.problem[1] - 1 - t] * p.epilogue.alpha;  //@1
    w += p.b.data[row % p.b.extents[0] * p.b.strides[0] + t] * p.epilogue.beta;
    w += p.epilogue.bias[t % 5] << p.shifts[t % 4];
    if (p.epilogue.relu && p.mode == 7)
      w = fmaxf(w, 0.0f);
    w = (float)fmin((double)w, p.epilogue.clip);
    p.out[EITHER(2, t * p.out_stride + row, row * p.out_stride + t)] = w + (float)(p.count >> 40) + (float)p.spare[t % 13];  //@2
  }
}
