// Implements `outcome` of world:experiment, and the methods of its argument, a finished run.

#include <cmath>

#include "torsor/base/text.hpp"
#include "torsor/scripting/sandbox/sorted_keys.hpp"
#include "torsor/scripting/scene/torsor_module.hpp"
#include "torsor/scripting/values/time_function.hpp"

namespace torsor::lua {

namespace {

const FinishedRun& finished_run(lua_State* L, const char* call) {
  (void)self<FinishedRunObject>(L, finished_run_type, call);
  return *finished_run_at(L, 1, call);
}

// A signal and a span of time: the arguments of most methods.
struct Selected {
  const SignalRows& rows;
  size_t column;
  SignalRows::Span span;
};

constexpr const char* span_keys[] = {"from", "to"};

SignalRows::Span read_span(const TableReader& options, const SignalRows& rows) {
  const SignalRows::Span whole = rows.whole();
  return {options.number_or("from", whole.from), options.number_or("to", whole.to)};
}

// Reads (signal, { from =, to = }) for a method. Charges the steps of a pass through the rows.
Selected selected(lua_State* L, const char* call) {
  const SignalRows& rows = finished_run(L, call).rows;
  const size_t column = rows.column(name_at(L, 2, {call, "the signal"}));
  complete_options(L, 3);
  Sandbox::of(L).charge(L, (long long)(rows.size()));
  return {rows, column, read_span(TableReader(L, 3, {call, ""}, span_keys), rows)};
}

int value_at_time(lua_State* L) {
  constexpr const char* call = "run:at(signal, t)";
  const SignalRows& rows = finished_run(L, call).rows;
  const size_t column = rows.column(name_at(L, 2, {call, "the signal"}));
  lua_pushnumber(L, rows.at(column, number_at(L, 3, {call, "t"})));
  return 1;
}

int final_value(lua_State* L) {
  constexpr const char* call = "run:final(signal)";
  const SignalRows& rows = finished_run(L, call).rows;
  const size_t column = rows.column(name_at(L, 2, {call, "the signal"}));
  lua_pushnumber(L, rows.at(column, rows.whole().to));
  return 1;
}

int push_extreme(lua_State* L, const SignalRows::Extreme& extreme) {
  lua_pushnumber(L, extreme.value);
  lua_pushnumber(L, extreme.time);
  return 2;
}

int minimum(lua_State* L) {
  const Selected s = selected(L, "run:min(signal)");
  return push_extreme(L, s.rows.minimum(s.column, s.span));
}

int maximum(lua_State* L) {
  const Selected s = selected(L, "run:max(signal)");
  return push_extreme(L, s.rows.maximum(s.column, s.span));
}

int integral(lua_State* L) {
  const Selected s = selected(L, "run:integral(signal)");
  lua_pushnumber(L, s.rows.integral(s.column, s.span));
  return 1;
}

int mean(lua_State* L) {
  const Selected s = selected(L, "run:mean(signal)");
  lua_pushnumber(L, s.rows.integral(s.column, s.span) / (s.span.to - s.span.from));
  return 1;
}

int root_mean_square(lua_State* L) {
  const Selected s = selected(L, "run:rms(signal)");
  lua_pushnumber(L,
                 std::sqrt(s.rows.square_integral(s.column, s.span) / (s.span.to - s.span.from)));
  return 1;
}

// Implements run:crossings(signal, value, { direction =, from =, to = }).
int crossings(lua_State* L) {
  constexpr const char* call = "run:crossings(signal, value)";
  const SignalRows& rows = finished_run(L, call).rows;
  const size_t column = rows.column(name_at(L, 2, {call, "the signal"}));
  const double value = number_at(L, 3, {call, "the value"});
  complete_options(L, 4);
  const TableReader options(L, 4, {call, ""}, {"direction", "from", "to"});
  const std::string direction = options.text_or("direction", "both");
  if (direction != "both" && direction != "rising" && direction != "falling")
    options.place()
        .inside("direction")
        .fail(fmt::format("is '{}'; it must be \"rising\", \"falling\" or \"both\"",
                          quotable(direction)));
  Sandbox::of(L).charge(L, (long long)(rows.size()));
  push_list(L, rows.crossings(column, value, read_span(options, rows), direction != "falling",
                              direction != "rising"));
  return 1;
}

int failure(lua_State* L) {
  const std::string& why = finished_run(L, "run:failure()").failure;
  why.empty() ? lua_pushnil(L) : push(L, why);
  return 1;
}

int end_time(lua_State* L) {
  lua_pushnumber(L, finished_run(L, "run:time()").rows.whole().to);
  return 1;
}

int evaluations(lua_State* L) {
  lua_pushinteger(L, finished_run(L, "run:evaluations()").run.simulation().rates());
  return 1;
}

int energy_error(lua_State* L) {
  const EnergyWatch& energy = finished_run(L, "run:energy_error()").run.energy();
  lua_pushnumber(L, energy.error());
  lua_pushnumber(L, energy.relative_error());
  return 2;
}

int limits(lua_State* L) {
  lua_newtable(L);
  lua_Integer n = 0;
  for (const std::string& line : finished_run(L, "run:limits()").run.limits().passed()) {
    push(L, line);
    lua_rawseti(L, -2, ++n);
  }
  return 1;
}

void set_metrics(lua_State* L, const MetricsRow& row) {
  for (const MetricValue& metric : metric_values(row)) {
    lua_pushnumber(L, metric.value);
    lua_setfield(L, -2, metric.name);
  }
}

// Implements run:metrics(). Pushes { ["ROBOT.CONTROL"] = { rms_error =, .., joints = { .. } } }.
int metrics(lua_State* L) {
  const Run& run = finished_run(L, "run:metrics()").run;
  if (!run.metrics()) throw Error("run:metrics(): the experiment has none; set metrics = true");
  lua_newtable(L);
  for (const ControlMetrics& of : run.metrics()->result()) {
    lua_newtable(L);
    set_metrics(L, of.all);
    lua_newtable(L);
    for (const MetricsRow& row : of.rows) {
      lua_newtable(L);
      set_metrics(L, row);
      lua_setfield(L, -2, row.name.c_str());
    }
    lua_setfield(L, -2, "joints");
    lua_setfield(L, -2, fmt::format("{}.{}", of.robot, of.control).c_str());
  }
  return 1;
}

// Reads the table that an outcome function returns.
std::vector<Outcome> read_outcomes(lua_State* L, int index, const OutcomeRequest& request) {
  const std::string owner = request.source + ": outcome";
  if (!lua_istable(L, index))
    throw Error(
        fmt::format("{} returns a {}; it must return a table of numbers, such as "
                    "{{ peak = 2.5, reached = true }}",
                    owner, luaL_typename(L, index)));
  std::vector<Outcome> out;
  for (const Key& key : sorted_keys(L, index)) {
    const auto* name = std::get_if<std::string_view>(&key);
    if (!name || name->find('\0') != name->npos)
      throw Error(fmt::format("{} has the key {}; name each value", owner, quoted(key)));
    Outcome& made = out.emplace_back(Outcome{std::string(*name), "", 0});
    for (const auto& [of, unit] : request.units)
      if (of == *name) made.unit = unit;
    push_key(L, key);
    lua_rawget(L, index);
    if (lua_type(L, -1) == LUA_TNUMBER)
      made.value = lua_tonumber(L, -1);
    else if (lua_isboolean(L, -1))
      made.value = lua_toboolean(L, -1) ? 1 : 0;
    else
      throw Error(fmt::format("{}: '{}' is a {}; it must be a number, true or false", owner,
                              quotable(*name), luaL_typename(L, -1)));
    lua_pop(L, 1);
  }
  if (out.empty()) throw Error(owner + " returns an empty table; return at least one number");
  return out;
}

// Lets an object point to a run during a call.
class RunScope {
 public:
  RunScope(FinishedRunObject& object, const FinishedRun& run) : object_(object) {
    object_.run = &run;
  }
  ~RunScope() { object_.run = nullptr; }
  RunScope(const RunScope&) = delete;

 private:
  FinishedRunObject& object_;
};

}  // namespace

const FinishedRun* finished_run_at(lua_State* L, int index, const char* call) {
  const auto* object = static_cast<FinishedRunObject*>(object_at(L, index, finished_run_type));
  if (!object) return nullptr;
  if (object->run) return object->run;
  throw Error(fmt::format("{} is called after the outcome function has returned", call));
}

std::optional<OutcomeRequest> read_outcome(const TableReader& experiment) {
  if (!experiment.has("outcome")) return std::nullopt;
  lua_State* L = experiment.state();
  OutcomeRequest out{.function = 0, .units = {}, .source = Sandbox::of(L).where(L, 1)};
  if (const int function = experiment.function("outcome")) {
    out.function = keep_function(L, function);
    return out;
  }
  const TableReader table = experiment.table("outcome", {"units"}, 1);
  lua_rawgeti(L, lua_gettop(L), 1);
  if (!lua_isfunction(L, -1))
    table.fail(
        "is not a function, or a table that begins with one, as in { function(run) .. end, "
        "units = { peak = \"N m\" } }");
  out.function = keep_function(L, lua_gettop(L));
  lua_pop(L, 1);
  if (table.has("units"))
    table.each("units", [&](const std::string& name, int value, const Place& place) {
      out.units.emplace_back(name, name_at(L, value, place));
    });
  return out;
}

OutcomeFunction outcome_function(const OutcomeRequest& request,
                                 const std::shared_ptr<LoadedScript>& script) {
  script->scene.finished_runs.push_back(std::make_unique<FinishedRunObject>());
  return
      [request, script, object = script->scene.finished_runs.back().get()](const FinishedRun& run) {
        std::vector<Outcome> out;
        const RunScope scope(*object, run);
        script->ask([&](lua_State* L) {
          lua_rawgeti(L, LUA_REGISTRYINDEX, request.function);
          push_handle(L, object, finished_run_type);
          lua_call(L, 1, 1);
          out = read_outcomes(L, lua_gettop(L), request);
        });
        return out;
      };
}

void add_finished_run_type(lua_State* L) {
  constexpr Function methods[] = {{"at", guarded<value_at_time>},
                                  {"crossings", guarded<crossings>},
                                  {"energy_error", guarded<energy_error>},
                                  {"evaluations", guarded<evaluations>},
                                  {"failure", guarded<failure>},
                                  {"final", guarded<final_value>},
                                  {"integral", guarded<integral>},
                                  {"limits", guarded<limits>},
                                  {"max", guarded<maximum>},
                                  {"mean", guarded<mean>},
                                  {"metrics", guarded<metrics>},
                                  {"min", guarded<minimum>},
                                  {"rms", guarded<root_mean_square>},
                                  {"time", guarded<end_time>}};
  make_type(L, finished_run_type, methods);
}

}  // namespace torsor::lua
