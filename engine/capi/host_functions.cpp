// Control laws and forces that are functions of the caller.

#include "torsor/base/text.hpp"
#include "torsor/capi/rows.hpp"
#include "torsor/capi/scene.hpp"

namespace torsor::capi {

namespace {

static_assert(sizeof(Pose<double>) == 12 * sizeof(double));
static_assert(sizeof(Twist<double>) == 6 * sizeof(double));
static_assert(sizeof(Wrench<double>) == 6 * sizeof(double));

// Returns the index of a robot, or of the only one if the name is null.
int robot_index(const Model& model, const char* name) {
  if (name) return model.robot(name);
  if (model.robots.size() != 1)
    throw Error(fmt::format("robot: it is NULL, and the scene has {} robots; name one of them",
                            model.robots.size()));
  return 0;
}

// Returns the name of a frame in the model. In a model of several robots it begins with that of the
// robot.
int frame_index(const Model& model, const Robot& robot, const char* name) {
  require_pointer(name, "frames");
  if (model.robots.size() > 1 && !std::string_view(name).starts_with(robot.name + "."))
    return model.frame(robot.name + "." + name);
  return model.frame(name);
}

// Throws Error if a name of the caller cannot be a part of the names of signals. what: the thing
// with this name.
void check_name(const char* name, const char* what) {
  require_pointer(name, "name");
  if (!*name || !is_plain_text(name) || std::string_view(name).find('.') != std::string::npos)
    throw Error(fmt::format("name: it is '{}'; the name of a {} is text on one line without dots",
                            quotable(name), what));
}

// Throws Error if numbers of a function of the host are not finite. what: the numbers.
void require_finite(std::span<const double> x, const std::string& force, const char* what) {
  if (!are_finite(x))
    throw Error(fmt::format(
        "force '{}': the function of the host wrote {} that are not finite numbers", force, what));
}

std::string failure(int32_t result) {
  return fmt::format("the function of the host returned {}", result);
}

}  // namespace

bool ProgressCalls::next(uint64_t done, uint64_t all) {
  if (!function_) return true;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < std::chrono::milliseconds(100)) return true;
  last_ = now;
  return function_(user_, done, all) == 0;
}

void add_control(Experiment& experiment, const torsor_control& control) {
  const Model& model = *experiment.model;
  check_name(control.name, "control");
  if (!control.function) throw Error("function: it is NULL");
  if (!(control.period >= 0 && std::isfinite(control.period)))
    throw Error(fmt::format("period: it is {}; give a time in s, or 0", control.period));
  Control out;
  out.name = control.name;
  out.robot = robot_index(model, control.robot);
  out.period = control.period;
  const Robot& robot = model.robots[size_t(out.robot)];
  for (const Control& other : experiment.load.controls)
    if (other.robot == out.robot && other.name == out.name)
      throw Error(fmt::format("robot '{}' has a control '{}' already; choose another name",
                              robot.name, out.name));
  const auto call = [function = control.function, user = control.user](
                        const Measured& at, double, std::span<const double>,
                        const ControlLaw::Answer& answer) {
    const torsor_control_state state{sizeof state, at.t,        at.q.data(),
                                     at.v.data(),  at.q.size(), at.v.size()};
    if (const int32_t result = function(user, &state, answer.tau.data()))
      throw LawError(failure(result));
  };
  out.law = std::make_shared<FunctionLaw>(call);
  experiment.host_functions.push_back(fmt::format("{}.{}", robot.name, out.name));
  experiment.load.controls.push_back(std::move(out));
}

void add_force(Experiment& experiment, const torsor_external_force& force) {
  const Model& model = *experiment.model;
  check_name(force.name, "force");
  if (!force.function) throw Error("function: it is NULL");
  ForceFunction out;
  out.robot = robot_index(model, force.robot);
  const Robot& robot = model.robots[size_t(out.robot)];
  if (force.n_frames > 0) require_pointer(force.frames, "frames");
  for (size_t k = 0; k < force.n_frames; ++k)
    out.frames.push_back(frame_index(model, robot, force.frames[k]));
  const std::string name = fmt::format("{}.{}", robot.name, force.name);
  if (std::ranges::find(experiment.host_functions, name) != experiment.host_functions.end())
    throw Error(
        fmt::format("robot '{}' has a function '{}' of the host already; choose another name",
                    robot.name, force.name));
  out.evaluate = [function = force.function, user = force.user, name](
                     const ForceFunction::State& at, const ForceFunction::Answer& answer) {
    const torsor_force_state state{.struct_size = sizeof state,
                                   .t = at.t,
                                   .q = at.q.data(),
                                   .v = at.v.data(),
                                   .n_q = at.q.size(),
                                   .n_v = at.v.size(),
                                   .n_frames = at.X_WF.size(),
                                   .X_WF = reinterpret_cast<const double*>(at.X_WF.data()),
                                   .V_WF_W = reinterpret_cast<const double*>(at.V_WF_W.data())};
    double* F_W = reinterpret_cast<double*>(answer.F_F_W.data());
    if (const int32_t result = function(user, &state, answer.tau.data(), F_W))
      throw Error(fmt::format("force '{}': {}", name, failure(result)));
    require_finite(answer.tau, name, "torques");
    require_finite({F_W, 6 * answer.F_F_W.size()}, name, "wrenches");
  };
  experiment.host_functions.push_back(name);
  experiment.load.force_functions.push_back(std::move(out));
}

}  // namespace torsor::capi
