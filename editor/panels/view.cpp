#include <GLFW/glfw3.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "editor/app/editor.hpp"
#include "editor/app/widgets.hpp"
#include "editor/panels/panel.hpp"
#include "editor/view/overlay.hpp"
#include "torsor/model/error.hpp"

namespace torsor::editor {

void draw_view_panel(Editor&);
std::span<const Action> view_actions();

namespace {

constexpr struct {
  const char *name, *title;
  bool ViewToggles::*on;
} toggles[] = {
    {"links", "Links", &ViewToggles::links},
    {"grid", "Ground: lines 0.1, 1 and 10 m apart", &ViewToggles::grid},
    {"axes", "Screw axes of the joints", &ViewToggles::axes},
    {"frames", "Frames", &ViewToggles::frames},
    {"com", "Centres of mass", &ViewToggles::com},
    {"inertia", "Inertia ellipsoids", &ViewToggles::inertia},
    {"wrenches", "Applied forces and moments", &ViewToggles::wrenches},
    {"trail", "Way of the end effector", &ViewToggles::trail},
    {"labels", "Names of joints and frames", &ViewToggles::labels},
};

// The corners of the boxes round all that stands there.
std::vector<Vec3<double>> corners(const Drawing& drawing) {
  std::vector<Vec3<double>> points;
  const auto add = [&](const Solid& solid) {
    const double edge = solid.mesh == Mesh::box ? 0.5 : 1, along = solid.mesh == Mesh::sphere ? 1 : 0.5;
    for (int k = 0; k < 8; ++k) {
      const Vec3<double> at{k & 1 ? edge : -edge, k & 2 ? edge : -edge, k & 4 ? along : -along};
      points.push_back(solid.X * Vec3<double>{at.x * solid.size.x, at.y * solid.size.y, at.z * solid.size.z});
    }
  };
  std::for_each(drawing.solids.begin(), drawing.solids.end(), add);
  std::for_each(drawing.arrows.begin(), drawing.arrows.end(), add);
  return points;
}

// Where the robots get to most of the time: half of their reach all round, and down to where they hang.
void add_reach(const Shapes& shapes, const Vec3<double>& gravity, std::vector<Vec3<double>>& points) {
  const Vec3<double> down = (1 / std::max(norm(gravity), 1e-9)) * gravity;
  for (const auto& [center, radius] : shapes.reaches) {
    points.push_back(center + radius * down);
    for (const double r : {-0.5 * radius, 0.5 * radius})
      for (const Vec3<double>& away : {Vec3<double>{r, 0, 0}, Vec3<double>{0, r, 0}, Vec3<double>{0, 0, r}})
        points.push_back(center + away);
  }
}

Highlight highlight(const Editor& editor) {
  const auto [kind, index] = editor.selection;
  Highlight lit;
  if (kind == Selection::Kind::link) lit.link = index;
  if (kind == Selection::Kind::joint) lit.joint = index;
  if (kind == Selection::Kind::frame) lit.frame = index;
  return lit;
}

// Up to the present, in few enough steps to be drawn in every frame.
void read_trails(Editor& editor) {
  constexpr size_t most = 800;
  ViewState& view = editor.view;
  for (size_t k = 0; k < view.trails.size(); ++k) {
    std::vector<Vec3<double>>& points = view.trails[k].points;
    points.clear();
    if (!view.toggles.trail) continue;
    editor.sampler.read(view.signals[k], [&](const Samples& samples) {
      const double end = editor.now->time() + 0.5 * editor.dt();
      const size_t n =
          size_t(std::upper_bound(samples.time.begin(), samples.time.end(), end) - samples.time.begin());
      const auto point = [&](size_t i) {
        return Vec3<double>{samples.values[0][i], samples.values[1][i], samples.values[2][i]};
      };
      const size_t stride = n / most + 1;  // of rows that stay, so that the line does not crawl as it grows
      for (size_t i = 0; i < n; i += stride) points.push_back(point(i));
      if (n > 0) points.push_back(point(n - 1));
    });
  }
}

void look(Editor& editor, ImVec2 size) {
  ViewState& view = editor.view;
  const float pixels = ImGui::GetIO().DisplayFramebufferScale.x;
  view.width = int(size.x * pixels);
  view.height = int(size.y * pixels);
  view.pixel_scale = scaled(1) * pixels;
  read_trails(editor);
  const Palette colors = palette(theme_is_dark());
  view.drawing = draw({editor.probe.state(), editor.scene().experiment.load, view.shapes, view.toggles,
                       highlight(editor), view.trails, colors});
  if (view.fit == ViewState::Fit::none) return;
  std::vector<Vec3<double>> points = corners(view.drawing);
  if (view.fit == ViewState::Fit::reach) add_reach(view.shapes, editor.scene().experiment.gravity_W, points);
  view.camera.fit(points, size.x / size.y);
  view.fit = ViewState::Fit::none;
}

std::optional<Hit> under_mouse(const Editor& editor, ImVec2 at, ImVec2 size) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const Ray ray = editor.view.camera.ray({mouse.x - at.x, mouse.y - at.y}, size.x, size.y);
  return pick(ray, editor.view.drawing.solids);
}

void handle_mouse(Editor& editor, ImVec2 at, ImVec2 size) {
  const ImGuiIO& io = ImGui::GetIO();
  ViewState& view = editor.view;
  Camera& camera = view.camera;
  constexpr float click_slack = 4;  // units that a click may move
  if (ImGui::IsItemHovered() && io.MouseWheel != 0) camera.zoom(std::pow(1.15, io.MouseWheel));
  if (ImGui::IsItemActive()) {
    const ImVec2 d = io.MouseDelta;
    if (io.MouseDown[0] && !io.KeyShift)
      camera.orbit(-d.x / scaled(160), d.y / scaled(160));
    else
      camera.pan(d.x / size.y, -d.y / size.y);
  }
  if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(0)) {
    const auto hit = under_mouse(editor, at, size);
    if (hit) {
      const Ray ray = camera.ray({io.MousePos.x - at.x, io.MousePos.y - at.y}, size.x, size.y);
      camera.target = ray.origin + hit->distance * ray.direction;
    }
  } else if (ImGui::IsItemDeactivated() && ImGui::IsMouseReleased(0) &&
             io.MouseDragMaxDistanceSqr[0] < scaled(click_slack) * scaled(click_slack)) {
    const auto hit = under_mouse(editor, at, size);
    const int link = hit ? view.drawing.solids[size_t(hit->index)].link : -1;
    if (link < 0)
      try_action(editor, "scene.select", {"none"});
    else
      try_action(editor, "scene.select", {"link", editor.model().links[size_t(link)].name});
  }
}

void draw_buttons(Editor& editor) {
  if (ImGui::Button("Show")) ImGui::OpenPopup("show");
  tooltip("What the view shows");
  const ImVec2 below{ImGui::GetItemRectMin().x, ImGui::GetItemRectMax().y + scaled(4)};
  ImGui::SameLine();
  action_button(editor, "Fit", "view.fit");
  constexpr struct { const char *title, *axis; } sides[] = {{"Front", "-x"}, {"Side", "y"}, {"Top", "-z"}};
  for (const auto& [title, axis] : sides) {
    ImGui::SameLine();
    action_button(editor, title, "view.along", {axis});
  }
  ImGui::SetNextWindowPos(below);
  if (!ImGui::BeginPopup("show")) return;
  for (const auto& [name, title, on] : toggles)
    action_toggle(editor, title, editor.view.toggles.*on, "view.toggle",
                  {name, editor.view.toggles.*on ? "off" : "on"});
  ImGui::EndPopup();
}

void toggle(Editor& editor, const Arguments& arguments) {
  const std::string& name = arguments.text(0, "NAME");
  std::vector<std::string> names;
  for (const auto& row : toggles) {
    names.emplace_back(row.name);
    if (name != row.name) continue;
    bool& on = editor.view.toggles.*row.on;
    on = arguments.size() > 1 ? arguments.flag(1, "on|off") : !on;
    return;
  }
  throw Error(fmt::format("the view shows no '{}'{}; it shows {}", name, did_you_mean(name, names),
                          fmt::join(names, ", ")));
}

void along(Editor& editor, const Arguments& arguments) {
  const std::string& name = arguments.text(0, "AXIS");
  const bool backward = name.starts_with("-");
  const std::string letter = name.substr(backward);
  if (letter != "x" && letter != "y" && letter != "z")
    throw Error(fmt::format("AXIS is '{}'; it is x, y, z, -x, -y or -z", name));
  editor.view.camera.look_along(letter[0] - 'x', backward);
}

void orbit(Editor& editor, const Arguments& arguments) {
  constexpr double degree = std::numbers::pi / 180;
  editor.view.camera.orbit(degree * arguments.number(0, "AZIMUTH_DEG"),
                           degree * arguments.number(1, "ELEVATION_DEG"));
}

void look_at(Editor& editor, const Arguments& arguments) {
  editor.view.camera.target = {arguments.number(0, "X"), arguments.number(1, "Y"), arguments.number(2, "Z")};
}

void zoom(Editor& editor, const Arguments& arguments) {
  const double factor = arguments.number(0, "FACTOR");
  if (!(factor > 0)) throw Error("FACTOR must be positive");
  editor.view.camera.zoom(factor);
}

void follow(Editor& editor, const Arguments& arguments) {
  if (!editor.has_scene()) throw Error("no scene is loaded");
  editor.view.follow(editor.model(), editor.model().frame(arguments.text(0, "FRAME")));
}

constexpr Action view_action_rows[] = {
    {"view.fit",
     "Fit the view to the robots",
     "",
     [](Editor& e, const Arguments&) { e.view.fit = ViewState::Fit::present; },
     {GLFW_KEY_F}},
    {"view.along", "Look along an axis", "AXIS", along},
    {"view.orbit", "Turn the view by angles in degrees", "AZIMUTH_DEG ELEVATION_DEG", orbit},
    {"view.look_at", "Look at a point of the world, in metres", "X Y Z", look_at},
    {"view.zoom", "Make what is seen larger", "FACTOR", zoom},
    {"view.toggle", "Show or hide in the view", "NAME on|off", toggle},
    {"view.follow", "Draw the way of a frame", "FRAME", follow},
};

}  // namespace

void draw_view_panel(Editor& editor) {
  const ImVec2 at = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
  const ImVec2 size{std::max(room.x, 1.0f), std::max(room.y, 1.0f)};
  ImGui::InvisibleButton("picture", size,
                         ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight |
                             ImGuiButtonFlags_MouseButtonMiddle);
  ImGui::SetItemAllowOverlap();
  handle_mouse(editor, at, size);
  look(editor, size);
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const ImVec2 end{at.x + size.x, at.y + size.y};
  draw.PushClipRect(at, end, true);
  // The first row of an OpenGL texture is the lowest.
  if (editor.view.texture) draw.AddImage(ImTextureID(intptr_t(editor.view.texture)), at, end, {0, 1}, {1, 0});
  draw_overlay({editor.view, editor.model(), editor.scene().experiment.load, at, size});
  draw.PopClipRect();
  ImGui::SetCursorScreenPos({at.x + scaled(6), at.y + scaled(6)});
  draw_buttons(editor);
}

std::span<const Action> view_actions() {
  return view_action_rows;
}

}  // namespace torsor::editor
