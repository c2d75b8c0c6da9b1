// Copies what a script has set for one robot into the experiment: its initial state, loads,
// controls and sensors.

#include <algorithm>
#include <utility>

#include "torsor/model/transmission.hpp"
#include "torsor/scripting/scene/torsor_module.hpp"
#include "torsor/scripting/values/joint_values.hpp"
#include "torsor/scripting/values/read_control.hpp"
#include "torsor/scripting/values/read_force.hpp"
#include "torsor/scripting/values/read_trajectory.hpp"

namespace torsor::lua {

namespace {

// Copies the initial state and the loads of one robot, as given in the script, into the experiment.
class Resolver {
 public:
  Resolver(lua_State* L, RobotObject& robot, const Robot& columns, ExperimentObject& made)
      : L_(L), robot_(robot), columns_(columns), made_(made), out_(made.experiment) {
    const bool alone = out_.model->robots.size() == 1;
    prefix_ = alone ? "" : robot.description.name + ".";
  }

  // Adds the sensors of the robot. Those of all robots must be added before run().
  void add_sensors() {
    for (const SensorRequest& request : robot_.sensors) add(request);
  }

  void run() {
    for (const JointValues& values : robot_.values) add(values);
    if (robot_.hold)
      for (const std::string& name : robot_.hold->names)
        hold(joint_named(name, robot_.hold->source));
    if (!motor_tau_.empty()) apply_motor_torques();
    for (const AppliedWrench& wrench : robot_.wrenches) add(wrench);
    for (const JointFunction& torque : robot_.torques) add_torque(torque);
    for (const JointFunction& motion : robot_.motions) add_motion(motion);
    for (const ControlRequest& request : robot_.controls) add(request);
    for (const ForceFunctionRequest& force : robot_.forces) add(force);
    for (const AttachedPayload& attached : robot_.payloads) add(attached);
  }

 private:
  using Target = JointValues::Target;

  [[noreturn]] void fail(const std::string& source, const std::string& what) const {
    throw Error(fmt::format("{}: robot '{}': {}", source, robot_.description.name, what));
  }

  // Sets the entries of a state, or adds torques to the torques that earlier calls have applied.
  void put(const JointValues& values, const std::vector<double>& given, int q_index, int v_index) {
    const bool of_q = values.target == Target::q;
    double* out = nullptr;
    switch (values.target) {
      case Target::q:
        out = &out_.q[size_t(q_index)];
        break;
      case Target::v:
        out = &out_.v[size_t(v_index)];
        break;
      case Target::tau:
        out = &out_.load.tau[size_t(v_index)];
        break;
      case Target::motor_tau:
      case Target::input:
        motor_tau_.resize(size_t(out_.model->n_v));
        out = &motor_tau_[size_t(v_index)];
        break;
      case Target::motor_q:
      case Target::motor_v:
        need_motors(values, v_index, given.size());
        out = &(values.target == Target::motor_q ? out_.motor_q : out_.motor_v)[size_t(v_index)];
        break;
    }
    const bool input = values.target == Target::input;
    const bool adds = values.target == Target::tau || values.target == Target::motor_tau || input;
    for (size_t k = 0; k < given.size(); ++k)
      if (adds && given[k] != 0) need_actuator(v_index + int(k), values.source);
    for (size_t k = 0; k < given.size(); ++k)
      out[k] = (input ? input_gain(values, v_index + int(k)) : 1) * given[k] + (adds ? out[k] : 0);
    if (!of_q) return;
    try {
      normalise(*out_.model, out_.q);
    } catch (const Error& error) {
      fail(values.source, error.what());
    }
  }

  // The torques of a transmission whose jacobian depends on q act at the shafts during the run.
  void apply_motor_torques() {
    Transmissions transmissions(out_.model);
    std::vector<double>& kept = out_.load.motor_tau;
    kept.resize(motor_tau_.size());
    for (const Transmission& group : out_.model->transmissions)
      for (const int dof : group.dofs)
        if (group.law) kept[size_t(dof)] += std::exchange(motor_tau_[size_t(dof)], 0.0);
    transmissions.add_motor_torques(motor_tau_, out_.load.tau);
  }

  // Returns K_T K_a, the gain from amplifier input to motor torque (KHALIL 9.4).
  double input_gain(const JointValues& values, int column) const {
    const Motor& motor = motor_of_dof(*out_.model, column);
    if (!(motor.torque_constant > 0 && motor.amplifier_gain > 0))
      fail(values.source, fmt::format("the motor of joint '{}' has no amplifier input; set "
                                      "torque_constant and amplifier_gain in its motor",
                                      out_.model->joint_of_dof(column).name));
    return motor.torque_constant * motor.amplifier_gain;
  }

  void need_actuator(int column, const std::string& source) const {
    if (out_.model->drives[size_t(column)].passive)
      fail(source,
           fmt::format(
               "joint '{}' is passive: no torque can be applied to it; apply a wrench to its link, "
               "or set {}",
               out_.model->joint_of_dof(column).name, how_to_add_motors));
  }

  void need_motors(const JointValues& values, int first, size_t count) const {
    for (const ElasticRotor& rotor : out_.model->elastic_rotors)
      if (rotor.dof >= first && rotor.dof < first + int(count))
        fail(values.source,
             fmt::format("the motor of joint '{}' is the joint '{}'; set q and v of that joint",
                         out_.model->joint_of_dof(rotor.dof).name,
                         out_.model->joint_of_dof(rotor.rotor_dof).name));
    for (size_t k = size_t(first); k < size_t(first) + count; ++k)
      if (!out_.model->drives[k].elasticity)
        fail(values.source, fmt::format("joint '{}' is not elastic, so its motor has no separate "
                                        "position; set q and v of the joint",
                                        out_.model->joint_of_dof(int(k)).name));
  }

  void add(const JointValues& values) {
    const bool of_q = values.target == Target::q;
    // Names of the values of Target.
    static constexpr const char* keys[] = {"q",       "v",         "tau",  "motor_q",
                                           "motor_v", "motor_tau", "input"};
    const char* key = keys[int(values.target)];
    if (const auto* list = std::get_if<std::vector<double>>(&values.values)) {
      const int n = of_q ? columns_.n_q : columns_.n_v;
      if (int(list->size()) != n)
        fail(values.source, fmt::format("{} has {} entries; it must have {}, as the robot's joints",
                                        key, list->size(), n));
      if (n > 0) put(values, *list, columns_.first_q, columns_.first_v);
      return;
    }
    for (const auto& [name, given] :
         std::get<std::map<std::string, std::vector<double>>>(values.values)) {
      const Joint& joint = joint_named(name, values.source);
      const JointTraits& kind = traits(joint.kind);
      const int n = of_q ? kind.n_q : kind.n_v;
      if (int(given.size()) != n)
        fail(values.source, fmt::format("{} of joint '{}' has {} entries; a {} joint has {}", key,
                                        name, given.size(), kind.name, n));
      put(values, given, joint.q_index, joint.v_index);
      if (!robot_.hold && (of_q || values.target == Target::v)) hold(joint);
    }
  }

  void hold(const Joint& joint) {
    std::fill_n(out_.held.begin() + joint.v_index, traits(joint.kind).n_v, char(1));
  }

  const Joint& joint_named(const std::string& name, const std::string& source) const {
    std::vector<std::string> names;
    for (int i = 0; i < columns_.n_joint; ++i) {
      const Joint& joint = out_.model->joints[columns_.first_joint + i];
      if (joint.name == prefix_ + name) return joint;
      names.push_back(joint.name.substr(prefix_.size()));
    }
    fail(source, fmt::format("there is no moving joint '{}'{}", name, did_you_mean(name, names)));
  }

  int frame_named(const std::string& name, const std::string& source) const {
    std::vector<std::string> names;
    for (const LinkDescription& link : robot_.description.links) names.push_back(link.name);
    for (const FrameDescription& frame : robot_.description.frames) names.push_back(frame.name);
    if (std::find(names.begin(), names.end(), name) == names.end())
      fail(source,
           fmt::format("there is no link or frame '{}'{}", name, did_you_mean(name, names)));
    return out_.model->frame(prefix_ + name);
  }

  void add(const AppliedWrench& wrench) {
    const int frame = frame_named(wrench.frame, wrench.source);
    if (const auto* constant = std::get_if<Wrench<double>>(&wrench.F_F))
      out_.load.wrench_F.emplace_back(frame, *constant);
    else
      made_.wrenches.push_back(
          {frame, std::get<FunctionReference>(wrench.F_F).key, wrench.frame, wrench.source});
  }

  void add(const ForceFunctionRequest& request) {
    RunForce out{{robot_index(), {}, {}}, request.function.key, request.frames, request.source};
    for (const std::string& frame : request.frames)
      out.force.frames.push_back(frame_named(frame, request.source));
    made_.forces.push_back(std::move(out));
  }

  void add(const AttachedPayload& attached) {
    if (attached.payload.attach >= out_.duration)
      fail(attached.source, fmt::format("a payload is attached at {:g} s, after the end of the "
                                        "experiment at {:g} s; attach it earlier",
                                        attached.payload.attach, out_.duration));
    out_.payloads.push_back(attached.payload);
    out_.payloads.back().frame = frame_named(attached.frame, attached.source);
  }

  void add(const ControlRequest& request) {
    const auto elastic = [&](const Drive& drive) { return drive.elasticity.has_value(); };
    const auto first_drive = out_.model->drives.begin() + columns_.first_v;
    if (request.of_motors && std::none_of(first_drive, first_drive + columns_.n_v, elastic))
      fail(request.source, "a control measures motors, but no joint is elastic; remove measures");
    made_.controls.push_back(make_control(L_, request, robot_, out_.gravity_W));
    Control& control = made_.controls.back().control;
    control.robot = robot_index();
    try {
      for (const std::string& name : request.sensors)
        control.sensors.push_back(
            sensor_index(*out_.model, out_.load.sensors, control.robot, name));
    } catch (const Error& error) {
      fail(request.source, fmt::format("control '{}': {}", request.name, error.what()));
    }
  }

  int link_named(const std::string& name, const std::string& source) const {
    std::vector<std::string> names;
    for (int k = columns_.first_link; k < columns_.first_link + columns_.n_link; ++k) {
      const std::string& each = out_.model->links[size_t(k)].name;
      if (each == prefix_ + name) return k;
      names.push_back(each.substr(prefix_.size()));
    }
    fail(source, fmt::format("there is no link '{}'{}", name, did_you_mean(name, names)));
  }

  // Returns the link of a contact sensor.
  int touching_link(const SensorRequest& request) const {
    const int link = link_named(request.link, request.sensor.source);
    if (std::ranges::find(out_.model->colliders, link, &Collider::link) ==
        out_.model->colliders.end())
      fail(
          request.sensor.source,
          fmt::format("the sensor '{}' is on the link '{}', which has no collision shapes; add one "
                      "with arm:collision",
                      request.sensor.name, request.link));
    return link;
  }

  void add(const SensorRequest& request) {
    RobotSensor out = request.sensor;
    out.robot = robot_index();
    if (!request.frame.empty()) out.frame = frame_named(request.frame, out.source);
    if (!request.joint.empty())
      out.joint = int(&joint_named(request.joint, out.source) - out_.model->joints.data());
    if (!request.link.empty()) out.link = touching_link(request);
    out_.load.sensors.push_back(std::move(out));
  }

  int robot_index() const { return int(&columns_ - out_.model->robots.data()); }

  void add_motion(const JointFunction& motion) {
    const Joint& joint = joint_named(motion.joint, motion.source);
    const int index = int(&joint - out_.model->joints.data());
    if (motion.trajectory) {
      out_.load.prescriptions.push_back(
          {index, follow(motion, joint.kind), motion.source, motion.trajectory->breaks()});
      return;
    }
    made_.motions.push_back({index, motion.function.key, motion.joint, motion.source});
  }

  std::function<void(double, std::span<double>, std::span<double>)> follow(
      const JointFunction& motion, JointKind kind) const {
    try {
      return motion_of_joint(motion.trajectory, motion.joint, kind);
    } catch (const Error& error) {
      fail(motion.source, error.what());
    }
  }

  void add_torque(const JointFunction& torque) {
    const Joint& joint = joint_named(torque.joint, torque.source);
    const int column = joint.v_index, n = traits(joint.kind).n_v;
    if (n != 1)
      fail(torque.source, fmt::format("tau of joint '{}' is a function of time, but the joint has "
                                      "{} degrees of freedom; apply a wrench instead",
                                      torque.joint, n));
    need_actuator(column, torque.source);
    if (std::any_of(robot_.motions.begin(), robot_.motions.end(),
                    [&](const JointFunction& motion) { return motion.joint == torque.joint; }))
      fail(torque.source, fmt::format("the motion of joint '{}' is prescribed, so it takes no "
                                      "torque; remove one of the two",
                                      torque.joint));
    made_.torques.push_back({column, torque.function.key, torque.joint, torque.source});
  }

  lua_State* L_;
  RobotObject& robot_;
  const Robot& columns_;
  ExperimentObject& made_;
  Experiment& out_;
  std::vector<double> motor_tau_;  // [n_v], or empty if the script gives no motor torque
  std::string prefix_;
};

}  // namespace

void add_robot_sensors(lua_State* L, RobotObject& robot, const Robot& columns,
                       ExperimentObject& made) {
  Resolver(L, robot, columns, made).add_sensors();
}

void add_robot_loads(lua_State* L, RobotObject& robot, const Robot& columns,
                     ExperimentObject& made) {
  Resolver(L, robot, columns, made).run();
}

}  // namespace torsor::lua
