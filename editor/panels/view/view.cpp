#include <GLFW/glfw3.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <numbers>

#include "editor/actions/candidates.hpp"
#include "editor/app/editor.hpp"
#include "editor/panels/explain/explain.hpp"
#include "editor/panels/explain/view.hpp"
#include "editor/panels/runs/runs.hpp"
#include "editor/panels/view/mouse.hpp"
#include "editor/panels/view/view.hpp"
#include "editor/plot/decimate.hpp"
#include "editor/probe/closure_report.hpp"
#include "editor/probe/contacts/contact_step.hpp"
#include "editor/probe/probe.hpp"
#include "editor/probe/sampler.hpp"
#include "editor/session/scene.hpp"
#include "editor/session/session.hpp"
#include "editor/session/session_state.hpp"
#include "editor/view/overlay.hpp"
#include "editor/widgets/widgets.hpp"
#include "torsor/base/error.hpp"
#include "torsor/mechanics/kinematics.hpp"
#include "torsor/simulation/simulation.hpp"

namespace torsor::editor {

namespace {

// Returns the corners of the bounding boxes of all links, mounts and arrows.
std::vector<Vec3<double>> corners(const Drawing& drawing) {
  std::vector<Vec3<double>> points;
  const auto add = [&](const Solid& solid) {
    for (const Vec3<double>& corner : box_corners(solid)) points.push_back(corner);
  };
  std::for_each(drawing.solids.begin(), drawing.solids.end(), add);
  std::for_each(drawing.arrows.begin(), drawing.arrows.end(), add);
  return points;
}

// Adds points that bound the usual range of the robots: half of the reach in all directions, and
// the full reach along gravity.
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

// Adds points that bound robots whose root body has three rotational dof, because such a robot may
// tumble. The points are the extremes, along the camera axes, of a sphere about the root body.
void add_tumbling(Editor& editor, std::vector<Vec3<double>>& points) {
  const Model& model = editor.model();
  const std::vector<Pose<double>> X_WB = world_poses(editor.probe.state());
  std::vector<size_t> root(X_WB.size());
  std::vector<int> turning(X_WB.size());
  std::vector<double> radius(X_WB.size());
  for (int c = 0; c < model.n_v; ++c)
    turning[size_t(model.joint_of_dof(c).body)] += model.dof(c).turns();
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
  if (kind == Selection::Kind::closure) lit.closure = index;
  lit.hovered_link = editor.panel<ViewPanel>().state.hovered_link;
  return lit;
}

// Reads the trails up to the current time, reduced to about 800 points each. thinned() keeps the
// line from shifting while the trail grows.
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
      for (const size_t i : thinned({0, n}, most))
        points.push_back({samples.values[0][i], samples.values[1][i], samples.values[2][i]});
    });
  }
}

// Moves the camera with the selected link if tracking is on. The camera keeps its position relative
// to the origin of the link.
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

// Returns the poses of all robots in the compared run, one element per robot. Stores the name of
// this run in the state of the view.
std::vector<DrawnReference> compared_robots(Editor& editor) {
  std::vector<DrawnReference> out;
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
  // acceleration() also adds the wrenches of forces to the state, which are drawn.
  if (view.toggles.wrenches) (void)probe.acceleration();
  const auto W = view.toggles.reactions ? std::span(probe.joint_wrenches())
                                        : std::span<const Wrench<double>>();
  std::vector<DrawnReference> references = compared_robots(editor);
  if (view.toggles.reference) {
    view.references.look_at(editor.now->scene, probe.simulation().load().controls);
    const std::span<const DrawnReference> of_controls =
        view.references.at(editor.now->time(), probe.state().q());
    references.insert(references.end(), of_controls.begin(), of_controls.end());
  }
  const Palette colors = palette(theme_is_dark());
  move_along(editor);
  const ViewToggles& toggles = view.drawn = explained_toggles(editor);
  const auto closure_wrenches = toggles.closure_wrenches ? std::span(probe.closure_wrenches().F_A)
                                                         : std::span<const Wrench<double>>();
  std::vector<ContactForce> contacts;
  if (toggles.contacts)
    if (const ContactStep* step = editor.panel<ExplainPanel>().contacts.step(editor.now, probe))
      for (const ContactStepPoint& point : step->points) contacts.push_back(point.force);
  view.drawing = draw({probe.state(), probe.simulation().load(), view.shapes, toggles,
                       explained_highlight(editor, highlight(editor)), view.trails, colors, W,
                       references, closure_wrenches, contacts});
  add_explanation(editor, colors, view.drawing);
  if (view.fit == ViewState::Fit::none) return;
  std::vector<Vec3<double>> points = corners(view.drawing);
  add_tumbling(editor, points);
  if (view.fit == ViewState::Fit::reach)
    add_reach(view.shapes, editor.scene().experiment.gravity_W, points);
  view.camera.fit(points, size.x / size.y);
  // While meshes are still being loaded, fit again in the next frame.
  if (!view.meshes.busy()) view.fit = ViewState::Fit::none;
}

void draw_toolbar(Editor& editor) {
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

void toggle(Editor& editor, const Arguments& arguments) {
  const std::string& name = arguments.text(0, "MARK");
  std::vector<std::string> names;
  for (const ViewToggle& row : view_toggles()) {
    names.emplace_back(row.name);
    if (name != row.name) continue;
    bool& on = editor.panel<ViewPanel>().state.toggles.*row.on;
    on = arguments.size() > 1 ? arguments.flag(1, "on|off") : !on;
    return;
  }
  throw Error(fmt::format("the view has no '{}'; use one of: {}{}", name, fmt::join(names, ", "),
                          did_you_mean(name, names)));
}

void along(Editor& editor, const Arguments& arguments) {
  const std::string& name = arguments.text(0, "x|y|z|-x|-y|-z");
  const bool backward = name.starts_with("-");
  const std::string letter = name.substr(backward);
  if (letter != "x" && letter != "y" && letter != "z")
    throw Error(fmt::format("there is no axis '{}'; use x, y, z, -x, -y or -z", name));
  editor.panel<ViewPanel>().state.camera.look_along(letter[0] - 'x', backward);
}

void orbit(Editor& editor, const Arguments& arguments) {
  constexpr double degree = std::numbers::pi / 180;
  editor.panel<ViewPanel>().state.camera.orbit(degree * arguments.number(0, "AZIMUTH_DEG"),
                                               degree * arguments.number(1, "ELEVATION_DEG"));
}

void look_at(Editor& editor, const Arguments& arguments) {
  editor.panel<ViewPanel>().state.camera.target = {
      arguments.number(0, "X"), arguments.number(1, "Y"), arguments.number(2, "Z")};
}

void zoom(Editor& editor, const Arguments& arguments) {
  const double factor = arguments.number(0, "FACTOR");
  if (!(factor > 0)) throw Error("FACTOR is not positive; use a number above 0");
  editor.panel<ViewPanel>().state.camera.zoom(factor);
}

void track(Editor& editor, const Arguments& arguments) {
  bool& on = editor.panel<ViewPanel>().state.tracks;
  on = arguments.size() > 0 ? arguments.flag(0, "on|off") : !on;
}

// Posts an edit that moves a point of a frame: PullFrame or MoveFrame.
template <class EditOfFrame>
void edit_frame(Editor& editor, const Arguments& arguments) {
  need_scene(editor);
  const auto point = [&](size_t first) {
    return Vec3<double>{arguments.number(first, "X"), arguments.number(first + 1, "Y"),
                        arguments.number(first + 2, "Z")};
  };
  (void)editor.model().frame(arguments.text(0, "FRAME"));  // throws Error if there is no such frame
  editor.session.post(command::Edit{editor.now->scene,
                                    EditOfFrame{arguments.text(0, "FRAME"), point(1), point(4)}});
}

template <bool ViewToggles::*on>
void flip(Editor& editor, const Arguments&) {
  editor.panel<ViewPanel>().state.toggles.*on = !(editor.panel<ViewPanel>().state.toggles.*on);
}

void follow(Editor& editor, const Arguments& arguments) {
  need_scene(editor);
  editor.panel<ViewPanel>().state.follow(editor.model(),
                                         editor.model().frame(arguments.text(0, "FRAME")));
}

constexpr Action view_action_rows[] = {
    {"view.fit",
     "Fit the view to the robots",
     "",
     [](Editor& e, const Arguments&) { e.panel<ViewPanel>().state.fit = ViewState::Fit::present; },
     {GLFW_KEY_F}},
    {"view.along", "Look along an axis", "x|y|z|-x|-y|-z", along},
    {"view.orbit", "Orbit the camera by angles in degrees", "AZIMUTH_DEG ELEVATION_DEG", orbit},
    {"view.look_at", "Look at a point of the world (in m)", "X Y Z", look_at},
    {"view.zoom", "Zoom the view by a factor", "FACTOR", zoom},
    {"view.toggle", "Show or hide an element of the view", "MARK [on|off]", toggle},
    {"view.follow", "Draw the trail of a frame", "FRAME", follow},
    {"view.track", "Follow the selected link with the camera", "[on|off]", track, {GLFW_KEY_T}},
    {"view.pull", "Pull a point of a frame towards a point of the world with a spring (Ctrl+drag)",
     "FRAME X Y Z TO_X TO_Y TO_Z", edit_frame<command::PullFrame>},
    {"view.move",
     "Move a point of a frame towards a point of the world by the joints (Ctrl+Shift+drag)",
     "FRAME X Y Z TO_X TO_Y TO_Z", edit_frame<command::MoveFrame>},
    {"view.release", "Release the pulled frame", "",
     [](Editor& e, const Arguments&) {
       e.session.post(command::Edit{e.now->scene, command::ReleaseFrame{}});
     }},
    // The keys of the following actions are those of MuJoCo's simulate.
    {"view.axes", "Show or hide screw axes", "", flip<&ViewToggles::axes>, {GLFW_KEY_J}},
    {"view.com", "Show or hide centres of mass", "", flip<&ViewToggles::com>, {GLFW_KEY_M}},
    {"view.inertia",
     "Show or hide inertia ellipsoids",
     "",
     flip<&ViewToggles::inertia>,
     {GLFW_KEY_I}},
    {"view.shadows", "Show or hide shadows", "", flip<&ViewToggles::shadows>, {GLFW_KEY_S}},
};

}  // namespace

std::optional<std::vector<std::string>> ViewPanel::candidates(Editor&, const Action&,
                                                              std::string_view word,
                                                              const Arguments&) {
  return word == "MARK" ? std::optional(names_of(view_toggles())) : std::nullopt;
}

std::span<const Action> ViewPanel::actions() {
  return view_action_rows;
}

namespace {

// Asks the user about each mesh file outside the folders of MeshAccess.
MeshAccess mesh_access(const std::filesystem::path& folder, const Session& session) {
  MeshAccess out{folder};
  out.packages = session.packages();
  if (const Permission permission = session.permission())
    out.permission = [permission](const std::filesystem::path& file, const std::string& source) {
      return permission(access_request(AccessRequest::Kind::file, file, source));
    };
  return out;
}

}  // namespace

void ViewPanel::begin_frame(Editor& editor) {
  state.width = state.height = 0;  // the picture is hidden until draw() is called
  const bool reloaded = scene_ != nullptr;
  if (scene_ == editor.now->scene) return;
  scene_ = editor.now->scene;
  if (!scene_) return;
  state.show(scene_->model(), mesh_access(scene_->file.parent_path(), editor.session));
  if (reloaded) state.fit = ViewState::Fit::none;  // a reload does not move the camera
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
  draw_toolbar(editor);
}

}  // namespace torsor::editor
