#pragma once
// A weighted sum of costs.

#include <memory>
#include <vector>

#include "torsor/planning/cost.hpp"

namespace torsor {

struct WeightedCost {
  double weight;  // not negative
  std::shared_ptr<Cost> cost;
};

class CostSum : public Cost {
 public:
  explicit CostSum(std::vector<WeightedCost> terms);

  double running(size_t step, const Eigen::VectorXd& x, const Eigen::VectorXd& u) override;
  void add_running(size_t step, const Eigen::VectorXd& x, const Eigen::VectorXd& u, double weight,
                   CostModel& out) override;
  double terminal(const Eigen::VectorXd& x) override;
  void add_terminal(const Eigen::VectorXd& x, double weight, CostModel& out) override;
  double error(const Eigen::VectorXd& x) override;  // error of the first term that has one

 private:
  std::vector<WeightedCost> terms_;
};

}  // namespace torsor
