#pragma once
// The objects to draw for one state, in world coordinates and independent of the renderer: solids,
// strokes, marks, labels.

#include <span>
#include <string>
#include <vector>

#include "editor/view/references.hpp"
#include "editor/view/shapes.hpp"
#include "torsor/spatial/screw.hpp"

namespace torsor {
class State;
struct ContactForce;
struct Load;
}  // namespace torsor

namespace torsor::editor {

struct ViewToggles {
  bool links = true, grid = true, shadows = true, axes = true, closures = true, link_frames = false,
       frames = false, collisions = false, contacts = false, com = true, inertia = false,
       wrenches = true, reactions = false, closure_wrenches = false, twists = false, trail = true,
       reference = true, labels = false, legend = true;
};

// Indices of highlighted elements in the model; -1: none. hovered_link, the link under the pointer,
// is highlighted slightly.
struct Highlight {
  int link = -1, joint = -1, frame = -1, closure = -1, hovered_link = -1;
};

// A straight line with a width in pixels. Hidden parts of it are drawn faintly.
struct Stroke {
  Vec3<double> from, to;
  Color color;
  double width;
};

// A symbol at a centre of mass.
struct Mark {
  Vec3<double> at;
  bool of_robot;  // false: of a link
};

struct Label {
  Vec3<double> at;
  std::string text;
  Color color;
};

struct Drawing {
  std::vector<Solid> solids;  // links and their mounts
  std::vector<Solid> arrows;  // parts of arrows: shafts, heads, end points of a pull
  // Inertia ellipsoids. If there are any, links are drawn translucent.
  std::vector<Solid> ellipsoids;
  std::vector<Solid> ghosts;  // links at references, translucent and without shadow
  std::vector<Stroke> strokes;
  std::vector<Mark> marks;
  std::vector<Label> labels;
  bool applied = false;  // true if there are arrows of applied wrenches
};

// Colours of the elements of a picture.
struct Palette {
  Color x, y, z, axis, closure, force, moment, inertia, accent, text, reaction_force,
      reaction_moment, velocity, angular_velocity, reference;
};
Palette palette(bool dark);

// The trail of a frame, oldest point first.
struct Trail {
  int frame;
  Color color;
  std::vector<Vec3<double>> points;
};

struct DrawingInput {
  const State& state;  // includes the wrenches on bodies, F_B
  const Load& load;
  const Shapes& shapes;
  const ViewToggles& toggles;
  const Highlight& highlight;
  std::span<const Trail> trails;
  const Palette& palette;
  // [n_body] result of joint_wrenches(); empty: joint wrenches are not drawn.
  std::span<const Wrench<double>> joint_wrenches = {};
  std::span<const DrawnReference> references = {};
  // Wrench of A on B of each closure, at the origin of B in the axes of A; empty: not drawn.
  std::span<const Wrench<double>> closure_wrenches = {};
  std::span<const ContactForce> contacts = {};  // empty: not drawn
};
Drawing draw(const DrawingInput& input);

// Returns points of a helix about the z axis of frame J, with a pitch in m/rad. It extends from
// -half to half along z (m), but has at most 12 turns.
std::vector<Vec3<double>> helix(const Pose<double>& X_WJ, double radius, double pitch, double half);

}  // namespace torsor::editor
