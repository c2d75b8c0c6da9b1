#pragma once
// Closed loops of URDF robots. URDF describes trees; these words close them:
//
//   <loop_joint name="pin" type="revolute">          in <robot>, or in <closures> of the file
//   beside
//     <link1 link="rod" xyz="0.5 0 0" rpy="0 0 0"/>  the pose of the joint in each of two links
//     <link2 link="crank" xyz="0.1 0 0"/>
//     <axis xyz="0 1 0"/>                            in both frames; z by default
//     <dynamics damping="0.1" friction="0.2"/>
//   </loop_joint>
//
// The type is a kind of closure (model/closure.hpp), or "continuous" or "fixed" as for joints. A
// screw has the attribute pitch (m/rad), a distance has length (m). Some files name both links
// <link1>. The file ROBOT.closures.xml beside ROBOT.urdf contains <closures> with:
//
//   <loop_joint ..>
//   <gear name= joint= of= ratio= offset= carrier=/>      joint = ratio of + offset
//   <rack name= joint= of= radius= offset=/>              joint = radius of + offset
//   <cable name= offset=><pulley joint= radius=/>..</cable>   sum radius joint = offset

#include <filesystem>

#include "torsor/formats/robot_file.hpp"
#include "torsor/formats/xml/document.hpp"

namespace torsor::urdf {

// Adds the <loop_joint> elements of an element to the closures of a robot.
void read_loop_joints(const xml::Document& document, const tinyxml2::XMLElement& parent,
                      RobotDescription& robot);

// Returns the path of the file with the closures of a robot file. It need not exist.
std::filesystem::path closures_file(const std::filesystem::path& robot_file);
// Adds the closures of that file, if there is one, to the robot of a document, and its unused
// words. Throws Error with file:line if it is not valid, and if it is a link to a file that may not
// be read.
void read_closures_file(const xml::Document& robot_file, const RobotFileOptions& options,
                        RobotDescription& robot);

}  // namespace torsor::urdf
