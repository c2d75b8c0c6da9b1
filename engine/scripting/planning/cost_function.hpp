#pragma once
// A cost that a Lua function computes. Its derivatives are computed with dual numbers
// (objects/dual_values.hpp).

#include <optional>
#include <string>
#include <vector>

#include "torsor/mechanics/kinematics.hpp"
#include "torsor/scripting/objects/cost_object.hpp"

namespace torsor::lua {

// The instants at which the function counts.
struct CostInstants {
  std::optional<size_t> step;  // nullopt: every step, times dt
  bool at_end = false;         // only the last state
};

// The cost f(t, state), with state.q, state.v, state.tau (nil at the end) and the origin of each
// frame in the world, state.frames.NAME = {x, y, z}. The gradient is exact. The second derivatives
// of the function are exact, those of q (+) d at joints with quaternions and of the positions of
// frames are left out. Negative eigenvalues of their matrix are replaced by 0. NaN is an error in
// the first motion of a plan. Later, the motion is rejected as if the cost were infinite.
class FunctionCost : public Cost {
 public:
  // function: key in the Lua registry. owner: beginning of error messages.
  FunctionCost(const PlanContext& plan, int function, std::string owner, CostInstants instants,
               std::vector<Frame> frames);

  double running(size_t step, const Eigen::VectorXd& x, const Eigen::VectorXd& u) override;
  void add_running(size_t step, const Eigen::VectorXd& x, const Eigen::VectorXd& u, double weight,
                   CostModel& out) override;
  double terminal(const Eigen::VectorXd& x) override;
  void add_terminal(const Eigen::VectorXd& x, double weight, CostModel& out) override;

 private:
  bool counts_at(size_t step) const;
  double value(double t, const Eigen::VectorXd& x, const Eigen::VectorXd* u);
  void add(double t, const Eigen::VectorXd& x, const Eigen::VectorXd* u, double weight,
           CostModel& out);
  void push_state(const Eigen::VectorXd& x, const Eigen::VectorXd* u, bool with_derivatives);
  void call(double t, const Eigen::VectorXd& x, const Eigen::VectorXd* u, bool with_derivatives);
  [[noreturn]] void fail(double t, const std::string& what) const;

  PlanContext plan_;
  int function_;
  std::string owner_;
  CostInstants instants_;
  std::vector<Frame> frames_;
  State state_;
  bool has_started_ = false;  // the first motion has a finite cost
};

}  // namespace torsor::lua
