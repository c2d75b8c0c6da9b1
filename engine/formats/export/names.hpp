#pragma once
// Names for a file whose format does not allow all names of a robot.

#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "torsor/formats/export/losses.hpp"

namespace torsor::exporting {

// Names that are taken. Finds unused ones in constant time, however many have the same beginning.
class NameSet {
 public:
  NameSet() = default;
  // Takes the names of all links, joints, frames and closures of a robot.
  explicit NameSet(const RobotDescription& robot);

  bool contains(const std::string& name) const { return names_.contains(name); }
  bool insert(const std::string& name) { return names_.insert(name).second; }
  // Returns `name`, or else NAME_2, NAME_3, .., and takes it.
  std::string unused(const std::string& name);

 private:
  std::unordered_set<std::string> names_;
  std::unordered_map<std::string, int> suffix_;  // the last number appended to a name
};

// Renames the links whose names the format does not allow. reason: the end of the note.
RobotDescription with_renamed_links(const RobotDescription& robot,
                                    const std::function<bool(const std::string&)>& is_reserved,
                                    const std::string& reason, Notes& notes);

// Renames links, joints, frames, closures and the robot, so that all names are allowed and no two
// links, joints, frames and closures have the same name. allowed: returns a name with what the
// format does not allow replaced, or "" if the name is reserved.
RobotDescription with_one_namespace(const RobotDescription& robot,
                                    const std::function<std::string(const std::string&)>& allowed,
                                    const std::string& reason, Notes& notes);

}  // namespace torsor::exporting
