// Draws the tree of bodies, with the body of the current step and the progress of the pass.

#include <imgui.h>

#include <algorithm>
#include <vector>

#include "editor/app/editor.hpp"
#include "editor/panels/explain/explain.hpp"
#include "editor/widgets/widgets.hpp"

namespace torsor::editor {

namespace {

// Position of a body in the drawing: its number of joints from the world, and the row of its
// branch. The first child of a body continues its row.
struct Spot {
  int depth = 0, row = 0;
};
struct TreePlan {
  std::vector<Spot> spots;
  int depth = 0, rows = 1;
};

TreePlan plan(const Model& model) {
  const size_t n = size_t(model.n_body);
  TreePlan out{std::vector<Spot>(n), 0, 1};
  std::vector<std::vector<int>> children(n);
  for (size_t i = n - 1; i > 0; --i)
    children[size_t(model.parent[i])].push_back(int(i));  // last child first
  std::vector<int> stack{0};
  int row = 0;
  while (!stack.empty()) {
    const size_t i = size_t(stack.back());
    stack.pop_back();
    if (i > 0) {
      out.spots[i] = {out.spots[size_t(model.parent[i])].depth + 1, row};
      out.depth = std::max(out.depth, out.spots[i].depth);
      out.rows = row + 1;
    }
    if (children[i].empty()) ++row;
    for (const int child : children[i]) stack.push_back(child);
  }
  return out;
}

}  // namespace

void draw_explained_tree(Editor& editor, const ExplainedStep& at) {
  const Model& model = at.tracer.model();
  const TreePlan tree = plan(model);
  const float room = ImGui::GetContentRegionAvail().x, radius = scaled(4.5f);
  const float across = std::min(scaled(30), (room - 3 * radius) / float(std::max(tree.depth, 1))),
              down = tree.rows > 8 ? scaled(10) : scaled(14);
  const ImVec2 start = ImGui::GetCursorScreenPos();
  const auto place = [&](int body) {
    const Spot& spot = tree.spots[size_t(body)];
    return ImVec2{start.x + 1.5f * radius + across * float(spot.depth),
                  start.y + 2 * radius + down * float(spot.row)};
  };
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const ImU32 line = color_u32(Shade::dim), lit = color_u32(Shade::accent),
              back = ImGui::GetColorU32(ImGuiCol_WindowBg);
  for (int i = 1; i < model.n_body; ++i) {
    const ImVec2 from = place(model.parent[size_t(i)]), to = place(i);
    draw.AddLine(from, {from.x + 0.5f * across, to.y}, line, scaled(1));
    draw.AddLine({from.x + 0.5f * across, to.y}, to, line, scaled(1));
  }
  const bool inward =
      at.tracer.table().passes[size_t(at.tracer.table().pass_of(at.step.quantity))].inward;
  for (int i = 0; i < model.n_body; ++i) {
    const bool here = i == at.step.body,
               visited = i > 0 && (inward ? i > at.step.body : i < at.step.body);
    const ImVec2 spot = place(i);
    if (i == 0) {
      draw.AddRectFilled({spot.x - radius, spot.y - radius}, {spot.x + radius, spot.y + radius},
                         line);
      continue;
    }
    draw.AddCircleFilled(spot, here ? 1.35f * radius : radius, here ? lit : visited ? line : back);
    draw.AddCircle(spot, here ? 1.35f * radius : radius, here ? lit : line, 0, scaled(1.2f));
  }
  ImGui::InvisibleButton("tree", {std::max(room, 1.0f), 4 * radius + down * float(tree.rows - 1)});
  if (!ImGui::IsItemHovered()) return;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  for (int i = 1; i < model.n_body; ++i) {
    const ImVec2 spot = place(i);
    if (std::hypot(mouse.x - spot.x, mouse.y - spot.y) > 1.6f * radius) continue;
    tooltip(at.tracer.link_name(i));
    if (ImGui::IsMouseClicked(0)) try_action(editor, "explain.body", {at.tracer.link_name(i)});
  }
}

}  // namespace torsor::editor
