#pragma once
// What the links of a model look like: the visuals of its description, and for links that have none
// shapes of the editor's making: a drum about the axis of a joint that turns, a sleeve about one
// that slides, a spindle for a screw joint, and limbs from there to the joints that the link
// carries, or to its centre of mass.

#include <vector>

#include "editor/view/mesh_store.hpp"
#include "editor/view/solid.hpp"
#include "torsor/model/model.hpp"

namespace torsor::editor {

// A solid fixed in a body; its X is in the body's frame B.
struct BodySolid {
  int body;
  Solid solid;
};

// A bar that always reaches from a sliding joint's place at q = 0 to where it has slid.
struct Slide {
  int body;  // that the joint carries
  double radius;
  Color color;
  int link;
};

// About the first joint of a robot that the world carries, at q = 0.
struct Reach {
  Vec3<double> center_W;
  double radius;  // stretched out, m
};

struct Shapes {
  std::vector<BodySolid> solids;
  std::vector<Slide> slides;
  std::vector<double> joint_size;  // [n_body] radius of what is at the joint, m
  std::vector<Reach> reaches;      // of the robots
  double extent = 1;               // the largest of their radii, m
  std::vector<Surfaces> meshes;    // that the solids are of
};

// meshes: of the model's visuals, as far as they are loaded; a link of which nothing else is known
// looks like one without visuals.
Shapes shapes_of(const Model& model, std::vector<Surfaces> meshes = {});

// What a robot's links and joints are painted where the description does not say.
struct RobotPaint {
  Color limb, joint;
};
RobotPaint robot_paint(int robot);

}  // namespace torsor::editor
