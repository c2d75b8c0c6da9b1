#pragma once
// Helpers of the writers of robot files.

#include <tinyxml2.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "torsor/formats/export/losses.hpp"

namespace torsor::exporting {

// A file to write. Its name begins in the folder of the robot file.
struct ExportedFile {
  std::filesystem::path name;
  std::string text;
};

// The place of the file that a writer makes the text of.
struct Target {
  std::filesystem::path file;
  std::string origin;  // the first comment of the file, one line
  // Differences that arose before, for example while reading a file.
  std::vector<Loss> losses = {};
  // Returns a position q [n_q] of a model at which its loops are closed. Throws Error if there is
  // none. Empty: formats that have one position of the links do not write loops that are open at
  // q = 0.
  std::function<std::vector<double>(const std::shared_ptr<const Model>& model)> assemble = {};
};
struct Written {
  std::vector<ExportedFile> files;  // the robot file first
  std::vector<Loss> losses;         // without those of the target
};

// Returns the name of a mesh for a file in this folder. A relative path remains relative, now to
// the new folder. Absolute paths and URLs do not change.
std::string mesh_name(const MeshFile& mesh, const std::filesystem::path& folder);
// Returns the place of a hull among the files of meshes, and adds the file, a Wavefront OBJ.
std::string add_hull(const ConvexHull& hull, const std::string& name, const Target& target,
                     std::vector<ExportedFile>& files);

// Viscous and Coulomb friction of a dof, with that of a motor that drives it rigidly.
struct LinearFriction {
  double damping, coulomb;
};
// Returns the friction of a dof for a format that has no other laws, and states this in the ledger.
// dof: index within the joint.
LinearFriction linear_friction(const LinkDescription& link, size_t dof, Ledger& ledger);
// Returns the armature of a dof with that of a rigid motor, and states this in the ledger.
double total_armature(const LinkDescription& link, size_t dof, Ledger& ledger);
// An inertia J, kg m^2 or kg, behind a gear: the armature is N^2 J. The sign of N has no effect in
// Drake.
struct Rotor {
  double inertia = 0, gear_ratio = 1;
};
// Returns the armature of the dof of a joint as <drake:rotor_inertia> and <drake:gear_ratio>, which
// Drake adds to URDF and SDF, and states this in the ledger. format: for example "URDF".
Rotor drake_rotor(const LinkDescription& link, const char* format, Ledger& ledger);
std::string drake_rotor_note(const char* format);
// Returns the armature of the joint of a closure with one dof, with that of a rigid motor.
double rotor_of_closure(const JointDescription& joint);

// Notes a change of an inertia that is not that of a body with mass. Returns whether the inertia
// about the centre of mass expresses it exactly.
bool check_inertia(const LinkDescription& link, Ledger& ledger);

// A gear, rack or cable: sum factors p = offset, where p are the coordinates of joints.
struct LinearCondition {
  std::vector<std::pair<std::string, double>> terms;  // joint and factor
  double offset = 0;
};
// Returns the linear conditions of a robot by the names of their closures. Carriers of gears are
// among the terms.
std::unordered_map<std::string, LinearCondition> linear_conditions(const RobotDescription& robot);

// Returns the links of the robot in the order of a tree: parents before children, depth first.
std::vector<const LinkDescription*> depth_first(const RobotDescription& robot);
// Returns the names of the moving joints in the order of their dof.
std::vector<std::string> dof_order(const RobotDescription& robot);

// Helpers for XML.
tinyxml2::XMLElement& add(tinyxml2::XMLNode& parent, const char* name);
void set(tinyxml2::XMLElement& element, const char* attribute, const std::string& value);
void set(tinyxml2::XMLElement& element, const char* attribute, double value);
void add_comment(tinyxml2::XMLDocument& xml, const std::string& text);
std::string text_of(tinyxml2::XMLDocument& xml);

// Returns whether a dof of a joint has no motor.
bool is_passive(const LinkDescription& link, size_t dof);

}  // namespace torsor::exporting
