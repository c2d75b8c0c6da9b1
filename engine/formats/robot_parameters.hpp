#pragma once
// Dynamic parameters of a robot, such as identified ones, apart from its kinematics: put into a
// description, and written as text for Lua and URDF.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "torsor/model/builder.hpp"

namespace torsor {

struct RobotParameters {
  struct LinkInertia {
    std::string link;
    SpatialInertia<double> inertia_L;  // about the origin of the link's frame, in its axes
    std::string source = "";           // "file:line" for messages; may be ""
  };
  // Parameters of one dof. Those that are empty do not change.
  struct JointDrive {
    std::string joint;
    int dof = 0;  // of the joint
    // Inertia of rotors at the dof, kg m^2 or kg; viscous friction, N m s/rad or N s/m; Coulomb
    // friction, N m or N. They include those of a rigid motor.
    std::optional<double> armature, viscous, coulomb;
  };
  std::vector<LinkInertia> links;
  std::vector<JointDrive> joints;
};

// Replaces parameters of a description. Throws Error in these cases:
// - The robot has no such link, moving joint or dof.
// - A link or dof occurs twice, or an entry has no value.
// - A joint has a friction law with parameters beyond Coulomb and viscous friction.
// - A joint that no motor can drive, such as a floating joint, is given an armature.
void apply(const RobotParameters& parameters, RobotDescription& robot);

// Returns a Lua module whose value is the argument of arm:set_parameters.
std::string lua_module(const RobotParameters& parameters, const std::string& comment);

// Returns the text of a URDF file with the inertias, damping and friction replaced. All other text
// of the file remains, except for white space. Throws Error if the file cannot be read, or lacks a
// link or joint. URDF has no place for the inertia of rotors, which is therefore not written.
std::string urdf_with_parameters(const std::filesystem::path& file,
                                 const RobotParameters& parameters);

}  // namespace torsor
