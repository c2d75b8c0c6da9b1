#pragma once
// A robot for tests of arm:dynamics, as Lua text and as a model.

#include <fmt/format.h>

#include <memory>
#include <span>
#include <string>

#include "scripting/scene_run.hpp"

namespace torsor::test {

// Runs statements of a script with the plugins of this build.
inline Outcome with_plugins(const std::string& statements, const ScriptLimits& limits = {}) {
  return run(statements, limits, {}, &registry());
}

// The Lua text of a chain with a floating base, a prismatic and a revolute joint, and of functions
// that print numbers.
inline constexpr const char* arm_lua = R"(
local arm = torsor.robot{ name = "arm" }
local function body(m) return { mass = m, com = {0.1, 0.05, -0.02}, about_com = { Ixx = 0.1 * m, Iyy = 0.12 * m, Izz = 0.09 * m } } end
arm:link{ name = "base", joint = { "floating", name = "free" }, inertia = body(3) }
arm:link{ name = "slide", parent = "base", joint = { "prismatic", name = "rail", axis = {1, 0, 0}, limits = { lower = -1, upper = 1 } },
          origin = { xyz = {0, 0, 0.2}, rpy = {0.3, 0.1, 0} }, inertia = body(1) }
arm:link{ name = "turn", parent = "slide", joint = { "revolute", name = "hinge", axis = {0, 1, 1}, armature = 0.2 },
          origin = { xyz = {0.1, 0, 0.2} }, inertia = body(2) }
arm:frame{ name = "tip", link = "turn", origin = { xyz = {0, 0.1, 0.3}, rpy = {0.2, 0, 0.4} } }
local function flat(x, out)
  out = out or {}
  for _, e in ipairs(x) do if type(e) == "table" then flat(e, out) else out[#out + 1] = string.format("%.17g", e) end end
  return out
end
local function show(x) print(table.concat(flat(x), " ")) end
)";

// Returns a Lua list of numbers.
inline std::string list(std::span<const double> values) {
  std::string out;
  for (const double x : values) out += fmt::format("{}{:.17g}", out.empty() ? "" : ", ", x);
  return "{" + out + "}";
}

// Returns the model of the robot of arm_lua.
inline std::shared_ptr<const Model> model_of_robot() {
  return build(
      load_robot_text(std::string("local torsor = require 'torsor'\n") + arm_lua + "return arm"));
}

}  // namespace torsor::test
