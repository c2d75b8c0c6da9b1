#include "torsor/planning/cost_sum.hpp"

#include <cmath>

namespace torsor {

using Eigen::VectorXd;

// A term of weight 0 is left out: its value may be infinite.
CostSum::CostSum(std::vector<WeightedCost> terms) : terms_(std::move(terms)) {
  std::erase_if(terms_, [](const WeightedCost& term) { return term.weight == 0; });
}

double CostSum::running(size_t step, const VectorXd& x, const VectorXd& u) {
  double out = 0;
  for (const auto& [weight, cost] : terms_) out += weight * cost->running(step, x, u);
  return out;
}

void CostSum::add_running(size_t step, const VectorXd& x, const VectorXd& u, double weight,
                          CostModel& out) {
  for (const auto& [own, cost] : terms_) cost->add_running(step, x, u, weight * own, out);
}

double CostSum::terminal(const VectorXd& x) {
  double out = 0;
  for (const auto& [weight, cost] : terms_) out += weight * cost->terminal(x);
  return out;
}

void CostSum::add_terminal(const VectorXd& x, double weight, CostModel& out) {
  for (const auto& [own, cost] : terms_) cost->add_terminal(x, weight * own, out);
}

double CostSum::error(const VectorXd& x) {
  for (const auto& [weight, cost] : terms_)
    if (const double error = cost->error(x); !std::isnan(error)) return error;
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace torsor
