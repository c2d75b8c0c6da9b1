#pragma once
// Parts of a robot as Lua tables (scripting/values/read_link.hpp reads them).

#include <map>
#include <string>
#include <vector>

#include "torsor/formats/export/losses.hpp"

namespace torsor::exporting {

// An entry of a table: "key = text", or only the text if the key is empty. The text may be a table
// that is wrapped if it is too long.
struct LuaEntry {
  std::string key, text = "";
  std::vector<LuaEntry> table = {};
};

// Returns "key = { .. }" and the like, wrapped to 110 columns. column: the column where the text
// begins. Lines after the first begin in the column `indent` + 2 at least.
std::string lua_text(const LuaEntry& entry, size_t indent, size_t column);

std::string lua_quoted(const std::string& text);
std::string lua_number(double x);
std::string lua_vector(const Vec3<double>& x);  // without rounding
std::string lua_list(std::span<const double> x);
std::string lua_strings(std::span<const std::string> texts);

// Returns the entry origin = { xyz =, rpy = }, with the key given, or one without text for the
// identity.
LuaEntry lua_pose(const char* key, const Pose<double>& X);
// Returns the name of an axis of the module, "x", "y" or "z", or a list.
std::string lua_axis(const Vec3<double>& axis);

LuaEntry lua_inertia(const LinkDescription& link);
// Returns the entries of a joint besides its kind, name and placement.
std::vector<LuaEntry> lua_joint_options(const JointDescription& joint, bool motors_by_default);
std::vector<LuaEntry> lua_motor(const Motor& motor, bool of_transmission);

}  // namespace torsor::exporting
