#pragma once
// The dynamics of a moment. Each quantity is computed once, when it is first asked for.

#include <Eigen/Core>
#include <chrono>
#include <map>
#include <optional>

#include "editor/session/derivatives.hpp"
#include "editor/session/moment.hpp"
#include "editor/session/solver_watch.hpp"
#include "torsor/analysis/operational_space.hpp"
#include "torsor/host/registry.hpp"
#include "torsor/plugin/tracer.hpp"
#include "torsor/run/player.hpp"

namespace torsor::editor {

// Eigenvalues of the symmetric M.
struct Spectrum {
  std::vector<double> values;  // ascending
  std::vector<int> singular;   // dof that move without inertia, one for each zero eigenvalue
  std::string failure;

  // Returns the condition number of a positive definite M, else infinity.
  double condition() const;
};
Spectrum spectrum(const Answer& M);
// Returns which dof of which links make M singular and what to do, or "".
std::string describe_singular(const Spectrum& spectrum, const Model& model);

// How far Mdot - 2C is from skew-symmetric: |Mdot - 2C + (Mdot - 2C)^T|, Frobenius norms. Mdot owes
// nothing to C: it is the change of M along v,
//   Mdot = (8 (M(h) - M(-h)) - (M(2h) - M(-2h))) / 12h,   M(s) at q (+) s v,   h = 1e-3 / |v|_1.
// An entry of M is a trigonometric polynomial in the angles, of the second degree in each: along v
// it has no frequency above 2 |v|_1, so the formula is wrong by some 1e-12 |v|_1 |M|, and rounding
// by as much.
struct SkewResidual {
  static constexpr double allowed = 1e-10;  // of the scale
  double residual = 0;
  double scale = 0;  // |v|_1 |M|
  double step = 0;   // h, s; 0 at rest
  std::string failure;

  bool broken() const { return !(residual <= allowed * scale); }
};
SkewResidual skew_residual(Solver& solver, const State& state);

// Joint torques that the motion of the bodies needs, [n_v] each.
struct Split {
  std::vector<double> inertial, centrifugal, coriolis, gravity;
  std::string failure;
};

// Some of what acts at the joints, [n_v] each, as Simulation has it.
struct JointForces {
  std::vector<double> torque, friction, constraint;
  std::string failure;
};

// Simulation::Powers of the joints, W, [n_v] each.
struct JointPowers {
  std::vector<double> motors, friction, constraint;
  std::string failure;
};

// The dynamics as a frame feels them, in its own axes about its origin.
struct FrameDynamics {
  OperationalSpace space;
  // [rank] eigenvalues of Lambda along what the frame can do, ascending; of mixed units.
  std::vector<double> inertias;
  std::string failure;

  double condition() const { return inertias.empty() ? 0 : inertias.back() / inertias.front(); }
};

// Christoffel symbols of the first kind [n_v][n_v][n_v].
struct Christoffel {
  Answer answer;
  double time = 0;  // s, of the state that they are of
};

// A solver's recursion, or why there is none.
struct Recursion {
  const Tracer* tracer = nullptr;  // that has traced the moment, where there is no failure
  std::string failure;
};

class Probe {
 public:
  // The functions below are about this moment, which has a scene.
  void look_at(std::shared_ptr<const Moment> moment);

  // Returns the probe's own simulation, in the state of the run.
  const Simulation& simulation() const { return player_->simulation(); }
  const State& state() const { return simulation().state(); }
  // Returns the active solver.
  const Solver& solver();
  // All that acts at the joints beside the wrenches on bodies, [n_v]; the acceleration it gives.
  const Answer& torque() { return answer(Quantity::inverse); }
  const Answer& acceleration() { return answer(Quantity::forward); }
  const JointForces& joint_forces();
  const JointPowers& joint_powers();
  // Returns the torque that the k-th control demands, [n_v], within its own limit.
  const Answer& control_torque(size_t k);

  // What the solver in force says; of a recording that has vdot or tau, these are what was
  // recorded. Forward dynamics is that of the whole mechanism, inverse dynamics that of its
  // acceleration.
  const Answer& answer(Quantity quantity);
  const Spectrum& mass_spectrum();
  const SkewResidual& skew();
  const Split& split();
  // Returns the joint wrenches, [n_body], as torsor::joint_wrenches() does; empty if there is no
  // acceleration.
  const std::vector<Wrench<double>>& joint_wrenches();
  // J [6 x n_v] of a frame of the model, as frame_jacobian().
  const Eigen::MatrixXd& jacobian(int frame);
  const FrameDynamics& frame_dynamics(int frame);
  // If they take long, they are of an earlier moment, so that they take a limited part of the time.
  const Christoffel& christoffel();
  // Returns a derivative from the active solver. If it does not provide it, the failure names
  // solvers that do.
  const Answer& derivative(MomentDerivative what);

  // Those of the solvers that take the model which explain themselves; and one's recursion: of the
  // acceleration, or of all that acts at the joints.
  std::vector<std::string> explaining_solvers();
  const Recursion& recursion(const std::string& solver);

  // Advances the comparison of all solvers that take the model by one frame.
  const SolverWatch& watch_solvers();
  // Clears the worst disagreement so far and the times of calls.
  void reset_watch() { watch_.reset(); }

 private:
  Solver& prepared();
  const std::vector<Solver>& all_solvers();
  Answer compute(Quantity quantity);
  Answer compute(MomentDerivative what);
  FrameDynamics compute_frame(int frame);

  std::shared_ptr<const Moment> moment_;
  std::shared_ptr<const Scene> scene_;
  std::optional<Player> player_;
  std::optional<Solver> solver_;
  std::string solver_id_;  // as the moment names it
  std::optional<SolverWatch> watch_;
  size_t prepared_for_ = 0;  // Simulation::present_model() that all of them are of
  std::optional<Tracer> tracer_;

  Christoffel christoffel_;
  std::chrono::steady_clock::time_point next_christoffel_{};

  // Results for the moment.
  struct Computed {
    std::map<Quantity, Answer> answers;
    std::map<MomentDerivative, Answer> derivatives;
    std::map<int, FrameDynamics> frames;
    bool christoffel = false;
    std::optional<JointForces> joint_forces;
    std::optional<JointPowers> joint_powers;
    std::map<size_t, Answer> control_torques;
    std::optional<Spectrum> spectrum;
    std::optional<SkewResidual> skew;
    std::optional<Split> split;
    std::optional<std::vector<Wrench<double>>> joint_wrenches;
    std::map<int, Eigen::MatrixXd> jacobians;
    std::optional<Recursion> recursion;  // of tracer_
  } computed_;
};

}  // namespace torsor::editor
