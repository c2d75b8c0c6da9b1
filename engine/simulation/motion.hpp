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
// events (modes/guards.hpp). Stiction, closed stops, prescribed motion and closures are rows of
// ActiveConstraints. The constant rows of mimic joints and of linear closures, such as gears, are
// eliminated (InverseInertia).
//
// Payloads are attached or released during a run. Each combination of payloads is a plant with its
// own model and solvers.

#include <functional>
#include <optional>
#include <utility>

#include "torsor/constraints/active_constraints.hpp"
#include "torsor/constraints/closure_rows.hpp"
#include "torsor/handles/solver.hpp"
#include "torsor/integration/integrator.hpp"
#include "torsor/model/transmission.hpp"
#include "torsor/simulation/load.hpp"
#include "torsor/simulation/mechanism/mass_matrix.hpp"
#include "torsor/simulation/mechanism/mechanism.hpp"
#include "torsor/simulation/payload.hpp"
#include "torsor/simulation/snapshot.hpp"

namespace torsor {

class ContactModes;
class ContactSprings;

class Motion : public System {
 public:
  // damped: the step dt, s, if the integrator evaluates damping at the new velocity; otherwise 0.
  // locates_contacts: the step dt, s, if points where shapes touch are constraints with modes
  // (ContactModes); 0 if they are impulses of steps, together with dry friction and stops of
  // joints. Throws Error under the same conditions as check() of payload.hpp and the constructor of
  // ContactModes.
  Motion(std::shared_ptr<const Model> model, const SolverFactory& make_solver, double damped,
         std::vector<Payload> payloads, MultiplierSolver multiplier_solver,
         double locates_contacts);
  ~Motion() override;

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
  // Sets the forces of contacts, [n_u], or none, []. They count as forces of constraints.
  // frictions: the forces of dry frictions [Mechanism::frictions], if they are part of the problem
  // of contacts.
  void set_contact_force(std::span<const double> force, std::span<const double> frictions = {}) {
    contact_force_.assign(force.begin(), force.end());
    friction_force_.assign(frictions.begin(), frictions.end());
  }
  // Returns whether a guard of the mechanism, a stop or a friction, has modes that events change.
  // It has none if it is a row of the problem of contacts in time stepping.
  bool has_modes(size_t guard) const {
    return !has_joint_impulses_ &&
           (mechanism_.is_stop(guard) || mechanism_.frictions[guard].can_stick());
  }
  // Returns whether events can change any mode.
  bool has_events() const { return n_guards() > 0 && !has_joint_impulses_; }
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
  // Sets the bodies, the transmissions and the closures to q and v of a snapshot.
  void set_bodies(const Snapshot& at);
  // Selects the model after the next payload change.
  void select_next_model() { ++plant_; }

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
  bool work_rates(double t, const double* z, double* zdot) override;
  // Differentiates the accelerations by the partial derivatives of the solver. Differences provide
  // only the derivatives of loads and of other forces at the joints. Returns false with joints of
  // several dof, constraints, contacts, applied wrenches and forces.
  bool jacobian(double t, const double* z, double* J) override;
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
  // Writes zdot without the forces of constraints, except those of eliminated rows. `ahead`: see
  // rate(). Does not evaluate the closures.
  bool free_rate(double t, const double* z, double ahead, double* zdot);
  // Sets the time, the bodies and the rates u to the state z. Returns false if z is not finite or a
  // prescribed motion cannot be evaluated. Does not evaluate the closures.
  bool unpack_state(double t, const double* z);
  // Evaluates the closures at the present state of the bodies.
  void evaluate_closures() { closures_.evaluate(state()); }
  // Factorises the mass matrix at the present state. If ahead > 0, it is the damped one, M + ahead
  // D.
  Status factor_inertia(double ahead = 0);
  const InverseInertia& inverse_inertia() const { return inverse_; }
  // Returns the mass matrix [n_v * n_v] of the last factor_inertia(), by rows.
  std::span<const double> inertia() const { return M_; }
  // Writes C(q, v_1) v_1 - C(q, v) v [n_u], for the rates u_1 = (v_1, motor rates) instead of the
  // present ones. Keeps v_1. Returns false if the solver fails.
  bool coriolis_change(std::span<const double> u_1, std::span<double> out);
  const ActiveConstraints& constraints() const { return constraints_; }
  MultiplierSolver& multiplier_solver() { return multiplier_solver_; }
  // Records that the multiplier solver failed. Returns the status of this failure.
  Status fail_multipliers(Status status);
  // Returns the guards (Mechanism) whose rows are active now, in the order of the rows in
  // constraints(), where they follow the permanent ones.
  std::span<const int> active_guards() const { return active_guards_; }
  // Returns the contact points, or null if contacts are not located or no shapes can touch.
  ContactModes* contacts() { return contacts_.get(); }
  // Returns the number of guards: those of the mechanism, then those of contact points.
  size_t n_guards() const { return modes_.size(); }
  // Returns the modes of the guards at the last state that was set, see Snapshot::modes.
  std::span<const double> modes() const { return modes_; }
  // Return the rates u [n_u] and positions q [n_q] of the last evaluated state.
  std::span<const double> rates() const { return u_; }
  std::span<const double> positions() const { return q_; }
  // The step dt, s, if the integrator evaluates damping at the new velocity; otherwise 0.
  double damped() const { return damped_; }
  std::span<const double> acceleration() const { return udot_; }
  // Returns the sum of all forces except wrenches and constraint forces.
  std::span<const double> pushed() const { return f_; }
  // Returns the forces of frictions and dampers. They are positive if they oppose a positive rate.
  std::span<const double> friction() const { return friction_; }
  // Returns the forces of all constraints.
  std::span<const double> constraint() const { return constraint_; }
  const ClosureRows& closures() const { return closures_; }
  // Return powers at the evaluated state, W. powers() returns the rates of the integrated works
  // [n_integrated_works], indexed by Work. joint_powers() writes the powers at the joints
  // (Simulation::Powers), [n_v] each.
  std::span<const double> powers() const {
    return std::span(zdot_).subspan(size_t(layout_.first_work()), n_integrated_works);
  }
  void joint_powers(std::span<double> motors, std::span<double> friction,
                    std::span<double> constraint) const;

  // Returns the energy stored by the forces and by compliant contacts at a snapshot, J. set_state()
  // must have been called with this snapshot.
  double kept_energy(const Snapshot& at) const;

  // Records the failure of a load or of a closure, with its message.
  Status fail(const std::string& message);
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

  void activate_rows(std::span<const double> modes);
  bool add_contact_forces(double ahead, double* zdot);
  void add_eliminated_forces();
  bool solves_with_inertia() const { return is_coupled_ || inverse_.eliminates(); }
  void set_motors_and_damping(const double* u);
  void add_springs(const double* theta, const double* u);
  bool evaluate_transmissions();
  void update_transmissions();
  void add_rotors();
  void add_friction(const double* u, const double* memory, double* memory_dot);
  bool load_rates(double t, const double* z, double* zdot);
  Solver& solver_for(double ahead) {
    return ahead > 0 && plant().damped_solver ? *plants_[plant_].damped_solver : solver();
  }
  bool forward(std::span<const double> push, double ahead);
  bool fails(Status status, bool damped = false);
  int bad_torque() const;
  bool evaluate_prescribed(double t);
  bool apply_forces(const double* memory, double* memory_dot, double* works);
  void evaluate_motor_torques(double t, const double* theta, const double* memory,
                              double* memory_dot);
  int bristle_dof(int memory) const;
  void collect_breaks();
  void collect_constraints();

  const std::function<bool()>* stop_ = nullptr;
  double damped_;
  std::vector<Payload> payloads_;
  std::vector<double> changes_, breaks_;
  // Interval to which rate() clamps its time, s.
  double first_ = -std::numeric_limits<double>::infinity(), last_ = -first_;
  std::vector<Plant> plants_;  // [changes_ + 1]
  size_t plant_ = 0;           // index of the active plant
  Mechanism mechanism_;
  Transmissions transmissions_;
  Layout layout_;
  Load load_;
  Applied applied_;
  Controls controls_;
  Prescribed prescribed_;
  ClosureRows closures_;
  InverseInertia inverse_;
  MassMatrix mass_matrix_;  // of solvers that do not offer it
  bool is_coupled_;         // true: transmissions add armature to the mass matrix
  std::vector<double> M_;   // [n_v * n_v] mass matrix of the last factor_inertia()
  // The solver and the q of the last factor_inertia(), which need not be repeated.
  const Solver* factored_for_ = nullptr;
  std::vector<double> factored_q_;
  std::vector<double> zero_, bias_;  // [n_v]
  ActiveConstraints constraints_;
  MultiplierSolver multiplier_solver_;
  std::vector<int> active_guards_;
  std::vector<double> tau_;  // [n_v] torques of the motors at the last evaluation
  // [n_v] torques of the motors at their shafts, rates of the motors on the joints' side of the
  // gears, and Coriolis torques of rotors.
  std::vector<double> motor_tau_, motor_rate_, rotor_tau_;
  std::vector<double> q0_, q_, u_, modes_, control_;
  std::vector<double> theta_, memory_;  // values of the snapshot last passed to set_state()
  std::vector<double> z_, zdot_;        // used by evaluations outside the integrator
  // [n_u]; pushed_: f_ and the forces of contacts
  std::vector<double> f_, pushed_, udot_, friction_, constraint_;
  std::vector<double> contact_force_;   // [n_u], or [] without contacts
  std::vector<double> friction_force_;  // [frictions], or []
  bool has_joint_impulses_;  // true: frictions and stops are rows of the problem of contacts
  std::unique_ptr<ContactModes> contacts_;
  std::unique_ptr<ContactSprings> contact_springs_;    // null without compliant contacts
  std::vector<double> without_contacts_, held_force_;  // [n_u]
  // Memory of jacobian(): a shifted state, its rate, the forces without the shift [n_u], and the
  // partial derivatives [n_v * n_v] of accelerations.
  std::vector<double> shifted_, shifted_rate_, unshifted_force_;
  std::vector<double> dvdot_dq_, dvdot_dv_, dvdot_dtau_;
  double motor_power_ = 0, damping_power_ = 0, friction_power_ = 0;
  Status failure_;
  bool damped_failed_ = false;
  int bad_entry_ = -1;        // index in z of the value that failed, or -1
  std::string load_failure_;  // message of the load that failed, or ""
};

}  // namespace torsor
