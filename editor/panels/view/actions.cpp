#include <GLFW/glfw3.h>
#include <fmt/format.h>

#include <numbers>

#include "editor/app/candidates.hpp"
#include "editor/app/editor.hpp"
#include "editor/panels/view/view.hpp"
#include "torsor/base/error.hpp"

namespace torsor::editor {

namespace {

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

void pull(Editor& editor, const Arguments& arguments) {
  need_scene(editor);
  const auto point = [&](size_t first) {
    return Vec3<double>{arguments.number(first, "X"), arguments.number(first + 1, "Y"),
                        arguments.number(first + 2, "Z")};
  };
  (void)editor.model().frame(arguments.text(0, "FRAME"));  // throws Error if there is no such frame
  editor.session.post(command::Edit{
      editor.now->scene, command::PullFrame{arguments.text(0, "FRAME"), point(1), point(4)}});
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
     "FRAME X Y Z TO_X TO_Y TO_Z", pull},
    {"view.release", "Release the pulled frame", "",
     [](Editor& e, const Arguments&) {
       e.session.post(command::Edit{e.now->scene, command::ReleaseFrame{}});
     }},
    // Keys are the same as in MuJoCo's simulate.
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

}  // namespace torsor::editor
