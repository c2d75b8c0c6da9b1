#include "torsor/run/describe.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

#include "torsor/control/controller_law.hpp"
#include "torsor/run/run_comparison.hpp"

namespace torsor {

namespace {

nlohmann::ordered_json number(double value) {
  if (std::isfinite(value)) return value;
  return nullptr;  // JSON cannot represent infinity (no limit) and NaN (undefined)
}

// Returns a single value if there is one entry, otherwise a list.
template <class Entry, class Value>
nlohmann::ordered_json per_entry(std::span<const Entry> entries, Value value) {
  auto list = nlohmann::ordered_json::array();
  for (size_t k = 0; k < entries.size(); ++k) list.push_back(value(entries[k], k));
  return list.size() == 1 ? list[0] : list;
}

}  // namespace

namespace {

nlohmann::ordered_json describe(const Friction& friction) {
  return {{"law", name(friction.law)},
          {"viscous", friction.viscous},
          {"coulomb", friction.coulomb},
          {"static", friction.breakaway},
          {"decay", friction.decay},
          {"transition", friction.transition},
          {"bristle_stiffness", friction.bristle_stiffness},
          {"bristle_damping", friction.bristle_damping}};
}

// Adds the properties of a motor's amplifier that are known.
void add_amplifier(const Motor& motor, nlohmann::ordered_json& out) {
  for (const auto& [key, value] : {std::pair{"torque_constant", motor.torque_constant},
                                   {"amplifier_gain", motor.amplifier_gain},
                                   {"resistance", motor.resistance},
                                   {"max_input", motor.max_input},
                                   {"max_current", motor.max_current},
                                   {"max_voltage", motor.max_voltage}})
    if (value > 0) out[key] = value;
}

// Describes a drive. Omits properties that the drive does not have.
nlohmann::ordered_json describe(const Drive& drive) {
  nlohmann::ordered_json out = nlohmann::json::object();
  if (drive.friction.law != Friction::Law::none) out["friction"] = describe(drive.friction);
  if (const auto& e = drive.elasticity)
    out["elastic"] = {{"stiffness", e->stiffness}, {"cubic", e->cubic}, {"damping", e->damping}};
  if (drive.motor.rotor_inertia > 0)
    out["motor"] = {{"rotor_inertia", drive.motor.rotor_inertia},
                    {"gear_ratio", drive.motor.gear_ratio}};
  if (drive.motor.friction.law != Friction::Law::none)
    out["motor"]["friction"] = describe(drive.motor.friction);
  if (drive.motor.torque_constant > 0) add_amplifier(drive.motor, out["motor"]);
  if (drive.motor.clamp) out["motor"]["clamp"] = true;
  if (drive.motor.stall_torque > 0) out["motor"]["stall_torque"] = drive.motor.stall_torque;
  if (drive.spring.stiffness > 0)
    out["spring"] = {{"stiffness", drive.spring.stiffness}, {"rest", drive.spring.rest}};
  if (drive.stop) out["stop"] = {{"restitution", drive.stop->restitution}};
  if (drive.passive) out["passive"] = true;
  return out;
}

// rest: q of the joint; empty for the neutral one
nlohmann::ordered_json describe(const PoseSpring& spring) {
  return {{"angular_stiffness", spring.angular},
          {"linear_stiffness", spring.linear},
          {"rest", spring.rest}};
}

nlohmann::ordered_json describe(const Model& model, const Transmission& group) {
  nlohmann::ordered_json out{{"joints", nlohmann::json::array()},
                             {"jacobian", nlohmann::json::array()}};
  const size_t n = group.dofs.size();
  std::vector<std::string> joints;
  for (const int dof : group.dofs) joints.push_back(model.joint_of_dof(dof).name);
  const std::vector<std::string> expressions =
      group.law ? group.law->expressions(joints) : std::vector<std::string>();
  out["joints"] = joints;
  if (group.law && expressions.empty()) out["jacobian"] = "a function of q";
  for (size_t i = 0; i < n; ++i) {
    if (!expressions.empty())
      out["jacobian"].push_back(std::vector<std::string>(
          expressions.begin() + ptrdiff_t(i * n), expressions.begin() + ptrdiff_t((i + 1) * n)));
    else if (!group.law)
      out["jacobian"].push_back(
          std::vector<double>(group.jacobian.begin() + ptrdiff_t(i * n),
                              group.jacobian.begin() + ptrdiff_t((i + 1) * n)));
    nlohmann::ordered_json motor{{"rotor_inertia", group.motors[i].rotor_inertia}};
    if (group.motors[i].friction.law != Friction::Law::none)
      motor["friction"] = describe(group.motors[i].friction);
    add_amplifier(group.motors[i], motor);
    out["motors"].push_back(motor);
  }
  return out;
}

}  // namespace

nlohmann::ordered_json describe(const Model& model) {
  nlohmann::ordered_json out{{"robots", nlohmann::json::array()}, {"bodies", model.n_body - 1}};
  for (const Robot& robot : model.robots) out["robots"].push_back(robot.name);
  out["joints"] = nlohmann::json::array();
  for (const Joint& joint : model.joints) {
    const JointTraits& kind = traits(joint.kind);
    const auto per_dof = [&](const std::vector<double>& values) {
      return per_entry(kind.dofs,
                       [&](const auto&, size_t k) { return values[size_t(joint.v_index) + k]; });
    };
    out["joints"].push_back(
        {{"name", joint.name},
         {"kind", kind.name},
         {"unit", per_entry(kind.coordinates, [](const auto& c, size_t) { return c.unit; })},
         {"lower", number(joint.lower)},
         {"upper", number(joint.upper)},
         {"armature", per_dof(model.armature)},
         {"damping", per_dof(model.damping)}});
    const auto drives = per_entry(kind.dofs, [&](const auto&, size_t k) {
      return describe(model.drives[size_t(joint.v_index) + k]);
    });
    if (!drives.empty()) out["joints"].back()["drive"] = drives;
    if (joint.spring) out["joints"].back()["spring"] = describe(*joint.spring);
  }
  for (const auto& [column, rotor, ratio, e] : model.elastic_rotors)
    out["elastic_rotors"].push_back({{"joint", model.joint_of_dof(column).name},
                                     {"rotor", model.joint_of_dof(rotor).name},
                                     {"ratio", ratio},
                                     {"stiffness", e.stiffness},
                                     {"cubic", e.cubic},
                                     {"damping", e.damping}});
  for (const auto& [dof_i, dof_j, stiffness] : model.stiffness_couplings)
    out["stiffness_couplings"].push_back(
        {{"joints", {model.joint_of_dof(dof_i).name, model.joint_of_dof(dof_j).name}},
         {"stiffness", stiffness}});
  for (const auto& [column, of_dof, ratio, offset] : model.mimics)
    out["mimics"].push_back({{"joint", model.joint_of_dof(column).name},
                             {"of", model.joint_of_dof(of_dof).name},
                             {"ratio", ratio},
                             {"offset", offset}});
  for (const Transmission& group : model.transmissions)
    out["transmissions"].push_back(describe(model, group));
  out["links"] = nlohmann::json::array();
  for (const Link& link : model.links) {
    nlohmann::ordered_json entry{{"name", link.name}, {"mass", link.inertia_L.m}};
    if (link.grouped) entry["grouped"] = true;
    out["links"].push_back(entry);
  }
  out["warnings"] = model.warnings;
  return out;
}

namespace {

nlohmann::ordered_json describe(const FramePlace& place) {
  const Quaternion r = quaternion(place.X.R);
  return {{"frame", place.name},
          {"position", {place.X.p.x, place.X.p.y, place.X.p.z}},
          {"quaternion", {r.w, r.x, r.y, r.z}}};
}

nlohmann::ordered_json describe(const std::vector<FramePlace>& places) {
  auto out = nlohmann::ordered_json::array();
  for (const FramePlace& place : places) out.push_back(describe(place));
  return out;
}

nlohmann::ordered_json describe(const ParameterValue& value) {
  return std::visit(
      []<class Value>(const Value& given) -> nlohmann::ordered_json {
        if constexpr (std::is_same_v<Value, std::vector<FramePlace>>)
          return describe(given);
        else
          return given;
      },
      value);
}

nlohmann::ordered_json describe(const torsor_descriptor& plugin,
                                const std::vector<Setting>& settings) {
  auto parameters = nlohmann::ordered_json::array();
  for (const auto& [name, unit, value] : settings)
    parameters.push_back({{"name", name}, {"unit", unit}, {"value", describe(value)}});
  return {{"id", plugin.id}, {"version", plugin.version}, {"parameters", parameters}};
}

nlohmann::ordered_json describe(const Control& control, const Model& model) {
  const Sensor& sensor = control.sensor;
  nlohmann::ordered_json out = {{"name", control.name},
                                {"robot", model.robots[size_t(control.robot)].name}};
  if (const auto* law = dynamic_cast<const ControllerLaw*>(control.law.get())) {
    out["controller"] = describe(law->controller().descriptor(), law->controller().settings());
    out["model_solver"] = law->controller().dynamics().solver_id();
    if (!law->controller().note().empty()) out["note"] = law->controller().note();
  }
  out["period_s"] = control.period;
  out["measures"] = control.of_motors ? "motors" : "joints";
  if (control.gives_inputs) out["returns"] = "inputs";
  if (!control.max_torque.empty()) {
    out["max_torque"] = nlohmann::ordered_json::array();
    for (const double limit : control.max_torque) out["max_torque"].push_back(number(limit));
  }
  if (!sensor.is_exact())
    out["sensor"] = {{"resolution", sensor.resolution}, {"noise", sensor.noise},
                     {"rate_noise", sensor.rate_noise}, {"differentiates", sensor.differentiates},
                     {"delay_s", sensor.delay},         {"seed", sensor.seed}};
  return out;
}

nlohmann::ordered_json describe(const RobotSensor& sensor, const Model& model) {
  nlohmann::ordered_json out = {{"name", sensor.name},
                                {"robot", model.robots[size_t(sensor.robot)].name},
                                {"kind", traits(sensor.kind).name}};
  if (sensor.frame >= 0) out["frame"] = model.frames[size_t(sensor.frame)].name;
  if (sensor.joint >= 0) out["joint"] = model.joints[size_t(sensor.joint)].name;
  if (sensor.link >= 0) out["link"] = model.links[size_t(sensor.link)].name;
  if (sensor.kind == SensorKind::touch) out["threshold_N"] = sensor.threshold;
  for (const auto& [key, values] : {std::pair{"noise", &sensor.noise},
                                    {"bias", &sensor.bias},
                                    {"resolution", &sensor.resolution}})
    if (!values->empty()) out[key] = *values;
  out["period_s"] = sensor.period;
  out["delay_s"] = sensor.delay;
  out["seed"] = sensor.seed;
  return out;
}

nlohmann::ordered_json describe(const Payload& payload, const std::string& frame) {
  const SpatialInertia<double>& M = payload.inertia_F;
  const Twist<double>& V = payload.V_WP;
  return {{"frame", frame},
          {"mass_kg", M.m},
          {"first_moment_kg_m", {{"frame", frame}, {"value", {M.h.x, M.h.y, M.h.z}}}},
          {"inertia_kg_m2",
           {{"frame", frame},
            {"order", "xx, yy, zz, xy, xz, yz about its origin"},
            {"value", {M.I.xx, M.I.yy, M.I.zz, M.I.xy, M.I.xz, M.I.yz}}}},
          {"attach_s", payload.attach},
          {"release_s", number(payload.release)},
          {"twist_before",
           {{"frame", "world axes, at the frame's origin"},
            {"order", "angular in rad/s, linear in m/s"},
            {"value", {V.w.x, V.w.y, V.w.z, V.v.x, V.v.y, V.v.z}}}}};
}

nlohmann::ordered_json describe(const std::vector<Parameter>& parameters) {
  auto out = nlohmann::ordered_json::array();
  for (const auto& [name, value] : parameters)
    out.push_back({{"name", name}, {"value", describe(value)}});
  return out;
}

nlohmann::ordered_json describe(const ConstraintSolverChoice& choice) {
  return {{"id", choice.id}, {"parameters", describe(choice.parameters)}};
}

}  // namespace

nlohmann::ordered_json describe(const Experiment& experiment) {
  nlohmann::ordered_json parameters = nlohmann::json::object();
  for (const auto& [name, value] : experiment.parameters)
    std::visit([&, key = name](const auto& v) { parameters[key] = v; }, value);
  const Vec3<double>& g = experiment.gravity_W;
  auto forces = nlohmann::ordered_json::array();
  for (const auto& force : experiment.load.forces)
    forces.push_back(describe(force->descriptor(), force->settings()));
  auto payloads = nlohmann::ordered_json::array(), prescribed = payloads, controls = payloads,
       sensors = payloads;
  for (const Payload& payload : experiment.payloads)
    payloads.push_back(describe(payload, experiment.model->frames[size_t(payload.frame)].name));
  for (const Prescription& prescription : experiment.load.prescriptions)
    prescribed.push_back(experiment.model->joints[size_t(prescription.joint)].name);
  for (const Control& control : experiment.load.controls)
    controls.push_back(describe(control, *experiment.model));
  for (const RobotSensor& sensor : experiment.load.sensors)
    sensors.push_back(describe(sensor, *experiment.model));
  nlohmann::ordered_json out{{"parameters", parameters},
                             {"gravity", {g.x, g.y, g.z}},
                             {"forces", forces},
                             {"payloads", payloads},
                             {"prescribed_joints", prescribed},
                             {"controls", controls},
                             {"sensors", sensors},
                             {"compare", experiment.compare},
                             {"constraint_solver", describe(experiment.constraint_solver)},
                             {"integrator", name(experiment.integrator)},
                             {"dt", experiment.dt},
                             {"rtol", experiment.tolerances.rtol},
                             {"atol", experiment.tolerances.atol},
                             {"max_step", number(experiment.tolerances.max_step)},
                             {"duration", experiment.duration},
                             {"record", experiment.record},
                             {"record_interval", experiment.record_interval},
                             {"energy_tolerance", experiment.energy_tolerance},
                             {"separate_overlaps", experiment.separate_overlaps},
                             {"q0", experiment.q},
                             {"v0", experiment.v},
                             {"motor_q0", experiment.motor_q},
                             {"motor_v0", experiment.motor_v},
                             {"model", describe(*experiment.model)}};
  if (!experiment.host_functions.empty()) {
    out["host_functions"] = experiment.host_functions;
    out["replayable"] = false;
  }
  return out;
}

nlohmann::ordered_json describe(const SolverIdentity& solver) {
  nlohmann::ordered_json out{
      {"id", solver.id}, {"version", solver.version}, {"sha256", solver.sha256}};
  if (!solver.level.empty()) out["processor_level"] = solver.level;
  return out;
}

namespace {

nlohmann::ordered_json describe(const Pull& pull) {
  const auto &p = pull.point_F, &x = pull.target_W;
  return {{"frame", pull.frame},
          {"point_m", {p.x, p.y, p.z}},   // in the frame's axes
          {"target_m", {x.x, x.y, x.z}},  // in the axes of the world
          {"stiffness_N_m", pull.stiffness},
          {"damping_N_s_m", pull.damping}};
}

}  // namespace

nlohmann::ordered_json describe(const std::vector<Change>& changes,
                                const SolverIdentifier& identify) {
  auto out = nlohmann::ordered_json::array();
  for (const Change& change : changes) {
    nlohmann::ordered_json entry{{"step", change.step}};
    if (const auto* state = std::get_if<StateChange>(&change.what)) {
      entry["q"] = state->q;
      entry["v"] = state->v;
      if (!state->hold.empty()) entry["hold"] = state->hold;
    } else if (const auto* torque = std::get_if<TorqueChange>(&change.what)) {
      entry["tau"] = torque->tau;
    } else if (const auto* solver = std::get_if<SolverChange>(&change.what)) {
      entry["solver"] = describe(identify(solver->solver));
    } else if (const auto* chosen = std::get_if<ConstraintSolverChange>(&change.what)) {
      entry["constraint_solver"] = describe(chosen->constraint_solver);
    } else if (const auto* pull = std::get_if<PullChange>(&change.what)) {
      entry["pull"] = pull->pull ? describe(*pull->pull) : nullptr;
    } else {
      entry["parameters"] = nlohmann::ordered_json::array();
      for (const ControlParameters& each : std::get<ParameterChange>(change.what).controls)
        entry["parameters"].push_back({{"control", each.control},
                                       {"law", describe(each.law)},
                                       {"reference", describe(each.reference)}});
    }
    out.push_back(entry);
  }
  return out;
}

nlohmann::ordered_json describe(const RunComparison& comparison) {
  nlohmann::ordered_json worst = nlohmann::json::array();
  for (size_t k = 0; k < comparison.solvers().size(); ++k)
    for (const Compared quantity : all_compared) {
      const auto& [disagreement, time, failure] = comparison.worst(int(k), quantity);
      worst.push_back({{"solver", comparison.solvers()[k]},
                       {"quantity", name(quantity)},
                       {"disagreement", number(disagreement.value)},
                       {"allowed", disagreement.allowed},
                       {"of_allowed", number(disagreement.fraction())},
                       {"time", time},
                       {"broken", disagreement.broken()}});
      if (!failure.empty()) worst.back()["failure"] = failure;
    }
  return {{"rows", comparison.rows()}, {"worst", worst}};
}

namespace {

nlohmann::ordered_json describe(const MetricsRow& row) {
  nlohmann::ordered_json out{{"name", row.name},
                             {"error_unit", row.error_unit},
                             {"rms_error", number(row.rms_error)},
                             {"peak_error", number(row.peak_error)},
                             {"settled", nullptr},
                             {"settling_time_s", number(row.settling_time)},
                             {"overshoot_of_travel", number(row.overshoot)},
                             {"torque_unit", row.torque_unit},
                             {"peak_torque", number(row.peak_torque)},
                             {"motor_work_J", number(row.motor_work)},
                             {"net_work_J", number(row.net_work)},
                             {"saturated_share_of_time", number(row.saturated)}};
  if (!std::isnan(row.settling_time)) out["settled"] = std::isfinite(row.settling_time);
  return out;
}

}  // namespace

nlohmann::ordered_json describe(const std::vector<ControlMetrics>& metrics) {
  auto out = nlohmann::ordered_json::array();
  for (const ControlMetrics& of : metrics) {
    auto rows = nlohmann::ordered_json::array();
    for (const MetricsRow& row : of.rows) rows.push_back(describe(row));
    out.push_back(
        {{"robot", of.robot}, {"control", of.control}, {"rows", rows}, {"all", describe(of.all)}});
  }
  return out;
}

}  // namespace torsor
