#pragma once
// Computes the dynamics of one state. Each quantity is computed when it is first requested.

#include <memory>
#include <string>
#include <vector>

#include "editor/probe/answer.hpp"
#include "torsor/handles/quantity.hpp"
#include "torsor/spatial/screw.hpp"

namespace torsor {
class MultiplierSolver;
class Simulation;
class Solver;
class State;
class Tracer;
struct ConstraintProblem;
struct Model;
}  // namespace torsor

namespace torsor::editor {

class SolverWatch;
struct ClosureWrenches;
struct ContactStep;
struct ConstraintSolvers;
struct ConstraintStep;
enum class StateDerivative;
struct FrameDynamics;
struct SessionState;

// Eigenvalues of the symmetric M.
struct Spectrum {
  std::vector<double> values;  // ascending
  std::vector<int> singular;  // dof that move without inertia, at most one for each zero eigenvalue
  std::string failure;

  // Returns the condition number of M, infinity if M is not positive definite, or NaN if the
  // eigenvalues are missing.
  double condition() const;
};
Spectrum spectrum(const Answer& M);
// Returns a message that names the dof and links that make M singular and a remedy, or "" if M is
// regular.
std::string describe_singular(const Spectrum& spectrum, const Model& model);

// Distance of Mdot - 2C from a skew-symmetric matrix: |Mdot - 2C + (Mdot - 2C)^T|, Frobenius norms.
// Mdot is computed without C, from the change of M along v:
//   Mdot = (8 (M(h) - M(-h)) - (M(2h) - M(-2h))) / 12h,   M(s) at q (+) s v,   h = 1e-3 / |v|_1.
// The entries of M are trigonometric polynomials of second degree in each angle. Along v they have
// no frequency above 2 |v|_1. The truncation error is therefore about 1e-12 |v|_1 |M|, and the
// rounding error is about as large.
struct SkewResidual {
  static constexpr double allowed = 1e-10;  // relative to scale
  double residual = 0;
  double scale = 0;  // |v|_1 |M|
  double step = 0;   // h in s; 0 if v = 0
  std::string failure;

  bool broken() const { return !(residual <= allowed * scale); }
};
SkewResidual skew_residual(Solver& solver, const State& state);

// Parts of the joint torques that the motion of the bodies requires, [n_v] each.
struct Split {
  std::vector<double> inertial, centrifugal, coriolis, gravity;
  std::string failure;
};

// Forces at the joints, [n_v] each: torque(), friction() and constraint() of Simulation.
struct JointForces {
  std::vector<double> torque, friction, constraint;
  std::string failure;
};

// Powers at the joints in W, [n_v] each, see Simulation::Powers.
struct JointPowers {
  std::vector<double> motors, friction, constraint;
  std::string failure;
};

// Christoffel symbols of the first kind [n_v][n_v][n_v].
struct Christoffel {
  Answer answer;
  double time = 0;  // time of the state in s
};

// The recursion of a solver, or the reason why it is not available.
struct Recursion {
  const Tracer* tracer = nullptr;  // contains the trace, if failure is empty
  std::string failure;
};

class Probe {
 public:
  Probe();
  ~Probe();

  // Selects the published state for the functions below. It must have a scene.
  void look_at(std::shared_ptr<const SessionState> now);

  // Returns the probe's own simulation, in the state of the run.
  const Simulation& simulation() const;
  const State& state() const;
  // Returns the active solver.
  const Solver& solver();
  // torque() returns the sum of all joint torques, [n_v], without the effect of wrenches on bodies.
  // acceleration() returns the resulting acceleration, [n_v], wrenches included.
  const Answer& torque() { return answer(Quantity::inverse); }
  const Answer& acceleration() { return answer(Quantity::forward); }
  const JointForces& joint_forces();
  const JointPowers& joint_powers();
  // Returns the torque that the k-th control demands, [n_v], within its own limit.
  const Answer& control_torque(size_t k);

  // Returns a quantity from the active solver. In a recording that contains vdot or tau, returns
  // the recorded values. Forward dynamics includes the complete mechanism. Inverse dynamics is for
  // the acceleration of the mechanism.
  const Answer& answer(Quantity quantity);
  const Spectrum& mass_spectrum();
  const SkewResidual& skew();
  const Split& split();
  // Returns the joint wrenches [n_body] from torsor::joint_wrenches(), with the wrenches of
  // closures on the bodies, or an empty list if there is no acceleration.
  const std::vector<Wrench<double>>& joint_wrenches();
  const ClosureWrenches& closure_wrenches();
  // Returns the active constraints, with M of the active solver.
  const ConstraintStep& constraint_step();
  // Returns the contacts of the next step, and solves their problem with the active constraint
  // solver.
  const ContactStep& contact_step();
  // Solves the problem of the constraint step with all constraint solvers that support the model,
  // and measures their times. Takes about a millisecond, or as long as the solvers need.
  ConstraintSolvers compare_constraint_solvers();
  // Solves the problem of the contact step with all constraint solvers that handle friction, from
  // the impulses of the last step.
  ConstraintSolvers compare_contact_solvers();
  // Returns J [6 x n_v] of a frame of the model by rows, see frame_jacobian().
  const std::vector<double>& jacobian(int frame);
  const FrameDynamics& frame_dynamics(int frame);
  // Returns the Christoffel symbols. If they take longer than 0.5 ms to compute, they may be for an
  // earlier state, because the next computation waits 20 times as long.
  const Christoffel& christoffel();
  // Returns a derivative from the active solver. If the solver does not provide it, the failure
  // names solvers that do.
  const Answer& derivative(StateDerivative what);

  // explaining_solvers() returns the solvers that accept the model and can trace their recursion.
  // recursion() returns the trace of one solver at the current state. A forward-dynamics trace
  // starts from all joint torques, an inverse-dynamics trace from the acceleration.
  std::vector<std::string> explaining_solvers();
  const Recursion& recursion(const std::string& solver);

  // Advances the comparison of all solvers that accept the model by one frame.
  const SolverWatch& watch_solvers();
  // Clears the worst disagreement and the times of calls.
  void reset_watch();

 private:
  Solver& prepared();
  MultiplierSolver& prepared_constraint_solver();
  void compare(const ConstraintProblem& problem, ConstraintSolvers& out);
  const std::vector<Solver>& all_solvers();
  Answer compute(Quantity quantity);
  Answer compute(StateDerivative what);
  FrameDynamics compute_frame(int frame);

  struct Impl;  // the simulation, the solvers, and the results for the current state
  std::unique_ptr<Impl> impl_;
};

}  // namespace torsor::editor
