// The signals of Recorder that follow from the accelerations, contacts and closures of a row:
// sensors, contacts, and the wrenches in closures.

#include <fmt/format.h>

#include "torsor/base/error.hpp"
#include "torsor/constraints/closure_rows.hpp"
#include "torsor/constraints/closure_wrenches.hpp"
#include "torsor/constraints/cut_joint.hpp"
#include "torsor/mechanics/joint_wrenches.hpp"
#include "torsor/signals/contact_signals.hpp"
#include "torsor/signals/recorder.hpp"
#include "torsor/signals/signal_words.hpp"
#include "torsor/simulation/simulation.hpp"

namespace torsor {

namespace {

// Returns the frame in whose axes a sensor measures vectors, "" for numbers.
std::string axes_of(const Model& model, const RobotSensor& sensor) {
  if (sensor.kind == SensorKind::touch) return "";
  if (sensor.kind == SensorKind::contact_force) return "world";
  if (sensor.frame >= 0) return model.frames[size_t(sensor.frame)].name;
  const int link = model.child_link(model.joints[size_t(sensor.joint)]);
  return model.frames[size_t(model.links[size_t(link)].frame)].name;
}

}  // namespace

void Recorder::add_imu(const Model& model, const std::string& signal, int frame) {
  for (const char* part : {"wx", "wy", "wz"})
    columns_.push_back({signal + "." + part, "rad/s", model.frames[size_t(frame)].name});
  for (const char* part : {"ax", "ay", "az"})
    columns_.push_back({signal + "." + part, "m/s^2", model.frames[size_t(frame)].name});
  writers_.push_back([frame](const Source& source, double*& out) {
    Simulation& s = source.simulation;
    const std::vector<double>& vdot = source.recorder.acceleration(s);
    const auto [w, a] = inertial_measurement(s.state(), vdot, s.model().frames[size_t(frame)]);
    for (const double value : {w.x, w.y, w.z, a.x, a.y, a.z}) *out++ = value;
  });
}

bool Recorder::add_sensor(const SignalNames& names, const Robot& robot, const std::string& signal,
                          std::string_view rest) {
  if (!rest.starts_with(sensor_prefix)) return false;
  const std::string_view name = rest.substr(sensor_prefix.size());
  for (size_t k = 0; k < names.sensors().size(); ++k) {
    const RobotSensor& sensor = names.sensors()[k];
    if (sensor.name != name || &names.model().robots[size_t(sensor.robot)] != &robot) continue;
    for (const auto& [suffix, unit] : traits(sensor.kind).values)
      columns_.push_back({*suffix ? fmt::format("{}.{}", signal, suffix) : signal, unit,
                          axes_of(names.model(), sensor)});
    writers_.push_back([k](const Source& source, double*& out) {
      out = std::ranges::copy(source.simulation.sensor_measured(k), out).out;
    });
    return true;
  }
  return false;
}

// Names of joints and frames may contain a colon, so each one may be the separator.
bool Recorder::add_joint_wrench(const SignalNames& names, const Robot& robot,
                                const std::string& signal, std::string_view rest) {
  if (!rest.starts_with(joint_wrench_prefix)) return false;
  rest.remove_prefix(joint_wrench_prefix.size());
  const Model& model = names.model();
  const auto add = [&](int joint, int frame) {
    const int link = model.child_link(model.joints[size_t(joint)]);
    add_wrench(signal,
               model.frames[size_t(frame < 0 ? model.links[size_t(link)].frame : frame)].name,
               [joint, frame](const Source& source) {
                 Simulation& s = source.simulation;
                 const Joint& of = s.model().joints[size_t(joint)];
                 const std::vector<Wrench<double>>& W_B = source.recorder.joint_wrenches(s);
                 return frame < 0 ? at_link(s.state(), of, W_B)
                                  : at_frame(s.state(), of, W_B, s.model().frames[size_t(frame)]);
               });
    return true;
  };
  if (const int joint = names.find_joint(robot, rest); joint >= 0) return add(joint, -1);
  for (size_t colon = rest.find(':'); colon != rest.npos; colon = rest.find(':', colon + 1)) {
    const int joint = names.find_joint(robot, rest.substr(0, colon)),
              frame = names.find_frame(robot, rest.substr(colon + 1));
    if (joint >= 0 && frame >= 0) return add(joint, frame);
  }
  if (const std::string fixed = names.fixed_joint(robot, rest); !fixed.empty())
    throw Error(fmt::format(
        "the signal '{}' names the fixed joint '{}', whose links move as one body; name the moving "
        "joint that carries them, with a frame of the sensor: {}.joint_wrench.JOINT:FRAME",
        signal, fixed, robot.name));
  return false;
}

const std::vector<ContactForce>& Recorder::contact_forces(Simulation& simulation) {
  if (!contact_forces_)
    contact_forces_ =
        std::make_shared<const std::vector<ContactForce>>(simulation.contact_forces());
  return *contact_forces_;
}

const std::vector<Wrench<double>>& Recorder::closure_wrenches(Simulation& simulation) {
  if (closure_wrenches_.empty() && !simulation.model().closures.empty())
    closure_wrenches_ = simulation.closure_wrenches();
  return closure_wrenches_;
}

// The state of the simulation after an evaluation includes the wrenches of forces, but not those of
// contacts.
State Recorder::loaded_state(Simulation& simulation) {
  const std::vector<ContactForce>& contacts = contact_forces(simulation);
  (void)simulation.acceleration();
  State out = simulation.state();
  std::vector<Wrench<double>> F_B(out.F_B().begin(), out.F_B().end());
  add_contact_wrenches(out, simulation.time_to_contacts(), contacts, F_B);
  out.set_wrenches(F_B);
  return out;
}

const std::vector<Wrench<double>>& Recorder::joint_wrenches(Simulation& simulation) {
  if (joint_wrenches_.empty())
    joint_wrenches_ = torsor::joint_wrenches(loaded_state(simulation), acceleration(simulation),
                                             closure_wrenches(simulation));
  return joint_wrenches_;
}

void Recorder::add_contact(ContactColumns signal) {
  std::ranges::move(signal.columns, std::back_inserter(columns_));
  writers_.push_back([write = std::move(signal.write)](const Source& source, double*& out) {
    write(source.simulation, source.recorder.contact_forces(source.simulation), out);
  });
}

void Recorder::add_closure(const Model& model, const std::string& signal, size_t index) {
  const auto wrench = [index](const Source& source) {
    Simulation& s = source.simulation;
    Recorder& recorder = source.recorder;
    const Wrench<double>& F = recorder.closure_wrenches(s)[index];
    const Closure& closure = s.model().closures[index];
    return closure.cut
               ? cut_joint_wrench(recorder.loaded_state(s), recorder.acceleration(s), closure, F)
               : F;
  };
  const Closure& closure = model.closures[index];
  if (!traits(closure.kind).is_linear()) {
    add_wrench(signal, "first frame of the closure", wrench);
    return;
  }
  const bool distance = is_distance(model, closure);
  columns_.push_back({signal, distance ? "N" : "N m", ""});
  writers_.push_back([wrench, distance](const Source& source, double*& out) {
    const Wrench<double> F = wrench(source);
    *out++ = distance ? F.f.z : F.n.z;
  });
}

void Recorder::add_closure_error(const Model& model, const std::string& signal, size_t index) {
  const ClosureRows rows(model);
  const bool linear = traits(model.closures[index].kind).is_linear();
  for (const auto& [part, name] :
       {std::pair{&ClosureGap::distance, "distance"}, {&ClosureGap::angle, "angle"}}) {
    const bool is_distance = part == &ClosureGap::distance;
    bool has_part = false;
    for (size_t row = 0; row < rows.size(); ++row)
      has_part |= rows.closure(row) == index && rows.is_distance(row) == is_distance;
    if (!has_part) continue;
    columns_.push_back(
        {linear ? signal : fmt::format("{}.{}", signal, name), is_distance ? "m" : "rad", ""});
    writers_.push_back([index, part = part](const Source& source, double*& out) {
      *out++ = source.simulation.closure_gaps()[index].*part;
    });
  }
}

}  // namespace torsor
