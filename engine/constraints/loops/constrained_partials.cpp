// Derivatives of constrained forward dynamics along the motions that the constraints allow.
//
// Let the state move along dq = T e_j with v = T(q) v_i, and let D be the derivative of J along it.
// J v = 0 on the way, so that v changes by the dv with
//   J dv = -D v,   dv_i = 0
// The equations of motion, differentiated along the way, are
//   M dvdot + dtau/dq dq + dtau/dv dv - D^T lambda - J^T dlambda = dtau
//   J dvdot + D vdot + d(Jdot v) = 0
// dtau/dq and dtau/dv are those of inverse dynamics of the tree at vdot. With r for the terms of
// the first line that are known, and y = D vdot + d(Jdot v), the solution is
//   dvdot = x - Z Z^T r,   J x = -y with the least x^T M x
// Z^T J^T = 0 removes dlambda. lambda is not unique for redundant rows, but Z^T D^T lambda is: on
// the way, Z^T J^T stays zero for every lambda.
//
// Jdot v is quadratic in v: its derivative along dv is (c(v + dv) - c(v - dv)) / 2, without a
// truncation error. D and the derivative of Jdot v along dq are differences of the rows alone
// (derivative_along()).

#include "torsor/base/error.hpp"
#include "torsor/constraints/loops/constrained_dynamics.hpp"
#include "torsor/constraints/moved_rows.hpp"

namespace torsor {

namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace

ConstrainedDynamics::Partials ConstrainedDynamics::forward_partials(
    Solver& solver, const Eigen::VectorXd& tau) const {
  const Eigen::Index n = model_->n_v, k = motions_.mobility();
  const Motion at = forward(tau);
  RowMajor dtau_dq(n, n), dtau_dv(n, n);
  if (const Status status =
          solver.inverse_partials(*state_, at.vdot.data(), {dtau_dq.data(), dtau_dv.data()});
      !status)
    throw Error(solver.explain(status));
  const Eigen::MatrixXd& Z = motions_.basis();
  const Eigen::VectorXd v = Eigen::Map<const Eigen::VectorXd>(state_->v.data(), n);
  MovedRows rows(*state_);
  const Eigen::VectorXd nowhere = Eigen::VectorXd::Zero(n);
  const auto bias = [&](const Eigen::VectorXd& rates) -> Eigen::VectorXd {
    return rows(nowhere, 0, rates).col(n);
  };
  const auto bias_along = [&](const Eigen::VectorXd& dv) -> Eigen::VectorXd {
    return (bias(v + dv) - bias(v - dv)) / 2;
  };
  const auto solution = [&](const Eigen::VectorXd& r, const Eigen::VectorXd& y) -> Eigen::VectorXd {
    return motions_.solve(-y) - Z * (Z.transpose() * r);
  };
  Partials out{Eigen::MatrixXd(n, k), Eigen::MatrixXd(n, k), Z * Z.transpose()};
  for (Eigen::Index j = 0; j < k; ++j) {
    const Eigen::VectorXd along = T_.col(j);
    const Eigen::MatrixXd change = derivative_along(rows, along, v);
    const auto D = change.leftCols(n);
    Eigen::VectorXd dv = motions_.solve(-(D * v));
    for (size_t i = 0; i < independent_.size(); ++i)
      dv -= Eigen::VectorXd(dv[independent_[i]] * T_.col(Eigen::Index(i)));
    out.dvdot_dq.col(j) = solution(dtau_dq * along + dtau_dv * dv - D.transpose() * at.multipliers,
                                   D * at.vdot + change.col(n) + bias_along(dv));
    out.dvdot_dv.col(j) = solution(dtau_dv * along, bias_along(along));
  }
  return out;
}

}  // namespace torsor
