#pragma once
// Writes SDF files, the format of Gazebo.

#include "torsor/formats/export/parts.hpp"

namespace torsor::exporting {

Written write_sdf(const RobotDescription& robot, const Target& target);

// Returns a name that SDF allows, or "" if it is that of an implicit frame. "::" separates the
// names of nested models.
std::string sdf_name(const std::string& name);
// Writes the joints that close the loops of a robot into its <model>. Readers of SDF take a <joint>
// whose child has a parent already for such a joint. The placements must be plain.
void write_sdf_loops(tinyxml2::XMLElement& model, const RobotDescription& robot, Ledger& ledger);
// Returns the robot with a mimic for each gear, rack or cable between two joints, if the joint has
// none yet. The other conditions on coordinates stay closures.
RobotDescription with_mimics(const RobotDescription& robot, Notes& notes);

// Helpers for the text of elements.
tinyxml2::XMLElement& add_child_text(tinyxml2::XMLElement& parent, const char* name,
                                     const std::string& text);
tinyxml2::XMLElement& add_child_number(tinyxml2::XMLElement& parent, const char* name,
                                       double value);
// Adds a <pose> relative to a frame, unless it is that of the identity in the default frame, "".
void add_sdf_pose(tinyxml2::XMLElement& parent, const Pose<double>& X,
                  const std::string& frame = "");

}  // namespace torsor::exporting
