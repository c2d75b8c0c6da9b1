#pragma once
// The parts of an MJCF file. Each function adds elements, and states in the ledger what became of
// the parts of the robot.

#include <unordered_map>

#include "torsor/formats/export/parts.hpp"

namespace torsor::exporting {

// The <body> of each link.
using Bodies = std::unordered_map<std::string, tinyxml2::XMLElement*>;

// Set pos and quat of an element, unless they are those of the identity.
void set_mjcf_pose(tinyxml2::XMLElement& element, const Pose<double>& X);
void set_quaternion(tinyxml2::XMLElement& element, const Mat3<double>& R);

void add_inertia(tinyxml2::XMLElement& body, const LinkDescription& link, Ledger& ledger);
// Returns the pose of the body of a link in its parent. It is the rest pose of the spring if the
// link floats and its spring is written.
Pose<double> body_pose(const LinkDescription& link);
void add_joint(tinyxml2::XMLElement& body, const LinkDescription& link, Ledger& ledger);
// Adds the <actuator> of all dof with motors. A joint without one is passive.
void add_motors(tinyxml2::XMLElement& root, const Bodies& bodies, const RobotDescription& robot,
                Ledger& ledger);
// Adds the closures of a robot, as sites and <equality>. world: the <worldbody>.
void add_equalities(tinyxml2::XMLElement& root, tinyxml2::XMLElement& world, const Bodies& bodies,
                    const RobotDescription& robot, Ledger& ledger);

// Writes the visuals and collisions of links as geoms, and their meshes as assets.
class ShapeWriter {
 public:
  // The arguments must outlive this object. assets: the <asset>.
  ShapeWriter(tinyxml2::XMLElement& assets, const Target& target, Ledger& ledger)
      : assets_(assets), target_(target), ledger_(ledger) {}
  void add(tinyxml2::XMLElement& body, const LinkDescription& link);

 private:
  void write_visual(tinyxml2::XMLElement& body, const LinkDescription& link, size_t index);
  void write_mesh(tinyxml2::XMLElement& geom, const MeshFile& mesh, const LinkDescription& link);
  void write_hull(tinyxml2::XMLElement& geom, const ConvexHull& hull);
  void write_collision(tinyxml2::XMLElement& body, const LinkDescription& link, size_t index);

  tinyxml2::XMLElement& assets_;
  const Target& target_;
  Ledger& ledger_;
  std::unordered_map<std::string, std::string> meshes_;  // file and scale -> name
  int n_hulls_ = 0;
};

}  // namespace torsor::exporting
