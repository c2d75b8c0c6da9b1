#include "torsor/scripting/prompt/bind_live.hpp"

#include <algorithm>

#include "torsor/handles/quantity.hpp"
#include "torsor/scripting/sandbox/table_reader.hpp"
#include "torsor/scripting/sandbox/value_text.hpp"
#include "torsor/scripting/values/parameter_choice.hpp"

namespace torsor::lua {

namespace {

constexpr const char* live_type = "live";
constexpr const char* context_key = "torsor.live";
constexpr int complete_model = -1;  // robot index of the object `state`: the complete model

LiveContext& live_of(lua_State* L) {
  lua_getfield(L, LUA_REGISTRYINDEX, context_key);
  auto* live = static_cast<LiveContext*>(lua_touserdata(L, -1));
  lua_pop(L, 1);
  return *live;
}

// Returns the run. Throws Error if no scene is loaded.
LiveRun& run_of(lua_State* L) {
  LiveRun& run = live_of(L).run;
  if (!run.experiment()) throw Error("no scene is loaded; open one first");
  return run;
}

// Returns the index of the robot object on the stack, or `complete_model` for the object `state`.
// Throws Error if the current scene has no robot with this index.
int robot_at(lua_State* L, int index, const Model& model) {
  const int robot = *static_cast<const int*>(lua_touserdata(L, index));
  if (robot >= int(model.robots.size()))
    throw Error("the robot is no longer in the scene; get it again");
  return robot;
}

bool is_live(lua_State* L, int index) {
  return luaL_testudata(L, index, live_type) != nullptr;
}

// --- values --------------------------------------------------------------------------------------

constexpr const char* joint_quantities[] = {"q", "v", "vdot", "tau", "friction", "constraint"};

std::string own_name(const Model& model, int robot, const std::string& name) {
  if (robot == complete_model || model.robots.size() == 1) return name;
  return name.substr(model.robots[size_t(robot)].name.size() + 1);
}

struct Span {
  size_t first, count;
};
Span part(const Model& model, int robot, bool of_q) {
  if (robot == complete_model) return {0, size_t(of_q ? model.n_q : model.n_v)};
  const Robot& of = model.robots[size_t(robot)];
  return of_q ? Span{size_t(of.first_q), size_t(of.n_q)} : Span{size_t(of.first_v), size_t(of.n_v)};
}

std::vector<std::string> names_of(const Model& model, int robot, bool of_q) {
  const std::vector<std::string> all = of_q ? model.coordinate_names() : model.dof_names();
  const auto [first, count] = part(model, robot, of_q);
  std::vector<std::string> out;
  for (size_t k = first; k < first + count; ++k) out.push_back(own_name(model, robot, all[k]));
  return out;
}

// Implements __index of a list of joint values: returns the entry with the given name. Upvalue: the
// list of names.
int named_entry(lua_State* L) {
  std::vector<std::string> names;
  for (lua_Integer k = 1; k <= lua_Integer(lua_rawlen(L, lua_upvalueindex(1))); ++k) {
    lua_rawgeti(L, lua_upvalueindex(1), k);
    names.emplace_back(text(L, -1));
    lua_pop(L, 1);
  }
  if (lua_type(L, 2) != LUA_TSTRING) return 0;
  const std::string name(text(L, 2));
  const auto found = std::ranges::find(names, name);
  if (found == names.end())
    throw Error(fmt::format("there is no joint '{}'{}", name, did_you_mean(name, names)));
  lua_rawgeti(L, 1, found - names.begin() + 1);
  return 1;
}

// Pushes a list of values. Its entries can be read by number and by joint name.
void push_named(lua_State* L, std::span<const double> values,
                const std::vector<std::string>& names) {
  push_list(L, values);
  if (names.empty()) return;
  lua_createtable(L, 0, 2);
  push_texts(L, names);
  lua_pushvalue(L, -1);
  lua_setfield(L, -3, "names");
  lua_pushcclosure(L, guarded<named_entry>, 1);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
}

void push_joint_values(lua_State* L, LiveRun& run, int robot, std::string_view quantity) {
  const Model& model = *run.model();
  const bool of_q = quantity == "q";
  const auto [first, count] = part(model, robot, of_q);
  const std::vector<double> all = run.joint_values(quantity);
  push_named(L, std::span(all).subspan(first, count), names_of(model, robot, of_q));
}

// --- dynamics ------------------------------------------------------------------------------------

// A method of arm:dynamics{...}. Each letter of `arguments` is one argument: q, v, a (vdot), t
// (motor torques tau) or F (a frame). A missing argument other than F is taken from the current
// state.
struct Method {
  const char *name, *arguments;
};
constexpr Method other_methods[] = {{"assemble", ""},
                                    {"centroidal", "qv"},
                                    {"constrained_forward", "qvt"},
                                    {"constrained_inverse", "qva"},
                                    {"constrained_partials", "qvt"},
                                    {"constraints", "qv"},
                                    {"contact_forces", "qvt"},
                                    {"difference", ""},
                                    {"equation_rates", "qva"},
                                    {"forward_partials", "qvt"},
                                    {"imu", "Fqva"},
                                    {"integrate", ""},
                                    {"inverse_partials", "qva"},
                                    {"inverse_rates", "qva"},
                                    {"jacobian", "Fq"},
                                    {"jacobian_derivative", "Fqv"},
                                    {"jacobian_rate", "Fqv"},
                                    {"joint_rates", ""},
                                    {"joint_wrenches", "qva"},
                                    {"linearise", ""},
                                    {"operational_space", "Fqv"},
                                    {"pose", "Fq"},
                                    {"reduced_dynamics", "qv"},
                                    {"regressor", "qva"},
                                    {"second_partials", "qva"}};
constexpr const char* letters_of(QuantityInput input) {
  constexpr const char* letters[] = {"q", "qv", "qva", "qvt"};
  return letters[int(input)];
}
// Returns all methods in alphabetical order.
const std::vector<Method>& methods() {
  static const std::vector<Method> all = [] {
    std::vector<Method> out(std::begin(other_methods), std::end(other_methods));
    for (const QuantityRow& row : quantities)
      if (row.method) out.push_back({row.method, letters_of(row.input)});
    std::ranges::sort(out, {}, [](const Method& method) { return std::string_view(method.name); });
    return out;
  }();
  return all;
}

const char* quantity_of(char letter) {
  switch (letter) {
    case 'q':
      return "q";
    case 'v':
      return "v";
    case 'a':
      return "vdot";
    default:
      return "tau";
  }
}

// Calls a method of the dynamics object of the run. Upvalue: index of the method.
int call_method(lua_State* L) {
  const Method& method = methods()[size_t(lua_tointeger(L, lua_upvalueindex(1)))];
  if (lua_gettop(L) == 0 || !is_live(L, 1))
    throw Error(fmt::format("call {0} with a colon, as in state:{0}()", method.name));
  LiveRun& run = run_of(L);
  const Model& model = *run.model();
  if (robot_at(L, 1, model) != complete_model && model.robots.size() > 1)
    throw Error(
        fmt::format("the scene has {} robots; use state:{}(..), with the joints of all of them",
                    model.robots.size(), method.name));
  int index = 2;
  for (const char* letter = method.arguments; *letter; ++letter, ++index) {
    if (*letter == 'F' || !lua_isnoneornil(L, index)) continue;
    if (lua_gettop(L) < index) lua_settop(L, index);
    push_joint_values(L, run, complete_model, quantity_of(*letter));
    lua_replace(L, index);
  }
  push_handle(L, &live_of(L).dynamics(), dynamics_type);
  lua_replace(L, 1);
  luaL_getmetatable(L, dynamics_type);
  lua_getfield(L, -1, "__index");
  lua_getfield(L, -1, method.name);
  lua_insert(L, 1);
  lua_pop(L, 2);
  lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
  return lua_gettop(L);
}

// --- fields --------------------------------------------------------------------------------------

std::vector<std::string> fields_of(int robot) {
  std::vector<std::string> out(std::begin(joint_quantities), std::end(joint_quantities));
  out.insert(out.end(), {"joints", "frames"});
  if (robot == complete_model) out.insert(out.end(), {"t", "step", "playing", "solver"});
  for (const Method& method : methods()) out.emplace_back(method.name);
  return out;
}

std::vector<std::string> frames_of(const Model& model, int robot) {
  std::vector<std::string> out;
  for (const Frame& frame : model.frames)
    if (robot == complete_model || model.robots.size() == 1 ||
        frame.name.starts_with(model.robots[size_t(robot)].name + "."))
      out.push_back(frame.name);
  return out;
}

bool push_of_run(lua_State* L, LiveRun& run, std::string_view key) {
  if (key == "t")
    lua_pushnumber(L, run.time());
  else if (key == "step")
    lua_pushinteger(L, run.step());
  else if (key == "playing")
    lua_pushboolean(L, run.playing());
  else if (key == "solver")
    push(L, without_kind(run.solver()));
  else
    return false;
  return true;
}

// Implements __index of a robot and of `state`: arm.q, arm.mass_matrix, state.t.
int live_field(lua_State* L) {
  LiveRun& run = run_of(L);
  const std::shared_ptr<const Model> model = run.model();
  const int robot = robot_at(L, 1, *model);
  const std::string key =
      lua_type(L, 2) == LUA_TSTRING ? std::string(text(L, 2)) : luaL_typename(L, 2);
  if (std::ranges::find(joint_quantities, key) != std::end(joint_quantities)) {
    push_joint_values(L, run, robot, key);
    return 1;
  }
  if (key == "joints" || key == "frames") {
    push_texts(L, key == "joints" ? names_of(*model, robot, false) : frames_of(*model, robot));
    return 1;
  }
  if (robot == complete_model && push_of_run(L, run, key)) return 1;
  const auto method = std::ranges::find(methods(), key, &Method::name);
  if (method == methods().end()) {
    const std::vector<std::string> fields = fields_of(robot);
    throw Error(fmt::format("{} has no '{}'{}",
                            robot == complete_model
                                ? "state"
                                : fmt::format("robot '{}'", model->robots[size_t(robot)].name),
                            key, did_you_mean(key, fields)));
  }
  lua_pushinteger(L, method - methods().begin());
  lua_pushcclosure(L, guarded<call_method>, 1);
  return 1;
}

int reject_field(lua_State*) {
  throw Error(
      "the state is read-only; change it with set_q, set_v or set_tau, as in set_q('joint1', 0.5)");
}

int live_text(lua_State* L) {
  LiveRun& run = run_of(L);
  const Model& model = *run.model();
  const int robot = robot_at(L, 1, model);
  if (robot == complete_model)
    push(L, fmt::format("state: t = {:g} s, {} joints, q, v, vdot, tau; state:mass_matrix()",
                        run.time(), model.joints.size()));
  else
    push(L, fmt::format("robot '{0}': {1} joints, {0}.q, {0}:mass_matrix()",
                        model.robots[size_t(robot)].name, model.robots[size_t(robot)].n_joint));
  return 1;
}

// --- functions -----------------------------------------------------------------------------------

// Converts a Lua argument of an action into a string. true and false become "on" and "off".
std::string word_at(lua_State* L, int index) {
  switch (lua_type(L, index)) {
    case LUA_TNUMBER:
      return lua_isinteger(L, index) ? fmt::format("{}", lua_tointeger(L, index))
                                     : fmt::format("{}", lua_tonumber(L, index));
    case LUA_TBOOLEAN:
      return lua_toboolean(L, index) ? "on" : "off";
    case LUA_TSTRING:
      return std::string(text(L, index));
    default:
      throw Error(fmt::format("an argument is a {}; it must be a number, a string, true or false",
                              luaL_typename(L, index)));
  }
}

// Performs an action and then resets the budget of the script. The action has no time limit,
// because its duration depends on the run and not on the script.
int act(lua_State* L, const std::string& action, int first) {
  std::vector<std::string> words;
  for (int k = first; k <= lua_gettop(L); ++k) words.push_back(word_at(L, k));
  const PaidBy nobody(nullptr);  // memory of the action is not charged to the script
  live_of(L).run.act(action, words);
  Sandbox::of(L).renew_budget();
  return 0;
}

template <const char* name>
int act_as(lua_State* L) {
  return act(L, name, 1);
}

int any_action(lua_State* L) {
  if (lua_type(L, 1) != LUA_TSTRING)
    throw Error(
        "action takes the name of an action and its arguments, as in action('time.go', 1.5)");
  return act(L, std::string(text(L, 1)), 2);
}

int play(lua_State* L) {
  return run_of(L).playing() ? 0 : act(L, "time.play", 1);
}

int print_values(lua_State* L) {
  std::string line;
  for (int i = 1, n = lua_gettop(L); i <= n; ++i) line += (i > 1 ? "\t" : "") + text_of_value(L, i);
  live_of(L).run.print(line);
  return 0;
}

constexpr char go[] = "time.go", pause[] = "time.pause", redo[] = "edit.redo",
               reset[] = "time.reset", set_q[] = "edit.position", set_v[] = "edit.velocity",
               set_tau[] = "edit.torque", solver[] = "solver.choose", step[] = "time.step",
               undo[] = "edit.undo";

}  // namespace

DynamicsObject& LiveContext::dynamics() {
  const std::shared_ptr<const Model> model = run.model();
  const std::string solver_id = run.solver();
  if (dynamics_ && model == model_ && solver_id == solver_) return *dynamics_;
  const Experiment& experiment = *run.experiment();
  // The new object replaces the previous one. It belongs to the run, so its memory is not charged
  // to the script.
  const PaidBy nobody(nullptr);
  auto made = std::make_unique<DynamicsObject>(
      DynamicsObject{"dynamics of the run", std::nullopt, State(model)});
  made->state.set_gravity(experiment.gravity_W);
  made->make_solver = [plugins = experiment.plugins, solver_id](std::shared_ptr<const Model> of) {
    return plugins->solver(solver_id, std::move(of));
  };
  made->solver = made->make_solver(model);
  dynamics_ = std::move(made);
  model_ = model;
  solver_ = solver_id;
  return *dynamics_;
}

void open_live(lua_State* L, LiveContext& live) {
  lua_pushlightuserdata(L, &live);
  lua_setfield(L, LUA_REGISTRYINDEX, context_key);
  luaL_newmetatable(L, live_type);
  constexpr Function events[] = {{"__index", guarded<live_field>},
                                 {"__newindex", guarded<reject_field>},
                                 {"__tostring", guarded<live_text>}};
  add_functions(L, events);
  lua_pushboolean(L, false);
  lua_setfield(L, -2, "__metatable");
  lua_pop(L, 1);
}

void add_live_functions(lua_State* L) {
  constexpr Function functions[] = {
      {"action", guarded<any_action>},       {"go", guarded<act_as<go>>},
      {"pause", guarded<act_as<pause>>},     {"play", guarded<play>},
      {"print", guarded<print_values>},      {"redo", guarded<act_as<redo>>},
      {"reset", guarded<act_as<reset>>},     {"set_q", guarded<act_as<set_q>>},
      {"set_tau", guarded<act_as<set_tau>>}, {"set_v", guarded<act_as<set_v>>},
      {"solver", guarded<act_as<solver>>},   {"step", guarded<act_as<step>>},
      {"undo", guarded<act_as<undo>>}};
  add_functions(L, functions);
}

bool push_live(lua_State* L, std::string_view name) {
  LiveRun& run = live_of(L).run;
  if (!run.experiment()) return false;
  const Model& model = *run.model();
  int robot = complete_model;
  if (name != "state") {
    const auto found = std::ranges::find(model.robots, name, &Robot::name);
    if (found == model.robots.end()) return false;
    robot = int(found - model.robots.begin());
  }
  *static_cast<int*>(lua_newuserdatauv(L, sizeof(int), 0)) = robot;
  luaL_setmetatable(L, live_type);
  return true;
}

std::vector<std::string> live_names(lua_State* L) {
  std::vector<std::string> out{"state"};
  LiveRun& run = live_of(L).run;
  if (run.experiment())
    for (const Robot& robot : run.model()->robots) out.push_back(robot.name);
  return out;
}

std::vector<std::string> live_fields(lua_State* L, int index) {
  if (is_live(L, index)) return fields_of(*static_cast<const int*>(lua_touserdata(L, index)));
  std::vector<std::string> out;
  if (luaL_getmetafield(L, index, "names") != LUA_TTABLE) return out;
  for (lua_Integer k = 1; k <= lua_Integer(lua_rawlen(L, -1)); ++k) {
    lua_rawgeti(L, -1, k);
    if (lua_type(L, -1) == LUA_TSTRING) out.emplace_back(text(L, -1));
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return out;
}

}  // namespace torsor::lua
