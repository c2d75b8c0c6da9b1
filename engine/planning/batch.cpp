#include "torsor/planning/batch.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cassert>

#include "torsor/base/error.hpp"

namespace torsor {

using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;

LinearMotion linearise(DiscreteDynamics& dynamics, const VectorXd& x_1, size_t steps,
                       const std::function<const VectorXd&(size_t)>& u) {
  LinearMotion out{{x_1}, std::vector<LinearStep>(steps)};
  for (size_t t = 0; t < steps; ++t) {
    VectorXd next;
    if (!dynamics.linearise(out.x[t], u(t), out.steps[t]) || !dynamics.step(out.x[t], u(t), next))
      throw Error(fmt::format("step {} cannot be computed: {}", t + 1, dynamics.failure()));
    out.x.push_back(std::move(next));
  }
  return out;
}

// The blocks are computed column by column: dx_{s+1} = B_s du_s, dx_{t+1} = A_t dx_t.
// Equations: RCFS 112.
MatrixXd batch_response(std::span<const LinearStep> steps) {
  assert(!steps.empty());
  const Index n_x = steps[0].B.rows(), n_u = steps[0].B.cols(), n = Index(steps.size());
  MatrixXd S = MatrixXd::Zero(n_x * (n + 1), n_u * n);
  for (Index s = 0; s < n; ++s) {
    S.block(n_x * (s + 1), n_u * s, n_x, n_u) = steps[size_t(s)].B;
    for (Index t = s + 1; t < n; ++t)
      S.block(n_x * (t + 1), n_u * s, n_x, n_u).noalias() =
          steps[size_t(t)].A * S.block(n_x * t, n_u * s, n_x, n_u);
  }
  return S;
}

MatrixXd free_response(std::span<const LinearStep> steps) {
  assert(!steps.empty());
  const Index n_x = steps[0].A.rows();
  MatrixXd S(n_x * Index(steps.size() + 1), n_x);
  S.topRows(n_x).setIdentity();
  for (size_t t = 0; t < steps.size(); ++t)
    S.middleRows(n_x * Index(t + 1), n_x).noalias() =
        steps[t].A * S.middleRows(n_x * Index(t), n_x);
  return S;
}

// Equations: RCFS 112.
MatrixXd relative_response(const MatrixXd& S, const MatrixXd& L) {
  const Index n = L.rows();
  assert(S.rows() % n == 0 && S.cols() % n == 0);
  const MatrixXd inverse = L.inverse();
  MatrixXd out(S.rows(), S.cols());
  for (Index i = 0; i < S.rows(); i += n)
    for (Index j = 0; j < S.cols(); j += n)
      out.block(i, j, n, n).noalias() = inverse * S.block(i, j, n, n) * inverse.transpose();
  return out;
}

// The rows of S_u of one state depend on its earlier controls only, and follow from those of the
// state before: [A_t S_t, B_t].
std::optional<BatchStep> minimise_in_batch(std::span<const LinearStep> steps,
                                           std::span<const CostModel> models, double mu,
                                           const std::function<void()>& working) {
  const Index n_x = steps[0].B.rows(), n_u = steps[0].B.cols(), n = n_u * Index(steps.size());
  MatrixXd H = MatrixXd::Zero(n, n), penalty = MatrixXd::Zero(n, n), S(n_x, 0);
  VectorXd g(n);
  for (size_t t = 0; t < models.size(); ++t) {
    working();
    const CostModel& l = models[t];
    const Index before = S.cols();
    H.topLeftCorner(before, before).noalias() += S.transpose() * (l.l_xx * S);
    if (mu > 0) penalty.topLeftCorner(before, before).noalias() += mu * S.transpose() * S;
    g.head(before).noalias() += S.transpose() * l.l_x;
    if (t == steps.size()) break;
    g.segment(before, n_u) = l.l_u;
    H.block(before, before, n_u, n_u) = l.l_uu;
    H.block(before, 0, n_u, before).noalias() = l.l_ux * S;
    H.block(0, before, before, n_u) = H.block(before, 0, n_u, before).transpose();
    MatrixXd next(n_x, before + n_u);
    next << steps[t].A * S, steps[t].B;
    S = std::move(next);
  }
  const Eigen::LLT<MatrixXd> factor(H + penalty);
  if (factor.info() != Eigen::Success) return std::nullopt;
  const VectorXd du = -factor.solve(g);
  return BatchStep{du, g.dot(du), du.dot(H * du)};
}

}  // namespace torsor
