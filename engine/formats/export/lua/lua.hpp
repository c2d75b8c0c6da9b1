#pragma once
// Writes robots as Lua modules, in the form of the files in scripts/robots.

#include "torsor/formats/export/parts.hpp"

namespace torsor::exporting {

// Writes a module { build = function(options) .. end }. Values that repeat have names.
Written write_lua(const RobotDescription& robot, const Target& target);

}  // namespace torsor::exporting
