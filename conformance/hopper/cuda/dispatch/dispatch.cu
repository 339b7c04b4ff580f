// A program of bytes a lane, on one value: a switch with many cases, six of them behind a table of branches (brx.idx).
// twin 1 missing-barrier: the program is run before all warps have loaded it
// twin 2 out-of-bounds: programs are one byte too long
// twin 3 divergent-barrier: an instruction of the program is a barrier
#include "../twins.h"
// nvcc makes a tree of comparisons of the switch below, whatever its cases; the table of branches is asked for by name
__device__ __forceinline__ int table(int v, unsigned index) {
  asm volatile(
      "{\n.reg .b32 w;\n"
      "ways: .branchtargets WAY0, WAY1, WAY2, WAY3, WAY4, WAY5;\n"
      "brx.idx %1, ways;\n"
      "WAY0: not.b32 %0, %0;\nbra.uni JOINED;\n"
      "WAY1: mad.lo.s32 %0, %0, 3, 1;\nbra.uni JOINED;\n"
      "WAY2: shl.b32 w, %0, 1;\nxor.b32 %0, %0, w;\nbra.uni JOINED;\n"
      "WAY3: clz.b32 w, %0;\nsub.s32 %0, %0, w;\nbra.uni JOINED;\n"
      "WAY4: prmt.b32 %0, %0, %0, 0x0123;\nbra.uni JOINED;\n"
      "WAY5: abs.s32 %0, %0;\n"
      "JOINED:\n}"
      : "+r"(v)
      : "r"(index));
  return v;
}
extern "C" __global__ void dispatch(const unsigned char* code, const int* x, int* y, int length) {
  __shared__ unsigned char program[16 * 64];
  int t = threadIdx.x;
  for (int i = t; i < 16 * length; i += blockDim.x)
    program[i] = code[i];  //@1
  EXCEPT(1)
  __syncthreads();
  int i = blockIdx.x * blockDim.x + t;
  int v = x[i];
  const unsigned char* mine = program + (15 - (t / 3) % 16) * length;
  for (int pc = 0; pc < length + EITHER(2, 1, 0); pc++) {
    switch (mine[pc]) {  //@1 //@2
      case 0:
        v += 3;
        break;
      case 1:
        v = v * 5 - pc;
        break;
      case 2:
        v ^= v >> 3;
        break;
      case 3:
        v = __popc(v);
        break;
      case 4:
        v = v / 7;
        break;
      case 5:
        v = -v;
        break;
      case 6:
        v = max(v, t);
        break;
      case 7:
        v = __brev(v);
        break;
      case 8:
        v |= 0x10 << (t & 7);
        break;
      case 9:
        v = (v << 7) | ((unsigned)v >> 25);
        break;
      case 10:
        if (v & 4)
          pc++;
        break;
      case 11:
        v = min(v, 1000 * pc);
        ONLY(3)
        __syncthreads();  //@3
        break;
      default:
        v = table(v, mine[pc] - 12);
        break;
    }
  }
  y[i] = v;
}
