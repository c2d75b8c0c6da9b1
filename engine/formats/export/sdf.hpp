#pragma once
// Writes SDF files, the format of Gazebo.

#include <span>
#include <unordered_map>

#include "torsor/formats/export/parts.hpp"

namespace torsor::exporting {

Written write_sdf(const RobotDescription& robot, const Target& target);

// Returns a name that SDF allows, or "" if it is that of an implicit frame. "::" separates the
// names of nested models.
std::string sdf_name(const std::string& name);
// Coordinates of joints [n_q] by the names of the joints.
using JointPositions = std::unordered_map<std::string, std::vector<double>>;
// The note about a joint that has a position in the file.
inline constexpr const char* position_note =
    "the coordinate of the joint at the poses of the file is this, and is written as "
    "<torsor:position>; other programs than Torsor do not read it, and count from there";
// Returns numbers with blanks between them.
std::string position_text(std::span<const double> q);

// A robot whose links are at a position with closed loops.
struct ClosedRobot {
  RobotDescription robot;
  // The coordinates of `robot` are 0 where those of the original robot are these. Joints at their
  // neutral positions are not included. Empty if the loops are closed at q = 0.
  JointPositions positions;
  std::string failure;  // why there is no such position; "" if there is one
};
// Returns the robot with its links at target.assemble() if a loop that SDF can express is open at
// q = 0: with other poses, limits, rest positions of springs, and offsets of mimics. Otherwise
// returns the robot itself. The placements must be plain.
ClosedRobot at_closed_loops(const RobotDescription& robot, const Target& target, Notes& notes);

// Adds a link for each floating link at which a loop between two trees closes. It is fixed to the
// floating link, has half of its inertia, and becomes the body of the closure. Without it, the
// joint of the closure would carry the floating link. The placements must be plain.
RobotDescription with_loop_links(const RobotDescription& robot, Notes& notes);

// Writes the joints that close the loops of a robot into its <model>. Readers of SDF take a <joint>
// whose child has a parent already for such a joint. closed: the result of at_closed_loops() with
// links of with_loop_links().
void write_sdf_loops(tinyxml2::XMLElement& model, const ClosedRobot& closed, Ledger& ledger);
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
