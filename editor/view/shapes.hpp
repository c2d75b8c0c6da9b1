#pragma once
// The shapes of a model's links: the visuals of its description, or generated shapes for links
// without visuals. A revolute joint is a drum about its axis, a prismatic joint is a sleeve, and a
// screw joint is a spindle. Limbs run from there to the child joints of the link, or to its centre
// of mass.

#include <vector>

#include "editor/view/mesh_store.hpp"
#include "editor/view/solid.hpp"
#include "torsor/model/model.hpp"

namespace torsor::editor {

// A solid fixed to a body. Its X is in the body's frame B.
struct BodySolid {
  int body;
  Solid solid;
};

// A bar from a prismatic joint's place at q = 0 to its current place.
struct Slide {
  int body;  // child body of the joint
  double radius;
  Color color;
  int link;
};

// The range of a robot, about its first joint on the world, at q = 0.
struct Reach {
  Vec3<double> center_W;
  double radius;  // length of the stretched robot in m
};

struct Shapes {
  std::vector<BodySolid> solids;
  std::vector<Slide> slides;
  std::vector<double> joint_size;  // [n_body] radius of the shape at the joint, m
  std::vector<Reach> reaches;      // one per robot
  double extent = 1;               // the largest radius of the reaches, m
  std::vector<Surfaces> meshes;    // owners of the surfaces of the solids
};

// Returns the shapes of a model. meshes: the loaded meshes of its visuals. A link whose meshes are
// not loaded gets generated shapes.
Shapes shapes_of(const Model& model, std::vector<Surfaces> meshes = {});

// Colours of a robot's links and joints, unless the description specifies them.
struct RobotPaint {
  Color limb, joint;
};
RobotPaint robot_paint(int robot);

}  // namespace torsor::editor
