#pragma once
// A cost for motions that bring a frame to a target point and end at rest there, with little
// effort.

#include <vector>

#include "torsor/mechanics/state.hpp"
#include "torsor/planning/cost.hpp"

namespace torsor {

// The weights of the terms of the cost:
//   dt/2 (effort |u|^2 + motion |v|^2 + limits sum_k max(0, |u_k| - limit_k)^2)  for every step
//   1/2 position |p(q) - target|^2 + 1/2 velocity |v|^2                          for the last state
// p is the frame's origin in the world. The second-order model of the position term is of
// Gauss-Newton type: J^T J replaces the second derivative.
struct ReachWeights {
  double position = 1e3;           // 1/m^2
  double velocity = 10;            // s^2/rad^2
  double effort = 1e-2;            // 1/((N m)^2 s)
  double motion = 1e-2;            // s/rad^2
  double limits = 100;             // 1/((N m)^2 s); weight of the excess over `limit`
  std::vector<double> limit = {};  // [n_v] N m, infinite: no limit; empty: no limits at all
};

class ReachCost : public Cost {
 public:
  ReachCost(std::shared_ptr<const Model> model, const Frame& frame, const Vec3<double>& target_W,
            ReachWeights weights, double dt);

  double running(const Eigen::VectorXd& x, const Eigen::VectorXd& u) override;
  void expand_running(const Eigen::VectorXd& x, const Eigen::VectorXd& u, CostModel& out) override;
  double terminal(const Eigen::VectorXd& x) override;
  void expand_terminal(const Eigen::VectorXd& x, CostModel& out) override;
  double error(const Eigen::VectorXd& x) override;  // |p - target|, m

 private:
  Vec3<double> offset(const Eigen::VectorXd& x);
  // Returns the excess of u beyond the limit k, with the sign of u; 0 within the limit.
  double excess(Eigen::Index k, double u) const;

  State state_;
  Frame frame_;
  Vec3<double> target_W_;
  ReachWeights weights_;
  double dt_;
  Eigen::Index n_;
};

}  // namespace torsor
