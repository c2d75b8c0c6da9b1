#include "torsor/constraints/moved_rows.hpp"

#include <algorithm>
#include <limits>

namespace torsor {

MovedRows::MovedRows(const State& state)
    : at_(state), q_(state.q().begin(), state.q().end()), moved_(q_), rows_(state.model()) {}

Eigen::MatrixXd MovedRows::operator()(const Eigen::VectorXd& d, double h,
                                      const Eigen::VectorXd& v) {
  integrate(at_.model(), q_.data(), d.data(), h, moved_.data());
  at_.set_q(moved_);
  std::copy_n(v.data(), v.size(), at_.v.begin());
  rows_.evaluate(at_);
  Eigen::MatrixXd out(rows_.size(), v.size() + 1);
  out.leftCols(v.size()) = rows_.jacobian();
  out.col(v.size()) = rows_.bias();
  return out;
}

Eigen::MatrixXd derivative_along(MovedRows& rows, const Eigen::VectorXd& d,
                                 const Eigen::VectorXd& v) {
  constexpr double of_order_8[] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280},
                   of_order_6[] = {3.0 / 4, -3.0 / 20, 1.0 / 60, 0};
  constexpr int most_halvings = 12;
  const double largest = d.cwiseAbs().maxCoeff();
  Eigen::MatrixXd best;
  double least = std::numeric_limits<double>::infinity();
  if (largest == 0) return Eigen::MatrixXd::Zero(rows(d, 0, v).rows(), v.size() + 1);
  double h = 0.1 / largest;
  for (int k = 0; k < most_halvings; ++k, h /= 2) {
    Eigen::MatrixXd high, low;
    for (int point = 0; point < 4; ++point) {
      const Eigen::MatrixXd change =
          (rows(d, (point + 1) * h, v) - rows(d, -(point + 1) * h, v)) / h;
      if (point == 0) {
        high = of_order_8[0] * change;
        low = of_order_6[0] * change;
      } else {
        high += of_order_8[point] * change;
        low += of_order_6[point] * change;
      }
    }
    const double difference = (high - low).norm();
    if (!(difference < least)) break;
    least = difference;
    best = std::move(high);
  }
  return best;
}

}  // namespace torsor
