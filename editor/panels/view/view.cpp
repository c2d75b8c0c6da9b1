#include <imgui.h>

#include <algorithm>

#include "editor/app/editor.hpp"
#include "editor/panels/explain/explain.hpp"
#include "editor/panels/runs/runs.hpp"
#include "editor/panels/view/mouse.hpp"
#include "editor/panels/view/view.hpp"
#include "editor/view/overlay.hpp"
#include "editor/widgets/widgets.hpp"
#include "torsor/mechanics/kinematics.hpp"

namespace torsor::editor {

namespace {

// Returns the corners of the bounding boxes of all visible solids.
std::vector<Vec3<double>> corners(const Drawing& drawing) {
  std::vector<Vec3<double>> points;
  const auto add = [&](const Solid& solid) {
    for (const Vec3<double>& corner : box_corners(solid)) points.push_back(corner);
  };
  std::for_each(drawing.solids.begin(), drawing.solids.end(), add);
  std::for_each(drawing.arrows.begin(), drawing.arrows.end(), add);
  return points;
}

// Adds the usual range of the robots: half of their reach in all directions, and their full reach
// along gravity.
void add_reach(const Shapes& shapes, const Vec3<double>& gravity,
               std::vector<Vec3<double>>& points) {
  const Vec3<double> down = (1 / std::max(norm(gravity), 1e-9)) * gravity;
  for (const auto& [center, radius] : shapes.reaches) {
    points.push_back(center + radius * down);
    for (const double r : {-0.5 * radius, 0.5 * radius})
      for (const Vec3<double>& away :
           {Vec3<double>{r, 0, 0}, Vec3<double>{0, r, 0}, Vec3<double>{0, 0, r}})
        points.push_back(center + away);
  }
}

// Adds spheres around bodies whose root has three rotational dof, because they tumble. The spheres
// are as seen by the camera.
void add_tumbling(Editor& editor, std::vector<Vec3<double>>& points) {
  const Model& model = editor.model();
  const std::vector<Pose<double>> X_WB = world_poses(editor.probe.state());
  std::vector<size_t> root(X_WB.size());
  std::vector<int> turning(X_WB.size());
  std::vector<double> radius(X_WB.size());
  for (int c = 0; c < model.n_v; ++c)
    turning[size_t(model.joint_of_column(c).body)] += model.column(c).turns();
  for (size_t b = 1; b < root.size(); ++b)
    root[b] = model.parent[b] == 0 ? b : root[size_t(model.parent[b])];
  for (const auto& [body, solid] : editor.panel<ViewPanel>().state.shapes.solids)
    for (const Vec3<double>& corner : box_corners(solid))
      if (const size_t r = root[size_t(body)]; r != 0 && turning[r] >= 3)
        radius[r] = std::max(radius[r], norm(X_WB[size_t(body)] * corner - X_WB[r].p));
  const Camera& camera = editor.panel<ViewPanel>().state.camera;
  for (size_t b = 1; b < root.size(); ++b)
    for (const double r : {-radius[b], radius[b]})
      for (const Vec3<double>& axis : {camera.right(), camera.up(), camera.forward()})
        if (r != 0) points.push_back(X_WB[b].p + r * axis);
}

Highlight highlight(const Editor& editor) {
  const auto [kind, index] = editor.selection;
  Highlight lit;
  if (kind == Selection::Kind::link) lit.link = index;
  if (kind == Selection::Kind::joint) lit.joint = index;
  if (kind == Selection::Kind::frame) lit.frame = index;
  lit.hovered_link = editor.panel<ViewPanel>().state.hovered_link;
  return lit;
}

// Reads the trails up to the current time, with few enough points to draw them in every frame.
void read_trails(Editor& editor) {
  constexpr size_t most = 800;
  ViewState& view = editor.panel<ViewPanel>().state;
  for (size_t k = 0; k < view.trails.size(); ++k) {
    std::vector<Vec3<double>>& points = view.trails[k].points;
    points.clear();
    if (!view.toggles.trail) continue;
    editor.sampler.read(view.signals[k], [&](const Samples& samples) {
      const double end = editor.now->time() + 0.5 * editor.dt();
      const size_t n = size_t(std::upper_bound(samples.time.begin(), samples.time.end(), end) -
                              samples.time.begin());
      const auto point = [&](size_t i) {
        return Vec3<double>{samples.values[0][i], samples.values[1][i], samples.values[2][i]};
      };
      // Take rows that remain the same as the trail grows, so that the line does not move.
      const size_t stride = n / most + 1;
      for (size_t i = 0; i < n; i += stride) points.push_back(point(i));
      if (n > 0) points.push_back(point(n - 1));
    });
  }
}

// Moves the camera with the tracked link, so that the view from the link stays the same.
void move_along(Editor& editor) {
  ViewState& view = editor.panel<ViewPanel>().state;
  const auto [kind, index] = editor.selection;
  if (!view.tracks || kind != Selection::Kind::link) {
    view.tracked_link = -1;
    return;
  }
  const Link& link = editor.model().links[size_t(index)];
  const Vec3<double> at =
      frame_pose(editor.probe.state(), editor.model().frames[size_t(link.frame)]).p;
  if (view.tracked_link == index) view.camera.target += at - view.tracked_from;
  view.tracked_link = index;
  view.tracked_from = at;
}

// Returns the robots of the run that the current run is compared with.
std::vector<Goal> compared_robots(Editor& editor) {
  std::vector<Goal> out;
  const ComparedRun other = compared_run(editor.panel<RunsPanel>(), *editor.now);
  editor.panel<ViewPanel>().state.compared = other.run ? other.run->name : "";
  if (!other.run) return out;
  State state = editor.probe.state();
  state.set_q(other.state.q);
  const std::vector<Pose<double>> X_WB = world_poses(state);
  for (size_t k = 0; k < editor.model().robots.size(); ++k)
    out.push_back({.name = other.run->name, .robot = int(k), .of_frame = false, .X_WB = X_WB});
  return out;
}

void look(Editor& editor, ImVec2 size) {
  ViewState& view = editor.panel<ViewPanel>().state;
  const float pixels = ImGui::GetIO().DisplayFramebufferScale.x;
  view.width = int(size.x * pixels);
  view.height = int(size.y * pixels);
  view.pixel_scale = scaled(1) * pixels;
  if (view.mesh_version != view.meshes.version()) view.take_meshes(editor.model());
  for (std::string& failure : view.meshes.take_failures())
    editor.session.post(command::Report{{Problem::Kind::warning, std::move(failure)}});
  read_trails(editor);
  Probe& probe = editor.probe;
  // This call also computes the wrenches on the bodies.
  if (view.toggles.wrenches) (void)probe.acceleration();
  const auto W = view.toggles.reactions ? std::span(probe.joint_wrenches())
                                        : std::span<const Wrench<double>>();
  std::vector<Goal> goals = compared_robots(editor);
  if (view.toggles.reference) {
    view.references.look_at(editor.now->scene, probe.simulation().load().controls);
    const std::span<const Goal> wanted = view.references.at(editor.now->time(), probe.state().q());
    goals.insert(goals.end(), wanted.begin(), wanted.end());
  }
  const Palette colors = palette(theme_is_dark());
  move_along(editor);
  view.drawing =
      draw({probe.state(), probe.simulation().load(), view.shapes, explained_toggles(editor),
            explained_highlight(editor, highlight(editor)), view.trails, colors, W, goals});
  add_explanation(editor, colors, view.drawing);
  if (view.fit == ViewState::Fit::none) return;
  std::vector<Vec3<double>> points = corners(view.drawing);
  add_tumbling(editor, points);
  if (view.fit == ViewState::Fit::reach)
    add_reach(view.shapes, editor.scene().experiment.gravity_W, points);
  view.camera.fit(points, size.x / size.y);
  // Otherwise some meshes are still missing.
  if (!view.meshes.busy()) view.fit = ViewState::Fit::none;
}

void draw_buttons(Editor& editor) {
  if (ImGui::Button("Show")) ImGui::OpenPopup("show");
  tooltip("Choose what the view shows");
  const ImVec2 below{ImGui::GetItemRectMin().x, ImGui::GetItemRectMax().y + scaled(4)};
  ImGui::SameLine();
  action_button(editor, "Fit", "view.fit");
  constexpr struct {
    const char *title, *axis;
  } sides[] = {{"Front", "-x"}, {"Side", "y"}, {"Top", "-z"}};
  for (const auto& [title, axis] : sides) {
    ImGui::SameLine();
    action_button(editor, title, "view.along", {axis});
  }
  ImGui::SetNextWindowPos(below);
  if (!ImGui::BeginPopup("show")) return;
  for (const auto& [name, title, on] : view_toggles())
    action_toggle(editor, title, editor.panel<ViewPanel>().state.toggles.*on, "view.toggle",
                  {name, editor.panel<ViewPanel>().state.toggles.*on ? "off" : "on"});
  ImGui::Separator();
  action_toggle(editor, "Follow the selected link with the camera",
                editor.panel<ViewPanel>().state.tracks, "view.track",
                {editor.panel<ViewPanel>().state.tracks ? "off" : "on"});
  ImGui::EndPopup();
}

}  // namespace

void ViewPanel::begin_frame(Editor& editor) {
  state.width = state.height = 0;  // until the panel is drawn
  const bool reloaded = scene_ != nullptr;
  if (scene_ == editor.now->scene) return;
  scene_ = editor.now->scene;
  if (!scene_) return;
  state.show(scene_->model(), {scene_->file.parent_path(), editor.session.permission()});
  if (reloaded) state.fit = ViewState::Fit::none;  // a reload keeps the camera
}

std::vector<std::string> ViewPanel::wanted_signals(const Editor&) {
  return state.toggles.trail ? state.signals : std::vector<std::string>{};
}

void ViewPanel::draw(Editor& editor) {
  const ImVec2 at = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
  const ImVec2 size{std::max(room.x, 1.0f), std::max(room.y, 1.0f)};
  ImGui::InvisibleButton("picture", size,
                         ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight |
                             ImGuiButtonFlags_MouseButtonMiddle);
  ImGui::SetItemAllowOverlap();
  handle_view_mouse(editor, at, size);
  look(editor, size);
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const ImVec2 end{at.x + size.x, at.y + size.y};
  draw.PushClipRect(at, end, true);
  // The first row of an OpenGL texture is the lowest.
  if (state.texture) draw.AddImage(ImTextureID(intptr_t(state.texture)), at, end, {0, 1}, {1, 0});
  draw_overlay({state, editor.model(), editor.now->playing, at, size});
  draw.PopClipRect();
  ImGui::SetCursorScreenPos({at.x + scaled(6), at.y + scaled(6)});
  draw_buttons(editor);
}

}  // namespace torsor::editor
