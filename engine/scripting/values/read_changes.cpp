#include "torsor/scripting/values/read_changes.hpp"

#include <fmt/format.h>

#include <cmath>
#include <span>

#include "torsor/base/memory.hpp"
#include "torsor/constraints/loops/constrained_dynamics.hpp"
#include "torsor/host/registry.hpp"
#include "torsor/scripting/sandbox/table_reader.hpp"
#include "torsor/scripting/sandbox/value_text.hpp"
#include "torsor/scripting/values/read_force.hpp"

namespace torsor {

namespace lua {

namespace {

// Calls f. An Error that f throws is thrown again with the place before the message.
template <class F>
void said_of(const Place& place, F&& f) {
  try {
    f();
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}: {}", place.owner, place.path, error.what()));
  }
}

std::optional<Pull> read_pull(const TableReader& change, const Experiment& of) {
  if (change.is_flag("pull")) {
    if (change.flag_or("pull", false))
      change.place().inside("pull").fail(
          "is true; it must be a table { frame =, point =, .. }, or false to release");
    return std::nullopt;
  }
  const TableReader pull =
      change.table("pull", {"frame", "point", "target", "stiffness", "damping"});
  said_of(pull.place().inside("frame"),
          [&, frame = pull.text("frame")] { (void)of.model->frame(frame); });
  for (const char* key : {"stiffness", "damping"})
    if (pull.number(key) < 0)
      pull.place().inside(key).fail(
          fmt::format("is {}; it must not be negative", pull.number(key)));
  return Pull{pull.text("frame"), pull.vector("point"), pull.vector("target"),
              pull.number("stiffness"), pull.number("damping")};
}

ParameterChange read_parameter_change(const TableReader& change) {
  ParameterChange out;
  change.each("parameters", [&](const std::string& control, int value, const Place& place) {
    lua_State* L = change.state();
    const TableReader parts(L, value, place, {"law", "reference"});
    ControlParameters& made = out.controls.emplace_back(ControlParameters{control});
    for (const auto& [key, list] : {std::pair{"law", &made.law}, {"reference", &made.reference}}) {
      if (!parts.has(key)) continue;
      lua_getfield(L, value, key);
      if (!lua_istable(L, -1)) place.inside(key).fail("is not a table of parameters");
      *list = read_parameters(L, lua_gettop(L),
                              fmt::format("{}: {}", place.owner, place.inside(key).path), {});
    }
  });
  return out;
}

Change::What read_what(const TableReader& change, int index, const Experiment& of) {
  for (const char* key : {"v", "hold"})
    if (change.has(key) && !change.has("q"))
      change.fail(fmt::format("has {} without q; give q and v", key));
  const std::string_view kind =
      change.one_of({"q", "tau", "solver", "constraint_solver", "pull", "parameters"});
  const size_t n_v = size_t(of.model->n_v);
  if (kind == "q") {
    StateChange out{change.numbers("q", size_t(of.model->n_q)), change.numbers("v", n_v)};
    said_of(change.place().inside("q"), [&, q = out.q]() mutable { normalise(*of.model, q); });
    if (change.has("hold")) {
      out.hold = change.texts("hold");
      said_of(change.place(), [&] { (void)dofs_named(*of.model, out.hold, "hold"); });
      if (of.model->closures.empty())
        change.place().inside("hold").fail("applies to closed loops, and the scene has none");
    }
    return out;
  }
  if (kind == "tau") {
    const std::vector<double> tau = change.numbers("tau", n_v);
    for (size_t k = 0; k < n_v; ++k)
      if (tau[k] != 0 && of.model->drives[k].passive)
        change.place().inside("tau").fail(
            fmt::format("has a torque for joint '{}', which is passive; remove it",
                        of.model->joint_of_dof(int(k)).name));
    return TorqueChange{tau};
  }
  if (kind == "solver") return SolverChange{change.text("solver")};
  if (kind == "constraint_solver")
    return ConstraintSolverChange{read_constraint_solver(change, index)};
  if (kind == "pull") return PullChange{read_pull(change, of)};
  return read_parameter_change(change);
}

}  // namespace

ConstraintSolverChoice read_constraint_solver(const TableReader& table, int index) {
  constexpr const char* key = "constraint_solver";
  lua_State* L = table.state();
  const int top = lua_gettop(L);
  const Place place = table.place().inside(key);
  lua_getfield(L, index, key);
  if (!lua_istable(L, -1)) {
    const std::string id = name_at(L, top + 1, place);
    lua_settop(L, top);
    return {.id = id};
  }
  require_plain(L, top + 1, place, "a name and parameters");
  lua_rawgeti(L, top + 1, 1);
  ConstraintSolverChoice out{.id = name_at(L, top + 2, {place.owner, place.path + "[1]"})};
  // A copy of the table without the name.
  lua_newtable(L);
  for (lua_pushnil(L); lua_next(L, top + 1);) {
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, top + 3);
  }
  lua_pushnil(L);
  lua_rawseti(L, top + 3, 1);
  out.parameters = read_parameters(L, top + 3, fmt::format("{}: constraint_solver", place.owner));
  lua_settop(L, top);
  return out;
}

std::vector<Change> read_changes(const TableReader& experiment, const Experiment& of) {
  std::vector<Change> out;
  if (!experiment.has("changes")) return out;
  experiment.each_entry("changes", "a list of changes", [&](int value, const Place& place) {
    const TableReader change(
        experiment.state(), value, place,
        {"at", "q", "v", "hold", "tau", "solver", "constraint_solver", "pull", "parameters"});
    reserve_memory("the changes of the experiment",
                   sizeof(Change) + double(of.model->n_q + of.model->n_v) * sizeof(double));
    const double at = change.number("at");
    if (at / of.dt > 1e15)
      place.inside("at").fail(fmt::format(
          "is {} s, too many steps of {} s; choose an earlier time or a larger dt", at, of.dt));
    const long long step = std::llround(at / of.dt);
    if (!(at >= 0) || std::abs(double(step) * of.dt - at) > 1e-6 * of.dt)
      place.inside("at").fail(fmt::format(
          "is {} s; it must be at least 0 and a whole number of steps of {} s", at, of.dt));
    if (!out.empty() && step < out.back().step)
      place.inside("at").fail(
          fmt::format("is {} s, earlier than the change before it; sort the changes by time", at));
    out.push_back({step, read_what(change, value, of)});
  });
  return out;
}

namespace {

struct ChangeCheck {
  const Experiment& of;
  bool any_inertia;
  void operator()(const SolverChange& change) const {
    if (any_inertia)
      (void)of.plugins->find<Solver>(change.solver);
    else
      (void)of.plugins->solver(change.solver, of.model);
  }
  void operator()(const ConstraintSolverChange& change) const {
    const auto& [id, parameters] = change.constraint_solver;
    (void)of.plugins->make<ConstraintSolver>(id, of.model, parameters);
  }
  void operator()(const ParameterChange& change) const {
    for (const ControlParameters& each : change.controls)
      (void)remade_law(of.load.controls[control_index(*of.model, of.load.controls, each)], each);
  }
  void operator()(const auto&) const {}
};

}  // namespace

void check_changes(const Experiment& experiment, const std::string& source, bool any_inertia) {
  for (size_t k = 0; k < experiment.changes.size(); ++k) {
    const Change::What& what = experiment.changes[k].what;
    const char* key = std::holds_alternative<SolverChange>(what)             ? "solver"
                      : std::holds_alternative<ConstraintSolverChange>(what) ? "constraint_solver"
                                                                             : "parameters";
    said_of({source + ": world:experiment", fmt::format("changes[{}].{}", k + 1, key)}, [&] {
      const TemporaryMemory solver;
      std::visit(ChangeCheck{experiment, any_inertia}, what);
    });
  }
}

}  // namespace lua

namespace {

std::string text_of(const std::string& text) {
  return lua::quoted_text(text);
}
// Returns the shortest string from which Lua reads the same bits. -0 is written as -0.0, because
// Lua reads "-0" as the integer 0, without a sign.
std::string text_of(double x) {
  return x == 0 && std::signbit(x) ? "-0.0" : fmt::format("{}", x);
}
std::string text_of(std::span<const double> values) {
  std::string out;
  for (const double x : values) out += (out.empty() ? "" : ", ") + text_of(x);
  return fmt::format("{{ {} }}", out);
}
std::string text_of(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "" : ", ") + text_of(text);
  return fmt::format("{{ {} }}", out);
}
std::string text_of(const Vec3<double>& v) {
  return fmt::format("{{ {}, {}, {} }}", text_of(v.x), text_of(v.y), text_of(v.z));
}
std::string text_of(const Rows& rows) {
  std::string out;
  for (const std::vector<double>& row : rows) out += (out.empty() ? "" : ", ") + text_of(row);
  return fmt::format("{{ {} }}", out);
}
std::string text_of(bool flag) {
  return flag ? "true" : "false";
}
std::string text_of(const FramePlace& place) {
  if (place == FramePlace{place.name}) return text_of(place.name);
  const double* R = place.X.R.m;
  return fmt::format("{{ frame = {}, origin = {{ xyz = {}, rotation = {{ {}, {}, {} }} }} }}",
                     text_of(place.name), text_of(place.X.p), text_of(std::span(R, 3)),
                     text_of(std::span(R + 3, 3)), text_of(std::span(R + 6, 3)));
}
std::string text_of(const std::vector<FramePlace>& places) {
  std::string out;
  for (const FramePlace& place : places) out += (out.empty() ? "" : ", ") + text_of(place);
  return fmt::format("{{ {} }}", out);
}

// Returns the parameters as entries of a table, without its braces.
std::string entries_text(const std::vector<Parameter>& parameters) {
  std::string out;
  for (const auto& [name, value] : parameters)
    out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", name,
                       std::visit([](const auto& given) { return text_of(given); }, value));
  return out;
}
std::string text_of(const std::vector<Parameter>& parameters) {
  return fmt::format("{{ {} }}", entries_text(parameters));
}

struct WhatText {
  std::string operator()(const StateChange& c) const {
    const std::string state = fmt::format("q = {}, v = {}", text_of(c.q), text_of(c.v));
    return c.hold.empty() ? state : fmt::format("{}, hold = {}", state, text_of(c.hold));
  }
  std::string operator()(const TorqueChange& c) const {
    return fmt::format("tau = {}", text_of(c.tau));
  }
  std::string operator()(const SolverChange& c) const {
    return fmt::format("solver = {}", text_of(c.solver));
  }
  std::string operator()(const ConstraintSolverChange& c) const {
    const auto& [id, parameters] = c.constraint_solver;
    const std::string own = parameters.empty() ? "" : ", " + entries_text(parameters);
    return fmt::format("constraint_solver = {{ {}{} }}", text_of(id), own);
  }
  std::string operator()(const PullChange& c) const {
    if (!c.pull) return "pull = false";
    return fmt::format(
        "pull = {{ frame = {}, point = {}, target = {}, stiffness = {}, damping = {} }}",
        text_of(c.pull->frame), text_of(c.pull->point_F), text_of(c.pull->target_W),
        text_of(c.pull->stiffness), text_of(c.pull->damping));
  }
  std::string operator()(const ParameterChange& c) const {
    std::string out;
    for (const auto& [control, law, reference] : c.controls)
      out += fmt::format("{}[{}] = {{ law = {}, reference = {} }}", out.empty() ? "" : ", ",
                         text_of(control), text_of(law), text_of(reference));
    return fmt::format("parameters = {{ {} }}", out);
  }
};

// Returns the time of a step as a string with 15 digits. Uses full precision if the rounded time
// would differ from the step by 1e-7 dt or more.
std::string time_text(long long step, double dt) {
  const double t = double(step) * dt;
  const std::string rounded = fmt::format("{:.15g}", t);
  return std::abs(std::stod(rounded) - t) < 1e-7 * dt ? rounded : text_of(t);
}

}  // namespace

std::string changes_text(const std::vector<Change>& changes, double dt) {
  std::string out = "changes = {\n";
  for (const Change& change : changes)
    out += fmt::format("  {{ at = {}, {} }},\n", time_text(change.step, dt),
                       std::visit(WhatText(), change.what));
  return out + "},\n";
}

}  // namespace torsor
