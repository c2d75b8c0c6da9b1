#pragma once
// Names for values that occur several times in a Lua module: colours, shapes, axes, and what the
// joints have in common.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "torsor/formats/export/lua/lua_values.hpp"
#include "torsor/formats/export/parts.hpp"

namespace torsor::exporting {

LuaEntry lua_collision_shape(const CollisionShape& shape);

class LuaNames {
 public:
  // Counts the values of the robot.
  LuaNames(const RobotDescription& robot, const Target& target);

  // Returns a visual, by name if it occurs several times.
  LuaEntry visual(const VisualDescription& visual) const;
  // Returns the entry joint = { .. } without the entries that all joints have in common.
  LuaEntry joint(std::vector<LuaEntry> entries) const;
  // Returns the definitions of the names that the calls use.
  std::string definitions(const std::string& calls) const;

 private:
  void name_colors(const RobotDescription& robot);
  void name_visuals(const RobotDescription& robot);
  void find_common(const RobotDescription& robot);
  LuaEntry full_visual(const VisualDescription& visual) const;
  std::string color(const Color& color) const;

  const Target& target_;
  // Text of a value -> its name, and the names in the order of their first use.
  std::map<std::string, std::string> colors_, visuals_;
  std::vector<std::pair<std::string, std::string>> color_list_, visual_list_;  // name, text
  std::vector<LuaEntry> common_;
};

}  // namespace torsor::exporting
