#pragma once
// Positions and velocities of a mechanism that keep its loops closed while a user moves one joint
// or one point.

#include <Eigen/Core>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "torsor/simulation/simulation.hpp"

namespace torsor::editor {

// A position q [n_q] with closed loops. obstacle: reason why it is not the wanted one, or "".
struct Posture {
  std::vector<double> q;
  std::string obstacle;
};

// All functions start at the present state of a run, whose model and solver must be those of the
// constructor. Prescribed dof keep their positions and velocities.
class PostureSolver {
 public:
  PostureSolver(std::shared_ptr<const Model> model, const SolverFactory& make_solver);

  const std::shared_ptr<const Model>& model_ptr() const { return model_; }

  // Moves the position with index `place` in positions() to a value in small steps. After each step
  // the other joints close the loops. If a step fails, it is halved; the position stops at the last
  // closed one. If the joint has several dof that the loops do not leave free together, the loops
  // are closed at the nearest position.
  Posture set_position(const Simulation& run, int place, double value);
  // Moves a point of a frame (point_F, m, in its axes) towards a point of the world (target_W, m)
  // as far as loops and position limits allow. With the Jacobian P of the point, W of mobility.hpp
  // and the distance e to the target, each step is
  //   d = W P^T (P W P^T + mu 1)^-1 e
  // with a small mu. It is the step of least kinetic energy that removes e, if there is one. Then
  // the loops are closed, and the step is halved until the distance decreases. Throws Error if the
  // point cannot move or M is singular.
  std::vector<double> move_point(const Simulation& run, const std::string& frame,
                                 const Vec3<double>& point_F, const Vec3<double>& target_W);
  // Returns the velocities [n_v] with a given velocity of one dof. The other velocities change by
  // the least kinetic energy. Throws Error if the loops do not allow this velocity.
  std::vector<double> set_velocity(const Simulation& run, int dof, double value);

 private:
  bool close(std::vector<double>& q, std::span<const char> held);
  Eigen::VectorXd step_towards(const State& state, const Eigen::MatrixXd& P,
                               const Eigen::Vector3d& e, std::span<const char> held);
  bool approach(State& state, const Frame& frame, const Vec3<double>& point_F,
                const Vec3<double>& target_W, std::span<const char> held);

  std::shared_ptr<const Model> model_;
  Solver solver_;
  Simulation closer_;  // closes loops: a simulation without loads, at rest
  double size_;        // the largest distance between the joints of a body, m
};

}  // namespace torsor::editor
