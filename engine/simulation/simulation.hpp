#pragma once
// Simulation: a model, a solver and an integrator, stepped in time. Actuation that is not rigid-body dynamics
// (joint damping, applied torques and wrenches) enters here, so that every solver works with it.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "torsor/dynamics/solver.hpp"

namespace torsor {

enum class Integrator { euler, semi_implicit_euler, rk4 };
const char* name(Integrator integrator);
std::optional<Integrator> integrator(std::string_view name);
std::vector<std::string> integrator_names();

// What is applied from the start on.
struct Load {
  std::vector<double> tau;  // [n_v] constant joint torques; empty: zero
  std::vector<std::pair<int, Wrench<double>>>
      wrench_F;  // frame index; BY the environment, at its origin in its axes
};

// All that changes from step to step: restoring one and stepping on gives the same bits.
struct Snapshot {
  long long step = 0;
  std::vector<double> q, v;
  double dissipated = 0;  // energy taken by joint damping since the start, J
  double supplied =
      0;  // work done by applied torques and wrenches, and by changes of the state, since the start, J
  double energy_zero = 0;  // kinetic + potential energy at the start, J
};

// FNV-1a hash of the bits of step, q and v.
uint64_t state_hash(const Snapshot& snapshot);

class Simulation {
 public:
  // Prepares a solver for a model. semi_implicit_euler asks twice: once for the model itself and once for the
  // one whose armature holds dt times the damping.
  using SolverFactory = std::function<Solver(std::shared_ptr<const Model>)>;

  // Starts at q = 0, v = 0, time 0. Throws Error where dt is not a positive number.
  Simulation(std::shared_ptr<const Model> model, const SolverFactory& make_solver, Integrator integrator,
             double dt);

  const Model& model() const { return state_.model(); }
  const State& state() const { return state_; }
  const Solver& solver() const { return solver_; }
  double dt() const { return dt_; }
  long long steps() const { return now_.step; }
  double time() const { return double(now_.step) * dt_; }

  // These start the clock and the energy ledger anew. q [n_q], v [n_v]; throws Error for a wrong length or a
  // number that is not finite.
  void set_gravity(const Vec3<double>& gravity_W);
  void set_load(const Load& load);
  void set_state(std::span<const double> q, std::span<const double> v);

  // These keep the clock. What a new state has more of kinetic and potential energy counts as supplied, so the
  // ledger stays closed; a new solver takes over q, v and time to the bit. Throw Error as their like above, or as the factory, and
  // then leave everything as it was.
  void change_state(std::span<const double> q, std::span<const double> v);
  void change_torque(std::span<const double> tau);  // [n_v], constant from now on
  void change_solver(const SolverFactory& make_solver);

  // Advances by dt without allocation. Throws Error, naming time, joint and what to try, where the step
  // cannot be made (singular M, a value that is not finite); the simulation then stands at its last good
  // step.
  void step();

  const Snapshot& snapshot() const { return now_; }
  void restore(const Snapshot& snapshot);
  uint64_t state_hash() const { return torsor::state_hash(now_); }

  // J; the ledger's error is drift = kinetic + potential + dissipated - supplied - their value at the start.
  double kinetic() const;
  double potential() const;
  double dissipated() const { return now_.dissipated; }
  double supplied() const { return now_.supplied; }
  double drift() const;

  // At the present state, [n_v], valid until the next call: vdot, the torque applied at the joints, and what their damping
  // takes from it:  M vdot + C v + g = torque + sum J^T F - friction.
  std::span<const double> acceleration();
  std::span<const double> torque() const { return load_.tau; }
  std::span<const double> friction();
  // What moving the bodies takes of each joint, [n_v] each; their sum is torque + sum J^T F - friction.
  struct TorqueSplit {
    std::span<const double> inertial, centrifugal, coriolis, gravity;
  };
  TorqueSplit torque_split();

 private:
  // d/dt of (q by v, v, dissipated, supplied) at one state.
  struct Rate {
    std::vector<double> v, vdot;
    double dissipated = 0, supplied = 0;
  };
  void start();
  void put_state(std::span<const double> q, std::span<const double> v);
  void check_torque(std::span<const double> tau) const;
  std::optional<Solver> damped_solver(const SolverFactory& make_solver) const;
  void evaluate(Rate& rate);
  void powers(Rate& rate);
  void forward(Solver& solver, double* vdot);
  void require(const Solver& solver, Status status);  // fails where it is not good
  void move(double h, const Rate& rate);
  void step_euler();
  void step_semi_implicit_euler();
  void step_rk4();
  void commit(double dissipated, double supplied);
  [[noreturn]] void fail(const std::string& what);
  void drive();

  Integrator integrator_;
  double dt_;
  State state_;
  Solver solver_;
  std::optional<Solver> damped_solver_;  // for M + dt D
  Load load_;
  Snapshot now_;
  std::vector<double> tau_;
  std::vector<double> split_;  // [4][n_v]
  std::vector<double> q_next_, v_next_;
  std::vector<Twist<double>> twists_;
  Rate k_[4];
};

}  // namespace torsor
