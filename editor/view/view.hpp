#pragma once
// The state of the 3D view: what it shows, and the camera.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "editor/view/drawing.hpp"

namespace torsor::editor {

// A mouse drag that pulls a link with a spring, or moves it by its joints.
struct LinkDrag {
  bool by_joints;
  int frame;             // frame of the link
  Vec3<double> point_F;  // the point that was clicked
  // The same point in the world at the click. The mouse moves the target in the plane through
  // hit_W that faces the camera.
  Vec3<double> hit_W;
  bool continued = false;  // true after the first update of the drag
};

struct ViewState {
  Camera camera;
  ViewToggles toggles;
  // Request to move the camera in the next frame. present: show the robots as they are. reach: also
  // show their usual range.
  enum class Fit { none, present, reach } fit = Fit::reach;
  // Size of the picture in pixels; 0: the panel is hidden.
  int width = 0, height = 0;
  float pixel_scale = 1;  // pixels of the picture per length unit at scale 1
  unsigned texture = 0;   // texture with the picture; 0: there is no renderer

  int hovered_link = -1;  // link under the pointer
  std::optional<LinkDrag> drag;
  bool tracks = false;  // true if the camera moves with the selected link
  // The link tracked in the last frame (-1: none), and its position in the world in that frame.
  int tracked_link = -1;
  Vec3<double> tracked_from{};

  int mesh_version = 0;  // version of the meshes from which `shapes` was made

  std::string compared;  // name of the run that is also shown, for comparison, or ""

  // Members for the current scene.
  Shapes shapes;
  MeshStore meshes;
  References references;
  std::vector<Trail> trails;
  // Signals of the Sampler from which the trails are read, [trails].
  std::vector<std::string> signals;
  Drawing drawing;    // drawing of the current state
  ViewToggles drawn;  // toggles of the drawing. The Explain panel changes some of them

  // Shows another scene: its shapes, and a trail for each robot. The trail is the path of the last
  // frame that the robot moves.
  void show(const Model& model, const MeshAccess& access = {});
  // Updates the shapes with the loaded meshes.
  void take_meshes(const Model& model);
  // Shows only the trail of this frame. Shows no trail if the frame is fixed in the world.
  void follow(const Model& model, int frame);
};

// An option of the view that can be shown or hidden by name.
struct ViewToggle {
  const char *name, *title;
  bool ViewToggles::*on;
};
std::span<const ViewToggle> view_toggles();

}  // namespace torsor::editor
