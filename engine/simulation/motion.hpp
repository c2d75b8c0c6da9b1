#pragma once
// The equations of motion of a mechanism between two events, as an integrator sees them.
//
// The integrated state is z = (d, theta; v, theta_dot; memory; works). The memory contains bristle
// deflections of frictions and states of forces and controls.
// The bodies are at q = q_0 (+) d, where d = 0 at the start of a step. In this chart every
// integrator moves curved joints along their group, and a quaternion keeps its norm.
//
// The mode states which frictions stick or slip and which stops are closed. It is constant between
// events.
// An event occurs when a guard, a function of the state, falls below zero. The guards are:
//   slipping friction   the rate in the direction of slipping
//   sticking friction   the margin between the maximum static friction and the present friction
//   open stop           the distance to it
//   closed stop         the force with which it pushes
// Frictions and stops may be redundant, as those of a joint and of its mimic. Their individual
// forces are then undetermined. The guard of a sticking friction is then above zero as long as some
// set of forces within all bounds satisfies the constraints.
//
// At some times payloads are attached or released. Each combination of payloads is a plant with a
// model and solvers of its own.

#include <Eigen/Cholesky>
#include <functional>
#include <optional>
#include <utility>

#include "torsor/constraints/box_lcp.hpp"
#include "torsor/constraints/held_rows.hpp"
#include "torsor/handles/solver.hpp"
#include "torsor/integration/integrator.hpp"
#include "torsor/simulation/coupled_armature.hpp"
#include "torsor/simulation/load.hpp"
#include "torsor/simulation/mechanism.hpp"
#include "torsor/simulation/payload.hpp"
#include "torsor/simulation/snapshot.hpp"

namespace torsor {

class Motion : public System {
 public:
  // damped: the step dt of an integrator that evaluates damping at the new velocity, else 0, s.
  // Throws Error as check() of payloads.
  Motion(std::shared_ptr<const Model> model, const SolverFactory& make_solver, double damped,
         std::vector<Payload> payloads);

  const Mechanism& mechanism() const { return mechanism_; }
  std::shared_ptr<const Model> model_ptr() const { return plant().state.model_ptr(); }
  // Returns the active model: the bodies with the payloads that are attached now.
  const Model& model() const { return plant().state.model(); }
  const State& state() const { return plant().state; }
  Solver& solver() { return plants_[plant_].solver; }
  const Solver& solver() const { return plant().solver; }
  // Return the models of a run in the order of changes(), and the index of the active model.
  std::vector<std::shared_ptr<const Model>> models() const;
  size_t present_model() const { return plant_; }
  const std::vector<double>& changes() const { return changes_; }
  // Returns the times, s, at which a derivative of a prescribed motion, or of a reference of a
  // continuous-time control, jumps. The times are in ascending order.
  const std::vector<double>& breaks() const { return breaks_; }
  const std::vector<Payload>& payloads() const { return payloads_; }
  void set_gravity(const Vec3<double>& gravity_W);
  // Replaces the solvers. Throws the errors of the factory, and then changes nothing.
  void change_solver(const SolverFactory& make_solver);
  // Sets the load, whose tau must be complete. May change the layout. Throws Error as Prescribed,
  // and then changes nothing.
  void set_load(const Load& load);
  const Load& load() const { return load_; }
  void set_torque(std::span<const double> tau);
  void set_pull(const std::optional<Pull>& pull);
  // Replaces the laws of the controls (see Controls::put).
  void set_laws(const std::vector<std::shared_ptr<const ControlLaw>>& laws);
  // Returns the torques of the motors at the present state, [n_v], valid until the next rate().
  // Throws Error if a load has no value.
  std::span<const double> torque(double t);
  int forces_n_x() const { return applied_.n_x(); }
  Controls& controls() { return controls_; }
  const Controls& controls() const { return controls_; }
  Prescribed& prescribed() { return prescribed_; }
  const Prescribed& prescribed() const { return prescribed_; }
  // Selects the model that is active at time t (payload changes at t included).
  void select_model(double t);

  // Moves to a snapshot, whose q becomes q_0 of the chart. Throws Error if a prescribed motion
  // fails.
  void set_state(const Snapshot& at, double time);
  // Sets the modes for new velocities: a friction slips if its rate is not zero, and all stops are
  // open.
  void reset_modes(Snapshot& at) const;
  // Writes a snapshot into z, with d = 0.
  void pack(const Snapshot& at, std::span<double> z) const;
  // Writes the state z into a snapshot. Its q is on the manifold.
  void unpack(double t, std::span<const double> z, Snapshot& out);

  // Returns whether z is finite (works are not checked). If not, sets failure().
  bool is_finite(const double* z);
  Layout layout() const override { return layout_; }
  // Makes rate() fail once *stop returns true. A null pointer disables stopping.
  void set_stop(const std::function<bool()>* stop) { stop_ = stop; }
  bool rate(double t, const double* z, double ahead, double* zdot) override;
  // Restricts the times of rate() to a step until end_step(). At a jump at either end, functions of
  // time are evaluated on the inner side of the jump, regardless of rounding.
  void begin_step(double from, double until);
  void end_step();
  // Returns whether the chart is near its limit: a curved joint has turned by more than 2 rad in
  // it.
  bool chart_is_worn(std::span<const double> z) const;

  // Evaluates the motion at a snapshot. The functions below then return [n_u] accelerations and
  // forces.
  Status accelerate(const Snapshot& at, double time);
  std::span<const double> acceleration() const { return udot_; }
  // Returns the forces of everything except wrenches and constraints.
  std::span<const double> pushed() const { return f_; }
  // Returns the forces of frictions and dampers, positive against a positive rate.
  std::span<const double> friction() const { return friction_; }
  // Returns the forces of static friction, stops, mimic joints and prescribed joints.
  std::span<const double> constraint() const { return constraint_; }
  // Return powers at the evaluated state, W. powers() has the rates of the integrated works
  // [n_integrated_works], indexed by Work. joint_powers() has the powers at the joints
  // (Simulation::Powers), [n_v] each.
  std::span<const double> powers() const {
    return std::span(zdot_).subspan(size_t(layout_.first_work()), n_integrated_works);
  }
  void joint_powers(std::span<double> motors, std::span<double> friction,
                    std::span<double> constraint) const;

  int guards() const { return int(mechanism_.frictions.size() + mechanism_.stops.size()); }
  bool guard_values(double t, const double* z, std::span<double> g);
  // Writes the rates of change of the guards of open stops, [stops].
  void approach(const double* z, std::span<double> rates) const;
  // Applies the impacts and mode changes at a snapshot. fallen [guards] flags the guards that have
  // fallen below zero. If none is set, decides again what sticks.
  // Suppresses a rebound that would be over within the window, s.
  // Energy lost in impacts counts as Work::stops. The energy that keeps prescribed joints at their
  // rates during impacts counts as Work::motors.
  Status transition(Snapshot& at, double time, std::span<const char> fallen, double window);
  // Returns the shortest time, s, after which something that left a stop in the last transition is
  // back at the stop. Infinite if nothing left a stop.
  double flight() const { return flight_; }
  // Moves a snapshot from the active plant to the next plant, at the time of its change. Kinetic
  // energy lost when payloads are attached counts as Work::stops. All other energy of payloads
  // counts as Work::changes.
  Status change_payloads(Snapshot& at, double time);

  // Returns the energy stored by the forces at a snapshot, J. The state must be at this snapshot.
  double kept_energy(const Snapshot& at) const {
    return applied_.energy(state(), at.memory.data() + mechanism_.n_memory);
  }

  // Returns the status of the last rate() that failed.
  Status failure() const { return failure_; }
  // Returns whether a load failed, rather than the motion of the bodies.
  bool load_failed() const { return !load_failure_.empty(); }
  // Returns whether a number was not finite before a solver was called.
  bool overflowed() const { return bad_entry_ >= 0 || bad_torque() >= 0; }
  // Returns a sentence that explains one of the statuses of the motion.
  std::string explain(Status status) const;

 private:
  // The bodies between two changes of payloads.
  struct Plant {
    State state;
    Solver solver;
    std::optional<Solver> damped_solver;  // for the model whose mass matrix is M + dt D
  };
  Plant make_plant(std::shared_ptr<const Model> model, const SolverFactory& make_solver) const;
  const Plant& plant() const { return plants_[plant_]; }
  State& now() { return plants_[plant_].state; }

  // Sets the state and u_ to time t and state z. Returns false if z is not finite or a prescribed
  // motion has no value.
  bool unpack_state(double t, const double* z);
  void assemble_rows(const double* modes);
  void add_springs(const double* theta, const double* u);
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
  int bristle_column(int memory) const;
  Status assemble_delassus(std::span<const Row* const> rows, double ahead = 0);
  // Return the required rate and acceleration of a row of held_.
  double held_rate(size_t row) const {
    return is_prescribed(row) ? prescribed_.rate(row - n_mimics()) : 0;
  }
  double held_acceleration(size_t row) const {
    return is_prescribed(row) ? prescribed_.acceleration(row - n_mimics()) : 0;
  }
  size_t n_mimics() const { return mechanism_.mimics.size(); }
  bool is_prescribed(size_t row) const { return row >= n_mimics() && row < always_.size(); }
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
  double shared_margin() const;
  void set_velocities(Snapshot& at, std::span<const double> u) const;

  const std::function<bool()>* stop_ = nullptr;
  double damped_;
  std::vector<Payload> payloads_;
  std::vector<double> changes_, breaks_;
  // Interval to which rate() clamps its time, s.
  double first_ = -std::numeric_limits<double>::infinity(), last_ = -first_;
  std::vector<Plant> plants_;  // [changes + 1]
  size_t plant_ = 0;           // index of the active plant
  Mechanism mechanism_;
  CoupledArmature coupled_;
  Layout layout_;
  Load load_;
  Applied applied_;
  Controls controls_;
  Prescribed prescribed_;
  // Rows of mimic joints, then those of prescribed joints. They are active in every mode.
  std::vector<const Row*> always_;
  std::vector<char> given_;  // [n_u] flags of prescribed dof
  std::vector<double> tau_;  // [n_v] at the present time
  std::vector<double> q0_, q_, u_, modes_, control_;
  std::vector<double> theta_, memory_;                    // of the snapshot that was set last
  std::vector<double> z_, zdot_;                          // for evaluations outside the integrator
  std::vector<double> f_, udot_, friction_, constraint_;  // [n_u]
  double damping_power_ = 0, friction_power_ = 0, prescribed_power_ = 0;
  // Work of the drives of prescribed joints in the last impact, J.
  double prescribed_impact_ = 0;
  // Shortest time from the last impact to a return to a stop, s. Infinite if there is no return.
  double flight_ = 0;
  std::vector<Row> stop_rows_;
  std::vector<const Row*> held_;  // always_, then those of held_guards_
  std::vector<int> held_guards_;
  HeldRows held_rows_;
  // M^-1 with the full armature, [n_v * n_v].
  std::vector<double> M_inverse_;
  Eigen::MatrixXd Y_, G_;  // M^-1 J^T [n_u x rows] and J M^-1 J^T
  // Forces of the rows of held_, and J udot - a without these forces.
  Eigen::VectorXd lambda_, free_;
  // Starts with the factor of a matrix, because an LDLT that has factored nothing cannot be copied
  // or moved.
  Eigen::LDLT<Eigen::MatrixXd> factor_{Eigen::MatrixXd(Eigen::MatrixXd::Identity(1, 1))};
  // Forces of the active guards, [guards].
  std::vector<double> guard_lambda_;
  Status failure_;
  bool damped_failed_ = false;
  int bad_entry_ = -1;        // index in z of the value that failed, or -1
  std::string load_failure_;  // message of the load that failed, or ""
};

}  // namespace torsor
