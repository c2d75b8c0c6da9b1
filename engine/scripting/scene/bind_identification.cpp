// Implements arm:identify, which estimates the parameters of a robot from a recording,
// arm:exciting_motion, which finds a motion for such a recording, arm:set_parameters, and
// arm:base_parameters, which computes the base inertial parameters of a robot.

#include <cmath>

#include "torsor/base/memory.hpp"
#include "torsor/formats/robot_parameters.hpp"
#include "torsor/identification/base_parameters.hpp"
#include "torsor/identification/physical.hpp"
#include "torsor/identification/prediction.hpp"
#include "torsor/motions/excitation.hpp"
#include "torsor/run/measured_run.hpp"
#include "torsor/run/recording_origin.hpp"
#include "torsor/scripting/sandbox/access.hpp"
#include "torsor/scripting/scene/fields.hpp"
#include "torsor/scripting/scene/torsor_module.hpp"
#include "torsor/scripting/values/parameter_choice.hpp"
#include "torsor/scripting/values/reference_values.hpp"

namespace torsor::lua {

namespace {

void set_texts(lua_State* L, const char* key, const std::vector<std::string>& texts) {
  push_texts(L, texts);
  lua_setfield(L, -2, key);
}
std::optional<Vec3<double>> given_gravity(const TableReader& table) {
  if (!table.has("gravity")) return std::nullopt;
  return table.vector("gravity");
}
Vec3<double> gravity_of(const RobotObject& robot) {
  return robot.world ? robot.world->gravity_W : Vec3<double>{0, 0, -9.81};
}

std::optional<double> positive(const TableReader& table, const char* key, const char* unit) {
  if (!table.has(key)) return std::nullopt;
  return table.positive_or(key, 0, unit);
}

int whole(const TableReader& table, const char* key, int otherwise, int least, int most) {
  const double value = table.number_or(key, otherwise);
  if (!(value >= least && value <= most) || value != std::floor(value))
    table.place().inside(key).fail(
        fmt::format("is {}; give a whole number from {} to {}", value, least, most));
  return int(value);
}

MeasuredRunOptions read_run_options(const TableReader& table) {
  MeasuredRunOptions options{
      table.flag_or("from_positions", false),
      {positive(table, "cutoff", " Hz"), positive(table, "equation_cutoff", " Hz")}};
  options.only_positions |= options.cutoffs.position || options.cutoffs.equations;
  options.measured_by = table.text_or("measured_by", "");
  return options;
}

// A recording of the robot, the gravity in it, and the dof whose torques were not measured.
struct RobotRun {
  MeasuredRun measured;
  Vec3<double> gravity_W;
  std::vector<int> unmeasured;
};

// Returns the rows of a finished run as a recording.
Recording recording_of(const FinishedRun& run) {
  Recording out;
  out.columns = run.rows.columns();
  out.values = run.rows.values();
  return out;
}

RecordingOrigin origin_of(const Run& run, const RobotObject& robot) {
  const Simulation& simulation = run.simulation();
  const Load& load = simulation.load();
  RecordingOrigin out{"", {}, gravity_of(robot), {}, !load.forces.empty(), !robot.payloads.empty()};
  for (const Prescription& prescription : load.prescriptions)
    out.prescribed_joints.push_back(simulation.model().joints[size_t(prescription.joint)].name);
  return out;
}

// Reads recordings of a robot. Does not change the stack of the script.
struct RunReader {
  lua_State* L;
  const RobotObject& robot;
  const Model& model;
  MeasuredRunOptions options;
  std::optional<Vec3<double>> gravity_W;   // instead of that of the recordings
  std::vector<std::string> warnings = {};  // about loads that tau does not include

  // distorted: the results that such loads distort.
  RobotRun read(const std::string& name, const std::string& distorted) {
    const std::filesystem::path file = named_file(L, name);
    require_readable_by_script(L, file, "arm:identify");
    const Recording recording = read_recording(file);
    return measured(recording, name, distorted, read_origin(recording, name));
  }

  RobotRun read(const FinishedRun& run, const std::string& distorted) {
    if (!run.failure.empty()) throw Error("the run is not complete: " + run.failure);
    return measured(recording_of(run), "run", distorted, origin_of(run.run, robot));
  }

 private:
  RobotRun measured(const Recording& recording, const std::string& name,
                    const std::string& distorted, const std::optional<RecordingOrigin>& origin) {
    Sandbox::of(L).charge_work(L, "the recording " + name,
                               20.0 * double(recording.rows()) * model.n_v * model.n_v);
    for (const std::string& warning : load_warnings(origin, false, name, distorted))
      warnings.push_back(warning);
    return {read_measured_run(recording, model, name, options),
            gravity_W.value_or(origin ? origin->gravity_W : gravity_of(robot)),
            unmeasured_dofs(origin, model)};
  }
};

void push_prediction(lua_State* L, const Prediction& estimates, const Prediction& physical) {
  lua_createtable(L, 0, 3);
  set_field(L, "relative_error", estimates.relative_error());
  set_field(L, "relative_error_physical", physical.relative_error());
  lua_createtable(L, int(estimates.joints.size()), 0);
  for (size_t j = 0; j < estimates.joints.size(); ++j) {
    lua_createtable(L, 0, 4);
    push(L, estimates.joints[j].name);
    lua_setfield(L, -2, "name");
    set_field(L, "error", estimates.joints[j].error);
    set_field(L, "error_physical", physical.joints[j].error);
    set_field(L, "torque", estimates.joints[j].torque);
    lua_rawseti(L, -2, lua_Integer(j) + 1);
  }
  lua_setfield(L, -2, "joints");
}

void push_identification(lua_State* L, const Identification& found, const PhysicalFit& physical) {
  lua_createtable(L, 0, 12);
  set_texts(L, "names", found.base.names);
  set_texts(L, "units", units(found.base));
  set_list(L, "estimate", found.estimate);
  set_list(L, "deviation", found.deviation);
  set_list(L, "half_width", found.half_width);
  set_list(L, "model", found.base.values);
  set_list(L, "physical", physical.base);
  set_field(L, "physical_distance", physical.distance);
  set_field(L, "physical_farthest", physical.farthest);
  set_field(L, "condition", found.condition);
  set_field(L, "equations", double(found.equations));
}

}  // namespace

// Implements arm:identify{ recording =, validate = {..}, rotor =, friction =, gravity =,
// from_positions =, cutoff =, equation_cutoff =, weights =, measured_by = }. recording: a file, or
// the argument of an outcome function.
int robot_identify(lua_State* L) {
  auto& robot = self<RobotObject>(L, robot_type, "arm:identify{...}");
  const TableReader table(
      L, 2, {fmt::format("identify of '{}'", robot.description.name), ""},
      {"recording", "validate", "rotor", "friction", "gravity", "from_positions", "cutoff",
       "equation_cutoff", "weights", "measured_by"});
  const ParameterChoice choice = read_parameter_choice(table, {});
  const std::string weights = table.text_or("weights", "residuals");
  if (weights != "residuals" && weights != "equal")
    table.place().inside("weights").fail(fmt::format("is '{}'; use residuals or equal", weights));
  lua_getfield(L, 2, "recording");
  const FinishedRun* run = finished_run_at(L, lua_gettop(L), "arm:identify{ recording = run }");
  const std::shared_ptr<const Model> model = run ? model_of_run(L, robot) : own_model(L, robot);
  RunReader reader{L, robot, *model, read_run_options(table), given_gravity(table)};
  const std::string name = run ? "" : table.text("recording");
  const std::vector<std::string> others =
      table.has("validate") ? table.texts("validate") : std::vector<std::string>{};
  try {
    const auto [measured, gravity_W, unmeasured] =
        run ? reader.read(*run, "the estimates") : reader.read(name, "the estimates");
    std::optional<Decimation> decimation;
    if (measured.filtered) decimation = measured.filtered->decimation;
    const std::vector<double> dead_band = dead_band_of(
        measured.filtered ? measured.filtered->rate_noise
                          : rate_noise(measured.time, measured.motion.v, size_t(model->n_v)));
    const Identification found = identify(model, gravity_W, choice, measured.motion, unmeasured,
                                          dead_band, {decimation, weights == "equal"});
    const PhysicalFit physical = fit_physical(found);
    push_identification(L, found, physical);
    lua_createtable(L, int(others.size()), 0);
    for (size_t k = 0; k < others.size(); ++k) {
      const RobotRun other = reader.read(others[k], "the prediction");
      const auto of = [&](const std::vector<double>& parameters) {
        try {
          return predict(model, other.gravity_W, choice, found.base, parameters,
                         other.measured.motion, other.unmeasured, dead_band);
        } catch (const Error& error) {
          throw Error(fmt::format("'{}': {}", others[k], error.what()));
        }
      };
      push_prediction(L, of(found.estimate), of(physical.base));
      lua_rawseti(L, -2, lua_Integer(k) + 1);
    }
    lua_setfield(L, -2, "validation");
    set_texts(L, "warnings", reader.warnings);
  } catch (const Error& error) {
    table.fail(error.what());
  }
  return 1;
}

// Implements arm:exciting_motion{ harmonics =, frequency =, range =, velocity =, acceleration =,
// evaluations =, seed =, rotor =, friction =, gravity = }. The field `parameters` of the result is
// the argument of arm:trajectory("fourier", ..).
int robot_exciting_motion(lua_State* L) {
  auto& robot = self<RobotObject>(L, robot_type, "arm:exciting_motion{...}");
  if (lua_gettop(L) == 1) lua_newtable(L);
  const TableReader table(L, 2,
                          {fmt::format("exciting motion of '{}'", robot.description.name), ""},
                          {"harmonics", "frequency", "range", "velocity", "acceleration",
                           "evaluations", "seed", "rotor", "friction", "gravity"});
  const ExcitationRequest standard;
  const ExcitationRequest request{whole(table, "harmonics", standard.harmonics, 2, 50),
                                  table.positive_or("frequency", standard.frequency, " Hz"),
                                  table.positive_or("range", standard.range, ""),
                                  positive(table, "velocity", ""),
                                  positive(table, "acceleration", ""),
                                  whole(table, "evaluations", standard.evaluations, 1, 1000000),
                                  uint64_t(whole(table, "seed", int(standard.seed), 0, 1000000))};
  const ParameterChoice choice = read_parameter_choice(table, {});
  const std::shared_ptr<const Model> model = own_model(L, robot);
  const long long n = model->n_v, steps = 8 * request.harmonics * (50 + n * n * n);
  Excitation found;
  try {
    found = find_excitation(model, given_gravity(table).value_or(gravity_of(robot)), choice,
                            request, [&] { Sandbox::of(L).charge(L, steps); });
  } catch (const Error& error) {
    table.fail(error.what());
  }
  lua_createtable(L, 0, 4);
  lua_createtable(L, 0, 4);
  set_field(L, "frequency", found.frequency);
  set_list(L, "center", found.center);
  set_rows(L, "sine", found.sine);
  set_rows(L, "cosine", found.cosine);
  lua_setfield(L, -2, "parameters");
  set_field(L, "condition", found.condition);
  set_field(L, "random_condition", found.random_condition);
  set_field(L, "torque_use", found.torque_use);
  return 1;
}

RobotParameters read_robot_parameters(const TableReader& table) {
  RobotParameters out;
  lua_State* L = table.state();
  if (table.has("links"))
    table.each("links", [&](const std::string& link, int value, const Place& place) {
      const TableReader body(L, value, place, {"mass", "first_moment", "about_origin"});
      const TableReader I = body.table("about_origin", {"Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz"});
      out.links.push_back(
          {link,
           inertia_from_moments(body.number("mass"), body.vector("first_moment"),
                                {I.number("Ixx"), I.number("Iyy"), I.number("Izz"), I.number("Ixy"),
                                 I.number("Ixz"), I.number("Iyz")}),
           Sandbox::of(L).where(L, 1)});
    });
  if (table.has("joints"))
    table.each_entry("joints", "a list of tables", [&](int entry, const Place& place) {
      const TableReader joint(L, entry, place, {"joint", "dof", "armature", "viscous", "coulomb"});
      const auto value = [&](const char* key) -> std::optional<double> {
        if (!joint.has(key)) return std::nullopt;
        if (joint.number(key) < 0)
          joint.place().inside(key).fail(
              fmt::format("is {}; it must not be negative", joint.number(key)));
        return joint.number(key);
      };
      out.joints.push_back({joint.text("joint"), whole(joint, "dof", 1, 1, 6) - 1,
                            value("armature"), value("viscous"), value("coulomb")});
    });
  return out;
}

// Implements arm:set_parameters{ links =, joints = }, for the files that `torsor identify --write`
// writes.
void set_robot_parameters(lua_State* L, RobotObject& robot) {
  const TableReader table(L, 2,
                          {fmt::format("set_parameters of robot '{}'", robot.description.name), ""},
                          {"links", "joints"});
  const RobotParameters parameters = read_robot_parameters(table);
  if (parameters.links.empty() && parameters.joints.empty())
    table.fail("there is nothing to set; give links or joints");
  try {
    apply(parameters, robot.description);
  } catch (const Error& error) {
    table.fail(error.what());
  }
}

namespace {

Included read_included(const TableReader& table, const char* key, Included otherwise) {
  if (!table.has(key)) return otherwise;
  return table.flag_or(key, false) ? Included::all : Included::none;
}

}  // namespace

ParameterChoice read_parameter_choice(const TableReader& table, ParameterChoice otherwise) {
  return {read_included(table, "rotor", otherwise.rotor),
          read_included(table, "friction", otherwise.friction)};
}

void push_texts(lua_State* L, const std::vector<std::string>& texts) {
  lua_createtable(L, int(texts.size()), 0);
  for (size_t k = 0; k < texts.size(); ++k) {
    push(L, texts[k]);
    lua_rawseti(L, -2, lua_Integer(k + 1));
  }
}

// Implements arm:base_parameters{ rotor =, friction =, gravity = }. gravity: {x, y, z} in world
// axes, m/s^2. The default is the gravity of the robot's world.
int robot_base_parameters(lua_State* L) {
  auto& robot = self<RobotObject>(L, robot_type, "arm:base_parameters{...}");
  if (lua_gettop(L) == 1) lua_newtable(L);
  const TableReader table(L, 2,
                          {fmt::format("base parameters of '{}'", robot.description.name), ""},
                          {"rotor", "friction", "gravity"});
  const ParameterChoice choice = read_parameter_choice(table, {Included::own, Included::none});
  const std::shared_ptr<const Model> model = own_model(L, robot);
  Vec3<double> gravity_W = State(model).gravity_W();
  if (robot.world) gravity_W = robot.world->gravity_W;
  if (table.has("gravity")) gravity_W = table.vector("gravity");
  // Maximum number of parameters: ten per link, plus a rotor inertia and two friction parameters
  // per dof.
  const double n_v = model->n_v, most = 10.0 * double(model->links.size()) + 3 * n_v,
               rows = 40 * n_v;
  const std::string what = fmt::format("the base parameters of {} degrees of freedom", model->n_v);
  // Estimated number of steps for orthogonalizing the columns.
  Sandbox::of(L).charge_work(L, what, most * most * n_v);
  // Memory in bytes of the observation matrix, its scaled copies and the factors of both
  // eliminations.
  const TemporaryMemory memory(what, (6 * rows * most + 4 * most * most) * sizeof(double));
  BaseParameters base;
  try {
    base = base_parameters(model, gravity_W, choice);
  } catch (const Error& error) {
    table.fail(error.what());
  }
  lua_newtable(L);
  const auto set = [&](const char* key) { lua_setfield(L, -2, key); };
  lua_pushinteger(L, lua_Integer(base.rank())), set("rank");
  push_texts(L, base.names), set("names");
  push_texts(L, units(base)), set("units");
  push_list(L, base.values), set("values");
  push_texts(L, relations(base)), set("relations");
  push_texts(L, without_effect(base)), set("without_effect");
  lua_pushnumber(L, base.condition), set("condition");
  return 1;
}

}  // namespace torsor::lua
