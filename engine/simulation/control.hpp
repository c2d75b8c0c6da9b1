#pragma once
// Control: laws that give the torques of motors from what they measure, asked all the time or at a rate of their own.
//
// A law is a pure function of what is measured, of continuous states x and of a memory: tau = f(y, t, x, m), xdot = g(y, t, x, m),
// m' = h(y, t, x, m). Asked all the time, x is part of the state that is integrated, and there is no memory. Asked every T seconds,
// tau is held in between, and at the next sample x is x + T xdot and m is m'.

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "torsor/dynamics/reference.hpp"
#include "torsor/dynamics/trajectory.hpp"
#include "torsor/model/error.hpp"
#include "torsor/simulation/sensor.hpp"

namespace torsor {

// A signal of a law: its name, and of each of its numbers the end of its name ("": it is one) and its unit.
struct LawSignal {
  std::string name;
  std::vector<std::pair<std::string, std::string>> entries;
  bool is_acceleration = false;  // that the joints are to have, one for each column
};

// What a law follows, of joints or of a frame in the world.
struct ReferenceLaw {
  bool of_frame = false;
  std::function<Reference()> make;                     // with room for evaluate()
  std::function<void(double t, Reference&)> evaluate;  // the same for the same t; may throw Error
  std::vector<double> breaks = {};                     // s, ascending: where a derivative jumps
  int smoothness = TORSOR_SMOOTH;  // derivatives of its positions that are continuous, as far as it is known
  uint64_t fingerprint = 0;        // as far as it is known
  std::shared_ptr<const Trajectory> trajectory = {};  // that it is, or null
};

// Parameters of a control's plugin and of that of the trajectory which it follows, in place of the scene's.
struct ControlParameters {
  std::string control;  // ROBOT.CONTROL
  std::vector<Parameter> law = {}, reference = {};
  bool operator==(const ControlParameters&) const = default;
};

// What a law says that it cannot, where it does not know whose it is: its control's name and place are added.
class LawError : public Error {
 public:
  using Error::Error;
};

class ControlLaw {
 public:
  virtual ~ControlLaw() = default;
  // With scratch of its own.
  virtual std::unique_ptr<ControlLaw> clone() const = 0;
  virtual size_t n_x() const = 0;  // continuous states, zero at the start
  virtual std::vector<double> initial_memory() const = 0;
  virtual const std::vector<LawSignal>& signals() const = 0;
  virtual size_t n_signal() const = 0;                               // numbers of them
  virtual const ReferenceLaw* reference() const { return nullptr; }  // null: it follows none

  struct Answer {
    std::span<double> tau;     // [columns] torques of the motors at the joints; set to zero before
    std::span<double> xdot;    // [n_x]
    std::span<double> memory;  // [n_memory] as it is, and then as it will be
    std::span<double> signal;  // [n_signal]
  };
  // period: 0 where it is asked all the time; max_torque: of Control or of clamped motors, infinite where there is none, 0 without a
  // motor. Throws Error.
  virtual void evaluate(const Measured& at, double period, std::span<const double> max_torque,
                        std::span<const double> x, const Answer& out) = 0;
  // Times where its reference jumps in a derivative, ascending.
  virtual std::span<const double> breaks() const { return {}; }
  virtual uint64_t fingerprint() const = 0;  // of all that makes it act as it does, as far as that is known
};

// A law that is a function of its arguments alone.
class FunctionLaw final : public ControlLaw {
 public:
  using Function =
      std::function<void(const Measured& at, double period, std::span<const double> x, const Answer& out)>;
  // reference: that the function follows, for who asks.
  explicit FunctionLaw(Function function, size_t n_x = 0, std::vector<double> memory = {},
                       std::optional<ReferenceLaw> reference = {})
      : function_(std::move(function)),
        n_x_(n_x),
        memory_(std::move(memory)),
        reference_(std::move(reference)) {}

  std::unique_ptr<ControlLaw> clone() const override { return std::make_unique<FunctionLaw>(*this); }
  size_t n_x() const override { return n_x_; }
  std::vector<double> initial_memory() const override { return memory_; }
  const std::vector<LawSignal>& signals() const override { return signals_; }
  size_t n_signal() const override { return 0; }
  const ReferenceLaw* reference() const override { return reference_ ? &*reference_ : nullptr; }
  void evaluate(const Measured& at, double period, std::span<const double>, std::span<const double> x,
                const Answer& out) override {
    function_(at, period, x, out);
  }
  uint64_t fingerprint() const override { return 0; }

 private:
  Function function_;
  size_t n_x_;
  std::vector<double> memory_;
  std::optional<ReferenceLaw> reference_;
  std::vector<LawSignal> signals_;
};

// A law of one robot: it sees and drives this one's columns.
struct Control {
  std::string name;  // of its signals, after its robot's
  int robot = 0;     // of Model::robots
  std::shared_ptr<const ControlLaw> law;
  bool of_motors =
      false;  // measures the motors of elastic joints, on the joint's side of the gear, in place of these
  double period = 0;                    // s; 0: asked all the time
  Sensor sensor = {};                   // of a period alone
  std::vector<double> max_torque = {};  // [columns of the robot] its torques are cut there; empty: nowhere
  std::string source = "";              // where it was said, "file:line", for messages
  // Its law with other parameters, made anew. Throws Error for what its plugins do not take. Empty where it has none.
  std::function<std::shared_ptr<const ControlLaw>(const ControlParameters&)> with = {};
};

// Of all that makes it act as it does, as far as that is known.
uint64_t fingerprint(const Control& control);

std::string whole_name(const Model& model, const Control& control);  // ROBOT.CONTROL

// The place of the control that these parameters are for. Throws Error where there is none.
size_t control_index(const Model& model, const std::vector<Control>& controls,
                     const ControlParameters& parameters);
// Its law with them. Throws Error where it is no plugin, and for what its plugins do not take.
std::shared_ptr<const ControlLaw> remade_law(const Control& control, const ControlParameters& parameters);

// A mechanism as controls find it.
struct ControlledState {
  double t;
  std::span<const double> q, v, motor_q, motor_v;  // of the joints, and of the motors of elastic ones
};

// The controls of a run, with scratch of their own.
class Controls {
 public:
  Controls() = default;
  // Throws Error for a memory or a sensor without a period, and for sensors that are wrong.
  Controls(std::shared_ptr<const Model> model, const std::vector<Control>& controls);

  size_t size() const { return entries_.size(); }
  const Control& operator[](size_t i) const { return entries_[i].control; }
  // From now on these laws, [size()], null where it stays: each goes on with what the one before kept. Throws Error where one would keep
  // another number of values, and then changes nothing.
  void put(const std::vector<std::shared_ptr<const ControlLaw>>& laws);
  size_t first(size_t i) const { return entries_[i].first; }  // of its numbers: in held, or in x

  int n_x() const { return n_x_; }  // states of those that are asked all the time, in turn
  // What sampled ones keep, in turn: torques [n_v], states, memory, signals, and what sensors remember.
  size_t n_held() const { return n_held_; }

  // Before the first sample.
  void clear(std::span<double> held) const;
  // Asks a sampled one at its k-th time. Throws Error.
  void sample(size_t i, long long k, const ControlledState& at, std::span<double> held);
  // Adds to tau [n_v] the torques that are held, and those of laws asked all the time, whose states' rates go to xdot [n_x].
  // Throws Error.
  void add(const ControlledState& at, std::span<const double> held, const double* x, std::span<double> tau,
           double* xdot);
  // Of one, as they were at its last sample, or are: its torques [n_v] and signals; valid until the next call.
  struct Given {
    std::span<const double> tau, signal;
  };
  Given given(size_t i, const ControlledState& at, std::span<const double> held, const double* x);

 private:
  struct Entry {
    Control control;
    std::unique_ptr<ControlLaw> law;
    SensorMemory sensor, motor_sensor;  // the latter of elastic joints' motors, where it measures the joints
    std::vector<double> initial_memory;
    std::vector<double> limits;  // [columns of the robot] of its torques; 0 where there is no motor
    std::vector<double> useful;  // the same, or a clamped motor's where that is less
    size_t n_x, n_signal;
    size_t first = 0;  // of its numbers in x or held
    bool is_sampled() const { return control.period > 0; }
    size_t n_memory() const { return initial_memory.size(); }
  };
  struct Held {
    std::span<double> tau, x, memory, signal, sensor, motor_sensor;
  };
  Held part(const Entry& entry, std::span<double> held) const;
  Measured seen(const Entry& entry, const ControlledState& at);
  Measured look(Entry& entry, long long k, const Measured& at, const Held& kept);
  void ask(Entry& entry, const Measured& at, std::span<const double> x, const ControlLaw::Answer& out);
  void check_torque(const Entry& entry, std::span<const double> tau) const;

  std::shared_ptr<const Model> model_;
  bool is_elastic_ = false;  // some joint is
  std::vector<Entry> entries_;
  int n_x_ = 0;
  size_t n_held_ = 0;
  std::vector<double> q_, v_;  // of the whole model, as its motors have it
  std::vector<double> tau_, xdot_, signal_;
};

}  // namespace torsor
