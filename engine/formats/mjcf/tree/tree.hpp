#pragma once
// The tree of bodies of an MJCF file. A body with several joints becomes a chain of links without
// mass, BODY_JOINT for each joint but the last, and the link BODY. The link "worldbody" holds the
// geoms and sites of <worldbody>; it exists only if there are any.

#include <map>

#include "torsor/formats/mjcf/shapes/geom.hpp"
#include "torsor/formats/mjcf/tree/joint.hpp"
#include "torsor/formats/mjcf/tree/names.hpp"

namespace torsor::mjcf {

struct TreeJoint {
  const XMLElement* xml;
  std::string name, body;
  JointType type;
  size_t link;  // index in RobotDescription::links
  double ref;
  size_t q, v;  // index of its first entry in qpos and qvel
};
// A body, and its pose in the world in the initial position of MuJoCo (qpos0).
// joint: index of the last joint between the world and the body; -1 if the body cannot move. Bodies
// with the same joint do not move relative to each other. parent_joint: that of the bodies to which
// the joint, with the others of its body, connects them.
struct TreeBody {
  std::string link;
  Pose<double> X_WB;
  int joint, parent_joint;
};
struct TreeSite {
  std::string body;
  Pose<double> X_BS;
};
// The geom of a collider.
struct TreeCollider {
  std::string name, link;
  GeomContact contact;
};

// The bodies, joints and sites of the tree, for elements that refer to them by name.
struct Tree {
  std::vector<TreeJoint> joints;  // in the order of qpos
  std::map<std::string, size_t> joint_index;
  std::map<std::string, TreeBody> bodies;  // by name; "world" is one of them
  std::map<std::string, TreeSite> sites;
  std::map<std::string, int> geoms;  // by name: index in colliders, or -1
  std::vector<TreeCollider> colliders;
  std::string world_link;  // name of the link with the geoms and sites of the world; "": none
  Copies copies;
  size_t n_q = 0, n_v = 0;
  std::vector<double> q0;  // initial position, in the coordinates of the engine
};

// Reads <worldbody> into the links and frames of a robot.
Tree read_tree(Files& files, GeomContext& geoms, const Flags& flags,
               const RobotFileOptions& options, RobotDescription& robot);

}  // namespace torsor::mjcf
