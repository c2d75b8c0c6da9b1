#include "editor/panels/view/mouse.hpp"

#include <cmath>

#include "editor/app/editor.hpp"
#include "editor/panels/view/view.hpp"
#include "editor/probe/probe.hpp"
#include "editor/session/session.hpp"
#include "editor/session/session_state.hpp"
#include "editor/widgets/widgets.hpp"
#include "torsor/mechanics/kinematics.hpp"
#include "torsor/mechanics/state.hpp"

namespace torsor::editor {

namespace {

std::optional<Hit> under_mouse(const Editor& editor, ImVec2 at, ImVec2 size) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const Ray ray =
      editor.panel<ViewPanel>().state.camera.ray({mouse.x - at.x, mouse.y - at.y}, size.x, size.y);
  return pick(ray, editor.panel<ViewPanel>().state.drawing.solids);
}

int link_under_mouse(const Editor& editor, ImVec2 at, ImVec2 size) {
  const auto hit = under_mouse(editor, at, size);
  return hit ? editor.panel<ViewPanel>().state.drawing.solids[size_t(hit->index)].link : -1;
}

// Starts, moves or ends a drag of a link with Ctrl and the left button. The clicked point moves
// towards the mouse. Its target is in the plane through this point that faces the camera. A spring
// pulls it; with Shift, the joints are moved instead. Returns whether the mouse drags a link.
bool handle_link_drag(Editor& editor, ImVec2 at, ImVec2 size) {
  const ImGuiIO& io = ImGui::GetIO();
  ViewState& view = editor.panel<ViewPanel>().state;
  const Pixel mouse{io.MousePos.x - at.x, io.MousePos.y - at.y};
  if (ImGui::IsItemActivated() && io.KeyCtrl && io.MouseDown[0]) {
    const auto hit = under_mouse(editor, at, size);
    const int link = hit ? view.drawing.solids[size_t(hit->index)].link : -1;
    if (link < 0) return false;
    const int frame = editor.model().links[size_t(link)].frame;
    const Ray ray = view.camera.ray(mouse, size.x, size.y);
    const Vec3<double> hit_W = ray.origin + hit->distance * ray.direction;
    const Pose<double> X_WF =
        frame_pose(editor.probe.state(), editor.model().frames[size_t(frame)]);
    view.drag = LinkDrag{io.KeyShift, frame, inverse(X_WF) * hit_W, hit_W};
  }
  if (!view.drag) return false;
  LinkDrag& drag = *view.drag;
  if (!ImGui::IsItemActive() || !io.MouseDown[0]) {
    if (drag.continued && !drag.by_joints)
      editor.session.post(command::Edit{editor.now->scene, command::ReleaseFrame{}});
    view.drag.reset();
    return true;
  }
  const bool still = io.MouseDelta.x == 0 && io.MouseDelta.y == 0;
  if (still && (drag.continued || drag.by_joints)) return true;
  const Vec3<double> target_W = view.camera.on_plane_through(drag.hit_W, mouse, size.x, size.y);
  const std::string& frame = editor.model().frames[size_t(drag.frame)].name;
  command::Edit edit{editor.now->scene, command::PullFrame{frame, drag.point_F, target_W},
                     drag.continued};
  if (drag.by_joints) edit.what = command::MoveFrame{frame, drag.point_F, target_W};
  editor.session.post(std::move(edit));
  drag.continued = true;
  return true;
}

}  // namespace

void handle_view_mouse(Editor& editor, ImVec2 at, ImVec2 size) {
  const ImGuiIO& io = ImGui::GetIO();
  ViewState& view = editor.panel<ViewPanel>().state;
  Camera& camera = view.camera;
  // Maximum motion of the mouse during a click, at scale 1.
  constexpr float click_slack = 4;
  if (!ImGui::IsItemHovered())
    view.hovered_link = -1;
  else if (io.MouseDelta.x != 0 || io.MouseDelta.y != 0)
    view.hovered_link =
        io.MouseDown[0] || io.MouseDown[1] ? -1 : link_under_mouse(editor, at, size);
  if (handle_link_drag(editor, at, size)) return;
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
    const int link = link_under_mouse(editor, at, size);
    if (link < 0)
      try_action(editor, "scene.select", {"none"});
    else
      try_action(editor, "scene.select", {"link", editor.model().links[size_t(link)].name});
  }
}

}  // namespace torsor::editor
