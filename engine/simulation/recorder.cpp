#include "torsor/simulation/recorder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "torsor/dynamics/kinematics.hpp"
#include "torsor/simulation/reference_signals.hpp"
#include "torsor/spatial/so3.hpp"

namespace torsor {

namespace {

// A signal per joint: what it is called, its unit, and where its numbers are.
using UnitOf = std::string_view (*)(const JointColumn&);
constexpr UnitOf v_unit = [](const JointColumn&c) { return c.v_unit(); },
                 vdot_unit = [](const JointColumn&c) { return c.vdot_unit(); },
                 tau_unit = [](const JointColumn&c) { return c.tau_unit(); },
                 watt = [](const JointColumn&) { return std::string_view("W"); };
struct JointSignal {
  const char* name;
  UnitOf unit;  // null: of coordinates, or of motors
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

// Of a motor's torque. One that drives a sliding joint through no gear pushes it.
std::string_view motor_unit(const Model& model, int column) {
  const bool geared =
      model.drives[size_t(column)].motor.gear_ratio != 1 ||
      std::any_of(model.transmissions.begin(), model.transmissions.end(), [&](const Transmission& group) {
        return std::count(group.columns.begin(), group.columns.end(), column) > 0;
      });
  return geared ? "N m" : model.column(column).tau_unit();
}

// Of the motors of elastic joints.
struct MotorSignal {
  const char* name;
  bool rate;
  std::span<const double> (*values)(Simulation&);
};
constexpr MotorSignal motor_signals[] = {{"motor_q", false, [](Simulation& s) { return s.motor_q(); }},
                                         {"motor_v", true, [](Simulation& s) { return s.motor_v(); }}};

// Columns of a robot's elastic joints, with the places of their motors.
struct MotorPlace {
  int column, motor;
};
std::vector<MotorPlace> motors_of(const Model& model, const Robot& robot) {
  std::vector<MotorPlace> places;
  int motor = 0;
  for (int c = 0; c < model.n_v; ++c) {
    if (!model.drives[size_t(c)].elasticity) continue;
    if (c >= robot.first_v && c < robot.first_v + robot.n_v) places.push_back({c, motor});
    ++motor;
  }
  return places;
}

// A name without its robot's prefix "R." in a world of several robots.
std::string own_name(const Model& model, const Robot& robot, const std::string& name) {
  return model.robots.size() > 1 ? name.substr(robot.name.size() + 1) : name;
}

// Frames of a robot: those that start with its prefix, or all.
std::vector<int> frames_of(const Model& model, const Robot& robot) {
  std::vector<int> frames;
  for (int k = 0; k < int(model.frames.size()); ++k)
    if (model.robots.size() == 1 || model.frames[k].name.starts_with(robot.name + ".")) frames.push_back(k);
  return frames;
}

constexpr std::string_view residual = "_residual";
std::string control_signal(const Model& model, const Control& control, const std::string& signal) {
  return fmt::format("{}.{}.{}", model.robots[size_t(control.robot)].name, control.name, signal);
}

constexpr std::string_view compare_prefix = "compare";
std::string compare_signal(Compared quantity) {
  return fmt::format("{}.{}", compare_prefix, name(quantity));
}
bool has_robot(const Model& model, std::string_view name) {
  return std::any_of(model.robots.begin(), model.robots.end(),
                     [&](const Robot& robot) { return robot.name == name; });
}

}  // namespace

std::vector<std::string> Recorder::signals(const Model& model, bool compared,
                                           const std::vector<Control>& controls) {
  std::vector<std::string> all{"energy", "power", "pull"};
  if (compared)
    for (const Compared quantity : all_compared) all.push_back(compare_signal(quantity));
  for (const Robot& robot : model.robots) {
    for (const JointSignal& signal : joint_signals) all.push_back(robot.name + "." + signal.name);
    if (!motors_of(model, robot).empty())
      for (const MotorSignal& signal : motor_signals) all.push_back(robot.name + "." + signal.name);
    for (const int frame : frames_of(model, robot))
      for (const char* quantity : {"pose", "twist"})
        all.push_back(
            fmt::format("{}.{}.{}", robot.name, quantity, own_name(model, robot, model.frames[frame].name)));
  }
  for (const Control& control : controls) {
    for (const LawSignal& signal : control.law->signals()) {
      all.push_back(control_signal(model, control, signal.name));
      if (signal.is_acceleration) all.push_back(fmt::format("{}{}", all.back(), residual));
    }
    for (const std::string& name : reference_signals(control))
      all.push_back(control_signal(model, control, name));
  }
  return all;
}

Recorder::Recorder(const Model& model, const std::vector<std::string>& signals,
                   const std::vector<std::string>& compared, const std::vector<Control>& controls) {
  if (!compared.empty() && has_robot(model, compare_prefix))
    throw Error(
        "a robot named 'compare' has signals of the same names as compare = {...}; give it another name");
  columns_.push_back({"time", "s", ""});
  writers_.push_back([](const Source& s, double*& out) { *out++ = s.simulation.time(); });
  std::vector<std::string> seen;
  for (const std::string& signal : signals) {
    if (std::find(seen.begin(), seen.end(), signal) != seen.end())
      throw Error(fmt::format("signal '{}' is recorded twice; name it once", signal));
    seen.push_back(signal);
    add(model, signal, compared, controls);
  }
  row_.resize(columns_.size());
}

void Recorder::add(const Model& model, const std::string& signal, const std::vector<std::string>& compared,
                   const std::vector<Control>& controls) {
  if (signal == "energy") return add_energy();
  if (signal == "pull") return add_pull();
  if (signal == "power") return add_power();
  if (add_control_signal(model, signal, controls)) return;
  for (const Compared quantity : all_compared)
    if (!compared.empty() && signal == compare_signal(quantity)) return add_comparison(quantity, compared);
  for (const Robot& robot : model.robots) {
    for (const JointSignal& of_joint : joint_signals)
      if (signal == robot.name + "." + of_joint.name) return add_joint_signal(model, robot, of_joint.name);
    for (int k = 0; k < int(std::size(motor_signals)); ++k)
      if (signal == robot.name + "." + motor_signals[k].name && !motors_of(model, robot).empty())
        return add_motor_signal(model, robot, k);
    for (const int frame : frames_of(model, robot))
      for (const char* quantity : {"pose", "twist"})
        if (signal ==
            fmt::format("{}.{}.{}", robot.name, quantity, own_name(model, robot, model.frames[frame].name)))
          return add_frame_signal(model, signal, quantity, frame);
  }
  if (compared.empty() && signal.starts_with(fmt::format("{}.", compare_prefix)) &&
      !has_robot(model, compare_prefix))
    throw Error(
        fmt::format("the signal '{}' needs solvers to compare: say compare = {{ \"newton_euler\" }} in the "
                    "experiment",
                    signal));
  const std::vector<std::string> all = signals(model, !compared.empty(), controls);
  std::vector<std::string> shortened;  // frames are many: their pattern says enough
  for (const std::string& one : all)
    if (!one.starts_with("pose") && one.find(".pose.") == one.npos && one.find(".twist.") == one.npos)
      shortened.push_back(one);
  throw Error(fmt::format(
      "there is no signal '{}' to record{}; there are {}, and ROBOT.pose.FRAME, ROBOT.twist.FRAME", signal,
      did_you_mean(signal, all), fmt::join(shortened, ", ")));
}

void Recorder::add_joint_signal(const Model& model, const Robot& robot, const std::string& quantity) {
  const auto* signal = std::find_if(std::begin(joint_signals), std::end(joint_signals),
                                    [&](const JointSignal& s) { return s.name == quantity; });
  const bool of_q = quantity == "q";
  const std::vector<std::string> names = of_q ? model.coordinate_names() : model.column_names();
  for (int j = robot.first_joint; j < robot.first_joint + robot.n_joint; ++j) {
    const Joint& joint = model.joints[j];
    const JointTraits& kind = traits(joint.kind);
    for (int k = 0; k < (of_q ? kind.n_q : kind.n_v); ++k)
      columns_.push_back(
          {fmt::format("{}.{}.{}", robot.name, quantity,
                       own_name(model, robot, names[size_t((of_q ? joint.q_index : joint.v_index) + k)])),
           std::string(of_q           ? kind.coordinates[k].unit
                       : signal->unit ? signal->unit(kind.columns[k])
                                      : motor_unit(model, joint.v_index + k)),
           ""});
  }
  const int first = of_q ? robot.first_q : robot.first_v, count = of_q ? robot.n_q : robot.n_v;
  writers_.push_back([values = signal->values, first, count](const Source& s, double*& out) {
    out = std::copy_n(values(s.simulation).begin() + first, count, out);
  });
}

void Recorder::add_motor_signal(const Model& model, const Robot& robot, int k) {
  const MotorSignal& signal = motor_signals[k];
  const std::vector<std::string> names = model.column_names();
  std::vector<size_t> places;
  for (const auto& [column, motor] : motors_of(model, robot)) {
    places.push_back(size_t(motor));
    const JointColumn& of = model.column(column);
    columns_.push_back(
        {fmt::format("{}.{}.{}", robot.name, signal.name, own_name(model, robot, names[size_t(column)])),
         signal.rate  ? std::string(of.v_unit())
         : of.turns() ? "rad"
                      : "m",
         ""});
  }
  writers_.push_back([values = signal.values, places](const Source& s, double*& out) {
    for (const size_t place : places) *out++ = values(s.simulation)[place];
  });
}

bool Recorder::add_control_signal(const Model& model, const std::string& signal,
                                  const std::vector<Control>& controls) {
  for (size_t k = 0; k < controls.size(); ++k) {
    const int first_v = model.robots[size_t(controls[k].robot)].first_v;
    size_t first = 0;
    for (const LawSignal& of_law : controls[k].law->signals()) {
      const size_t count = of_law.entries.size(), at = first;
      first += count;
      const std::string name = control_signal(model, controls[k], of_law.name);
      const bool lacks = of_law.is_acceleration && signal == fmt::format("{}{}", name, residual);
      if (signal != name && !lacks) continue;
      for (const auto& [entry, unit] : of_law.entries)
        columns_.push_back({entry.empty() ? signal : signal + "." + entry, unit, ""});
      writers_.push_back([=](const Source& s, double*& out) {
        const double* values = s.simulation.control_signals(k).data() + at;
        out = std::copy_n(values, count, out);
        if (!lacks) return;
        const std::span<const double> vdot = s.simulation.acceleration();
        for (size_t i = 0; i < count; ++i)
          out[std::ptrdiff_t(i) - std::ptrdiff_t(count)] -= vdot[size_t(first_v) + i];
      });
      return true;
    }
    for (const std::string& which : reference_signals(controls[k])) {
      if (signal != control_signal(model, controls[k], which)) continue;
      ReferenceSignal of_reference = reference_signal(model, controls, k, which, signal);
      std::ranges::move(of_reference.columns, std::back_inserter(columns_));
      writers_.push_back([write = std::move(of_reference.write)](const Source& s, double*& out) {
        write(s.simulation, out);
      });
      return true;
    }
  }
  return false;
}

void Recorder::add_frame_signal(const Model& model, const std::string& signal, const std::string& quantity,
                                int frame) {
  if (quantity == "pose") {
    for (const char* part : {"x", "y", "z"}) columns_.push_back({signal + "." + part, "m", "world"});
    for (const char* part : {"qw", "qx", "qy", "qz"}) columns_.push_back({signal + "." + part, "1", "world"});
    writers_.push_back([frame](const Source& source, double*& out) {
      const Simulation& s = source.simulation;
      const Pose<double> X = frame_pose(s.state(), s.model().frames[frame]);
      const Quaternion q = quaternion(X.R);
      for (const double value : {X.p.x, X.p.y, X.p.z, q.w, q.x, q.y, q.z}) *out++ = value;
    });
    return;
  }
  for (const char* part : {"wx", "wy", "wz"})
    columns_.push_back({signal + "." + part, "rad/s", model.frames[frame].name});
  for (const char* part : {"vx", "vy", "vz"})
    columns_.push_back({signal + "." + part, "m/s", model.frames[frame].name});
  writers_.push_back([frame](const Source& source, double*& out) {
    const Simulation& s = source.simulation;
    const Twist<double> V = frame_twist(s.state(), s.model().frames[frame]);
    for (const double value : {V.w.x, V.w.y, V.w.z, V.v.x, V.v.y, V.v.z}) *out++ = value;
  });
}

void Recorder::add_energy() {
  for (const char* part : {"kinetic", "potential", "elastic"})
    columns_.push_back({std::string("energy.") + part, "J", ""});
  for (int k = 0; k < n_works; ++k) columns_.push_back({std::string("energy.") + name(Work(k)), "J", ""});
  columns_.push_back({"energy.error", "J", ""});
  writers_.push_back([](const Source& source, double*& out) {
    const Simulation& s = source.simulation;
    const Energy energy = s.energy();
    for (const double value : {energy.kinetic, energy.potential, energy.elastic}) *out++ = value;
    out = std::copy(s.snapshot().work.begin(), s.snapshot().work.end(), out);
    *out++ = ledger_error(energy, s.snapshot());
  });
}

void Recorder::add_pull() {
  for (const char* part : {"nx", "ny", "nz"})
    columns_.push_back({std::string("pull.") + part, "N m", "world"});
  for (const char* part : {"fx", "fy", "fz"}) columns_.push_back({std::string("pull.") + part, "N", "world"});
  writers_.push_back([](const Source& source, double*& out) {
    const Wrench<double> F = source.simulation.pull_F_W();
    for (const double value : {F.n.x, F.n.y, F.n.z, F.f.x, F.f.y, F.f.z}) *out++ = value;
  });
}

void Recorder::add_power() {
  for (int k = 0; k < n_integrated_works; ++k)
    columns_.push_back({std::string("power.") + name(Work(k)), "W", ""});
  writers_.push_back(
      [](const Source& s, double*& out) { out = std::ranges::copy(s.simulation.powers().by_work, out).out; });
}

void Recorder::add_comparison(Compared quantity, const std::vector<std::string>& compared) {
  for (const std::string& solver : compared)
    columns_.push_back({fmt::format("{}.{}", compare_signal(quantity), without_kind(solver)), "1", "", true});
  writers_.push_back([k = size_t(quantity)](const Source& s, double*& out) {
    for (size_t i = k; i < s.disagreements.size(); i += std::size(all_compared))
      *out++ = s.disagreements[i].value;
  });
}

namespace {

std::string fastest(const Simulation& simulation) {
  const std::vector<double>& v = simulation.state().v;
  const auto largest =
      std::max_element(v.begin(), v.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
  if (largest == v.end()) return "";
  const int column = int(largest - v.begin());
  return fmt::format("; joint '{}' is the fastest, at {:.3g} {}",
                     simulation.model().joint_of_column(column).name, *largest,
                     simulation.model().column(column).v_unit());
}

}  // namespace

std::span<const double> Recorder::sample(Simulation& simulation,
                                         std::span<const Disagreement> disagreements) {
  double* out = row_.data();
  const Source source{simulation, disagreements};
  for (const Writer& write : writers_) write(source, out);
  for (size_t k = 0; k < row_.size(); ++k)
    if (!std::isfinite(row_[k]) && !columns_[k].may_be_infinite)
      simulation.fail_moving(
          fmt::format("the signal {} is not a finite number; the motion has diverged: try a smaller dt{}",
                      columns_[k].name, fastest(simulation)));
  return row_;
}

}  // namespace torsor
