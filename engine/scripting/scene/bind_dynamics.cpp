// Implements arm:dynamics and arm:inverse_kinematics. The result of each method depends only on the
// arguments. Functions called during a run may therefore use these methods.

#include <fmt/ranges.h>

#include <utility>

#include "torsor/mechanics/inverse_kinematics.hpp"
#include "torsor/mechanics/joint_wrenches.hpp"
#include "torsor/plugin/plugin.hpp"
#include "torsor/scripting/scene/dynamics_call.hpp"
#include "torsor/scripting/scene/torsor_module.hpp"
#include "torsor/scripting/values/frame_values.hpp"
#include "torsor/scripting/values/parameter_choice.hpp"
#include "torsor/scripting/values/read_task.hpp"
#include "torsor/scripting/values/reference_values.hpp"

namespace torsor::lua {

void push_joint_wrenches(lua_State* L, const DynamicsObject& d, std::span<const Wrench<double>> W_B,
                         Axes axes) {
  const Model& model = d.state.model();
  lua_createtable(L, 0, int(model.joints.size()));
  for (const Joint& joint : model.joints) {
    const Wrench<double> F = at_link(d.state, joint, W_B, axes);
    const std::vector entries{F.n.x, F.n.y, F.n.z, F.f.x, F.f.y, F.f.z};
    if (!all_finite(entries.data(), entries.size()))
      throw Error(fmt::format(
          "{}: the wrench of joint '{}' is not finite; check the state and the accelerations",
          d.owner, joint.name));
    set_list(L, joint.name.c_str(), entries);
  }
}

namespace {

const Frame& frame_at(lua_State* L, int index, const DynamicsObject& d) {
  if (lua_type(L, index) != LUA_TSTRING)
    throw Error(
        fmt::format("{}: the frame is a {}; give its name", d.owner, luaL_typename(L, index)));
  const Model& model = d.state.model();
  return owned(d.owner,
               [&]() -> const Frame& { return model.frames[size_t(model.frame(text(L, index)))]; });
}

// Reads the axes of a result, "frame" or "world". The default is "frame".
Axes axes_at(lua_State* L, int index, const DynamicsObject& d) {
  if (lua_isnoneornil(L, index)) return Axes::frame;
  if (lua_type(L, index) == LUA_TSTRING) {
    if (text(L, index) == "frame") return Axes::frame;
    if (text(L, index) == "world") return Axes::world;
  }
  throw Error(fmt::format("{}: unknown axes; use \"frame\" or \"world\"", d.owner));
}

// Implements the methods that compute one quantity: d:mass_matrix(q), d:inverse(q, v, vdot), ...
// The quantity's row in the table `quantities` defines the arguments.
int evaluate(lua_State* L, Quantity quantity) {
  const QuantityRow& row = row_of(quantity);
  const std::span<const char* const> arguments = names(row.input);
  DynamicsObject& d =
      called(L, fmt::format("d:{}({})", row.method, fmt::join(arguments, ", ")).c_str(),
             int(arguments.size()));
  require_solver(d);
  set_state(L, d, 2);
  std::vector<double> given;
  int index = 3;
  for (const char* argument : arguments.subspan(1)) {
    std::vector<double> values = rates_at(L, index++, d, argument);
    (argument == std::string_view("v") ? d.state.v : given) = std::move(values);
  }
  const size_t n_v = d.state.v.size();
  const double numbers = double(entries(quantity, n_v));
  const CallCost cost(L, d.state.model(), fmt::format("{}: {}", d.owner, name(quantity)),
                      {indices(quantity) == 1 ? 2 : 2 + numbers / double(n_v), numbers});
  std::vector<double> out(entries(quantity, n_v));
  if (const Status status = d.solver->evaluate(quantity, d.state, given.data(), out.data());
      !status)
    throw Error(fmt::format("{}: {}", d.owner, d.solver->explain(status)));
  if (indices(quantity) == 1)
    push_list(L, out);
  else if (indices(quantity) == 2)
    push_matrix(L, out, n_v);
  else
    push_cube(L, out, n_v);
  return 1;
}

template <Quantity quantity>
int evaluate(lua_State* L) {
  return evaluate(L, quantity);
}
template <size_t... k>
void add_quantities(std::vector<Function>& methods, std::index_sequence<k...>) {
  (
      [&] {
        constexpr Quantity quantity = Quantity(k);
        if (row_of(quantity).method)
          methods.push_back({row_of(quantity).method, guarded<evaluate<quantity>>});
      }(),
      ...);
}

// Implements d:regressor(q, v, vdot, { rotor =, friction = }). Returns the regressor Y as a list of
// rows, the names of the parameters (columns of Y), and their values.
int regressor_of_parameters(lua_State* L) {
  if (lua_gettop(L) == 4) lua_newtable(L);
  DynamicsObject& d = called(L, "d:regressor(q, v, vdot, {...})", 4);
  const TableReader table(L, 5, {fmt::format("regressor in {}", d.owner), ""},
                          {"rotor", "friction"});
  set_state(L, d, 2);
  d.state.v = rates_at(L, 3, d, "v");
  const std::vector<double> vdot = rates_at(L, 4, d, "vdot");
  const double n_v = d.state.model().n_v, Y_B = n_v * n_inertial * d.state.model().n_body;
  const CallCost cost(L, d.state.model(), d.owner + ": the regressor",
                      {10 + n_v, Y_B + 3 * n_v * n_v, Y_B});
  LinearModel linear(d.state.model_ptr(), read_parameter_choice(table, {}));
  const size_t n = linear.parameters().size();
  std::vector<double> Y(d.state.v.size() * n), values;
  std::vector<std::string> names;
  linear.regressor(d.state, vdot.data(), Y.data());
  for (const DynamicParameter& parameter : linear.parameters()) {
    names.push_back(parameter.name);
    values.push_back(parameter.value);
  }
  push_matrix(L, Y, n);
  push_texts(L, names);
  push_list(L, values);
  return 3;
}

// Implements d:pose(frame, q). Returns X_WF as { xyz = {x, y, z}, rotation = rows of R_WF }.
// Scripts can use this table wherever they specify a pose.
int pose(lua_State* L) {
  DynamicsObject& d = called(L, "d:pose(frame, q)", 2);
  set_state(L, d, 3);
  const Pose<double> X = frame_pose(d.state, frame_at(L, 2, d));
  lua_createtable(L, 0, 2);
  push_list(L, std::vector{X.p.x, X.p.y, X.p.z});
  lua_setfield(L, -2, "xyz");
  push_matrix(L, std::span(X.R.m, 9), 3);
  lua_setfield(L, -2, "rotation");
  return 1;
}

// Implements d:jacobian(frame, q, axes). Returns J [6 x n_v] as a list of rows. The first three
// rows are angular.
int jacobian(lua_State* L) {
  if (lua_gettop(L) == 3) lua_pushnil(L);
  DynamicsObject& d = called(L, "d:jacobian(frame, q, axes)", 3);
  set_state(L, d, 3);
  push_matrix(L, frame_jacobian(d.state, frame_at(L, 2, d), axes_at(L, 4, d)));
  return 1;
}

void push_twist(lua_State* L, const Twist<double>& V) {
  push_list(L, std::vector{V.w.x, V.w.y, V.w.z, V.v.x, V.v.y, V.v.z});
}

// Implements d:jacobian_rate(frame, q, v, axes). Returns Jdot v [6].
int rate_of_jacobian(lua_State* L) {
  if (lua_gettop(L) == 4) lua_pushnil(L);
  DynamicsObject& d = called(L, "d:jacobian_rate(frame, q, v, axes)", 4);
  set_state(L, d, 3);
  d.state.v = rates_at(L, 4, d, "v");
  push_twist(L, jacobian_rate(d.state, frame_at(L, 2, d), axes_at(L, 5, d)));
  return 1;
}

// Implements d:jacobian_derivative(frame, q, v, axes). Returns Jdot [6 x n_v] as a list of rows.
int derivative_of_jacobian(lua_State* L) {
  if (lua_gettop(L) == 4) lua_pushnil(L);
  DynamicsObject& d = called(L, "d:jacobian_derivative(frame, q, v, axes)", 4);
  set_state(L, d, 3);
  d.state.v = rates_at(L, 4, d, "v");
  push_matrix(L, jacobian_derivative(d.state, frame_at(L, 2, d), axes_at(L, 5, d)));
  return 1;
}

// Reads a list of names of twist components. The components are in world axes.
Components components_at(lua_State* L, int index, const DynamicsObject& d) {
  const auto fail = [&](const std::string& why) -> Error {
    return Error(fmt::format("{}: the components must be a list such as {{\"x\", \"y\", \"rz\"}}{}",
                             d.owner, why));
  };
  if (lua_type(L, index) != LUA_TTABLE) throw fail("");
  require_own_entries(L, index, {d.owner, "components"}, "a list of names");
  std::vector<std::string> names;
  for (lua_Integer k = 1; k <= lua_Integer(lua_rawlen(L, index)); ++k) {
    if (lua_rawgeti(L, index, k) != LUA_TSTRING) throw fail("");
    names.emplace_back(text(L, -1));
    lua_pop(L, 1);
  }
  try {
    return named_components(names, pose_components);
  } catch (const Error& error) {
    throw fail(fmt::format(": {}", error.what()));
  }
}

// Implements d:operational_space(frame, q, v, components). The components are in world axes.
// Without `components`, the task is the complete body-fixed twist of the frame.
int space_of_frame(lua_State* L) {
  if (lua_gettop(L) == 4) lua_pushnil(L);
  DynamicsObject& d = called(L, "d:operational_space(frame, q, v, components)", 4);
  require_solver(d);
  set_state(L, d, 3);
  d.state.v = rates_at(L, 4, d, "v");
  const Frame& frame = frame_at(L, 2, d);
  const double n = double(d.state.v.size());
  const CallCost cost(L, d.state.model(), d.owner + ": the operational space",
                      {5 + 2 * n, n * n + 24 * n, 6 * n * n});
  const std::optional<Components> components =
      lua_isnil(L, 5) ? std::nullopt : std::optional(components_at(L, 5, d));
  push_operational_space(L, owned(d.owner, [&] {
                           const OperationalSpaces spaces(*d.solver, d.state);
                           return components ? spaces.of(frame, *components) : spaces.of(frame);
                         }));
  return 1;
}

// Implements d:centroidal(q, v). scripts/README.md lists the returned fields.
int centroidal_of_robot(lua_State* L) {
  DynamicsObject& d = called(L, "d:centroidal(q, v)", 2);
  set_state(L, d, 2);
  d.state.v = rates_at(L, 3, d, "v");
  charge_kernels(L, d.state.model(), 5);
  push_centroidal(L, owned(d.owner, [&] { return centroidal(d.state); }));
  return 1;
}

// Implements d:joint_wrenches(q, v, vdot, axes). Returns { joint1 = six numbers, .. }. Each wrench
// acts at the origin of the joint's child link.
int wrenches_of_joints(lua_State* L) {
  if (lua_gettop(L) == 4) lua_pushnil(L);
  DynamicsObject& d = called(L, "d:joint_wrenches(q, v, vdot, axes)", 4);
  set_state(L, d, 2);
  d.state.v = rates_at(L, 3, d, "v");
  const std::vector<double> vdot = rates_at(L, 4, d, "vdot");
  const Axes axes = axes_at(L, 5, d);
  charge_kernels(L, d.state.model(), 4);
  push_joint_wrenches(L, d,
                      d.state.model().closures.empty() ? joint_wrenches(d.state, vdot)
                                                       : closed_joint_wrenches(L, d, vdot),
                      axes);
  return 1;
}

// Implements d:imu(frame, q, v, vdot). Returns the angular velocity and the specific force [6] in
// the axes of the frame.
int measurement_of_imu(lua_State* L) {
  DynamicsObject& d = called(L, "d:imu(frame, q, v, vdot)", 4);
  set_state(L, d, 3);
  d.state.v = rates_at(L, 4, d, "v");
  const std::vector<double> vdot = rates_at(L, 5, d, "vdot");
  const Frame& frame = frame_at(L, 2, d);
  charge_kernels(L, d.state.model(), 1);
  const auto [w, a] = inertial_measurement(d.state, vdot, frame);
  push_twist(L, {w, a});
  return 1;
}

// Implements d:integrate(q, d). Returns q (+) d, the position q displaced by d [n_v].
int integrate_position(lua_State* L) {
  DynamicsObject& d = called(L, "d:integrate(q, d)", 2);
  std::vector<double> q = positions_at(L, 2, {d.owner, "q"}, d.state.model());
  integrate(d.state.model(), q.data(), rates_at(L, 3, d, "d").data(), 1, q.data());
  charge_kernels(L, d.state.model(), 1);
  push_list(L, q);
  return 1;
}

// Implements d:difference(q0, q1). Returns the d [n_v] for which q0 (+) d = q1.
int difference_of_positions(lua_State* L) {
  DynamicsObject& d = called(L, "d:difference(q0, q1)", 2);
  const Model& model = d.state.model();
  std::vector<double> out(d.state.v.size());
  difference(model, positions_at(L, 2, {d.owner, "q0"}, model).data(),
             positions_at(L, 3, {d.owner, "q1"}, model).data(), out.data());
  charge_kernels(L, model, 1);
  push_list(L, out);
  return 1;
}

// Implements d:joint_rates{ frame =, q =, twist = { angular =, linear = }, acceleration = { .. },
// components =, hold = { joint, .. } }. Returns v. Also returns vdot if `acceleration` is given.
int rates_of_joints(lua_State* L) {
  DynamicsObject& d = called(L, "d:joint_rates{...}", 1);
  const TableReader table(L, 2, {fmt::format("joint_rates in {}", d.owner), ""},
                          {"frame", "q", "twist", "acceleration", "components", "hold"});
  const Model& model = d.state.model();
  lua_getfield(L, 2, "q");
  d.state.set_q(positions_at(L, lua_gettop(L), table.place().inside("q"), model));
  Components given{}, again{};
  const Twist<double> V = read_twist(table, "twist", given);
  const bool second = table.has("acceleration");
  const Twist<double> Vdot = second ? read_twist(table, "acceleration", again) : Twist<double>{};
  if (second && again != given)
    table.place()
        .inside("acceleration")
        .fail("must have the same parts (angular, linear) as twist");
  std::vector<int> held;
  if (table.has("hold"))
    for (const std::string& name : table.texts("hold"))
      held.push_back(joint_named(table.place().inside("hold"), model, name));
  const Frame& frame = read_frame(table, model);
  const Components components = read_components(table, given);
  charge_kernels(L, model, 10);
  try {
    const JointRates rates = joint_rates(d.state, frame, components, held, V, Vdot);
    push_list(L, rates.v);
    if (second) push_list(L, rates.vdot);
  } catch (const Error& error) {
    table.fail(error.what());
  }
  return second ? 2 : 1;
}

void push_result(lua_State* L, const Model& model, const PoseTarget& target,
                 const SearchResult& result) {
  lua_newtable(L);
  const auto set = [&](const char* key) { lua_setfield(L, -2, key); };
  push(L, name(result.end)), set("stop");
  push(L, explain(model, target, result)), set("text");
  lua_pushinteger(L, result.iterations), set("iterations");
  lua_pushnumber(L, result.error()), set("error");
  push_list(L, result.residual), set("residual");
  lua_createtable(L, int(result.limits.size()), 0);
  for (const auto& [joint, upper] : result.limits) {
    lua_createtable(L, 0, 2);
    push(L, model.joints[size_t(joint)].name), set("joint");
    push(L, upper ? "upper" : "lower"), set("side");
    lua_rawseti(L, -2, lua_Integer(lua_rawlen(L, -2)) + 1);
  }
  set("limits");
  if (result.end == SearchEnd::singular || result.end == SearchEnd::out_of_reach)
    push_list(L, result.task_direction), set("task_direction");
  if (result.end == SearchEnd::singular)
    push_list(L, result.joint_direction), set("joint_direction");
}

}  // namespace

// Implements arm:dynamics{ solver =, gravity = }. gravity: {x, y, z} in world axes, m/s^2.
int robot_dynamics(lua_State* L) {
  auto& robot = self<RobotObject>(L, robot_type, "arm:dynamics{...}");
  SceneContext& scene = scene_of(L);
  if (lua_gettop(L) == 1) lua_newtable(L);
  const std::string owner = fmt::format("dynamics of '{}'", robot.description.name);
  const TableReader table(L, 2, {owner, ""}, {"solver", "gravity"});
  const std::string solver = table.text_or("solver", Experiment{}.solver);
  const std::shared_ptr<const Model> model = own_model(L, robot);
  auto made = std::make_unique<DynamicsObject>(DynamicsObject{owner, std::nullopt, State(model)});
  if (robot.world) made->state.set_gravity(robot.world->gravity_W);
  if (table.has("gravity")) made->state.set_gravity(table.vector("gravity"));
  const auto& plugins = scene_of(L).plugins;
  if (plugins) {
    made->make_solver = [plugins, solver](std::shared_ptr<const Model> of) {
      return plugins->solver(solver, std::move(of));
    };
    made->solver = made->make_solver(model);
  } else if (!scene.any_inertia) {
    table.fail("plugins are not available where this scene is loaded; run it as a scene");
  }
  const RobotObject* const list[] = {&robot};
  charge_model(L, list);
  scene.dynamics.push_back(std::move(made));
  push_handle(L, scene.dynamics.back().get(), dynamics_type);
  return 1;
}

// Implements arm:inverse_kinematics{ frame =, pose = | position = | orientation =, components =,
// start =, hold =, tolerance =, max_iterations =, required = }. Returns q and a table that
// describes the result of the search.
int robot_inverse_kinematics(lua_State* L) {
  auto& robot = self<RobotObject>(L, robot_type, "arm:inverse_kinematics{...}");
  const TableReader table(L, 2,
                          {fmt::format("inverse kinematics of '{}'", robot.description.name), ""},
                          {"frame", "pose", "position", "orientation", "components", "start",
                           "hold", "tolerance", "max_iterations", "required"});
  const std::shared_ptr<const Model> model = own_model(L, robot);
  const PoseTarget target = read_target(table, *model);
  std::vector<double> q = start_within_limits(*model);
  SearchSettings settings = read_search(table, *model, q);
  // Memory in bytes of the map of the free coordinates, and of the second derivatives that are used
  // to explain why a search has ended.
  const double n = model->n_v;
  const TemporaryMemory memory(
      fmt::format("inverse kinematics of {} degrees of freedom", model->n_v),
      6 * n * n * sizeof(double));
  settings.working = [&] { charge_kernels(L, *model, 2 + model->n_v / 50); };
  SearchResult result;
  try {
    result = solve_inverse_kinematics(model, target, q, settings);
  } catch (const Error& error) {
    table.fail(error.what());
  }
  if (table.flag_or("required", true) && result.end != SearchEnd::found)
    table.fail(explain(*model, target, result));
  push_list(L, result.q);
  push_result(L, *model, target, result);
  return 2;
}

void add_dynamics_functions(lua_State* L) {
  constexpr Function methods[] = {{"batch", guarded<respond_in_batch>},
                                  {"bounds", guarded<bounds_of_robot>},
                                  {"centroidal", guarded<centroidal_of_robot>},

                                  {"difference", guarded<difference_of_positions>},
                                  {"evaluate", guarded<evaluate_states>},

                                  {"imu", guarded<measurement_of_imu>},
                                  {"integrate", guarded<integrate_position>},

                                  {"jacobian", guarded<jacobian>},
                                  {"jacobian_derivative", guarded<derivative_of_jacobian>},
                                  {"jacobian_rate", guarded<rate_of_jacobian>},
                                  {"joint_rates", guarded<rates_of_joints>},
                                  {"joint_wrenches", guarded<wrenches_of_joints>},
                                  {"linearise", guarded<linearise_step>},
                                  {"actuator_limits", guarded<limits_of_actuators>},
                                  {"time_optimal", guarded<time_optimal_motion>},
                                  {"torque_check", guarded<check_torques_of_motion>},

                                  {"operational_space", guarded<space_of_frame>},
                                  {"pose", guarded<pose>},
                                  {"regressor", guarded<regressor_of_parameters>},
                                  {"rollouts", guarded<roll_out>},
                                  {"velocity_coefficients", guarded<coefficients_of_velocities>}};
  std::vector<Function> all(std::begin(methods), std::end(methods));
  add_quantities(all, std::make_index_sequence<n_quantities>());
  for (const std::span<const Function> more :
       {derivative_functions(), constraint_functions(), contact_functions()})
    all.insert(all.end(), more.begin(), more.end());
  make_type(L, dynamics_type, all);
}

}  // namespace torsor::lua
