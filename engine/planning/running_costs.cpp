#include "torsor/planning/running_costs.hpp"

#include <cmath>
#include <limits>
#include <numeric>

namespace torsor {

using Eigen::VectorXd;

CoordinateCost::CoordinateCost(const Model& model, Coordinates z, double dt)
    : z_(z),
      index_(z == Coordinates::q ? model.coordinate : std::vector<int>(size_t(model.n_v))),
      dt_(dt) {
  if (z != Coordinates::q)
    std::iota(index_.begin(), index_.end(), z == Coordinates::v ? model.n_q : 0);
}

double CoordinateCost::running(size_t, const VectorXd& x, const VectorXd& u) {
  const VectorXd& from = z_ == Coordinates::tau ? u : x;
  double sum = 0;
  for (size_t k = 0; k < index_.size(); ++k)
    if (index_[k] >= 0) sum += value(k, from[index_[k]]).f;
  return dt_ * sum;
}

void CoordinateCost::add_running(size_t, const VectorXd& x, const VectorXd& u, double weight,
                                 CostModel& out) {
  const bool of_u = z_ == Coordinates::tau;
  VectorXd& slope = of_u ? out.l_u : out.l_x;
  Eigen::MatrixXd& curvature = of_u ? out.l_uu : out.l_xx;
  const size_t first = z_ == Coordinates::v ? index_.size() : 0;
  for (size_t k = 0; k < index_.size(); ++k) {
    if (index_[k] < 0) continue;
    const Value at = value(k, (of_u ? u : x)[index_[k]]);
    const auto i = Eigen::Index(first + k);
    slope[i] += weight * dt_ * at.slope;
    curvature(i, i) += weight * dt_ * at.curvature;
  }
}

CoordinateCost::Value QuadraticCost::value(size_t k, double z) const {
  const double w = weights_[k];
  return {w * z * z / 2, w * z, w};
}

CoordinateCost::Value PenaltyCost::value(size_t k, double z) const {
  const double above = z - limits_.upper[k], below = z - limits_.lower[k];
  const double e = above > 0 ? above : below < 0 ? below : 0;
  return {e * e / 2, e, e == 0 ? 0.0 : 1.0};
}

CoordinateCost::Value BarrierCost::value(size_t k, double z) const {
  const double lower = limits_.lower[k], upper = limits_.upper[k];
  if (!(lower < z && z < upper)) return {std::numeric_limits<double>::infinity(), 0, 0};
  const double h = std::isfinite(upper - lower) ? (upper - lower) / 2 : 1;
  Value out{};
  for (const double s : {upper - z, lower - z})
    if (std::isfinite(s)) {
      out.f -= std::log(std::abs(s) / h);
      out.slope += 1 / s;
      out.curvature += 1 / (s * s);
    }
  return out;
}

}  // namespace torsor
