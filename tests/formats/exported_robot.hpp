#pragma once
// Exports robots, and reads the files again.

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "support/scratch_folder.hpp"
#include "torsor/formats/export/export.hpp"

namespace torsor::test {

// Returns a position of a robot with closed loops (exporting::Target).
using Assembly = std::function<std::vector<double>(const std::shared_ptr<const Model>& model)>;
// Writes a robot into a folder.
ExportedRobot write(const RobotDescription& robot, const RobotTarget& target,
                    const std::filesystem::path& folder, const Assembly& assemble = {});

// Returns whether this build can read files of the target.
bool is_readable(const RobotTarget& target);
// Reads the file of a robot that write() has written.
RobotDescription read_again(const RobotTarget& target, const std::filesystem::path& folder);

// A property of a robot: the name that it belongs to, the words of which one must be in a report on
// it, separated by '|', and its value as text.
using Property = std::tuple<std::string, std::string, std::string>;
// Returns the properties of a robot besides its rigid-body dynamics, sorted.
std::vector<Property> properties(const RobotDescription& robot);

// Returns one line for each property of the robot that the other does not have, and that no line of
// the report names.
std::string unsaid(const RobotDescription& robot, const RobotDescription& other,
                   const std::string& report);

// Returns whether a line of a report is about the inertias of rotors.
bool is_about_rotors(const std::string& line);

// Returns the largest relative difference of the mass matrices, and of the torques
// of inverse dynamics, at random states, and of the poses of all frames of the robot. If the report
// says that inertias of rotors are not written, all of them are left out. The dof are
// matched by name. Returns infinity if dof are missing, or frames that the report does not name.
double difference_of_dynamics(const RobotDescription& robot, const RobotDescription& other,
                              const std::string& report);

}  // namespace torsor::test
