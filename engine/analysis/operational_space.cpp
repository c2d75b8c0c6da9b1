#include "torsor/analysis/operational_space.hpp"

#include <cmath>
#include <limits>

#include "torsor/base/error.hpp"
#include "torsor/base/linear_algebra.hpp"
#include "torsor/mechanics/tree_factor.hpp"

namespace torsor {

namespace {

Eigen::Matrix<double, 6, 1> six(const Twist<double>& V) {
  return {V.w.x, V.w.y, V.w.z, V.v.x, V.v.y, V.v.z};
}

}  // namespace

OperationalSpaces::OperationalSpaces(Solver& solver, const State& state)
    : state_(state), M_(state.v.size(), state.v.size()), coriolis_(M_.rows()), gravity_(M_.rows()) {
  const auto require = [&](Status status) {
    if (!status) throw Error(solver.explain(status));
  };
  require(solver.mass_matrix(state, M_.data()));
  require(solver.gravity(state, gravity_.data()));
  require(solver.bias(state, coriolis_.data()));
  coriolis_ -= gravity_;
  if (const int body =
          TreeFactor(state.model()).factor(M_.data(), MinPivots(state.model()).at(state));
      body >= 0)
    require({TORSOR_STATUS(TORSOR_SINGULAR, body)});
  const auto L = cholesky(M_);
  if (!L)
    throw Error("solver '" + solver.id() + "' returns a mass matrix that is not positive definite");
  L_ = *L;
}

// Equations: MR 9.98, 9.99.
OperationalSpace OperationalSpaces::of(const Frame& frame) const {
  return of(frame_jacobian(state_, frame), six(jacobian_rate(state_, frame)));
}

OperationalSpace OperationalSpaces::of(const Frame& frame, const Components& components) const {
  return of(chosen_rows(frame_jacobian(state_, frame, Axes::world), components),
            chosen_rows(six(jacobian_rate(state_, frame, Axes::world)), components));
}

// Uses M = L L^T and the singular value decomposition L^-1 J^T = W S U^T, without negligible
// singular values:
//   J M^-1 J^T = U S^2 U^T,         Lambda = U S^-2 U^T
//   Jbar = L^-T W S^-1 U^T,         J^T Jbar^T = L W W^T L^-1
// Small singular values are inverted before they are squared, which avoids a loss of accuracy.
// Singular values below sqrt(eps) times the largest one are negligible, as in joint_rates(). Their
// directions are accurate to half of the digits only. Lambda would amplify an error along them by
// up to 1/eps.
OperationalSpace OperationalSpaces::of(const Eigen::MatrixXd& J,
                                       const Eigen::VectorXd& Jdot_v) const {
  const Eigen::Index m = J.rows(), n = J.cols();
  OperationalSpace out;
  out.Jdot_v = Jdot_v;
  const Eigen::MatrixXd half = L_.triangularView<Eigen::Lower>().solve(J.transpose());  // [n x m]
  out.Lambda_inverse = half.transpose() * half;
  Eigen::MatrixXd U = Eigen::MatrixXd::Identity(m, m), W(n, 0);
  Eigen::VectorXd s;
  if (n > 0) {
    const Svd svd = full_svd(half.transpose());
    const double least = std::sqrt(std::numeric_limits<double>::epsilon()) * svd.s[0];
    while (out.rank < svd.s.size() && svd.s[out.rank] > least) ++out.rank;
    U = svd.U;
    W = svd.V.leftCols(out.rank);
    s = svd.s.head(out.rank);
  }
  const Eigen::MatrixXd Us = U.leftCols(out.rank) * s.cwiseInverse().asDiagonal();  // U S^-1
  Eigen::MatrixXd consistent(n, out.rank);                                          // L^-T W
  if (out.rank > 0) consistent = L_.triangularView<Eigen::Lower>().adjoint().solve(W);
  out.immovable = U.rightCols(m - out.rank);
  out.Lambda = Us * Us.transpose();
  out.Jbar = consistent * Us.transpose();
  out.null_projector = Eigen::MatrixXd::Identity(n, n) - M_ * consistent * consistent.transpose();
  out.coriolis = out.Jbar.transpose() * coriolis_ - out.Lambda * Jdot_v;
  out.gravity = out.Jbar.transpose() * gravity_;
  return out;
}

}  // namespace torsor
