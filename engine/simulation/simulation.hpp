#pragma once
// Simulation: a model, a solver and an integrator, stepped in time. Everything except rigid-body
// dynamics is added here: friction, elasticity, motors, stops, applied torques and wrenches. Every
// solver therefore supports all of these.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "torsor/base/error.hpp"
#include "torsor/handles/constraint_solver.hpp"
#include "torsor/handles/solver.hpp"
#include "torsor/integration/integrator.hpp"
#include "torsor/simulation/load.hpp"
#include "torsor/simulation/mechanism/energy.hpp"
#include "torsor/simulation/mechanism/mechanism.hpp"
#include "torsor/simulation/payload.hpp"
#include "torsor/simulation/sensors/sensor_instant.hpp"
#include "torsor/simulation/snapshot.hpp"

namespace torsor {

struct ClosureGap;
struct ContactProblem;
class ContactProjection;
class EventLocator;
struct EventTimes;
class LoopAssembly;
class ModeSwitch;
class Motion;
class TimeStepping;

// Thrown by a step that the function of set_stop() has interrupted. The simulation is then at the
// end of the last good step.
class Stopped : public Error {
 public:
  Stopped() : Error("interrupted") {}
};

// Maximum number of evaluations of the motion in one step. An adaptive integrator with a tiny
// max_step, or a motion with absurd velocities, would otherwise stay in one step for hours. A small
// robot takes about 1 us for each evaluation, so such a step ends within seconds. The limit still
// allows dormand_prince 140 000 internal steps of 7 evaluations. With an internal step h, this
// method is stable up to a rate of about 3 / h. It therefore follows rates up to 4e5 / dt, which is
// 4e8 1/s with dt = 1 ms. Faster motions require a stiff integrator, which needs only thousands of
// evaluations.
inline constexpr long long max_step_evaluations = 1'000'000;

class Simulation {
 public:
  // Starts at the neutral q, v = 0 and time 0. Throws Error if dt or a tolerance is not a positive
  // number, or if a payload is invalid. With semi_implicit_euler and damping, also calls
  // make_solver for the model with the mass matrix M + dt D.
  Simulation(std::shared_ptr<const Model> model, const SolverFactory& make_solver,
             Integrator integrator, double dt, const Tolerances& tolerances = {},
             const std::vector<Payload>& payloads = {},
             const ConstraintSolverFactory& make_constraint_solver = {});
  Simulation(Simulation&&) noexcept;
  ~Simulation();

  // Return the active model, all models of the run, and the index of the active model. The models
  // differ only in the inertias that attached payloads change.
  const Model& model() const;
  std::vector<std::shared_ptr<const Model>> models() const;
  size_t present_model() const;
  const Mechanism& mechanism() const;
  const State& state() const;
  const Solver& solver() const;
  double dt() const { return dt_; }
  long long steps() const { return now_.step; }
  double time() const { return double(now_.step) * dt_; }

  // The setters below set the initial state, q [n_q] and v [n_v]. They reset the clock and the
  // energy ledger. They throw Error in these cases:
  // - a wrong length, or a number that is not finite
  // - a quaternion whose norm is far from 1
  // - a position beyond a stop
  // - a state that contradicts a <mimic>
  // - a rate of a prescribed joint in v that is neither 0 nor the prescribed rate
  // set_state() places the motors of elastic joints at the q and v of their joints, without load on
  // the springs. set_motors() sets the positions and velocities of these motors, [motors] each.
  // Prescribed joints start at their prescribed rates.
  void set_gravity(const Vec3<double>& gravity_W);
  void set_load(const Load& load);
  // Sets a load and its initial state together, so that its controls are first sampled at this
  // state. If theta and theta_dot are empty, the motors start at the q and v of their joints. q and
  // v are changed until the closures are satisfied; dof that are flagged in held [n_v] keep theirs.
  void begin(const Load& load, std::span<const double> q, std::span<const double> v,
             std::span<const double> theta = {}, std::span<const double> theta_dot = {},
             std::span<const char> held = {});
  void set_state(std::span<const double> q, std::span<const double> v,
                 std::span<const char> held = {});
  void set_motors(std::span<const double> theta, std::span<const double> theta_dot);

  // The functions below change the run at the present time. The energy that a new state adds counts
  // as Work::changes, so the energy ledger stays balanced. change_state() moves the motors of
  // elastic joints with their joints, so that the springs keep their load. held: see begin().
  // change_solver() and change_constraint_solver() do not change the state. These functions throw
  // Error under the same conditions as the setters above, and pass on exceptions of the factory.
  // Nothing is changed then.
  void change_state(std::span<const double> q, std::span<const double> v,
                    std::span<const char> held = {});
  // Replaces the constant torques from the present time on, [n_v].
  void change_torque(std::span<const double> tau);
  // Sets or removes the pull from the present time on.
  void change_pull(const std::optional<Pull>& pull);
  // Replaces the control laws (see Controls::replace_laws).
  void change_laws(const std::vector<std::shared_ptr<const ControlLaw>>& laws);
  void change_solver(const SolverFactory& make_solver);
  void change_constraint_solver(const ConstraintSolverFactory& make_constraint_solver);

  // Copies the state of another simulation of the same scene, including the states of the plugins.
  // The plugins may have been reloaded in new versions. A change of the energy stored by forces
  // counts as Work::changes. Throws Error if the mechanism or the layout of the states differs, or
  // if the rates of prescribed joints contradict their motions.
  void take_over(const Simulation& last);

  // Makes step() throw Stopped when `stop` returns true. Each evaluation of the motion calls
  // `stop`, so it must be cheap, without locks or allocation. Once `stop` has returned true, it
  // must return true until the step has ended. An empty function disables this check.
  void set_stop(std::function<bool()> stop) { stop_ = std::move(stop); }

  // Advances by dt. Does not allocate, except for sticking frictions, impacts, mimic joints and
  // integrators from SUNDIALS. Throws Error if M is singular, a value or an energy is not finite,
  // or the step takes more than max_step_evaluations. The message contains the time, the joint,
  // cond(M) and advice. Throws Stopped if the function of set_stop() has interrupted the step. In
  // both cases the simulation is then at its last good step.
  void step();
  // Throws Error for a motion that failed at the present state. The message contains `what`, the
  // time, the step and cond(M).
  [[noreturn]] void fail_moving(const std::string& what);
  // Returns an explanation of why a motion has diverged, with advice on what to change. Intended
  // only for messages, because it evaluates the motion many times.
  std::string explain_divergence();
  // Returns the largest |eigenvalue|, 1/s, of the motion linearised at the present position with
  // zero velocities. Springs, dampers, continuous-time control laws and gravity contribute to it.
  // Returns nullopt if the rates cannot be computed or all eigenvalues are zero. Evaluates the
  // motion many times.
  std::optional<double> fastest_rate();
  // Returns whether any acceleration changes when the joint is rotated further in the direction of
  // its present velocity.
  bool depends_on_angle(int joint);

  const Snapshot& snapshot() const { return now_; }
  void restore(const Snapshot& snapshot);
  // Set the torque, pull or laws without changing the state. Intended for a state that is restored
  // or changed next.
  void restore_torque(std::span<const double> tau);
  void restore_pull(const std::optional<Pull>& pull);
  void restore_laws(const std::vector<std::shared_ptr<const ControlLaw>>& laws);
  uint64_t state_hash() const { return torsor::state_hash(now_); }
  // Save and load the complete state as bytes. A simulation of the same model, forces and dt that
  // loads them continues with the same bits. load() throws Error for bytes of another simulation,
  // and then changes nothing.
  std::vector<std::byte> save() const;
  void load(std::span<const std::byte> bytes);

  Energy energy() const;
  // Returns energy(). Throws Error if an energy or a work at the present state is not finite.
  // step() itself checks only the kinetic energy and the works. Does not allocate, except with
  // transmissions that depend on q.
  Energy require_finite_energy();
  double ledger_error() const { return torsor::ledger_error(energy(), now_); }

  // The functions below return values at the present state, [n_v]. A returned span is valid until
  // the next call of any of them.
  //   acceleration()  vdot
  //   torque()        torques of the motors (a motor of an elastic joint acts through its spring)
  //   friction()      friction and damping at the joints
  //   constraint()    static friction, stops, mimic joints, closures, and the drives of prescribed
  //                   joints
  //
  //   M vdot + C v + g = torque + sum J^T F - friction + constraint
  //       + torques of springs and forces
  std::span<const double> acceleration();
  // Returns the wrench of A on B of each closure (model/closure.hpp), at the origin of B, in the
  // axes of A.
  std::vector<Wrench<double>> closure_wrenches();
  // Returns the forces at all points where shapes touch; [] where no shapes can touch. With
  // time_stepping, they are those of the step that starts at the present state, and points that
  // nearly touch are included with zero force. With other integrators, they are the present ones.
  // problem: if not null, receives the problem of the impulses of this step of time_stepping, with
  // the same points; otherwise it becomes empty.
  std::vector<ContactForce> contact_forces(ContactProblem* problem = nullptr);
  // Returns the time from the present state to the points of contact_forces(), s: with
  // time_stepping, half a step; otherwise 0.
  double time_to_contacts() const { return steps_over_contacts() ? dt_ / 2 : 0; }
  // Returns whether the run steps through contacts: shapes can touch.
  bool has_contacts() const;
  // Returns the largest residual (torsor_constraint_result) of the contacts in the last step of
  // time_stepping, or 0.
  double contact_residual() const { return contact_residual_; }
  // Returns the position error of each row of the closures, m or rad.
  std::vector<double> closure_errors() const;
  // Returns the gap of each closure, [closures].
  std::vector<ClosureGap> closure_gaps() const;
  const Load& load() const;
  std::span<const double> constant_torque() const;
  std::span<const double> torque();
  // Returns the wrench of the pull on its frame, at the frame's origin in the axes of the world.
  // Returns zero without a pull.
  Wrench<double> pull_F_W() const;
  // Returns the torques at the motors' shafts that correspond to torque() at the joints.
  std::span<const double> motor_torque();
  // Return the inputs u, currents i (A) and voltages R i + K_T omega (V) of the motors' amplifiers.
  // Motors whose constants are unknown have 0 (see Motor).
  std::span<const double> motor_input();
  std::span<const double> motor_current();
  std::span<const double> motor_voltage();
  // Returns whether the motor with the index of a dof is at a limit of its torque, current or
  // voltage.
  bool is_saturated(int dof);
  std::span<const double> friction();
  std::span<const double> constraint();
  // Returns the sum of all torques at the joints, [n_v], including springs, forces and coupled
  // rotors. It satisfies the following equation, with the M and the wrenches F of state():
  //   M vdot + C v + g = joint_torque + sum J^T F
  std::span<const double> joint_torque();
  // Return the signals and torques of the k-th control. The values are those of its last sample, or
  // present values if the control is continuous-time. The torques are [n_v] and limited to the
  // control's max_torque.
  std::span<const double> control_signals(size_t k) { return given(k).signal; }
  std::span<const double> control_torque(size_t k) { return given(k).tau; }
  // Returns the q and v that the k-th control measures (see Controls::measured).
  Controls::Seen control_measured(size_t k);
  // Returns the values that the k-th sensor (Load::sensors) provides now, with its noise and delay.
  std::span<const double> sensor_measured(size_t k) const;
  bool is_prescribed(int dof) const;
  // Positions and velocities of the motors of elastic joints, in the order of
  // mechanism().motor_dof.
  std::span<const double> motor_q() const { return now_.motor_q; }
  std::span<const double> motor_v() const { return now_.motor_v; }
  // Returns the components of the torque that moves the bodies, [n_v] each. Their sum is
  //   M vdot + C v + g - sum J^T F
  struct TorqueSplit {
    std::span<const double> inertial, centrifugal, coriolis, gravity;
  };
  TorqueSplit torque_split();
  // Powers, W, positive if the mechanism gains energy. Per dof, [n_v]:
  //   motors      power of the motor (for an elastic joint, at the motor's own rate)
  //   friction    power of friction and damping at the joint, in its elastic drive and at its motor
  //   constraint  power of constraint(): energy moved between joints, and by prescribed joints
  // by_work contains the time derivatives of Snapshot::work:
  //   sum motors + sum constraint = by_work[motors]
  //   sum friction = by_work[friction] + by_work[damping]
  struct Powers {
    std::span<const double> motors, friction, constraint;
    std::span<const double> by_work;  // [n_integrated_works]
  };
  Powers powers();

  // Returns the number of evaluations of the equations of motion in all steps.
  long long rates() const;
  // Returns the number of events that all steps have located: impacts, contacts, changes between
  // sticking and slipping, and changes of payloads.
  long long events() const { return events_; }

 private:
  void split_rotors(const double* vdot, double* inertial, double* centrifugal, double* coriolis);
  [[noreturn]] void fail(const std::string& what);
  [[noreturn]] void fail_at(double t, const std::string& what);
  Controls::Given given(size_t control);
  Origin origin() const;
  void start();
  void choose_modes();
  void choose_modes_at(Snapshot& at, double t);
  void sample(Snapshot& at, double t, bool all);
  void sample_sensors(Snapshot& at, double t, bool all);
  void sample_sensors_at_start();
  void observe(const Snapshot& at, double t, double ahead);
  double time_since_contacts() const;
  double instant(double period, double k) const;
  double next_instant(double t) const;
  void process_instant(double t);
  void assign_state(double t, std::span<const double> q, std::span<const double> v,
                    std::span<const char> held = {});
  void assign_motors(std::span<const double> theta, std::span<const double> theta_dot);
  void assign_load(const Load& load);
  void check_torque(std::span<const double> tau) const;
  void prescribe(double t);
  void check_start() const;
  bool has_diverged() const;
  void add_stepped_contacts(double h, std::vector<ContactForce>& out) const;
  void add_located_contacts(std::vector<ContactForce>& out);
  std::vector<Wrench<double>> evaluated_closure_wrenches(double h);
  void require_no_overlap();
  // Returns whether contacts are impulses of whole steps.
  bool steps_over_contacts() const;
  std::string explain_load(const std::string& what);
  std::string advice(double rate, double damping, int dof) const;
  bool is_stopped() const { return stop_ && stop_(); }
  double ahead() const;  // look-ahead for damping, s, see System::rate()
  void require(Status status);
  void evaluate();
  void process_event(const EventTimes& event);
  void align_motors();
  void restore_motion();
  void advance_to_next();
  void start_stepper(double t);
  void restart(double t);
  void take_state(double t, std::span<const double> z);
  void advance(double t_end);
  void check_evaluations(long long evaluations, long long internal_steps);
  void commit();
  bool has_finite_motion();
  std::string infinite_energy(const Energy& now) const;
  void reject_infinite_motion();

  void resize_memory();

  std::function<bool()> stop_;
  double dt_;
  Integrator integrator_;
  Tolerances tolerances_;
  std::unique_ptr<Motion> motion_;
  std::unique_ptr<LoopAssembly> loops_;
  std::unique_ptr<ModeSwitch> mode_switch_;
  std::unique_ptr<EventLocator> locator_;
  std::unique_ptr<ContactProjection> projection_;
  std::unique_ptr<Stepper> stepper_;
  TimeStepping* time_stepping_ = nullptr;  // the stepper, if it is of this type
  double contact_residual_ = 0;
  long long events_ = 0;
  RobotSensors sensors_;
  SensorInstant sensed_;
  // Arguments of sensed_: accelerations, wrenches of closures and forces of contacts
  std::vector<double> sensed_vdot_;
  std::vector<Wrench<double>> sensed_closures_;
  std::vector<ContactForce> sensed_contacts_;
  std::vector<double> sensor_values_;  // present values of all sensors, for controls
  double sensed_until_ = -1;           // s, time of the last samples of this step, or -1
  Snapshot now_, next_;
  std::vector<double> z_;      // state of the integrator
  std::vector<double> split_;  // [4][n_v]
  std::vector<double> motor_tau_, joint_tau_;
  std::vector<double> powers_;         // [3][n_v]
  KineticBound kinetic_bound_;         // for has_finite_motion()
  std::vector<Twist<double>> V_WB_B_;  // [n_body], for has_finite_motion()
  EnergyScratch energy_scratch_;       // for require_finite_energy()
};

}  // namespace torsor
