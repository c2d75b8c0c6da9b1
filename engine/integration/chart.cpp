#include "torsor/integration/chart.hpp"

#include "torsor/spatial/dexp_slope.hpp"

namespace torsor {

using Eigen::MatrixXd, Eigen::VectorXd;

bool chart_needs_restart(const Model& model, const double* d) {
  for (const MappedBody& mapped : model.mapped) {
    double angle_squared = 0;
    for (int k = 0; k < mapped.kind->n_v; ++k)
      if (mapped.kind->dofs[size_t(k)].turns()) {
        const double angle = d[model.v_index[size_t(mapped.body)] + k];
        angle_squared += angle * angle;
      }
    if (angle_squared > 4) return true;
  }
  return false;
}

Chart::Chart(const Model& model) : model_(model) {}

void Chart::go_to(const VectorXd& d) {
  d_ = d;
  if (is_flat()) return;
  K_ = matrix(d);
  K_back_ = matrix(-d);
  factor_.compute(K_);
}

MatrixXd Chart::matrix(const VectorXd& d) const {
  const Eigen::Index n = d.size();
  MatrixXd K(n, n);
  for (Eigen::Index k = 0; k < n; ++k)
    chart_rate(model_, d.data(), VectorXd::Unit(n, k).eval().data(), K.col(k).data());
  return K;
}

MatrixXd Chart::rates(const MatrixXd& v) const {
  return is_flat() ? v : K_ * v;
}

MatrixXd Chart::rate_slopes(const VectorXd& v, const MatrixXd& dd) const {
  MatrixXd out = MatrixXd::Zero(dd.rows(), dd.cols());
  for (const auto& [body, kind] : model_.mapped) {
    const int first = model_.v_index[size_t(body)];
    const Twist<double> D = joint_twist(kind->dofs, &d_[first]),
                        V = joint_twist(kind->dofs, &v[first]);
    for (Eigen::Index c = 0; c < dd.cols(); ++c) {
      const Twist<double> slope = dexp_inverse_slope(D, joint_twist(kind->dofs, &dd(first, c)), V);
      for (int k = 0; k < kind->n_v; ++k)
        out(first + k, c) = component(kind->dofs[size_t(k)], slope);
    }
  }
  return out;
}

void Chart::to_momenta(double* p) const {
  if (is_flat()) return;
  Eigen::Map<VectorXd> all(p, d_.size());
  all = factor_.transpose().solve(all).eval();
}

void Chart::from_momenta(double* pi) const {
  if (is_flat()) return;
  Eigen::Map<VectorXd> all(pi, d_.size());
  all = (K_.transpose() * all).eval();
}

void Chart::subtract_momentum_rate(const double* ddot, const double* pi, double* pdot) const {
  for (const auto& [body, kind] : model_.mapped) {
    const int first = model_.v_index[size_t(body)];
    const Twist<double> D = joint_twist(kind->dofs, &d_[first]),
                        D_dot = joint_twist(kind->dofs, ddot + first);
    for (int c = 0; c < kind->n_v; ++c) {
      const Twist<double> slope = dexp_inverse_slope(D, D_dot, kind->dofs[size_t(c)].S);
      for (int r = 0; r < kind->n_v; ++r)
        pdot[first + c] -= component(kind->dofs[size_t(r)], slope) * pi[first + r];
    }
  }
}

MatrixXd Chart::displacements(const MatrixXd& dq_0, const MatrixXd& dd) const {
  if (is_flat()) return dq_0 + dd;
  return factor_.solve(K_back_ * dq_0 + dd);
}

}  // namespace torsor
