// Votes, matches, reductions and elections of a warp, in code that has diverged.
// twin 1 missing-barrier: ballots of other warps are read before they are written
// twin 2 divergent-vote: a vote names lanes that have gone another way
// twin 3 divergent-barrier: each way of the branch has a barrier of its own
// twin 4 out-of-bounds: a ballot of a warp that does not exist
#include "../twins.h"
__device__ __forceinline__ unsigned elected(unsigned mask) {
  unsigned is;
  asm volatile("{\n.reg .pred p;\nelect.sync _|p, %1;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(is) : "r"(mask));
  return is;
}
extern "C" __global__ void votes(const int* x, unsigned* out, unsigned* whole, int n) {
  __shared__ unsigned ballots[4];
  int t = threadIdx.x;
  int lane = t % 32;
  int i = blockIdx.x * 128 + t;
  int v = x[i];
  unsigned odd = __ballot_sync(~0u, v & 1);
  if (lane == 0)
    ballots[t / 32] = odd;  //@1
  unsigned vote;
  unsigned reduced;
  unsigned matched;
  unsigned one = 0;
  if (v & 1) {
    vote = __ballot_sync(EITHER(2, ~0u, odd), v > 0);  //@2
    reduced = __reduce_add_sync(odd, (unsigned)v);
    matched = __match_any_sync(odd, v / 8);
    one = elected(odd);
    ONLY(3)
    __syncthreads();  //@3
  } else {
    vote = 2 * __all_sync(~odd, v < 50) + __any_sync(~odd, v < 0);
    reduced = (unsigned)__reduce_max_sync(~odd, v) * 1000u + __reduce_xor_sync(~odd, (unsigned)v) + __reduce_and_sync(~odd, (unsigned)v);
    int same;
    matched = __match_all_sync(~odd, v & 2, &same);
    matched += (unsigned)same;
    int from = 31 - __clz(~odd);
    reduced += __shfl_sync(~odd, v, from);
    ONLY(3)
    __syncthreads();  //@3
  }
  __syncwarp();
  out[0 * n + i] = odd;
  out[1 * n + i] = vote;
  out[2 * n + i] = reduced;
  out[3 * n + i] = matched;
  out[4 * n + i] = __popc(__ballot_sync(~0u, one));
  EXCEPT(1)
  EXCEPT(3)
  __syncthreads();
  if (t < 4 + EITHER(4, 1, 0))
    whole[blockIdx.x * 4 + t] = ballots[t] ^ ballots[3 - t] ^ (unsigned)t;  //@1 //@4
}
