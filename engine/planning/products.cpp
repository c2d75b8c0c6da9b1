#include "torsor/planning/products.hpp"

#include <cassert>

namespace torsor {

using Eigen::Index, Eigen::MatrixXd, Eigen::Ref;

// Four columns of A at once, so that each column of Y is loaded and stored k / 4 times.
void add_product(const Ref<const MatrixXd>& A, const Ref<const MatrixXd>& X, Ref<MatrixXd> Y) {
  assert(A.cols() == X.rows() && A.rows() == Y.rows() && X.cols() == Y.cols());
  const Index m = A.rows(), most = A.cols(), stride = A.outerStride();
  for (Index j = 0; j < X.cols(); ++j) {
    double* __restrict y = Y.data() + j * Y.outerStride();
    const double* x = X.data() + j * X.outerStride();
    const double* a = A.data();
    Index k = 0;
    for (; k + 4 <= most; k += 4, a += 4 * stride) {
      const double x0 = x[k], x1 = x[k + 1], x2 = x[k + 2], x3 = x[k + 3];
      if (x0 == 0 && x1 == 0 && x2 == 0 && x3 == 0) continue;
      const double *a1 = a + stride, *a2 = a1 + stride, *a3 = a2 + stride;
      for (Index i = 0; i < m; ++i) y[i] += (a[i] * x0 + a1[i] * x1) + (a2[i] * x2 + a3[i] * x3);
    }
    for (; k < most; ++k, a += stride)
      if (const double x0 = x[k]; x0 != 0)
        for (Index i = 0; i < m; ++i) y[i] += a[i] * x0;
  }
}

}  // namespace torsor
