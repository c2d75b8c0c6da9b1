#include "torsor/integration/short_vector.hpp"

#include <nvector/nvector_serial.h>

#include <algorithm>
#include <cmath>

namespace torsor {

namespace {

sunindextype size_of(N_Vector x) {
  return NV_LENGTH_S(x);
}

// Computes z = a x + b y. z may be x or y.
void linear_sum(realtype a, N_Vector x, realtype b, N_Vector y, N_Vector z) {
  const double *from_x = NV_DATA_S(x), *from_y = NV_DATA_S(y);
  double* to = NV_DATA_S(z);
  for (sunindextype i = 0, n = size_of(z); i < n; ++i) to[i] = a * from_x[i] + b * from_y[i];
}

// Computes z = c x. z may be x.
void scale(realtype c, N_Vector x, N_Vector z) {
  const double* from = NV_DATA_S(x);
  double* to = NV_DATA_S(z);
  for (sunindextype i = 0, n = size_of(z); i < n; ++i) to[i] = c * from[i];
}

void fill(realtype c, N_Vector z) {
  std::fill_n(NV_DATA_S(z), size_of(z), c);
}

// Computes z = sum_k c_k x_k. z may be x_0.
int linear_combination(int count, realtype* c, N_Vector* x, N_Vector z) {
  scale(c[0], x[0], z);
  double* __restrict to = NV_DATA_S(z);
  for (int k = 1; k < count; ++k) {
    const double *from = NV_DATA_S(x[k]), factor = c[k];
    for (sunindextype i = 0, n = size_of(z); i < n; ++i) to[i] += factor * from[i];
  }
  return 0;
}

// Returns sqrt(sum_i (x_i w_i)^2 / n). Independent sums need not wait for each other.
realtype weighted_rms_norm(N_Vector x, N_Vector w) {
  constexpr sunindextype sums = 4;
  const double *value = NV_DATA_S(x), *weight = NV_DATA_S(w);
  const sunindextype n = size_of(x);
  double sum[sums] = {};
  for (sunindextype i = 0; i < n; ++i) {
    const double each = value[i] * weight[i];
    sum[i % sums] += each * each;
  }
  return std::sqrt((sum[0] + sum[1] + sum[2] + sum[3]) / double(n));
}

}  // namespace

N_Vector new_short_vector(sunindextype size, SUNContext context) {
  N_Vector out = N_VNew_Serial(size, context);
  if (!out) return nullptr;
  out->ops->nvlinearsum = linear_sum;
  out->ops->nvscale = scale;
  out->ops->nvconst = fill;
  out->ops->nvlinearcombination = linear_combination;
  out->ops->nvwrmsnorm = weighted_rms_norm;
  return out;
}

}  // namespace torsor
