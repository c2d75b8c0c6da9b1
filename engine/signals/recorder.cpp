#include "torsor/signals/recorder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "torsor/contact/contact_detector.hpp"
#include "torsor/mechanics/kinematics.hpp"
#include "torsor/model/transmission.hpp"
#include "torsor/signals/contact_signals.hpp"
#include "torsor/signals/control_signals.hpp"
#include "torsor/signals/frame_quaternion.hpp"
#include "torsor/signals/signal_words.hpp"
#include "torsor/simulation/simulation.hpp"

namespace torsor {

namespace {

// A signal with one value per joint. `values` evaluates it for all joints of the model.
using UnitOf = std::string_view (*)(const JointDof&);
constexpr UnitOf v_unit = [](const JointDof&c) { return c.v_unit(); },
                 vdot_unit = [](const JointDof&c) { return c.vdot_unit(); },
                 tau_unit = [](const JointDof&c) { return c.tau_unit(); },
                 watt = [](const JointDof&) { return std::string_view("W"); };
struct JointSignal {
  const char* name;
  UnitOf unit;  // null for q and motor_tau, whose units do not depend only on the dof
  std::span<const double> (*values)(Simulation&);
};
constexpr JointSignal joint_signals[] = {
    {"q", nullptr, [](Simulation& s) { return s.state().q(); }},
    {"v", v_unit, [](Simulation& s) -> std::span<const double> { return s.state().v; }},
    {"vdot", vdot_unit, [](Simulation& s) { return s.acceleration(); }},
    {"tau", tau_unit, [](Simulation& s) { return s.torque(); }},
    {"motor_tau", nullptr, [](Simulation& s) { return s.motor_torque(); }},
    {"friction", tau_unit, [](Simulation& s) { return s.friction(); }},
    {"constraint", tau_unit, [](Simulation& s) { return s.constraint(); }},
    {"inertial", tau_unit, [](Simulation& s) { return s.torque_split().inertial; }},
    {"centrifugal", tau_unit, [](Simulation& s) { return s.torque_split().centrifugal; }},
    {"coriolis", tau_unit, [](Simulation& s) { return s.torque_split().coriolis; }},
    {"gravity", tau_unit, [](Simulation& s) { return s.torque_split().gravity; }},
    {"power", watt, [](Simulation& s) { return s.powers().motors; }},
    {"friction_power", watt, [](Simulation& s) { return s.powers().friction; }},
    {"constraint_power", watt, [](Simulation& s) { return s.powers().constraint; }},
};

constexpr size_t vdot_signal = 2;
static_assert(std::string_view(joint_signals[vdot_signal].name) == "vdot");

// Returns the unit of a motor's torque. For a motor that drives a sliding joint without a gear,
// this is the unit of a force.
std::string_view motor_unit(const Model& model, int column) {
  const bool geared =
      model.drives[size_t(column)].motor.gear_ratio != 1 ||
      std::any_of(model.transmissions.begin(), model.transmissions.end(),
                  [&](const Transmission& group) {
                    return std::count(group.dofs.begin(), group.dofs.end(), column) > 0;
                  });
  return geared ? "N m" : model.dof(column).tau_unit();
}

// A signal of the motors of elastic joints.
struct MotorSignal {
  const char* name;
  bool rate;
  std::span<const double> (*values)(Simulation&);
};
constexpr MotorSignal motor_signals[] = {
    {"motor_q", false, [](Simulation& s) { return s.motor_q(); }},
    {"motor_v", true, [](Simulation& s) { return s.motor_v(); }}};

// A signal of the motors' amplifiers. It has a value for the motors with the given constant.
struct AmplifierSignal {
  const char *name, *unit;
  double Motor::*constant;
  std::span<const double> (Simulation::*values)();
};
constexpr AmplifierSignal amplifier_signals[] = {
    {"input", "", &Motor::amplifier_gain, &Simulation::motor_input},
    {"current", "A", &Motor::torque_constant, &Simulation::motor_current},
    {"voltage", "V", &Motor::resistance, &Simulation::motor_voltage}};

// Returns the dof of the robot's motors that have this signal.
std::vector<int> dofs_of(const Model& model, const Robot& robot, const AmplifierSignal& signal) {
  std::vector<int> out;
  for (int c = robot.first_v; c < robot.first_v + robot.n_v; ++c)
    if (motor_of_dof(model, c).*signal.constant > 0) out.push_back(c);
  return out;
}

// Appends the names of one robot's signals.
void add_signals_of(const SignalNames& names, const Robot& robot, std::vector<std::string>& all) {
  for (const JointSignal& signal : joint_signals) all.push_back(robot.name + "." + signal.name);
  if (!names.motors_of(robot).empty())
    for (const MotorSignal& signal : motor_signals) all.push_back(robot.name + "." + signal.name);
  for (const AmplifierSignal& signal : amplifier_signals)
    if (!dofs_of(names.model(), robot, signal).empty())
      all.push_back(robot.name + "." + signal.name);
  for (const int frame : names.frames_of(robot))
    for (const std::string_view quantity : frame_signals)
      all.push_back(fmt::format("{}.{}.{}", robot.name, quantity, names.frame(robot, frame)));
  const Model& model = names.model();
  for (int j = robot.first_joint; j < robot.first_joint + robot.n_joint; ++j)
    all.push_back(fmt::format("{}.{}{}", robot.name, joint_wrench_prefix,
                              names.own(robot, model.joints[size_t(j)].name)));
  for (int k = robot.first_link; k < robot.first_link + robot.n_link; ++k)
    if (std::ranges::find(model.colliders, k, &Collider::link) != model.colliders.end())
      all.push_back(fmt::format("{}.{}{}", robot.name, touch_prefix,
                                names.own(robot, model.links[size_t(k)].name)));
}

void add_signals_of(const SignalNames& names, const Control& control,
                    std::vector<std::string>& all) {
  const std::string prefix = full_name(names.model(), control) + ".";
  for (const LawSignal& signal : control.law->signals()) {
    all.push_back(prefix + signal.name);
    if (signal.is_acceleration) all.push_back(fmt::format("{}{}", all.back(), residual));
  }
  for (const std::string& name : measured_signals(control)) all.push_back(prefix + name);
  for (const std::string& name : reference_signals(control)) all.push_back(prefix + name);
}

// Throws Error for an unknown signal, with a list of the existing signals. The list is limited in
// length, and contains only the patterns of frame signals.
[[noreturn]] void no_such_signal(const SignalNames& names, const std::string& signal,
                                 bool compared) {
  constexpr size_t most_listed = 200;
  constexpr std::string_view patterns[] = {".pose.",         ".twist.", ".imu.",
                                           ".joint_wrench.", ".touch.", "contact."};
  const std::vector<std::string> all =
      Recorder::signals(names.model(), compared, names.controls(), names.sensors());
  std::vector<std::string> listed;
  size_t unlisted = 0;
  const auto is_pattern = [&](const std::string& one) {
    return std::ranges::any_of(
        patterns, [&](const std::string_view part) { return one.find(part) != one.npos; });
  };
  for (const std::string& one : all) {
    if (is_pattern(one)) continue;
    if (listed.size() < most_listed)
      listed.push_back(one);
    else
      ++unlisted;
  }
  throw Error(fmt::format(
      "there is no signal '{}' to record; the signals are {}{}, and ROBOT.pose.FRAME, "
      "ROBOT.twist.FRAME, ROBOT.imu.FRAME, ROBOT.joint_wrench.JOINT{}{}",
      signal, fmt::join(listed, ", "), unlisted > 0 ? fmt::format(" and {} more", unlisted) : "",
      names.model().colliders.empty() ? "" : ", ROBOT.touch.LINK, contact.NAME.QUANTITY",
      did_you_mean(signal, all)));
}

}  // namespace

std::vector<std::string> Recorder::signals(const Model& model, bool compared,
                                           const std::vector<Control>& controls,
                                           std::span<const RobotSensor> sensors) {
  const SignalNames names(model, controls, sensors);
  std::vector<std::string> all{"energy", "power", "pull"};
  if (compared)
    for (const Compared quantity : all_compared) all.push_back(compare_signal(quantity));
  for (const Robot& robot : model.robots) add_signals_of(names, robot, all);
  for (const Control& control : controls) add_signals_of(names, control, all);
  for (const RobotSensor& sensor : sensors)
    all.push_back(fmt::format("{}.{}{}", model.robots[size_t(sensor.robot)].name, sensor_prefix,
                              sensor.name));
  for (const Closure& closure : model.closures) {
    all.push_back(closure_signal(closure));
    all.push_back(closure_error_signal(closure));
  }
  if (!model.colliders.empty()) all.emplace_back(least_distance_signal);
  std::ranges::move(contact_signals(model), std::back_inserter(all));
  return all;
}

Recorder::Recorder(const Model& model, const std::vector<std::string>& signals,
                   const std::vector<std::string>& compared, const std::vector<Control>& controls,
                   std::span<const RobotSensor> sensors)
    : joint_values_(std::size(joint_signals)) {
  const SignalNames names(model, controls, sensors);
  if (!compared.empty() && names.has_robot(compare_prefix))
    throw Error(
        "the signals of a robot named 'compare' have the same names as those of compare = {...}; "
        "rename the robot");
  columns_.push_back({"time", "s", ""});
  writers_.push_back([](const Source& s, double*& out) { *out++ = s.simulation.time(); });
  std::unordered_set<std::string_view> seen;
  for (const std::string& signal : signals) {
    if (!seen.insert(signal).second)
      throw Error(fmt::format("signal '{}' is listed twice; name it once", signal));
    add(names, signal, compared);
  }
  row_.resize(columns_.size());
}

void Recorder::add(const SignalNames& names, const std::string& signal,
                   const std::vector<std::string>& compared) {
  if (signal == "energy") return add_energy();
  if (signal == "pull") return add_pull();
  if (signal == "power") return add_power();
  if (!names.model().colliders.empty() && add_distance(names.model(), signal)) return;
  for (size_t k = 0; k < names.model().closures.size(); ++k) {
    const Closure& closure = names.model().closures[k];
    if (signal == closure_signal(closure)) return add_closure(names.model(), signal, k);
    if (signal == closure_error_signal(closure)) return add_closure_error(names.model(), signal, k);
  }
  const std::vector<SignalNames::Reading> readings = names.readings(signal);
  for (const auto& [robot, rest] : readings)
    if (add_control_signal(names, *robot, signal, rest)) return;
  for (const Compared quantity : all_compared)
    if (!compared.empty() && signal == compare_signal(quantity))
      return add_comparison(quantity, compared);
  for (const auto& [robot, rest] : readings)
    if (add_robot_signal(names, *robot, signal, rest)) return;
  if (std::optional<ContactColumns> contact = contact_signal(names.model(), signal))
    return add_contact(std::move(*contact));
  if (compared.empty() && signal.starts_with(fmt::format("{}.", compare_prefix)) &&
      !names.has_robot(compare_prefix))
    throw Error(fmt::format(
        "the signal '{}' needs solvers to compare: add compare = {{ \"newton_euler\" }} to the "
        "experiment",
        signal));
  no_such_signal(names, signal, !compared.empty());
}

bool Recorder::add_robot_signal(const SignalNames& names, const Robot& robot,
                                const std::string& signal, std::string_view rest) {
  for (size_t k = 0; k < std::size(joint_signals); ++k)
    if (rest == joint_signals[k].name) return add_joint_signal(names, robot, k), true;
  for (size_t k = 0; k < std::size(motor_signals); ++k)
    if (rest == motor_signals[k].name && !names.motors_of(robot).empty())
      return add_motor_signal(names, robot, k), true;
  for (size_t k = 0; k < std::size(amplifier_signals); ++k)
    if (rest == amplifier_signals[k].name)
      if (std::vector<int> dofs = dofs_of(names.model(), robot, amplifier_signals[k]);
          !dofs.empty())
        return add_amplifier_signal(names, robot, k, std::move(dofs)), true;
  for (const std::string_view quantity : frame_signals) {
    if (!rest.starts_with(quantity) || rest.size() <= quantity.size() ||
        rest[quantity.size()] != '.')
      continue;
    const int frame = names.find_frame(robot, rest.substr(quantity.size() + 1));
    if (frame < 0) continue;
    if (quantity == "pose")
      add_pose(signal, frame);
    else if (quantity == "twist")
      add_twist(names.model(), signal, frame);
    else
      add_imu(names.model(), signal, frame);
    return true;
  }
  if (rest.starts_with(touch_prefix) && !names.model().colliders.empty())
    if (const int link = names.find_link(robot, rest.substr(touch_prefix.size())); link >= 0)
      return add_contact(touch_signal(names.model(), link, signal)), true;
  return add_sensor(names, robot, signal, rest) || add_joint_wrench(names, robot, signal, rest);
}

void Recorder::add_joint_signal(const SignalNames& names, const Robot& robot, size_t k) {
  const Model& model = names.model();
  const JointSignal& signal = joint_signals[k];
  const bool of_q = &signal == &joint_signals[0];
  const std::string prefix = fmt::format("{}.{}.", robot.name, signal.name);
  for (int j = robot.first_joint; j < robot.first_joint + robot.n_joint; ++j) {
    const Joint& joint = model.joints[size_t(j)];
    const JointTraits& kind = traits(joint.kind);
    if (of_q) {
      for (int i = 0; i < kind.n_q; ++i)
        columns_.push_back({prefix + names.coordinate(robot, joint.q_index + i),
                            std::string(kind.coordinates[size_t(i)].unit), ""});
      continue;
    }
    for (int i = 0; i < kind.n_v; ++i)
      columns_.push_back({prefix + names.column(robot, joint.v_index + i),
                          std::string(signal.unit ? signal.unit(kind.dofs[size_t(i)])
                                                  : motor_unit(model, joint.v_index + i)),
                          ""});
  }
  const int first = of_q ? robot.first_q : robot.first_v, count = of_q ? robot.n_q : robot.n_v;
  writers_.push_back([k, first, count](const Source& s, double*& out) {
    out = std::copy_n(s.recorder.joint_values(k, s.simulation).begin() + first, count, out);
  });
}

// Returns the values of joint signal k for all joints of the model. Evaluates the signal once per
// row, for all robots together.
const std::vector<double>& Recorder::joint_values(size_t k, Simulation& simulation) {
  if (joint_values_[k].empty()) {
    const std::span<const double> values = joint_signals[k].values(simulation);
    joint_values_[k].assign(values.begin(), values.end());
  }
  return joint_values_[k];
}

const std::vector<double>& Recorder::acceleration(Simulation& simulation) {
  return joint_values(vdot_signal, simulation);
}

void Recorder::add_motor_signal(const SignalNames& names, const Robot& robot, size_t k) {
  const MotorSignal& signal = motor_signals[k];
  std::vector<size_t> places;
  for (const auto& [column, motor] : names.motors_of(robot)) {
    places.push_back(size_t(motor));
    const JointDof& of = names.model().dof(column);
    columns_.push_back(
        {fmt::format("{}.{}.{}", robot.name, signal.name, names.column(robot, column)),
         signal.rate  ? std::string(of.v_unit())
         : of.turns() ? "rad"
                      : "m",
         ""});
  }
  writers_.push_back([values = signal.values, places](const Source& s, double*& out) {
    for (const size_t place : places) *out++ = values(s.simulation)[place];
  });
}

void Recorder::add_amplifier_signal(const SignalNames& names, const Robot& robot, size_t k,
                                    std::vector<int> dofs) {
  const AmplifierSignal& signal = amplifier_signals[k];
  for (const int dof : dofs)
    columns_.push_back({fmt::format("{}.{}.{}", robot.name, signal.name, names.column(robot, dof)),
                        signal.unit, ""});
  writers_.push_back([&signal, dofs = std::move(dofs)](const Source& s, double*& out) {
    const std::span<const double> values = (s.simulation.*signal.values)();
    for (const int dof : dofs) *out++ = values[size_t(dof)];
  });
}

void Recorder::add_pose(const std::string& signal, int frame) {
  for (Column& column : pose_columns(signal)) columns_.push_back(std::move(column));
  writers_.push_back([frame](const Source& source, double*& out) {
    const Simulation& s = source.simulation;
    const Frame& of = s.model().frames[size_t(frame)];
    write_pose(frame_pose(s.state(), of).p, frame_quaternion(s.state(), of), out);
  });
}

void Recorder::add_twist(const Model& model, const std::string& signal, int frame) {
  for (const char* part : {"wx", "wy", "wz"})
    columns_.push_back({signal + "." + part, "rad/s", model.frames[size_t(frame)].name});
  for (const char* part : {"vx", "vy", "vz"})
    columns_.push_back({signal + "." + part, "m/s", model.frames[size_t(frame)].name});
  writers_.push_back([frame](const Source& source, double*& out) {
    const Simulation& s = source.simulation;
    const Twist<double> V = frame_twist(s.state(), s.model().frames[size_t(frame)]);
    for (const double value : {V.w.x, V.w.y, V.w.z, V.v.x, V.v.y, V.v.z}) *out++ = value;
  });
}

std::span<const double> Recorder::sample(Simulation& simulation,
                                         std::span<const Disagreement> disagreements) {
  double* out = row_.data();
  for (std::vector<double>& values : joint_values_) values.clear();
  closure_wrenches_.clear();
  joint_wrenches_.clear();
  contact_forces_ = nullptr;
  const Source source{*this, simulation, disagreements};
  for (const Writer& write : writers_) write(source, out);
  for (size_t k = 0; k < row_.size(); ++k)
    if (!std::isfinite(row_[k]) && !columns_[k].may_be_infinite)
      simulation.fail_moving(fmt::format("the signal {} is not a finite number; {}",
                                         columns_[k].name, simulation.explain_divergence()));
  return row_;
}

}  // namespace torsor
