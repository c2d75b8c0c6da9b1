#pragma once
// Costs of the deviation from desired states: at the end of a motion, at other times, or along it.

#include <map>
#include <optional>

#include "torsor/integration/chart.hpp"
#include "torsor/mechanics/state.hpp"
#include "torsor/planning/cost.hpp"

namespace torsor {

// A desired state. Parts that are not given are free.
struct Goal {
  std::optional<Eigen::VectorXd> q, v;          // [n_q], [n_v]
  std::optional<Frame> frame;                   // the frame of the next two
  std::optional<Vec3<double>> position_W = {};  // m
  std::optional<Mat3<double>> R_WF = {};
};

// The cost 1/2 |r(x)|^2 of every given goal. The deviation r consists of
//   q (-) q_d (the d with q_d (+) d = q),   v - v_d,   p - p_d,   log(R_d^T R)
// with the position p and the rotation R of the frame, in rad, m, rad/s and m/s. The second-order
// model is of Gauss-Newton type: J^T J with J = dr/dx replaces the second derivative.
class GoalCost : public Cost {
 public:
  static constexpr size_t at_end = std::numeric_limits<size_t>::max();

  // goals: by the index of the step at whose beginning the state is desired, or at_end. scale: a
  // factor of the cost of each goal, for example dt.
  GoalCost(std::shared_ptr<const Model> model, std::map<size_t, Goal> goals, double scale = 1);

  double running(size_t step, const Eigen::VectorXd& x, const Eigen::VectorXd& u) override;
  void add_running(size_t step, const Eigen::VectorXd& x, const Eigen::VectorXd& u, double weight,
                   CostModel& out) override;
  double terminal(const Eigen::VectorXd& x) override;
  void add_terminal(const Eigen::VectorXd& x, double weight, CostModel& out) override;
  double error(const Eigen::VectorXd& x) override;  // |r| of the goal at the end

 private:
  const Goal* goal_at(size_t step) const;
  Eigen::VectorXd deviation(const Goal& goal, const Eigen::VectorXd& x);
  Eigen::MatrixXd slope(const Goal& goal, const Eigen::VectorXd& x);  // dr/dx, after deviation()
  void add(size_t step, const Eigen::VectorXd& x, double weight, CostModel& out);

  State state_;
  Chart chart_;
  std::map<size_t, Goal> goals_;
  double scale_;
  Eigen::Index n_;
};

}  // namespace torsor
