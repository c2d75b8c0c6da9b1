#pragma once
// What there is to draw of a moment, in world coordinates, without a thought of how: solids,
// strokes, marks, labels.

#include <span>
#include <string>
#include <vector>

#include "editor/view/references.hpp"
#include "editor/view/shapes.hpp"
#include "torsor/mechanics/state.hpp"
#include "torsor/simulation/simulation.hpp"

namespace torsor::editor {

struct ViewToggles {
  bool links = true, grid = true, shadows = true, axes = true, link_frames = false, frames = false,
       com = true, inertia = false, wrenches = true, reactions = false, twists = false,
       trail = true, reference = true, labels = false, legend = true;
};

// What is lit up, as indices of the model; -1 for none. The link under the pointer but a little.
struct Highlight {
  int link = -1, joint = -1, frame = -1, hovered_link = -1;
};

// A straight line of a width in pixels; faint where it is behind something.
struct Stroke {
  Vec3<double> from, to;
  Color color;
  double width;
};

// The sign of a centre of mass.
struct Mark {
  Vec3<double> at;
  bool whole;  // of a whole robot, not of one link
};

struct Label {
  Vec3<double> at;
  std::string text;
  Color color;
};

struct Drawing {
  std::vector<Solid> solids;      // of the links and what holds them
  std::vector<Solid> arrows;      // heads and shafts of signs
  std::vector<Solid> ellipsoids;  // of inertia; with them links are drawn translucent
  std::vector<Solid> ghosts;      // of links where they ought to be, translucent and without shadow
  std::vector<Stroke> strokes;
  std::vector<Mark> marks;
  std::vector<Label> labels;
  bool applied = false;  // some wrench on a link is among them
};

// Colours of what has one meaning in every picture.
struct Palette {
  Color x, y, z, axis, force, moment, inertia, accent, text, reaction_force, reaction_moment,
      velocity, angular_velocity, reference;
};
Palette palette(bool dark);

// Where a frame has been, oldest first.
struct Trail {
  int frame;
  Color color;
  std::vector<Vec3<double>> points;
};

struct DrawingInput {
  const State& state;  // with the wrenches that act on the bodies
  const Load& load;
  const Shapes& shapes;
  const ViewToggles& toggles;
  const Highlight& highlight;
  std::span<const Trail> trails;
  const Palette& palette;
  // [n_body] as joint_wrenches(); empty: none are shown.
  std::span<const Wrench<double>> joint_wrenches = {};
  std::span<const Goal> goals = {};
};
Drawing draw(const DrawingInput& input);

// Points of a helix about z of frame J that rises by pitch metres per radian: from -half to half
// along z, but of at most 12 turns.
std::vector<Vec3<double>> helix(const Pose<double>& X_WJ, double radius, double pitch, double half);

}  // namespace torsor::editor
