#include "torsor/planning/batch.hpp"

#include <cassert>

namespace torsor {

// The blocks are computed column by column: dx_{s+1} = B_s du_s, dx_{t+1} = A_t dx_t.
// Equations: RCFS 112.
Eigen::MatrixXd batch_response(std::span<const LinearStep> steps) {
  assert(!steps.empty());
  const Eigen::Index n_x = steps[0].B.rows(), n_u = steps[0].B.cols(),
                     n = Eigen::Index(steps.size());
  Eigen::MatrixXd S = Eigen::MatrixXd::Zero(n_x * (n + 1), n_u * n);
  for (Eigen::Index s = 0; s < n; ++s) {
    S.block(n_x * (s + 1), n_u * s, n_x, n_u) = steps[size_t(s)].B;
    for (Eigen::Index t = s + 1; t < n; ++t)
      S.block(n_x * (t + 1), n_u * s, n_x, n_u).noalias() =
          steps[size_t(t)].A * S.block(n_x * t, n_u * s, n_x, n_u);
  }
  return S;
}

// The product with L_x^-1 consists of differences of neighbouring rows, (L^-1 x)_k = x_k - x_{k-1},
// computed from the last row to the first. The product with L_u consists of the same differences of
// columns.
Eigen::MatrixXd relative_response(const Eigen::MatrixXd& S, Eigen::Index n) {
  assert(S.rows() % n == 0 && S.cols() % n == 0);
  Eigen::MatrixXd out = S;
  for (Eigen::Index k = S.rows(); k-- > 0;)
    if (k % n != 0) out.row(k) -= out.row(k - 1);
  for (Eigen::Index k = S.cols(); k-- > 0;)
    if (k % n != 0) out.col(k) -= out.col(k - 1);
  return out;
}

}  // namespace torsor
