#pragma once
// The shapes of a model's links: the visuals of its description, or generated shapes for links
// without visuals. Generated shapes:
// - revolute joint: a drum about its axis
// - prismatic joint: a sleeve with a bar
// - screw joint: a nut on a spindle
// - joint with several dof: a ball
// - link: limbs from its joint to its child joints, or to its centre of mass

#include <vector>

#include "editor/view/mesh_store.hpp"
#include "editor/view/solid.hpp"
#include "torsor/model/model.hpp"

namespace torsor::editor {

// A solid fixed to a body. Solid::X is its pose in the body frame B.
struct BodySolid {
  int body;
  Solid solid;
};

// A bar that shows the travel of a prismatic joint. It extends from the position of the child body
// at q = 0 to its current position.
struct Slide {
  int body;  // child body of the joint
  double radius;
  Color color;
  int link;
};

// An estimate of the space that a robot can reach: a sphere about its first joint on the world, at
// q = 0.
struct Reach {
  Vec3<double> center_W;
  double radius;  // length of the longest chain of limbs, m
};

struct Shapes {
  std::vector<BodySolid> solids;
  std::vector<Slide> slides;
  std::vector<double> joint_size;  // [n_body] radius of the shape at the joint, m
  std::vector<Reach> reaches;      // one per robot
  double extent = 1;               // the largest radius of the reaches, m
  std::vector<Surfaces> meshes;    // own the surfaces to which the solids point
};

// Returns the shapes of a model. meshes: the result of MeshStore::loaded(). A link without a visual
// that can be drawn gets generated shapes.
Shapes shapes_of(const Model& model, std::vector<Surfaces> meshes = {});

// Colours of a robot's limbs and joints, for shapes whose description has no colour.
struct RobotPaint {
  Color limb, joint;
};
RobotPaint robot_paint(int robot);

}  // namespace torsor::editor
