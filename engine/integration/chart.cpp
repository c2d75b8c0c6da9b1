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

// The screws S of joints with several dof are unit axes, as in chart_rate(). Dot products with S
// therefore extract the components of the slope.
MatrixXd Chart::rate_slopes(const VectorXd& v, const MatrixXd& dd) const {
  MatrixXd out = MatrixXd::Zero(dd.rows(), dd.cols());
  for (const auto& [body, kind] : model_.mapped) {
    const int first = model_.v_index[size_t(body)];
    const auto along = [&, columns = kind->dofs](const auto& x) {
      Twist<double> V{};
      for (size_t k = 0; k < columns.size(); ++k) V = V + double(x[first + int(k)]) * columns[k].S;
      return V;
    };
    const Twist<double> D = along(d_), V = along(v);
    for (Eigen::Index c = 0; c < dd.cols(); ++c) {
      const Twist<double> slope = dexp_inverse_slope(D, along(dd.col(c)), V);
      for (int k = 0; k < kind->n_v; ++k) {
        const Twist<double>& S = kind->dofs[size_t(k)].S;
        out(first + k, c) = dot(S.w, slope.w) + dot(S.v, slope.v);
      }
    }
  }
  return out;
}

MatrixXd Chart::displacements(const MatrixXd& dq_0, const MatrixXd& dd) const {
  if (is_flat()) return dq_0 + dd;
  return factor_.solve(K_back_ * dq_0 + dd);
}

}  // namespace torsor
