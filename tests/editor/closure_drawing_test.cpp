// Tests of closures in the 3D view and in the panels.

#include <gmock/gmock.h>

#include <imgui.h>
#include <imgui_internal.h>  // FindWindowByName

#include <algorithm>

#include "editor/drawn_text.hpp"
#include "editor/panels/explain/explain.hpp"
#include "editor/panels/view/view.hpp"
#include "editor/points.hpp"
#include "editor/view/drawing.hpp"
#include "editor/view/view.hpp"
#include "editor/windowless_fixture.hpp"
#include "torsor/model/builder.hpp"
#include "torsor/simulation/load.hpp"

namespace torsor::editor::test {
namespace {

std::shared_ptr<const Model> coupled_joints(ClosureKind kind);

// A bar that hangs on a hinge, with a closure between its end and a point beside it.
std::shared_ptr<const Model> closed_bar(ClosureKind kind) {
  if (traits(kind).is_linear()) return coupled_joints(kind);
  RobotDescription robot;
  robot.name = "robot";
  LinkDescription link;
  link.name = "bar";
  link.joint = {.name = "hinge", .kind = JointKind::floating, .placement = ScrewPlacement{}};
  link.inertia = {1, {0, 0, 0}, {1, 1, 1, 0, 0, 0}};
  robot.links.push_back(link);
  robot.frames.push_back(
      {.name = "end", .link = "bar", .X_LF = translation<double>({0, 0, -1}), .source = ""});
  ClosureDescription closure{.name = "loop", .kind = kind, .frames = {"world", "end"}};
  if (!traits(kind).parameter.empty()) closure.parameter = 0.2;
  robot.closures.push_back(closure);
  return build(robot);
}

// Two joints whose coordinates a closure couples. The first joint of a rack slides.
std::shared_ptr<const Model> coupled_joints(ClosureKind kind) {
  RobotDescription robot;
  robot.name = "robot";
  for (const auto& [name, joint, x] :
       {std::tuple{"first", kind == ClosureKind::rack ? JointKind::prismatic : JointKind::revolute,
                   0.0},
        {"second", JointKind::revolute, 0.5}}) {
    LinkDescription link;
    link.name = name;
    link.joint = {.name = name,
                  .kind = joint,
                  .placement = ScrewPlacement{translation<double>({x, 0, 0}), {0, 0, 1}}};
    link.inertia = {1, {0, 0, 0}, {1, 1, 1, 0, 0, 0}};
    robot.links.push_back(link);
  }
  ClosureDescription closure{.name = "loop", .kind = kind};
  closure.joints = {"first", "second"};
  if (!traits(kind).parameter.empty()) closure.parameter = 0.2;
  if (kind == ClosureKind::cable) closure.radii = {1, 0.1};
  robot.closures.push_back(closure);
  return build(robot);
}

struct DrawnClosure {
  explicit DrawnClosure(ClosureKind kind)
      : model(closed_bar(kind)), state(model), shapes(shapes_of(*model)) {
    toggles = {.links = false, .axes = false, .closures = true, .com = false};
  }
  Drawing draw() const {
    return editor::draw({.state = state,
                         .load = load,
                         .shapes = shapes,
                         .toggles = toggles,
                         .highlight = highlight,
                         .trails = {},
                         .palette = palette(true),
                         .closure_wrenches = F_A});
  }
  std::shared_ptr<const Model> model;
  State state;
  Load load;
  Shapes shapes;
  ViewToggles toggles;
  Highlight highlight;
  std::vector<Wrench<double>> F_A;
};

TEST(ClosureDrawing, EveryKindHasItsSymbol) {
  std::vector<std::pair<size_t, size_t>> seen;
  for (const std::string& name : closure_kind_names()) {
    DrawnClosure drawn(*closure_kind(name));
    const Drawing out = drawn.draw();
    EXPECT_GT(out.strokes.size() + out.arrows.size(), 1u) << name;
    EXPECT_TRUE(out.labels.empty()) << name;
    drawn.toggles.closures = false;
    EXPECT_TRUE(drawn.draw().strokes.empty()) << name;
    EXPECT_TRUE(drawn.draw().arrows.empty()) << name;
    drawn.highlight.closure = 0;
    const Drawing lit = drawn.draw();
    EXPECT_EQ(lit.strokes.size(), out.strokes.size()) << name;
    ASSERT_EQ(lit.labels.size(), 1u) << name;
    EXPECT_EQ(lit.labels[0].text, "loop");
    seen.emplace_back(out.strokes.size(), out.arrows.size());
  }
  std::ranges::sort(seen);
  const auto same = std::ranges::unique(seen);
  // A plane and a point on a plane look alike; so may two other pairs of numbers.
  EXPECT_GE(seen.size() - same.size(), 7u);
}

// Checks the axis of a revolute closure, and the line from its frame A to its open frame B.
TEST(ClosureDrawing, TheSymbolIsAtTheFrames) {
  DrawnClosure drawn(ClosureKind::revolute);
  const Drawing out = drawn.draw();
  const auto has = [&](const Vec3<double>& from, const Vec3<double>& to) {
    return std::ranges::any_of(out.strokes, [&](const Stroke& stroke) {
      return norm(stroke.from - from) < 1e-12 && norm(stroke.to - to) < 1e-12;
    });
  };
  EXPECT_TRUE(has({0, 0, 0}, {0, 0, -1}));
  EXPECT_TRUE(std::ranges::any_of(out.strokes, [](const Stroke& stroke) {
    return norm(stroke.from + stroke.to) < 1e-12 && stroke.to.z > 0 && stroke.to.x == 0;
  }));
}

// Checks the arrows of a force along x and a moment about z, in the axes of the world, at B.
TEST(ClosureDrawing, WrenchesAreArrowsAtTheSecondFrame) {
  DrawnClosure drawn(ClosureKind::revolute);
  drawn.F_A = {{{0, 0, 3}, {5, 0, 0}}};
  const size_t symbol = drawn.draw().arrows.size();
  drawn.toggles.closure_wrenches = true;
  const Drawing out = drawn.draw();
  std::vector<std::string> labels;
  for (const Label& label : out.labels) labels.push_back(label.text);
  EXPECT_THAT(labels, testing::UnorderedElementsAre("5 N in loop", "3 N m in loop"));
  EXPECT_EQ(out.arrows.size(), symbol + 3) << "the shaft and head of the force, and one head";
  const Label& force = *std::ranges::find(out.labels, "5 N in loop", &Label::text);
  EXPECT_GT(force.at.x, 0.05);
  EXPECT_NEAR(force.at.z, -1, 1e-12);
}

class ClosureWindowTest : public WindowlessTest {
 protected:
  void act(const std::string& name, const Arguments& arguments) {
    run_action(*editor_, name, arguments);
    settle();
  }
};

TEST_F(ClosureWindowTest, ClosuresAreSelectedAndExplained) {
  open(source_file("scenes/four_bar.lua"));
  act("scene.select", {"closure", "pin"});
  EXPECT_EQ(selection_text(*editor_), "closure pin");
  every_panel();
  EXPECT_EQ(editor_->panel<ViewPanel>().state.drawing.labels.back().text, "pin");
  act("panel.show", {"inspector"});
  frame();
  EXPECT_FALSE(find_drawn(drawn_characters("Inspector"), "Secondbody").empty());
  act("panel.show", {"explain"});
  act("explain.show", {"constraints"});
  act("panel.show", {"view"});
  for (int k = 0; k < 3; ++k) frame();
  EXPECT_FALSE(find_drawn(drawn_characters("Explain"), "1.Rowsoftheconstraints").empty());
  const std::vector<Label>& labels = editor_->panel<ViewPanel>().state.drawing.labels;
  EXPECT_TRUE(std::ranges::any_of(labels, [](const Label& label) {
    return label.text.ends_with("N in pin");
  })) << "the wrench is drawn while it is explained";
  act("explain.compare", {});
  for (int k = 0; k < 3; ++k) frame();
  EXPECT_FALSE(find_drawn(drawn_characters("Explain"), "ofGlambda").empty());
  act("explain.constraint_solver", {"projected_gauss_seidel"});
  EXPECT_EQ(editor_->now->constraint_solver().id, "constraint_solver.projected_gauss_seidel");
  EXPECT_THROW(act("explain.constraint_solver", {"pivot"}), Error);
  act("explain.next", {});
  EXPECT_EQ(editor_->panel<ExplainPanel>().subject, Explained::recursion);
  EXPECT_THROW(act("explain.show", {"nonsense"}), Error);
  EXPECT_THROW(act("scene.select", {"closure", "pim"}), Error);
}

// Holds Ctrl and Shift and drags the rocker.
TEST_F(ClosureWindowTest, ADragWithShiftMovesTheJoints) {
  open(source_file("scenes/four_bar.lua"));
  frame();
  const std::vector<double> before = editor_->now->state.q;
  const ViewState& view = editor_->panel<ViewPanel>().state;
  const Solid* rocker = nullptr;
  for (const Solid& solid : view.drawing.solids)
    if (editor_->model().links[size_t(solid.link)].name == "rocker") rocker = &solid;
  ASSERT_TRUE(rocker);
  const auto at = view.camera.project(rocker->X.p, view.width, view.height);
  ASSERT_TRUE(at);
  const ImVec2 corner = ImGui::FindWindowByName("View")->DC.CursorStartPos;
  const ImVec2 from{corner.x + float(at->x), corner.y + float(at->y)};
  point_at(from);
  ImGui::GetIO().KeyCtrl = ImGui::GetIO().KeyShift = true;
  ImGui::GetIO().MouseDown[0] = true;
  frame();
  for (int k = 1; k <= 3; ++k) point_at({from.x - 8.0f * float(k), from.y});
  ImGui::GetIO().MouseDown[0] = ImGui::GetIO().KeyCtrl = ImGui::GetIO().KeyShift = false;
  frame();
  settle();
  EXPECT_NE(editor_->now->state.q, before);
  EXPECT_EQ(editor_->now->timeline.changes().size(), 1u);
  EXPECT_EQ(editor_->now->undoable, 1);
}

}  // namespace
}  // namespace torsor::editor::test
