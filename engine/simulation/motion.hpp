#pragma once
// The equations of motion of a mechanism as an integrator sees them, between two events.
//
// z = (d, theta; v, theta_dot; memory; works), memory: bristles of frictions, states of forces. The
// bodies stand at q = q_0 (+) d: where a step starts, d = 0. In this chart every integrator moves
// curved joints along their group, and a quaternion keeps its norm.
//
// Which frictions slide and which hold, which stops are touched, is the mode. It is constant
// between events; an event is where a guard, a function of the state, falls below zero:
//   sliding friction  the rate in the direction of sliding         held friction  what holds could
//   hold more by this open stop         the way to it                                closed stop
//   the force it pushes with
// Of frictions and stops that hold what others hold already, as in a joint and its mimic, the
// forces are open: there a held friction's guard is above zero as long as some forces within all
// bounds hold.
//
// At some times payloads come or go: the bodies are then those of another plant.

#include <Eigen/Cholesky>
#include <functional>
#include <optional>
#include <utility>

#include "torsor/integration/integrator.hpp"
#include "torsor/plugin/solver.hpp"
#include "torsor/simulation/box_lcp.hpp"
#include "torsor/simulation/coupled_armature.hpp"
#include "torsor/simulation/held_rows.hpp"
#include "torsor/simulation/load.hpp"
#include "torsor/simulation/mechanism.hpp"
#include "torsor/simulation/payload.hpp"
#include "torsor/simulation/snapshot.hpp"

namespace torsor {

class Motion : public System {
 public:
  // Prepares a solver for a model.
  using SolverFactory = std::function<Solver(std::shared_ptr<const Model>)>;

  // damped: the step dt of an integrator that damps at the new velocity, else 0. Throws Error as
  // check() of payloads.
  Motion(std::shared_ptr<const Model> model, const SolverFactory& make_solver, double damped,
         std::vector<Payload> payloads);

  const Mechanism& mechanism() const { return mechanism_; }
  std::shared_ptr<const Model> model_ptr() const { return plant().state.model_ptr(); }
  // Of the bodies as they are, with their payloads.
  const Model& model() const { return plant().state.model(); }
  const State& state() const { return plant().state; }
  Solver& solver() { return plants_[plant_].solver; }
  const Solver& solver() const { return plant().solver; }
  // The models that a run goes through, ascending from changes() time to time, and the place of the
  // present one.
  std::vector<std::shared_ptr<const Model>> models() const;
  size_t present_model() const { return plant_; }
  const std::vector<double>& changes() const { return changes_; }
  // Where a derivative of what moves a prescribed joint jumps, or of what a control asked all the
  // time follows, ascending.
  const std::vector<double>& breaks() const { return breaks_; }
  const std::vector<Payload>& payloads() const { return payloads_; }
  void set_gravity(const Vec3<double>& gravity_W);
  // Throws Error as the factory and then changes nothing.
  void use(const SolverFactory& make_solver);
  // With all of tau; the layout may become another. Throws Error as Prescribed, and then changes
  // nothing.
  void set_load(const Load& load);
  const Load& load() const { return load_; }
  void set_torque(std::span<const double> tau);
  void set_pull(const std::optional<Pull>& pull);
  void set_laws(const std::vector<std::shared_ptr<const ControlLaw>>& laws);  // as Controls::put
  // Of the motors where it stands, [n_v], valid until the next rate(). Throws Error where a load
  // gives nothing.
  std::span<const double> torque(double t);
  int forces_n_x() const { return applied_.n_x(); }
  Controls& controls() { return controls_; }
  const Controls& controls() const { return controls_; }
  Prescribed& prescribed() { return prescribed_; }
  const Prescribed& prescribed() const { return prescribed_; }
  // Takes the plant of a time, after its change.
  void carry(double t);

  // Stands at a snapshot: its q is q_0 of the chart. Throws Error of a prescribed motion.
  void stand(const Snapshot& at, double time);
  // Modes for velocities that are not its own: frictions slide where there is a rate, stops are
  // open.
  void slide(Snapshot& at) const;
  void pack(const Snapshot& at, std::span<double> z) const;  // d = 0
  // Writes the state of z into a snapshot, q on the manifold.
  void unpack(double t, std::span<const double> z, Snapshot& out);

  bool is_finite(const double* z);  // failure() where it is not
  Layout layout() const override { return layout_; }
  // Makes rate() fail once *stop returns true; null: nothing stops it.
  void listen_to(const std::function<bool()>* stop) { stop_ = stop; }
  bool rate(double t, const double* z, double ahead, double* zdot) override;
  // A step goes from one time to another until end_step(): what jumps at either is asked for on
  // this side of it, whatever the rounding.
  void begin_step(double from, double until);
  void end_step();
  // Whether the chart is near its end: a curved joint has turned by more than 2 rad in it.
  bool chart_is_worn(std::span<const double> z) const;

  // At the state of the snapshot, [n_u] each: accelerations, and the forces of friction and of what
  // holds.
  Status accelerate(const Snapshot& at, double time);
  std::span<const double> acceleration() const { return udot_; }
  // By all but wrenches and what holds.
  std::span<const double> pushed() const { return f_; }
  // That frictions and dampers take.
  std::span<const double> friction() const { return friction_; }
  // That stiction, stops and mimicry give.
  std::span<const double> constraint() const { return constraint_; }
  // There, W: of the works that are integrals, by Work [n_integrated_works]; of what acts at the
  // joints (Simulation::Powers), [n_v] each.
  std::span<const double> powers() const {
    return std::span(zdot_).subspan(size_t(layout_.first_work()), n_integrated_works);
  }
  void joint_powers(std::span<double> motors, std::span<double> friction,
                    std::span<double> constraint) const;

  int guards() const { return int(mechanism_.frictions.size() + mechanism_.stops.size()); }
  bool guard_values(double t, const double* z, std::span<double> g);
  // Rates of change of the guards of open stops, [stops].
  void approach(const double* z, std::span<double> rates) const;
  // Makes the impacts and changes of mode at a snapshot, where these guards have fallen below zero,
  // [guards]; none: decides anew what holds. A rebound that would be over within the window, s, is
  // none. Energy that impacts take goes to Work::stops, what keeps prescribed joints at their rates
  // then to Work::motors.
  Status transition(Snapshot& at, double time, std::span<const char> fallen, double window);
  // The shortest time, s, in which what the last transition made leave a stop is back; infinite
  // where nothing left.
  double flight() const { return flight_; }
  // From a snapshot in the present plant to the next one, at the time of its change: payloads come
  // and go. Kinetic energy that attaching takes goes to Work::stops, all that payloads have
  // otherwise to Work::changes.
  Status exchange(Snapshot& at, double time);

  // What the forces keep at a snapshot where the state stands, J.
  double kept_energy(const Snapshot& at) const {
    return applied_.energy(state(), at.memory.data() + mechanism_.n_memory);
  }

  Status failure() const { return failure_; }                  // of the last rate() that gave none
  bool load_failed() const { return !load_failure_.empty(); }  // and not the bodies' motion
  // Before a solver was asked.
  bool overflowed() const { return bad_entry_ >= 0 || bad_torque() >= 0; }
  std::string explain(Status status) const;  // a sentence for one of its statuses

 private:
  // The bodies between two changes of payloads.
  struct Plant {
    State state;
    Solver solver;
    std::optional<Solver> damped_solver;  // of the model whose mass matrix is M + dt D
  };
  Plant make_plant(std::shared_ptr<const Model> model, const SolverFactory& make_solver) const;
  const Plant& plant() const { return plants_[plant_]; }
  State& now() { return plants_[plant_].state; }

  // False where z is not finite, or a prescribed motion gives nothing.
  bool put(double t, const double* z);
  void gather(const double* modes);
  void add_springs(const double* theta, const double* u);
  void add_friction(const double* u, const double* memory, double* memory_dot);
  void powers(const double* u, double* works) const;
  Solver& solver_for(double ahead) {
    return ahead > 0 && plant().damped_solver ? *plants_[plant_].damped_solver : solver();
  }
  bool forward(double ahead);
  bool hold(double ahead);
  bool fails(Status status, bool damped = false);
  int bad_torque() const;
  bool go_to(double t);
  bool apply(const double* memory, double* memory_dot, double* works);
  void drive(double t, const double* theta, const double* memory, double* memory_dot);
  Status invert_mass_matrix(Solver& solver, double* vdot = nullptr);
  void push_apart(const Row& row, int column);
  const Row& row_of(int guard) const;
  int bristle_column(int memory) const;
  Status delassus(std::span<const Row* const> rows, double ahead = 0);
  // What the rate and the acceleration of a row of held_ must be.
  double held_rate(size_t row) const {
    return is_prescribed(row) ? prescribed_.rate(row - n_mimics()) : 0;
  }
  double held_acceleration(size_t row) const {
    return is_prescribed(row) ? prescribed_.acceleration(row - n_mimics()) : 0;
  }
  size_t n_mimics() const { return mechanism_.mimics.size(); }
  bool is_prescribed(size_t row) const { return row >= n_mimics() && row < always_.size(); }
  void gather_always();
  void gather_breaks();
  Status impact(Snapshot& at, double time, std::span<const int> hit, double window,
                std::vector<double>& u);
  Status standstill(Snapshot& at, std::span<const int> stopping, std::vector<double>& u);
  bool is_over(const Row& row, double leaving, double window) const;
  bool is_touched(int guard, const Snapshot& at) const;
  Status settle(Snapshot& at, double time, std::span<const double> u, std::span<const char> fallen,
                bool struck);
  Status decide(Snapshot& at, double time, std::vector<int> at_rest);
  Status balance(const Snapshot& at, double time, std::span<const int> at_rest,
                 std::vector<Bound>& bound);
  double shared_margin() const;
  void set_velocities(Snapshot& at, std::span<const double> u) const;

  const std::function<bool()>* stop_ = nullptr;
  double damped_;
  std::vector<Payload> payloads_;
  std::vector<double> changes_, breaks_;
  // Times that rate() asks for.
  double first_ = -std::numeric_limits<double>::infinity(), last_ = -first_;
  std::vector<Plant> plants_;  // [changes + 1]
  size_t plant_ = 0;           // the present one
  Mechanism mechanism_;
  CoupledArmature coupled_;
  Layout layout_;
  Load load_;
  Applied applied_;
  Controls controls_;
  Prescribed prescribed_;
  std::vector<const Row*>
      always_;  // rows of mimicry, then those of prescribed joints: they hold in every mode
  std::vector<char> given_;  // [n_u] flags of prescribed columns
  std::vector<double> tau_;  // [n_v] at the present time
  std::vector<double> q0_, q_, u_, modes_, control_;
  std::vector<double> theta_, memory_;                    // of the snapshot that it stands at
  std::vector<double> z_, zdot_;                          // of who asks beside the integrator
  std::vector<double> f_, udot_, friction_, constraint_;  // [n_u]
  double damping_power_ = 0, friction_power_ = 0, prescribed_power_ = 0;
  double prescribed_impact_ = 0;  // work of what drives prescribed joints in the last impact
  // S, the shortest from the last impact back to a stop; infinite where there is none.
  double flight_ = 0;
  std::vector<Row> stop_rows_;
  std::vector<const Row*> held_;  // always_, then those of held_guards_
  std::vector<int> held_guards_;
  HeldRows held_rows_;
  std::vector<double> M_inverse_;  // [n_v * n_v], with the full armature
  Eigen::MatrixXd Y_, G_;          // M^-1 J^T [n_u x rows], J M^-1 J^T
  Eigen::VectorXd lambda_, free_;  // of held_: forces, and what J udot - a is without them
  // Of something from the start: one that has factored nothing cannot be copied or moved.
  Eigen::LDLT<Eigen::MatrixXd> factor_{Eigen::MatrixXd(Eigen::MatrixXd::Identity(1, 1))};
  std::vector<double> guard_lambda_;  // [guards] force of those that hold
  Status failure_;
  bool damped_failed_ = false;
  int bad_entry_ = -1;        // of z, where that is what failed; else -1
  std::string load_failure_;  // of a load that gave nothing, else ""
};

}  // namespace torsor
