// f64: a polynomial by Horner, a square root, a quotient, and their sums by a tree of shared memory.
// twin 1 missing-barrier: the tree reads what other warps have not yet written
// twin 2 out-of-bounds: one coefficient too many
// twin 3 divergent-barrier: only the threads that still add reach the barrier
#include "../twins.h"
extern "C" __global__ void series_f64(const double* x, const double* coefficients, double* values, double* sums, int degree) {
  __shared__ double part[128];
  int t = threadIdx.x;
  int i = blockIdx.x * 128 + t;
  double v = x[i];
  double p = 0;
  for (int j = degree + EITHER(2, 1, 0); j >= 0; j--)
    p = fma(p, v, coefficients[j]);  //@2
  double root = sqrt(fabs(p));
  double quotient = p / (root + 1.0);
  values[4 * i] = p;
  values[4 * i + 1] = root;
  values[4 * i + 2] = quotient;
  values[4 * i + 3] = floor(quotient * 8.0) - (double)(float)quotient + (double)__double2int_rz(root);
  part[t] = quotient;  //@1
  EXCEPT(1)
  __syncthreads();
  for (int half = 64; half > 0; half /= 2) {
    if (t < half) {
      part[t] += part[t + half];  //@1
      ONLY(3)
      __syncthreads();  //@3
    }
    EXCEPT(3)
    __syncthreads();
  }
  if (t == 0)
    sums[blockIdx.x] = part[0];
}
