#include "torsor/capi/robot.hpp"

#include "torsor/base/input_file.hpp"
#include "torsor/capi/engine.hpp"
#include "torsor/formats/robot_file.hpp"
#include "torsor/host/trust.hpp"
#include "torsor/run/experiment.hpp"

using namespace torsor;
using namespace torsor::capi;

void torsor_robot::finish() {
  coordinate_names = model->coordinate_names();
  dof_names = model->dof_names();
  for (const Joint& joint : model->joints)
    for (const JointCoordinate& coordinate : traits(joint.kind).coordinates)
      coordinate_units.emplace_back(coordinate.unit);
  for (int k = 0; k < model->n_v; ++k) dof_units.emplace_back(model->dof(k).v_unit());
  warnings = joined(model->warnings);
}

namespace torsor::capi {

std::unique_ptr<torsor_robot> make_robot(torsor_robot robot, const char* solver) {
  if (solver) robot.solver = robot.plugins->find<Solver>(solver).id;
  robot.finish();
  return std::make_unique<torsor_robot>(std::move(robot));
}

namespace {

void require_no_flags(const torsor_load_options& options, const char* file) {
  for (const auto& [flag, name] : {std::pair{options.strict, "strict"},
                                   {options.floating_base, "floating_base"},
                                   {options.collisions, "collisions"}})
    if (flag)
      throw Error(fmt::format("{}: {} is an option of robot files, not of Lua", file, name));
}

// Throws Error if options of runs are set.
void require_no_run(const torsor_load_options& options) {
  if (options.constraint_solver || options.integrator || options.dt != 0 || options.duration != 0)
    throw Error("constraint_solver, integrator, dt and duration are options of scenes");
}

RobotDescription read_description(const torsor_engine& engine, const char* file,
                                  const torsor_load_options& options) {
  if (options.n_settings > 0)
    throw Error(fmt::format("{}: settings apply to Lua files only", file));
  RobotFileOptions out{.strict = options.strict != 0,
                       .floating_base = options.floating_base != 0,
                       .collisions = options.collisions != 0};
  out.meshes.permission = [&engine](const std::filesystem::path& named, const std::string& source) {
    return engine.permission(access_request(AccessRequest::Kind::file, named, source));
  };
  return read_robot_file(file, out);
}

std::unique_ptr<torsor_robot> load_robot_handle(const torsor_engine& engine, const char* file,
                                                const torsor_load_options& options) {
  require_no_run(options);
  torsor_robot out{.model = {}, .plugins = engine.plugins, .found = engine.plugins};
  if (is_script(file)) {
    require_no_flags(options, file);
    auto loaded = Script(engine.script_options())
                      .load(file, overrides_of(options.settings, options.n_settings));
    if (auto* experiment = std::get_if<Experiment>(&loaded)) {
      out.model = experiment->model;
      out.plugins = experiment->plugins;
      out.gravity_W = experiment->gravity_W;
    } else {
      out.model = build(std::get<RobotDescription>(loaded));
    }
  } else {
    out.model = build(read_description(engine, file, options));
  }
  if (options.gravity) {
    require_numbers(options.gravity, 3, "gravity");
    out.gravity_W = {options.gravity[0], options.gravity[1], options.gravity[2]};
  }
  return make_robot(std::move(out), options.solver);
}

// A position of the caller, with quaternions of norm 1.
class Position {
 public:
  // Throws Error for numbers that are not finite, and for quaternions that are far from norm 1.
  Position(const torsor_robot& robot, const double* q, const char* name) : q_(q) {
    require_numbers(q, robot.n_q(), name);
    if (robot.model->mapped.empty()) return;
    scaled_.assign(q, q + robot.n_q());
    q_ = scaled_.data();
    try {
      normalise(*robot.model, scaled_);
    } catch (const Error& error) {
      throw Error(fmt::format("{}: {}", name, error.what()));
    }
  }
  Position(const Position&) = delete;
  const double* data() const { return q_; }

 private:
  const double* q_;
  std::vector<double> scaled_;
};

const std::vector<std::string>* names_of(const torsor_robot& robot, torsor_part part) {
  if (part == TORSOR_COORDINATES) return &robot.coordinate_names;
  if (part == TORSOR_DOFS) return &robot.dof_names;
  return nullptr;
}

}  // namespace
}  // namespace torsor::capi

torsor_result torsor_robot_load(const torsor_engine* engine, const char* file,
                                const torsor_load_options* options, torsor_robot** out,
                                torsor_error* error) {
  return create(out, error, [&] {
    require_pointer(engine, "engine");
    require_pointer(file, "file");
    return load_robot_handle(*engine, file, read_struct(options, "options")).release();
  });
}

void torsor_robot_destroy(torsor_robot* robot) {
  delete robot;
}

size_t torsor_robot_count(const torsor_robot* robot, torsor_part part) {
  if (!robot) return 0;
  if (const auto* names = names_of(*robot, part)) return names->size();
  if (part == TORSOR_JOINTS) return robot->model->joints.size();
  if (part == TORSOR_FRAMES) return robot->model->frames.size();
  return part == TORSOR_LINKS ? robot->model->links.size() : 0;
}

const char* torsor_robot_name(const torsor_robot* robot, torsor_part part, size_t index) {
  if (index >= torsor_robot_count(robot, part)) return nullptr;
  if (const auto* names = names_of(*robot, part)) return (*names)[index].c_str();
  const Model& model = *robot->model;
  if (part == TORSOR_JOINTS) return model.joints[index].name.c_str();
  return part == TORSOR_FRAMES ? model.frames[index].name.c_str() : model.links[index].name.c_str();
}

const char* torsor_robot_unit(const torsor_robot* robot, torsor_part part, size_t index) {
  if (index >= torsor_robot_count(robot, part)) return "";
  if (part == TORSOR_COORDINATES) return robot->coordinate_units[index].c_str();
  return part == TORSOR_DOFS ? robot->dof_units[index].c_str() : "";
}

const char* torsor_robot_warnings(const torsor_robot* robot) {
  return robot ? robot->warnings.c_str() : "";
}

torsor_result torsor_robot_neutral(const torsor_robot* robot, double* q, torsor_error* error) {
  return guarded(error, [&] {
    require_pointer(robot, "robot");
    require_pointer(q, "q");
    std::ranges::copy(neutral(*robot->model), q);
  });
}

torsor_result torsor_robot_limits(const torsor_robot* robot, double* lower, double* upper,
                                  double* velocity, double* effort, torsor_error* error) {
  return guarded(error, [&] {
    require_pointer(robot, "robot");
    const std::vector<Joint>& joints = robot->model->joints;
    for (size_t k = 0; k < joints.size(); ++k) {
      if (lower) lower[k] = joints[k].lower;
      if (upper) upper[k] = joints[k].upper;
      if (velocity) velocity[k] = joints[k].velocity_limit;
      if (effort) effort[k] = joints[k].effort_limit;
    }
  });
}

torsor_result torsor_robot_integrate(const torsor_robot* robot, const double* q, const double* v,
                                     double h, double* out, torsor_error* error) {
  return guarded(error, [&] {
    require_pointer(robot, "robot");
    const Position start(*robot, q, "q");
    require_numbers(v, robot->n_v(), "v");
    require_numbers(&h, 1, "h");
    require_pointer(out, "out");
    integrate(*robot->model, start.data(), v, h, out);
  });
}

torsor_result torsor_robot_difference(const torsor_robot* robot, const double* q0, const double* q1,
                                      double* d, torsor_error* error) {
  return guarded(error, [&] {
    require_pointer(robot, "robot");
    const Position from(*robot, q0, "q0"), to(*robot, q1, "q1");
    require_pointer(d, "d");
    difference(*robot->model, from.data(), to.data(), d);
  });
}
