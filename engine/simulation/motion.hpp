#pragma once
// The equations of motion of a mechanism between two events, as an integrator sees them.
//
// The integrated state is z = (d, theta; v, theta_dot; memory; works). The memory contains bristle
// deflections of frictions and states of forces and controls. The positions are q = q_0 (+) d,
// where d = 0 at the start of a step. In this chart every integrator moves the joints whose
// coordinates are not additive (spherical, planar, floating) on their Lie groups. A quaternion
// keeps its norm.
//
// The mode states which frictions stick or slip and which stops are closed. It is constant between
// events. An event occurs when a guard, a function of the state, falls below zero. The guards are:
//   slipping friction   the rate in the direction of slipping
//   sticking friction   the margin between the maximum static friction and the present friction
//   open stop           the distance to the stop
//   closed stop         the force with which the stop pushes
// Frictions and stops may be redundant, such as those of a joint and of a joint that mimics it. The
// individual constraint forces are then undetermined. The guard of a sticking friction is then
// above zero as long as some set of forces within all bounds satisfies the constraints.
//
// Payloads are attached or released during a run. Each combination of payloads is a plant with its
// own model and solvers.

#include <Eigen/Cholesky>
#include <functional>
#include <optional>
#include <utility>

#include "torsor/constraints/active_rows.hpp"
#include "torsor/constraints/box_lcp.hpp"
#include "torsor/constraints/closure_rows.hpp"
#include "torsor/constraints/independent_rows.hpp"
#include "torsor/handles/solver.hpp"
#include "torsor/integration/integrator.hpp"
#include "torsor/model/transmission.hpp"
#include "torsor/simulation/load.hpp"
#include "torsor/simulation/mechanism/coupled_armature.hpp"
#include "torsor/simulation/mechanism/mechanism.hpp"
#include "torsor/simulation/payload.hpp"
#include "torsor/simulation/snapshot.hpp"

namespace torsor {

class Motion : public System {
 public:
  // damped: the step dt, s, if the integrator evaluates damping at the new velocity; otherwise 0.
  // Throws Error under the same conditions as check() of payload.hpp.
  Motion(std::shared_ptr<const Model> model, const SolverFactory& make_solver, double damped,
         std::vector<Payload> payloads);

  const Mechanism& mechanism() const { return mechanism_; }
  std::shared_ptr<const Model> model_ptr() const { return plant().state.model_ptr(); }
  // Returns the active model: the bodies with the payloads that are attached now.
  const Model& model() const { return plant().state.model(); }
  const State& state() const { return plant().state; }
  Solver& solver() { return plants_[plant_].solver; }
  const Solver& solver() const { return plant().solver; }
  // models() returns the models of a run, [changes + 1]. present_model() returns the index of the
  // active model.
  std::vector<std::shared_ptr<const Model>> models() const;
  size_t present_model() const { return plant_; }
  const std::vector<double>& changes() const { return changes_; }
  // Returns the times, s, at which a derivative of a prescribed motion, or of a reference of a
  // continuous-time control, jumps. The times are in ascending order.
  const std::vector<double>& breaks() const { return breaks_; }
  const std::vector<Payload>& payloads() const { return payloads_; }
  void set_gravity(const Vec3<double>& gravity_W);
  // Replaces the solvers. If the factory throws, the exception passes through and nothing is
  // changed.
  void change_solver(const SolverFactory& make_solver);
  // Sets the load. load.tau must have n_v entries. May change layout(). Throws Error under the same
  // conditions as the constructor of Prescribed and Prescribed::check_torque(). Nothing is changed
  // then.
  void set_load(const Load& load);
  const Load& load() const { return load_; }
  void set_torque(std::span<const double> tau);
  void set_pull(const std::optional<Pull>& pull);
  // Replaces the control laws (see Controls::replace_laws).
  void set_laws(const std::vector<std::shared_ptr<const ControlLaw>>& laws);
  // Returns the torques of the motors at the present state, [n_v], valid until the next rate().
  // Throws Error if a load cannot be evaluated.
  std::span<const double> torque(double t);
  // Returns the transmissions at the last evaluated state.
  const Transmissions& transmissions() const { return transmissions_; }
  // Lets the next state be on another side of a singularity of a transmission.
  void reset_transmissions() { transmissions_.reset(); }
  // Returns the rates of the motors on the joint's side of the gear, [n_v].
  std::span<const double> motor_rates();
  int forces_n_x() const { return applied_.n_x(); }
  Controls& controls() { return controls_; }
  const Controls& controls() const { return controls_; }
  Prescribed& prescribed() { return prescribed_; }
  const Prescribed& prescribed() const { return prescribed_; }
  // Selects the model that is active at time t (payload changes at t included).
  void select_model(double t);

  // Sets the state to that of a snapshot. Its q becomes q_0 of the chart. Throws Error if a
  // prescribed motion fails.
  void set_state(const Snapshot& at, double time);
  // Closes the loops of a snapshot: changes q and v by multiples of M^-1 J^T, until the errors of
  // all closures are rounding errors and J v = 0. Counts the change of energy as Work::projection.
  // Fails if the errors do not vanish. The state becomes that of the snapshot.
  Status project(Snapshot& at, double time);
  // Closes the loops from a position that may be far from one with closed loops. held [n_v] flags
  // the dof that keep their positions and velocities; it may be empty. Prescribed joints keep
  // theirs, and joints stay within their position limits. Throws Error if no assembly is found.
  void assemble(Snapshot& at, double time, std::span<const char> held);

  // Resets the modes after a change of velocities. A friction slips if its rate is not zero. All
  // stops are open.
  void reset_modes(Snapshot& at) const;
  // Writes a snapshot into z, with d = 0.
  void pack(const Snapshot& at, std::span<double> z) const;
  // Writes the state z into a snapshot. The quaternions in q have norm 1.
  void unpack(double t, std::span<const double> z, Snapshot& out);

  // Returns whether z is finite (works are not checked). If not, sets failure().
  bool is_finite(const double* z);
  Layout layout() const override { return layout_; }
  // Makes rate() fail as soon as *stop returns true. A null pointer disables this check.
  void set_stop(const std::function<bool()>* stop) { stop_ = stop; }
  bool rate(double t, const double* z, double ahead, double* zdot) override;
  // Restricts the times of rate() to the inside of a step until end_step(). If a function of time
  // jumps at either end of the step, it is evaluated on the inner side of the jump, regardless of
  // rounding.
  void begin_step(double from, double until);
  void end_step();
  // Returns whether the chart is near its limit: a joint with several dof has turned by more than
  // 2 rad in the chart.
  bool chart_needs_restart(std::span<const double> z) const;

  // Evaluates the motion at a snapshot. The accessors below then return its accelerations and
  // forces, [n_u].
  Status accelerate(const Snapshot& at, double time);
  std::span<const double> acceleration() const { return udot_; }
  // Returns the sum of all forces except wrenches and constraint forces.
  std::span<const double> pushed() const { return f_; }
  // Returns the forces of frictions and dampers. They are positive if they oppose a positive rate.
  std::span<const double> friction() const { return friction_; }
  // Returns the forces of static friction, stops, mimic joints and prescribed joints.
  std::span<const double> constraint() const { return constraint_; }
  // Writes the wrench of A on B of each closure, [closures], after accelerate(): at the origin of
  // B, in the axes of A. Redundant rows share the forces (least_norm_solution()).
  void closure_wrenches(std::span<Wrench<double>> out);
  const ClosureRows& closures() const { return closures_; }
  // Return powers at the evaluated state, W. powers() returns the rates of the integrated works
  // [n_integrated_works], indexed by Work. joint_powers() writes the powers at the joints
  // (Simulation::Powers), [n_v] each.
  std::span<const double> powers() const {
    return std::span(zdot_).subspan(size_t(layout_.first_work()), n_integrated_works);
  }
  void joint_powers(std::span<double> motors, std::span<double> friction,
                    std::span<double> constraint) const;

  int guards() const { return int(mechanism_.frictions.size() + mechanism_.stops.size()); }
  bool guard_values(double t, const double* z, std::span<double> g);
  // Writes the rates of change of the distances to the stops, [stops].
  void approach(const double* z, std::span<double> rates) const;
  // Applies the impacts and mode changes at a snapshot. fallen [guards] flags the guards that have
  // fallen below zero. If none is set, only decides again which frictions stick and which stops
  // stay closed. window: a rebound that would be over within this time, s, is suppressed. Energy
  // lost in impacts counts as Work::stops. The energy that keeps prescribed joints at their rates
  // during impacts counts as Work::motors.
  Status transition(Snapshot& at, double time, std::span<const char> fallen, double window);
  // Returns the shortest flight after the last transition, s: the time from leaving a stop to
  // returning to it. Infinite if nothing left a stop.
  double flight() const { return flight_; }
  // Replaces the active plant by the next one, at the time of the payload change, and updates the
  // snapshot. Kinetic energy lost when payloads are attached counts as Work::stops. All other
  // energy of payloads counts as Work::changes.
  Status change_payloads(Snapshot& at, double time);

  // Returns the energy stored by the forces at a snapshot, J. set_state() must have been called
  // with this snapshot.
  double kept_energy(const Snapshot& at) const {
    return applied_.energy(state(), at.memory.data() + mechanism_.n_memory);
  }

  // Returns the status of the last failure, for example of rate().
  Status failure() const { return failure_; }
  // Returns whether the last failure was that of a load rather than of the motion of the bodies.
  bool load_failed() const { return !load_failure_.empty(); }
  // Returns whether the last failure was a state or torque that is not finite.
  bool overflowed() const { return bad_entry_ >= 0 || bad_torque() >= 0; }
  // Returns a sentence that explains a status returned by a function of this class.
  std::string explain(Status status) const;

 private:
  // A model with its state and solvers, for one combination of payloads.
  struct Plant {
    State state;
    Solver solver;
    std::optional<Solver> damped_solver;  // solver of the model whose mass matrix is M + dt D
  };
  Plant make_plant(std::shared_ptr<const Model> model, const SolverFactory& make_solver) const;
  const Plant& plant() const { return plants_[plant_]; }
  State& now() { return plants_[plant_].state; }

  // Sets the state and u_ from time t and the integrator's state z. Returns false if z is not
  // finite or a prescribed motion cannot be evaluated.
  bool unpack_state(double t, const double* z);
  void assemble_rows(const double* modes);
  void add_springs(const double* theta, const double* u);
  bool evaluate_transmissions();
  void update_transmissions();
  void add_rotors();
  void add_friction(const double* u, const double* memory, double* memory_dot);
  void powers(const double* u, double* works) const;
  Solver& solver_for(double ahead) {
    return ahead > 0 && plant().damped_solver ? *plants_[plant_].damped_solver : solver();
  }
  bool forward(double ahead);
  bool solve_constraints(double ahead);
  bool fails(Status status, bool damped = false);
  int bad_torque() const;
  bool evaluate_prescribed(double t);
  bool apply_forces(const double* memory, double* memory_dot, double* works);
  void evaluate_motor_torques(double t, const double* theta, const double* memory,
                              double* memory_dot);
  Status invert_mass_matrix(Solver& solver, double* vdot = nullptr);
  void solve_for_row(const Row& row, int column);
  const Row& row_of(int guard) const;
  int bristle_dof(int memory) const;
  Status assemble_delassus(std::span<const Row* const> rows, double ahead = 0);
  void multiply_rows(std::span<const Row* const> rows);
  void select_rows();
  void keep_spanned(std::span<const Row* const> rows, std::span<const double> lower,
                    std::span<Bound> bound) const;
  std::span<const Row* const> without_closures(std::span<const Row* const> rows);
  void set_closures(const Snapshot& at);
  double closure_error(std::span<const int> rows, double& ratio) const;
  std::string open_loop() const;
  Eigen::VectorXd assembly_step(std::span<const char> held, std::span<const double> q,
                                std::vector<int>& at_limit);
  void assemble_velocities(Snapshot& at, std::span<const char> held);
  [[noreturn]] void fail_assembly(std::span<const int> at_limit) const;
  // Return the required rate and acceleration of a row of held_.
  double held_rate(size_t row) const {
    return is_prescribed(row) ? prescribed_.rate(row - n_mimics()) : 0;
  }
  double held_acceleration(size_t row) const {
    if (row >= first_closure() && row < always_.size())
      return -closures_.bias(row - first_closure());
    return is_prescribed(row) ? prescribed_.acceleration(row - n_mimics()) : 0;
  }
  size_t n_mimics() const { return mechanism_.mimics.size(); }
  size_t first_closure() const { return always_.size() - closures_.size(); }
  bool is_prescribed(size_t row) const { return row >= n_mimics() && row < first_closure(); }
  void assemble_permanent_rows();
  void collect_breaks();
  Status impact(Snapshot& at, double time, std::span<const int> hit, double window,
                std::vector<double>& u);
  Status stop_frictions(Snapshot& at, std::span<const int> stopping, std::vector<double>& u);
  bool is_over(const Row& row, double leaving, double window) const;
  bool is_touched(int guard, const Snapshot& at) const;
  Status update_modes(Snapshot& at, double time, std::span<const double> u,
                      std::span<const char> fallen, bool struck);
  Status choose_modes(Snapshot& at, double time, std::vector<int> at_rest);
  Status solve_bounds(const Snapshot& at, double time, std::span<const int> at_rest,
                      std::vector<Bound>& bound);
  double shared_margin();
  void set_velocities(Snapshot& at, std::span<const double> u) const;

  const std::function<bool()>* stop_ = nullptr;
  double damped_;
  std::vector<Payload> payloads_;
  std::vector<double> changes_, breaks_;
  // Interval to which rate() clamps its time, s.
  double first_ = -std::numeric_limits<double>::infinity(), last_ = -first_;
  std::vector<Plant> plants_;  // [changes_ + 1]
  size_t plant_ = 0;           // index of the active plant
  Mechanism mechanism_;
  CoupledArmature coupled_;
  Transmissions transmissions_;
  Layout layout_;
  Load load_;
  Applied applied_;
  Controls controls_;
  Prescribed prescribed_;
  ClosureRows closures_;
  // Rows of mimic joints, of prescribed joints, and of closures. They are active in every mode.
  std::vector<const Row*> always_;
  std::vector<char> given_;  // [n_u] flags of prescribed dof
  std::vector<double> tau_;  // [n_v] torques of the motors at the last evaluation
  // [n_v] torques of the motors at their shafts, rates of the motors on the joints' side of the
  // gears, and Coriolis torques of rotors.
  std::vector<double> motor_tau_, motor_rate_, rotor_tau_;
  std::vector<double> q0_, q_, u_, modes_, control_;
  std::vector<double> theta_, memory_;  // values of the snapshot last passed to set_state()
  std::vector<double> z_, zdot_;        // used by evaluations outside the integrator
  std::vector<double> f_, udot_, friction_, constraint_;  // [n_u]
  double damping_power_ = 0, friction_power_ = 0, prescribed_power_ = 0;
  // Work of the drives of prescribed joints in the last impact, J.
  double prescribed_impact_ = 0;
  // Shortest time from the last impact to a return to a stop, s. Infinite if nothing returns to a
  // stop.
  double flight_ = 0;
  std::vector<Row> stop_rows_;
  std::vector<const Row*> held_;  // always_, then the rows of held_guards_
  std::vector<int> held_guards_;
  ActiveRows active_rows_;  // of held_, without closures
  // Indices in held_ of independent rows, and these rows. The others follow from them.
  std::vector<int> solved_;
  std::vector<const Row*> solved_rows_;
  IndependentRows independent_rows_;
  // The rows of solved_ that are rows of always_.
  std::vector<int> permanent_;
  std::vector<const Row*> permanent_rows_;
  std::vector<const Row*> linear_rows_;  // result of without_closures()
  // true: frictions or stops depend on other rows, so that their forces are undetermined
  bool redundant_ = false;
  // M^-1 with the full armature, [n_v * n_v].
  std::vector<double> M_inverse_;
  Eigen::MatrixXd Y_, G_;  // M^-1 J^T [n_u x rows] and J M^-1 J^T
  // lambda_: forces of the rows of solved_. free_: J udot - a without these forces.
  Eigen::VectorXd lambda_, free_;
  // Initialised with the factor of a matrix, because an empty LDLT cannot be copied or moved.
  Eigen::LDLT<Eigen::MatrixXd> factor_{Eigen::MatrixXd(Eigen::MatrixXd::Identity(1, 1))};
  // Constraint forces of the active guards, [guards].
  std::vector<double> guard_lambda_;
  Status failure_;
  bool damped_failed_ = false;
  int bad_entry_ = -1;        // index in z of the value that failed, or -1
  std::string load_failure_;  // message of the load that failed, or ""
};

}  // namespace torsor
