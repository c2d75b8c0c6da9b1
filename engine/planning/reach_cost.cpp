#include "torsor/planning/reach_cost.hpp"

#include "torsor/planning/goal_cost.hpp"
#include "torsor/planning/running_costs.hpp"

namespace torsor {

CostSum reach_cost(const std::shared_ptr<const Model>& model, const Frame& frame,
                   const Vec3<double>& target_W, const ReachWeights& weights, double dt) {
  const size_t n = size_t(model->n_v);
  const auto at_end = [&](const Goal& goal) {
    return std::make_shared<GoalCost>(model, std::map{std::pair{GoalCost::at_end, goal}});
  };
  const auto running = [&](Coordinates z) {
    return std::make_shared<QuadraticCost>(*model, z, std::vector(n, 1.0), dt);
  };
  std::vector<WeightedCost> terms{
      {weights.position, at_end({.q = {}, .v = {}, .frame = frame, .position_W = target_W})},
      {weights.velocity, at_end({.q = {}, .v = Eigen::VectorXd::Zero(model->n_v), .frame = {}})},
      {weights.effort, running(Coordinates::tau)},
      {weights.motion, running(Coordinates::v)}};
  if (!weights.limit.empty()) {
    CoordinateLimits limits{weights.limit, weights.limit};
    for (double& lower : limits.lower) lower = -lower;
    terms.push_back(
        {weights.limits, std::make_shared<PenaltyCost>(*model, Coordinates::tau, limits, dt)});
  }
  return CostSum(std::move(terms));
}

}  // namespace torsor
