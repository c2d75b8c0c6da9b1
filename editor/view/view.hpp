#pragma once
// The 3D view: what it shows and from where.

#include <memory>

#include "editor/session/moment.hpp"
#include "editor/view/drawing.hpp"

namespace torsor::editor {

// A drag of the mouse that pulls a link.
struct PullDrag {
  int frame;               // of the link
  Vec3<double> point_F;    // that was hit
  Vec3<double> hit_W;      // where: the mouse moves in the plane through it that faces the camera
  bool continued = false;  // it has begun
};

struct ViewState {
  Camera camera;
  ViewToggles toggles;
  // The camera to what is there, or to where the robots can get to, at the next frame.
  enum class Fit { none, present, reach } fit = Fit::reach;
  // Of the picture that the panel asks for, pixels; 0: the panel is not seen.
  int width = 0, height = 0;
  float pixel_scale = 1;  // pixels of it for a unit of the interface
  unsigned texture = 0;   // that holds it; 0: there is no renderer

  int hovered_link = -1;  // under the pointer
  std::optional<PullDrag> pull;
  bool tracks = false;    // the camera moves along with the selected link
  int tracked_link = -1;  // in the last frame, and where it was
  Vec3<double> tracked_from{};

  int mesh_version = 0;  // of those that the shapes are made with

  std::string compared;  // name of the run whose robots are shown beside, or ""

  // Of the scene shown.
  Shapes shapes;
  MeshStore meshes;
  References references;
  std::vector<Trail> trails;
  std::vector<std::string> signals;  // of the Sampler, from which the trails are read, [trails]
  Drawing drawing;                   // of the moment

  // Another scene: its shapes, and trails of the last frame of each robot.
  void show(const Model& model, const MeshAccess& access = {});
  // Shapes with the meshes that have been loaded since.
  void take_meshes(const Model& model);
  // Draws the way of this frame instead.
  void follow(const Model& model, int frame);
};

// What can be shown and hidden, by name.
struct ViewToggle {
  const char *name, *title;
  bool ViewToggles::*on;
};
std::span<const ViewToggle> view_toggles();

}  // namespace torsor::editor
