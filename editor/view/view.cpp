#include "editor/view/view.hpp"

#include <fmt/format.h>

#include "torsor/model/model.hpp"

namespace torsor::editor {

namespace {

// Returns the index of the robot that moves a frame, or -1 for a frame fixed in the world.
int robot_of(const Model& model, int frame) {
  const int body = model.frames[size_t(frame)].body;
  for (size_t r = 0; body > 0 && r < model.robots.size(); ++r) {
    const Robot& robot = model.robots[r];
    for (int l = robot.first_link; l < robot.first_link + robot.n_link; ++l)
      if (model.frames[size_t(model.links[size_t(l)].frame)].body == body) return int(r);
  }
  return -1;
}

// Returns the name of the Recorder's signal of a frame's pose, ROBOT.pose.FRAME. If there are
// several robots, names of frames in the model begin with the name of the robot. FRAME is without
// this prefix.
std::string pose_signal(const Model& model, int robot, int frame) {
  const std::string &of = model.robots[size_t(robot)].name,
                    &name = model.frames[size_t(frame)].name;
  const bool prefixed = model.robots.size() > 1 && name.starts_with(of + ".");
  return fmt::format("{}.pose.{}", of, prefixed ? name.substr(of.size() + 1) : name);
}

}  // namespace

void ViewState::show(const Model& model, const MeshAccess& access) {
  meshes.request(model, access);
  take_meshes(model);
  fit = Fit::reach;
  hovered_link = tracked_link = -1;
  drag.reset();
  std::vector<int> last(model.robots.size(), -1);
  for (int f = 0; f < int(model.frames.size()); ++f)
    if (const int robot = robot_of(model, f); robot >= 0) last[size_t(robot)] = f;
  trails.clear();
  signals.clear();
  for (size_t r = 0; r < last.size(); ++r) {
    if (last[r] < 0) continue;
    trails.push_back({last[r], robot_paint(int(r)).joint, {}});
    signals.push_back(pose_signal(model, int(r), last[r]));
  }
}

void ViewState::take_meshes(const Model& model) {
  mesh_version = meshes.version();
  shapes = shapes_of(model, meshes.loaded());
}

void ViewState::follow(const Model& model, int frame) {
  trails.clear();
  signals.clear();
  const int robot = robot_of(model, frame);
  if (robot < 0) return;
  trails.push_back({frame, robot_paint(robot).joint, {}});
  signals.push_back(pose_signal(model, robot, frame));
}

std::span<const ViewToggle> view_toggles() {
  static constexpr ViewToggle table[] = {
      {"links", "Links", &ViewToggles::links},
      {"grid", "Ground grid (0.1, 1 and 10 m)", &ViewToggles::grid},
      {"shadows", "Shadows", &ViewToggles::shadows},
      {"axes", "Joint screw axes", &ViewToggles::axes},
      {"closures", "Closures of loops", &ViewToggles::closures},
      {"link_frames", "Link frames", &ViewToggles::link_frames},
      {"frames", "Named frames", &ViewToggles::frames},
      {"collisions", "Collision shapes", &ViewToggles::collisions},
      {"contacts", "Contact points, forces and friction cones", &ViewToggles::contacts},
      {"com", "Centres of mass", &ViewToggles::com},
      {"inertia", "Inertia ellipsoids", &ViewToggles::inertia},
      {"wrenches", "Applied forces and moments", &ViewToggles::wrenches},
      {"reactions", "Joint forces and moments", &ViewToggles::reactions},
      {"closure_wrenches", "Closure forces and moments", &ViewToggles::closure_wrenches},
      {"twists", "Link velocities", &ViewToggles::twists},
      {"trail", "Trail of the end effector", &ViewToggles::trail},
      {"reference", "Controller references", &ViewToggles::reference},
      {"labels", "Joint and frame names", &ViewToggles::labels},
      {"legend", "Legend", &ViewToggles::legend},
  };
  return table;
}

}  // namespace torsor::editor
