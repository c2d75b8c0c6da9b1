#pragma once
// Control: laws that compute the torques of motors from measurements, continuous-time or sampled.
//
// A law is a pure function of the measurements y, of continuous states x and of a memory m: tau =
// f(y, t, x, m), xdot = g(y, t, x, m), m' = h(y, t, x, m). A continuous-time law has no memory, and
// its x is part of the integrated state. A sampled law is evaluated every T seconds: tau is
// constant in between, and at the next sample x becomes x + T xdot and m becomes m'.

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "torsor/base/error.hpp"
#include "torsor/control/robot_sensor.hpp"
#include "torsor/control/sensor.hpp"
#include "torsor/handles/reference.hpp"
#include "torsor/handles/trajectory.hpp"
#include "torsor/model/transmission.hpp"

namespace torsor {

// A signal of a law: its name, and for each value the suffix of its recorded column ("" for a
// single value) and its unit.
struct LawSignal {
  std::string name;
  std::vector<std::pair<std::string, std::string>> entries;
  bool is_acceleration = false;  // a commanded acceleration of the joints, one value per dof
};

// The reference of a law: a motion of joints, or of a frame in the world.
struct ReferenceLaw {
  bool of_frame = false;
  // Makes a result for evaluate(), with all its memory.
  std::function<Reference()> make;
  // Computes the motion at time t, s. Deterministic. May throw Error.
  std::function<void(double t, Reference&)> evaluate;
  // Times at which a derivative jumps, s, in ascending order.
  std::vector<double> breaks = {};
  // Number of continuous derivatives of the position. TORSOR_SMOOTH if no jump is known.
  int smoothness = TORSOR_SMOOTH;
  // Hash of the trajectory plugin and its settings, or of the constant position of a reference at
  // rest. 0 for a function of a script.
  uint64_t fingerprint = 0;
  // Null if a function computes the motion.
  std::shared_ptr<const DesiredMotion> motion = {};

  // Returns the plugin that computes the motion. Null for a function or a sequence.
  const Trajectory* trajectory() const { return dynamic_cast<const Trajectory*>(motion.get()); }
};

// Parameters of a control's plugin and of its trajectory's plugin that replace those of the scene.
struct ControlParameters {
  std::string control;  // ROBOT.CONTROL
  std::vector<Parameter> law = {}, reference = {};
  bool operator==(const ControlParameters&) const = default;
};

// An error in a law. The caller of the law adds the name and the source of the control.
class LawError : public Error {
 public:
  using Error::Error;
};

class ControlLaw {
 public:
  virtual ~ControlLaw() = default;
  // Returns a copy that shares no scratch memory with this law.
  virtual std::unique_ptr<ControlLaw> clone() const = 0;
  virtual size_t n_x() const = 0;  // continuous states, zero at the start
  virtual std::vector<double> initial_memory() const = 0;
  virtual const std::vector<LawSignal>& signals() const = 0;
  virtual size_t n_signal() const = 0;  // number of values of all signals
  // Returns the reference that the law follows, or null if it follows none.
  virtual const ReferenceLaw* reference() const { return nullptr; }
  // Returns this law with another reference of the same kind, or null if its reference cannot be
  // replaced.
  virtual std::shared_ptr<const ControlLaw> following(const ReferenceLaw&) const { return nullptr; }

  struct Answer {
    // [n_v of the robot] motor torques at the joints, or inputs of the amplifiers
    // (Control::law_gives_inputs). The caller sets them to zero.
    std::span<double> tau;
    std::span<double> xdot;    // [n_x]
    std::span<double> memory;  // [n_memory] in: present values, out: next values
    std::span<double> signal;  // [n_signal]
  };
  // Evaluates the law at the measurements `at` and its states x [n_x]. period: sampling period, s,
  // 0 for continuous time. max_torque [n_v of the robot]: the constant limits of Control or of
  // motors; infinite without a limit, 0 without a motor. Must depend on `at.lower` and `at.upper`
  // only in xdot and memory. Throws Error if the law fails.
  virtual void evaluate(const Measured& at, double period, std::span<const double> max_torque,
                        std::span<const double> x, const Answer& out) = 0;
  // Returns the times at which a derivative of the reference jumps, s, in ascending order.
  virtual std::span<const double> breaks() const { return {}; }
  // Returns a hash of everything that determines the torques, as far as the host knows it.
  virtual uint64_t fingerprint() const = 0;
  // true: the law computes torques at the joints, also in a control that gives inputs.
  virtual bool computes_torques() const { return false; }
};

// A control law that calls a function.
class FunctionLaw final : public ControlLaw {
 public:
  using Function = std::function<void(const Measured& at, double period, std::span<const double> x,
                                      const Answer& out)>;
  // Makes the law of following().
  using Following = std::function<std::shared_ptr<const ControlLaw>(const ReferenceLaw&)>;
  // reference: the motion that the function tracks, for signals and metrics. following: may be an
  // empty function.
  explicit FunctionLaw(Function function, size_t n_x = 0, std::vector<double> memory = {},
                       std::optional<ReferenceLaw> reference = {}, Following following = {})
      : function_(std::move(function)),
        n_x_(n_x),
        memory_(std::move(memory)),
        reference_(std::move(reference)),
        following_(std::move(following)) {}

  std::unique_ptr<ControlLaw> clone() const override {
    return std::make_unique<FunctionLaw>(*this);
  }
  size_t n_x() const override { return n_x_; }
  std::vector<double> initial_memory() const override { return memory_; }
  const std::vector<LawSignal>& signals() const override { return signals_; }
  size_t n_signal() const override { return 0; }
  const ReferenceLaw* reference() const override { return reference_ ? &*reference_ : nullptr; }
  std::shared_ptr<const ControlLaw> following(const ReferenceLaw& reference) const override {
    return following_ ? following_(reference) : nullptr;
  }
  void evaluate(const Measured& at, double period, std::span<const double>,
                std::span<const double> x, const Answer& out) override {
    function_(at, period, x, out);
  }
  uint64_t fingerprint() const override { return 0; }

 private:
  Function function_;
  size_t n_x_;
  std::vector<double> memory_;
  std::optional<ReferenceLaw> reference_;
  Following following_;
  std::vector<LawSignal> signals_;
};

// A law and its robot, whose joints it measures and drives.
struct Control {
  std::string name;  // the signals are named ROBOT.NAME.SIGNAL
  int robot = 0;     // index of Model::robots
  std::shared_ptr<const ControlLaw> law;
  // true: measures the motors of elastic joints instead of the joints, on the joint's side of the
  // gear.
  bool of_motors = false;
  // true: the control gives inputs u to the motors' amplifiers. The shaft of each motor gets the
  // torque K_T K_a u (KHALIL 9.4). If the law computes torques at the joints, the inputs are those
  // that exert them: u = tau_m / (K_T K_a), where tau_m are the torques of the shafts.
  bool gives_inputs = false;
  bool law_gives_inputs() const { return gives_inputs && !law->computes_torques(); }
  double period = 0;                    // s; 0: continuous-time
  Sensor sensor = {};                   // ignored by continuous-time controls
  std::vector<int> sensors = {};        // the sensors that the law reads, indices of Load::sensors
  std::vector<double> max_torque = {};  // [n_v of the robot] torque limits; empty: no limits
  std::string source = "";              // "file:line", for messages
  // Creates the control's law with other parameters. Throws Error for parameters that the law's
  // plugins do not accept. The function is empty if the control has no plugin.
  std::function<std::shared_ptr<const ControlLaw>(const ControlParameters&)> with = {};
};

// Returns a hash of everything that determines the torques of a control, as far as the host knows
// it.
uint64_t fingerprint(const Control& control);

// Returns the full name, ROBOT.CONTROL.
std::string full_name(const Model& model, const Control& control);

// Returns the index of the control that these parameters name. Throws Error if there is none.
size_t control_index(const Model& model, const std::vector<Control>& controls,
                     const ControlParameters& parameters);
// Returns the control's law with other parameters. Throws Error if the law is not a plugin, and for
// parameters that the law's plugins do not accept.
std::shared_ptr<const ControlLaw> remade_law(const Control& control,
                                             const ControlParameters& parameters);

// The state of a mechanism, for controls.
struct ControlledState {
  double t;
  // Positions and velocities of the joints, and of the motors of elastic joints.
  std::span<const double> q, v, motor_q, motor_v;
  // Values of all sensors (Load::sensors), in their order; empty if no control is sampled
  std::span<const double> sensors = {};
};

// The controls of a run, with their scratch memory.
//
// A law learns the range [lower, upper] of results that have an effect, so that its integrals do
// not wind up. It follows from max_torque, and from the limits of the motors at their measured
// rates. The limits of a joint of a coupled transmission depend on the torques of the other joints.
// Where such a limit applies, the law is evaluated again with the torques that remain as its
// limits.
class Controls {
 public:
  Controls() = default;
  // Prepares the controls for a model. sensors: those that Control::sensors refers to. Throws Error
  // for invalid sensors, for a law with a memory or a sensor but without a period, and for a law
  // that gives inputs to a motor without constants.
  Controls(std::shared_ptr<const Model> model, const std::vector<Control>& controls,
           std::span<const RobotSensor> sensors = {});

  size_t size() const { return entries_.size(); }
  const Control& operator[](size_t i) const { return entries_[i].control; }
  // Replaces laws, [size()]; null keeps a law. Each new law continues with the state of the
  // previous one. Throws Error, and changes nothing, if a law has a state of another size.
  void replace_laws(const std::vector<std::shared_ptr<const ControlLaw>>& laws);

  int n_x() const { return n_x_; }  // states of all continuous-time controls
  // Returns the number of values that all sampled controls store. They are, for each control in
  // turn: torques, measured q and v of the robot's joints, states, memory, signals, and samples of
  // the sensors.
  size_t n_stored() const { return n_stored_; }

  // Sets the stored values to their initial values: zero, and the initial memory of each sampled
  // control.
  void clear(std::span<double> stored) const;
  // Samples the measurements of a control at its k-th sampling time, evaluates its law, and stores
  // the results. Throws Error if the law fails.
  void sample(size_t i, long long k, const ControlledState& at, std::span<double> stored);
  // Returns the torques [n_v of the robot] that a sampled control computed at its last sample: at
  // the joints, or at the shafts of the motors if the law gives inputs.
  std::span<const double> stored_torque(size_t i, std::span<const double> stored) const;
  // Torques [n_v] at the joints, and at the shafts of the motors (Transmissions).
  struct Torques {
    std::span<double> joint, motor;
  };
  // Adds the stored torques of sampled controls and the present torques of continuous-time
  // controls. Writes the time derivatives of the states of continuous-time controls
  // to xdot [n_x]. Throws Error if a law fails.
  void add(const ControlledState& at, std::span<const double> stored, const double* x,
           const Torques& out, double* xdot);
  // Returns the torques at the joints [n_v] and signals of a control: at its last sample, or now if
  // it is continuous-time. Valid until the next call.
  struct Given {
    std::span<const double> tau, signal;
  };
  Given given(size_t i, const ControlledState& at, std::span<const double> stored, const double* x);
  // Returns the measurements of a control: those of its last sample, or the present ones if it is
  // continuous-time. They are valid until the next call.
  struct Seen {
    std::span<const double> q, v;  // [n_q], [n_v] of the robot
  };
  Seen measured(size_t i, const ControlledState& at, std::span<const double> stored);

 private:
  struct Entry {
    Control control;
    std::unique_ptr<ControlLaw> law;
    // motor_sensor: the sensor of elastic joints' motors, if the control measures the joints.
    SensorMemory sensor, motor_sensor;
    std::vector<double> initial_memory;
    // [n_v of the robot] limits of the torques, or of the inputs; 0 if there is no motor.
    std::vector<double> limits;
    std::vector<double> useful;  // minimum of `limits` and the constant limits of the motors
    std::vector<double> gain;    // [n_v of the robot] K_T K_a, if the control gives inputs
    // Indices in ControlledState::sensors of the values that the law reads, and these values.
    std::vector<size_t> sensor_places;
    std::vector<double> sensor_values;
    size_t n_x, n_signal;
    size_t first = 0;  // index of its first value in x or in the stored values
    bool is_sampled() const { return control.period > 0; }
    size_t n_memory() const { return initial_memory.size(); }
  };
  template <class T>
  struct Sampled {
    std::span<T> tau, q, v, x, memory, signal, sensor, motor_sensor;
  };
  const Robot& robot_of(const Entry& entry) const {
    return model_->robots[size_t(entry.control.robot)];
  }
  size_t size_of(const Entry& entry) const;
  template <class T>
  Sampled<T> part(const Entry& entry, std::span<T> stored) const;
  void set_motor_inputs(const ControlledState& at);
  Measured seen(const Entry& entry, const ControlledState& at) const;
  Measured measure(Entry& entry, long long k, const Measured& at, const Sampled<double>& sampled);
  void ask(Entry& entry, const Measured& at, std::span<const double> x,
           const ControlLaw::Answer& out);
  void evaluate(Entry& entry, const Measured& own, std::span<const double> x,
                const ControlLaw::Answer& out);
  void set_range(const Entry& entry, const Measured& whole);
  void exert_by_motors(const Entry& entry, std::span<double> tau);
  bool limit_coupled(const Entry& entry, std::span<const double> tau);
  void check_torque(const Entry& entry, std::span<const double> tau) const;

  std::shared_ptr<const Model> model_;
  bool is_elastic_ = false;  // true: some joint is elastic
  std::vector<Entry> entries_;
  int n_x_ = 0;
  size_t n_stored_ = 0;
  // q and v of the whole model, with the values of the motors for elastic joints.
  std::vector<double> q_, v_;
  std::vector<double> tau_, xdot_, signal_;
  Transmissions transmissions_;
  std::vector<Mimicry> followers_;  // dof that follow others (model/rotor_body.hpp)
  bool is_coupled_ = false;         // true: some motor of a transmission has a limit
  // [n_v] range of the law's results, rates of the motors on the joints' side and at their shafts,
  // torques before and after the limits of coupled motors, and torques at shafts.
  std::vector<double> lower_, upper_, rate_, shaft_rate_, limited_, motor_tau_;
  std::vector<double> memory_;  // memory before an evaluation
};

}  // namespace torsor
