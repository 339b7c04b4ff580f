// Integers: fields, permutations of bytes, logic of three operands, counts of bits, dot products of bytes, high products, division and remainder.
// twin 1 missing-barrier: the partner is read before its warp has written it
// twin 2 out-of-bounds: results lie one row too far
// twin 3 divergent-barrier: only the threads with an odd element reach the barrier
#include "../twins.h"
extern "C" __global__ void integers(const unsigned* a, const unsigned* b, const unsigned long long* wide, unsigned* out, unsigned long long* out64, int n) {
  __shared__ unsigned partner[128];
  int t = threadIdx.x;
  int i = blockIdx.x * 128 + t;
  unsigned x = a[i];
  unsigned y = b[i];
  unsigned long long w = wide[i];
  partner[t] = y;  //@1
  ONLY(3)
  if (x % 2)
    __syncthreads();  //@3
  EXCEPT(1)
  EXCEPT(3)
  __syncthreads();
  unsigned z = partner[127 - t];  //@1
  unsigned r;
  asm("bfe.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(z));
  out[0 * n + i] = r;
  asm("bfe.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y & 31), "r"(z & 15));
  out[1 * n + i] = r;
  asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(r) : "r"(x), "r"(y), "r"(z & 63), "r"(x >> 27));
  out[2 * n + i] = r;
  out[3 * n + i] = __byte_perm(x, y, z);
  asm("lop3.b32 %0, %1, %2, %3, 0x6a;" : "=r"(r) : "r"(x), "r"(y), "r"(z));
  out[4 * n + i] = r;
  out[5 * n + i] = __popc(x) + 100 * __clz(y) + 10000 * __ffs(z) + 1000000 * __popcll(w);
  out[6 * n + i] = __brev(x) ^ (unsigned)__clzll(w);
  out[7 * n + i] = __dp4a((int)x, (int)y, (int)z);
  out[8 * n + i] = __dp4a(x, y, z);
  out[9 * n + i] = __dp2a_lo((int)x, (int)y, (int)z) + __dp2a_hi(x, y, z);
  out[10 * n + i] = __umulhi(x, y);
  out[11 * n + i] = __mulhi((int)x, (int)y);
  out[12 * n + i] = x / (z | 1);
  out[13 * n + i] = (unsigned)((int)x % (int)(y | 1));
  out[14 * n + i] = __funnelshift_l(x, y, z) + __funnelshift_rc(x, y, z);
  out[15 * n + i] = __usad(x, y, z) + (unsigned)max((int)x, (int)y) - min(x, z);
  out[16 * n + i] = (unsigned)((int)x >> (z & 31)) ^ (y << (x & 31));
  out[17 * n + i] = __vadd4(x, y) + __vmaxs2(y, z);
  out[18 * n + i] = (x / 10u) * 7u + y % 1000u;
  out[19 * n + i + EITHER(2, n, 0)] = (unsigned)((int)y / -7);  //@2
  out64[0 * n + i] = __umul64hi(w, w ^ 0x9e3779b97f4a7c15ull);
  out64[1 * n + i] = (unsigned long long)__mul64hi((long long)w, -3ll * (long long)x);
  out64[2 * n + i] = w / (x | 1ull);
  out64[3 * n + i] = (unsigned long long)((long long)w % (long long)(y | 1));
  out64[4 * n + i] = (unsigned long long)x * y + w;
  out64[5 * n + i] = (unsigned long long)((long long)w >> (z & 63)) + (w << (y & 63));
}
