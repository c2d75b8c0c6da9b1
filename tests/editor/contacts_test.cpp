// Tests of contacts in the editor: their forces and modes, the drawing, the Explain panel, and
// bodies that are pulled and thrown. They are compared with closed forms.

#include <gmock/gmock.h>

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

#include "editor/drawn_text.hpp"
#include "editor/panels/explain/contacts.hpp"
#include "editor/panels/explain/explain.hpp"
#include "editor/panels/view/view.hpp"
#include "editor/points.hpp"
#include "editor/probe/constraint_step.hpp"
#include "editor/probe/contacts/contact_step.hpp"
#include "editor/probe/probe.hpp"
#include "editor/windowless_fixture.hpp"
#include "torsor/simulation/load.hpp"

namespace torsor::editor::test {
namespace {

using testing::HasSubstr;

constexpr double g = 9.81;

// Returns a scene of free boxes and balls on the ground, with edges and diameters of 0.2 m.
// bodies: a call of box(name, x, z, vx, mass) or ball(..) for each.
std::string contact_scene(const std::string& bodies) {
  return R"(
local torsor = require "torsor"
local world = torsor.world{}
world:collision{ half_space = {0, 0, 1}, name = "ground", mu = 0.5 }
local things, q, v = torsor.robot{ name = "things" }, {}, {}
local function body(name, x, z, vx, mass, I, shape)
  things:link{ name = name, joint = { "floating", name = name .. "_free" },
    inertia = { mass = mass, com = {0, 0, 0}, about_com = { Ixx = I, Iyy = I, Izz = I } },
    collisions = { shape } }
  for _, each in ipairs{ x, 0, z, 1, 0, 0, 0 } do q[#q + 1] = each end
  for _, each in ipairs{ 0, 0, 0, vx, 0, 0 } do v[#v + 1] = each end
end
local function box(name, x, z, vx, mass)
  body(name, x, z, vx, mass, mass * 0.2^2 / 6, { box = {0.2, 0.2, 0.2}, mu = 0.5 })
end
local function ball(name, x, z, vx, mass)
  body(name, x, z, vx, mass, 0.4 * mass * 0.1^2, { sphere = { radius = 0.1 }, mu = 0.5 })
end
)" + bodies +
         R"(
things:set{ q = q, v = v }
world:add(things)
return world:experiment{ solver = "articulated_body", integrator = { "time_stepping", dt = 1e-3 }, duration = 5,
                         record = { "things.q" } }
)";
}
constexpr const char* three_bodies = R"(
box("rest", 0, 0.1, 0, 2)
box("slider", 1, 0.1, 3, 3)
ball("roller", 2, 0.1, 1, 1.5)
ball("flyer", 3, 1, 0, 1)
)";

class ContactsTest : public WindowlessTest {
 protected:
  Session session(const std::string& bodies) {
    return Session(
        shipped_plugins(),
        {.file = write("s.lua", contact_scene(bodies)), .overrides = {}, .journal_folder = {}});
  }
  void act(const std::string& name, const Arguments& arguments) {
    run_action(*editor_, name, arguments);
    settle();
  }
};

// The total force on a link, the modes of its points, and the largest slip.
struct LinkContact {
  Vec3<double> force{0, 0, 0};
  double slip = 0;
  std::vector<ContactMode> modes;
};
LinkContact contact_of(const Model& model, const ContactStep& step, const std::string& link) {
  LinkContact out;
  for (const ContactStepPoint& point : step.points) {
    const Collider& b = model.colliders[size_t(point.force.b)];
    const Collider& a = model.colliders[size_t(point.force.a)];
    const bool of_a = a.link >= 0;
    const int of = of_a ? a.link : b.link;
    if (model.links[size_t(of)].name != link) continue;
    out.force += (of_a ? -1 : 1) * point.force.f_W;
    out.slip = std::max(out.slip, point.slip);
    out.modes.push_back(point.mode);
  }
  return out;
}

TEST_F(ContactsTest, PointsHaveTheForcesOfCoulombsLaw) {
  Session run = session(three_bodies);
  settled(run);
  run.post(command::Go{20});
  Probe probe;
  probe.look_at(settled(run));
  const Model& model = probe.state().model();
  const ContactStep& step = probe.contact_step();
  ASSERT_EQ(step.failure, "");
  EXPECT_NEAR(step.time, 0.02, 1e-15);
  const auto all = [](ContactMode mode) { return testing::Each(mode); };
  const LinkContact rest = contact_of(model, step, "rest"),
                    slider = contact_of(model, step, "slider"),
                    roller = contact_of(model, step, "roller");
  expect_near(rest.force, {0, 0, 2 * g}, 1e-8);
  EXPECT_EQ(rest.modes.size(), 4u);
  EXPECT_THAT(rest.modes, testing::Not(testing::Contains(ContactMode::slide)));
  expect_near(slider.force, {-0.5 * 3 * g, 0, 3 * g}, 1e-8);
  EXPECT_NEAR(slider.slip, 3 - 0.5 * g * 0.021, 1e-8);
  EXPECT_THAT(slider.modes, testing::Not(testing::Contains(ContactMode::stick)));
  // The ball slides. Its rolling point has the acceleration (1 + 5/2) mu g.
  expect_near(roller.force, {-0.5 * 1.5 * g, 0, 1.5 * g}, 1e-8);
  EXPECT_NEAR(roller.slip, 1 - 3.5 * 0.5 * g * 0.021, 1e-8);
  EXPECT_THAT(roller.modes, all(ContactMode::slide));
  EXPECT_TRUE(contact_of(model, step, "flyer").modes.empty());
  run.post(command::Go{100});
  probe.look_at(settled(run));
  const LinkContact rolls = contact_of(model, probe.contact_step(), "roller");
  EXPECT_THAT(rolls.modes, all(ContactMode::stick)) << "it rolls from 0.058 s on";
  EXPECT_LT(rolls.slip, 1e-10);
}

// Checks the problem of one ball: G_nn = 1/m, G_tt = 1/m + r^2/I, and c = v_f.
TEST_F(ContactsTest, TheProblemIsThatOfTheBall) {
  Session run = session(R"(ball("roller", 0, 0.1, 1, 1.5))");
  Probe probe;
  probe.look_at(settled(run));
  const ContactStep& step = probe.contact_step();
  ASSERT_EQ(step.points.size(), 1u) << step.failure;
  const torsor_constraint_problem view = step.problem.problem().view();
  ASSERT_EQ(view.n, 3);
  const double m = 1.5;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      EXPECT_NEAR(sdk::entry(view, i, j), i != j ? 0 : i == 0 ? 1 / m : 3.5 / m, 1e-14);
  EXPECT_NEAR(view.c[0], -g * 1e-3, 1e-15);
  EXPECT_NEAR(std::hypot(view.c[1], view.c[2]), 1, 1e-15);
  EXPECT_NEAR(step.problem.lambda[0], m * g * 1e-3, 1e-15);
  EXPECT_LE(step.laws.residual, 1e-12);
  EXPECT_LE(step.laws.complementarity, 1e-15);
  EXPECT_LE(step.laws.cone, 1e-15);
  EXPECT_GE(step.iterations, 1);
  EXPECT_EQ(step.solver, "newton_admm");
  const std::string text = contact_text(probe.state().model(), step);
  EXPECT_THAT(text, HasSubstr("1 points, 3 rows, 1 friction groups"));
  EXPECT_THAT(text, HasSubstr("slide, normal 14.715 N, friction 7.3575 N of 7.3575 N"));
}

TEST_F(ContactsTest, SolversThatHandleFrictionAreCompared) {
  Session run = session(three_bodies);
  Probe probe;
  probe.look_at(settled(run));
  const ConstraintSolvers solvers = probe.compare_contact_solvers();
  ASSERT_EQ(solvers.failure, "");
  EXPECT_THAT(solvers.ids, testing::ElementsAre("constraint_solver.newton_admm",
                                                "constraint_solver.projected_gauss_seidel"));
  for (const ConstraintComparison::Result& result : solvers.comparison.results()) {
    EXPECT_LE(result.laws.residual, 1e-9);
    EXPECT_GT(result.ns, 0);
  }
  EXPECT_FALSE(solvers.comparison.pairs().at(0).differ());
  Session free = session(R"(ball("flyer", 0, 1, 0, 1))");
  probe.look_at(settled(free));
  EXPECT_TRUE(probe.contact_step().points.empty());
  EXPECT_EQ(probe.compare_contact_solvers().failure, "Nothing touches.");
}

// Draws one contact of a floating body (collider 0) with the ground (collider 1).
struct DrawnContact {
  DrawnContact() {
    RobotDescription robot;
    robot.name = "r";
    LinkDescription link;
    link.name = "ball";
    link.joint = {.name = "free", .kind = JointKind::floating, .placement = ScrewPlacement{}};
    link.inertia = {1, {0, 0, 0}, {1, 1, 1, 0, 0, 0}};
    link.collisions = {{.shape = {ShapeKind::sphere, {0.1, 0, 0}}}};
    robot.links = {link};
    ModelBuilder builder;
    builder.add(robot);
    builder.add(CollisionDescription{.name = "ground", .shape = {ShapeKind::half_space}});
    model = builder.build();
    state.emplace(model);
    shapes = shapes_of(*model);
  }
  Drawing draw() const {
    return editor::draw({.state = *state,
                         .load = load,
                         .shapes = shapes,
                         .toggles = toggles,
                         .highlight = highlight,
                         .trails = {},
                         .palette = palette(true),
                         .contacts = contacts});
  }
  std::shared_ptr<const Model> model;
  std::optional<State> state;
  Load load;
  Shapes shapes;
  ViewToggles toggles{.axes = false, .contacts = true, .com = false};
  Highlight highlight;
  std::vector<ContactForce> contacts;
};

// Checks the cone of a contact that slides: the tip of the force is at its rim. The normal of the
// contact points into the ground, and the drawn force is that on the ball.
TEST(ContactDrawing, TheForceOfASlidingPointEndsAtTheRimOfItsCone) {
  DrawnContact drawn;
  const Vec3<double> p{1, 2, 3};
  drawn.contacts = {{.a = 0,
                     .b = 1,
                     .p_W = p,
                     .n_W = {0, 0, -1},
                     .gap = 0,
                     .mu = 0.5,
                     .f_W = {-3, -4, -10},
                     .m_W = {0, 0, 0},
                     .slip_W = {0, 0, 0}}};
  drawn.highlight.link = 0;
  const Drawing out = drawn.draw();
  std::vector<Vec3<double>> rim;
  for (const Stroke& stroke : out.strokes)
    if (norm(stroke.from - p) > 0) rim.push_back(stroke.from);
  ASSERT_GE(rim.size(), 12u);
  const double height = rim[0].z - p.z;
  EXPECT_NEAR(height, 0.25 * drawn.shapes.extent * 10 / std::hypot(5, 10), 1e-12);
  for (const Vec3<double>& each : rim) {
    EXPECT_NEAR(each.z - p.z, height, 1e-12);
    EXPECT_NEAR(std::hypot(each.x - p.x, each.y - p.y), 0.5 * height, 1e-12);
  }
  const Solid& head = out.arrows.back();
  const Vec3<double> tip = p + (height / 10) * Vec3<double>{3, 4, 10};
  EXPECT_LT(norm(head.X.p - tip), 0.1 * height) << "the arrow ends at the rim";
  ASSERT_EQ(out.labels.size(), 1u);
  EXPECT_EQ(out.labels[0].text, fmt::format("{:.4g} N on ball_1", std::hypot(5, 10)));
  for (const Solid& solid : out.solids) EXPECT_LT(solid.color.a, 0.5);
  drawn.toggles.contacts = false;
  EXPECT_TRUE(drawn.draw().arrows.empty());
}

TEST(ContactDrawing, APointWithoutForceIsADot) {
  DrawnContact drawn;
  drawn.contacts = {{.a = 0,
                     .b = 1,
                     .p_W = {1, 2, 3},
                     .n_W = {0, 0, -1},
                     .gap = 0.001,
                     .mu = 0.5,
                     .f_W = {0, 0, 0},
                     .m_W = {0, 0, 0},
                     .slip_W = {0, 0, 0}}};
  const Drawing out = drawn.draw();
  ASSERT_EQ(out.arrows.size(), 1u);
  expect_near(out.arrows[0].X.p, {1, 2, 3}, 1e-15);
  EXPECT_TRUE(out.labels.empty());
  for (const Solid& solid : out.solids) EXPECT_EQ(solid.color.a, 1);
}

TEST_F(ContactsTest, ContactsAreDrawnAndExplained) {
  open(write("s.lua", contact_scene(three_bodies)));
  act("time.go", {"0.02"});
  const ViewState& view = editor_->panel<ViewPanel>().state;
  frame();
  const size_t off = view.drawing.arrows.size();
  act("view.toggle", {"contacts", "on"});
  frame();
  // 9 points with dots, and arrows with a shaft and a head.
  EXPECT_GE(view.drawing.arrows.size(), off + 9 + 2 * 3);
  act("view.toggle", {"contacts", "off"});
  frame();
  EXPECT_EQ(view.drawing.arrows.size(), off);
  act("panel.show", {"explain"});
  act("explain.show", {"contacts"});
  for (int k = 0; k < 3; ++k) frame();
  EXPECT_GT(view.drawing.arrows.size(), off) << "contacts are drawn while they are explained";
  EXPECT_FALSE(find_drawn(drawn_characters("Explain"), "1.Points").empty());
  act("explain.compare", {});
  for (int k = 0; k < 3; ++k) frame();
  EXPECT_FALSE(find_drawn(drawn_characters("Explain"), "ofGlambda").empty());
  act("explain.constraint_solver", {"projected_gauss_seidel"});
  frame();
  EXPECT_EQ(editor_->probe.contact_step().solver, "projected_gauss_seidel");
  open(source_file("scenes/four_bar.lua"));
  act("panel.show", {"explain"});
  act("explain.show", {"contacts"});
  for (int k = 0; k < 3; ++k) frame();
  EXPECT_FALSE(find_drawn(drawn_characters("Explain"), "Noshapescantouch").empty());
}

// Shows ten boxes, which have more dof than are computed within a frame.
TEST_F(ContactsTest, ManyContactsAreComputedOnAThread) {
  std::string boxes;
  for (int k = 0; k < 10; ++k) boxes += fmt::format("box('b{}', 0, {}, 0, 1)\n", k, 0.1 + 0.2 * k);
  open(write("s.lua", contact_scene(boxes)));
  act("time.go", {"0.02"});
  ContactSource& contacts = editor_->panel<ExplainPanel>().contacts;
  const ContactStep* step = nullptr;
  EXPECT_EQ(contacts.step(editor_->now, editor_->probe), nullptr);
  ASSERT_TRUE(eventually([&] {
    frame();
    step = contacts.step(editor_->now, editor_->probe);
    return step && step->time == editor_->now->time();
  }));
  EXPECT_EQ(step->failure, "");
  EXPECT_EQ(step->points.size(), 40u);
  const ContactStep& expected = editor_->probe.contact_step();
  EXPECT_EQ(step->problem.lambda, expected.problem.lambda);
  act("explain.show", {"contacts"});
  act("explain.compare", {});
  ASSERT_TRUE(eventually([&] {
    frame();
    return contacts.compared(editor_->now) != nullptr;
  }));
  EXPECT_EQ(contacts.compared(editor_->now)->ids.size(), 2u);
}

// Pulls a box from the ground and releases it. It then flies along a parabola.
TEST_F(ContactsTest, ABodyIsThrown) {
  Session run = session(R"(box("rest", 0, 0.1, 0, 2))");
  const auto scene = settled(run)->scene;
  run.post(command::Edit{scene, command::PullFrame{"rest", {0, 0, 0}, {1.5, 0, 1.5}}});
  run.post(command::Go{150});
  const Snapshot at = settled(run)->state;
  ASSERT_EQ(problems(*settled(run)), "");
  EXPECT_GT(at.q[2], 0.2);
  EXPECT_GT(at.v[3], 1);
  EXPECT_GT(at.v[5], 1);
  run.post(command::Edit{scene, command::ReleaseFrame{}});
  EXPECT_EQ(settled(run)->state.v, at.v) << "the velocity is kept";
  run.post(command::Go{250});
  const Snapshot later = settled(run)->state;
  const double t = 0.1;
  EXPECT_NEAR(later.v[3], at.v[3], 1e-12);
  EXPECT_NEAR(later.q[0], at.q[0] + t * at.v[3], 1e-12);
  EXPECT_NEAR(later.q[2], at.q[2] + t * at.v[5] - g * t * t / 2, 1e-12);
  run.post(command::Go{3000});
  EXPECT_NEAR(settled(run)->state.q[2], 0.1, 1e-6) << "it has landed";
}

// Holds Ctrl and drags the box with the mouse while the run advances, then releases the button.
TEST_F(ContactsTest, TheMouseThrowsABody) {
  open(write("s.lua", contact_scene(R"(box("rest", 0, 0.1, 0, 2))")));
  act("view.along", {"y"});
  frame();
  const ViewState& view = editor_->panel<ViewPanel>().state;
  ASSERT_FALSE(view.drawing.solids.empty());
  const auto at = view.camera.project({0, 0, 0.1}, view.width, view.height);
  ASSERT_TRUE(at);
  const ImVec2 corner = ImGui::FindWindowByName("View")->DC.CursorStartPos;
  const ImVec2 from{corner.x + float(at->x), corner.y + float(at->y)};
  point_at(from);
  ImGui::GetIO().KeyCtrl = true;
  ImGui::GetIO().MouseDown[0] = true;
  frame();
  for (int k = 1; k <= 3; ++k) point_at({from.x, from.y - 60.0f * float(k)});
  settle();
  ASSERT_EQ(editor_->now->timeline.changes().size(), 1u);
  act("time.go", {"0.15"});
  ASSERT_TRUE(view.drag);
  const std::vector<double> v = editor_->now->state.v;
  std::vector<double> z = {editor_->now->state.q[2]};
  EXPECT_GT(z[0], 0.15);
  ImGui::GetIO().MouseDown[0] = ImGui::GetIO().KeyCtrl = false;
  frame();
  settle();
  EXPECT_FALSE(view.drag);
  EXPECT_EQ(editor_->now->state.v, v) << "the velocity is kept";
  for (const char* time : {"0.18", "0.21"}) {
    act("time.go", {time});
    z.push_back(editor_->now->state.q[2]);
  }
  EXPECT_GT(z[1], z[0]);
  EXPECT_NEAR(z[2] - 2 * z[1] + z[0], -g * 0.03 * 0.03, 1e-12) << "a parabola";
  EXPECT_EQ(editor_->now->undoable, 2) << "the pull and its end";
}

// Pulls a box along the ground with a force below and above the static friction.
TEST_F(ContactsTest, APulledBodySticksBelowItsFriction) {
  Session run = session(R"(box("rest", 0, 0.1, 0, 2))");
  const auto scene = settled(run)->scene;
  run.post(command::Edit{scene, command::PullFrame{"rest", {0, 0, 0}, {0.001, 0, 0.1}}});
  const auto now = settled(run);
  const double k = now->timeline.active_change<PullChange>(0)->pull->stiffness;
  const double limit = 0.5 * 2 * g / k;
  ASSERT_GT(limit, 0.002);
  run.post(
      command::Edit{scene, command::PullFrame{"rest", {0, 0, 0}, {0.9 * limit, 0, 0.1}}, true});
  run.post(command::Go{300});
  EXPECT_LT(std::abs(settled(run)->state.q[0]), 1e-12);
  run.post(command::Edit{scene, command::PullFrame{"rest", {0, 0, 0}, {1.5 * limit, 0, 0.1}}});
  run.post(command::Go{600});
  EXPECT_GT(settled(run)->state.q[0], 0.1 * limit);
}

}  // namespace
}  // namespace torsor::editor::test
