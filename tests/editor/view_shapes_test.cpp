// Tests of the shapes of links and of the drawing of a state.

#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>

#include "editor/points.hpp"
#include "editor/view/drawing.hpp"
#include "editor/view/view.hpp"
#include "support/reference.hpp"
#include "torsor/formats/robot_file.hpp"
#include "torsor/mechanics/joint_wrenches.hpp"
#include "torsor/model/builder.hpp"
#include "torsor/signals/recorder.hpp"
#include "torsor/simulation/load.hpp"
#include "torsor/spatial/so3.hpp"

namespace torsor::editor::test {
namespace {

using namespace torsor::test;

bool finite(const Vec3<double>& v) {
  return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

LinkDescription rod(const std::string& name, const std::string& parent, JointKind kind,
                    const Vec3<double>& axis = {0, 1, 0}) {
  LinkDescription link;
  link.name = name;
  link.parent = parent;
  link.joint = {
      .name = name + "_joint",
      .kind = kind,
      .pitch = kind == JointKind::helical ? 0.01 : 0,
      .placement = ScrewPlacement{translation<double>({0, 0, parent.empty() ? 0.0 : -1.0}), axis}};
  link.inertia = inertia_about_com(1, {0, 0, -0.5}, {0.1, 0.1, 0.01, 0, 0, 0});
  return link;
}

// A state of a model, with all parts of the view shown.
struct Drawn {
  explicit Drawn(std::shared_ptr<const Model> m)
      : model(std::move(m)), state(model), shapes(shapes_of(*model)) {
    toggles.inertia = toggles.link_frames = toggles.frames = toggles.labels = true;
    std::vector<double> q;
    for (int k = 0; k < model->n_q; ++k) q.push_back(0.3 + 0.1 * k);
    state.set_q(q);
  }
  // Applies a wrench as a load, which the simulation adds to the state.
  void apply(int frame, const Wrench<double>& F) {
    load.wrench_F.emplace_back(frame, F);
    state.add_wrench(model->frames[size_t(frame)], F);
  }
  Drawing draw() const {
    return editor::draw(
        {state, load, shapes, toggles, highlight, trails, palette(true), W_B, references});
  }

  std::shared_ptr<const Model> model;
  State state;
  Load load;
  Shapes shapes;
  ViewToggles toggles;
  Highlight highlight;
  std::vector<Trail> trails;
  std::vector<Wrench<double>> W_B;
  std::vector<DrawnReference> references;
};

void expect_drawable(const Drawing& drawing, const std::string& what) {
  for (const auto* solids : {&drawing.solids, &drawing.arrows, &drawing.ellipsoids})
    for (const Solid& solid : *solids) {
      EXPECT_TRUE(finite(solid.X.p) && finite(solid.size)) << what;
      EXPECT_TRUE(solid.size.x > 0 && solid.size.y > 0 && solid.size.z > 0)
          << what << " link " << solid.link;
      EXPECT_TRUE(std::isfinite(solid.taper) && solid.taper >= 0) << what;
      for (const double entry : (transpose(solid.X.R) * solid.X.R - Mat3<double>::identity()).m)
        EXPECT_NEAR(entry, 0, 1e-9);
    }
  for (const Stroke& stroke : drawing.strokes)
    EXPECT_TRUE(finite(stroke.from) && finite(stroke.to)) << what;
  for (const Mark& mark : drawing.marks) EXPECT_TRUE(finite(mark.at)) << what;
}

class ShapesOfRobots : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Shapes, ShapesOfRobots, testing::ValuesIn(torsor::test::all_robots()),
                         [](const auto& robot) { return robot.param; });

TEST_P(ShapesOfRobots, ShowEveryBodyThatMoves) {
  const Drawn drawn(build(read_robot_file(torsor::test::robot_file(GetParam()))));
  expect_drawable(drawn.draw(), GetParam());
  std::vector<bool> seen(size_t(drawn.model->n_body));
  for (const auto& [body, solid] : drawn.shapes.solids) seen[size_t(body)] = true;
  for (size_t body = 1; body < seen.size(); ++body) EXPECT_TRUE(seen[body]) << "body " << body;
  EXPECT_GT(drawn.shapes.extent, 0.1);
  EXPECT_LT(drawn.shapes.extent, 100);
}

TEST(Shapes, EveryJointOfOneDegreeHasSome) {
  for (const JointKind kind : {JointKind::revolute, JointKind::prismatic, JointKind::helical})
    for (const Vec3<double>& axis : {Vec3<double>{0, 0, 1}, Vec3<double>{0, 1, 0}}) {
      RobotDescription robot;
      robot.name = "arm";
      robot.links = {rod("upper", "", kind, axis), rod("lower", "upper", kind, axis)};
      const Drawn drawn(build(robot));
      const Drawing drawing = drawn.draw();
      expect_drawable(drawing, std::string(traits(kind).name));
      for (int link = 0; link < 2; ++link)
        EXPECT_TRUE(std::any_of(drawing.solids.begin(), drawing.solids.end(),
                                [&](const Solid& s) { return s.link == link; }));
    }
}

TEST(Shapes, ALimbReachesTheNextJointInAnyPosition) {
  RobotDescription robot;
  robot.name = "arm";
  robot.links = {rod("upper", "", JointKind::revolute), rod("lower", "upper", JointKind::revolute)};
  const Drawn drawn(build(robot));
  const auto X_WB = world_poses(drawn.state);
  const Drawing drawing = drawn.draw();
  // A solid of link 0 extends from the first joint to the second.
  for (int k = 0; k <= 20; ++k) {
    const Vec3<double> at = X_WB[1].p + (k / 20.0) * (X_WB[2].p - X_WB[1].p);
    const Vec3<double> across{0, 1, 0};
    const auto hit = pick({at + 5.0 * across, -across}, drawing.solids);
    ASSERT_TRUE(hit) << k;
    EXPECT_NEAR(hit->distance, 5, 0.3);
  }
}

TEST(Shapes, VisualsHaveThePoseOfTheirLink) {
  RobotDescription robot;
  robot.name = "arm";
  robot.com_frames = true;  // the link frame of the model then differs from that of the description
  robot.links = {rod("upper", "", JointKind::revolute), rod("lower", "upper", JointKind::revolute)};
  const Pose<double> X_LV{exp_so3({0.1, 0.2, 0.3}), {0.05, 0, -0.4}};
  robot.links[1].visuals = {{X_LV, Box{{0.1, 0.2, 0.3}}, Color{0.1, 0.2, 0.3, 0.5}},
                            {X_LV, Cylinder{0.07, 0.9}, {}}};
  const Drawn drawn(build(robot));
  // Compute the pose by hand: q = (0.3, 0.4) about y, with the second hinge one metre below the
  // first.
  const Pose<double> X_WL = rotation_y(0.3) * translation<double>({0, 0, -1}) * rotation_y(0.4);
  const Pose<double> X_WV = X_WL * X_LV;
  const Drawing drawing = drawn.draw();
  std::vector<Solid> of_lower;
  for (const Solid& solid : drawing.solids)
    if (solid.link == 1) of_lower.push_back(solid);
  // No automatic shape is added to those of the description.
  ASSERT_EQ(of_lower.size(), 2u);
  EXPECT_EQ(of_lower[0].mesh, Mesh::box);
  EXPECT_EQ(of_lower[1].mesh, Mesh::cylinder);
  expect_near(of_lower[0].size, {0.1, 0.2, 0.3}, 0);
  expect_near(of_lower[1].size, {0.07, 0.07, 0.9}, 0);
  EXPECT_EQ(of_lower[0].color.a, 0.5);
  for (const Solid& solid : of_lower) {
    expect_near(solid.X.p, X_WV.p, 1e-12);
    for (int k = 0; k < 9; ++k) EXPECT_NEAR(solid.X.R.m[k], X_WV.R.m[k], 1e-12);
  }
}

TEST(Drawing, CentreOfTheWholeIsTheMeanOfTheLinks) {
  RobotDescription robot;
  robot.name = "arm";
  robot.links = {rod("upper", "", JointKind::revolute), rod("lower", "upper", JointKind::revolute)};
  robot.links[1].inertia = inertia_about_com(3, {0, 0, -0.5}, {0.1, 0.1, 0.01, 0, 0, 0});
  const Drawing drawing = Drawn(build(robot)).draw();
  ASSERT_EQ(drawing.marks.size(), 3u);
  EXPECT_FALSE(drawing.marks[0].of_robot);
  EXPECT_TRUE(drawing.marks[2].of_robot);
  expect_near(drawing.marks[2].at, 0.25 * drawing.marks[0].at + 0.75 * drawing.marks[1].at, 1e-14);
}

TEST(Drawing, ForceIsAnArrowInTheFramesAxes) {
  RobotDescription robot;
  robot.name = "arm";
  robot.links = {rod("upper", "", JointKind::revolute)};
  Drawn drawn(build(robot));
  drawn.toggles.axes = false;
  const int frame = drawn.model->frame("upper");
  drawn.apply(frame, {{0, 0, 0}, {0, 0, 7}});
  const Drawing drawing = drawn.draw();
  ASSERT_EQ(drawing.arrows.size(), 2u);
  const Pose<double> X_WF = frame_pose(drawn.state, drawn.model->frames[size_t(frame)]);
  for (const Solid& arrow : drawing.arrows)
    expect_near(cross(arrow.X.p - X_WF.p, X_WF.R * Vec3<double>{0, 0, 1}), {0, 0, 0}, 1e-12);
  EXPECT_GT(dot(drawing.arrows[1].X.p - X_WF.p, X_WF.R * Vec3<double>{0, 0, 1}), 0);
  EXPECT_EQ(drawing.arrows[1].taper, 0);
  EXPECT_THAT(drawing.labels, testing::Contains(testing::Field(&Label::text, "7 N on upper")));
}

TEST(Drawing, MomentTurnsByTheRightHand) {
  RobotDescription robot;
  robot.name = "arm";
  robot.links = {rod("upper", "", JointKind::revolute)};
  Drawn drawn(build(robot));
  drawn.toggles.axes = drawn.toggles.link_frames = false;
  drawn.apply(drawn.model->frame("upper"), {{0, -2, 0}, {0, 0, 0}});
  const Drawing drawing = drawn.draw();
  ASSERT_GT(drawing.strokes.size(), 10u);
  const Vec3<double> center{0, 0, 0};  // the hinge
  for (const Stroke& s : drawing.strokes) EXPECT_LT(cross(s.from - center, s.to - center).y, 0);
}

// Checks a wrench that is only part of the state. Its force is drawn on the line of action near the
// centre of mass, and its remaining moment there.
TEST(Drawing, OtherWrenchesAreDrawnOnTheirLineOfAction) {
  RobotDescription robot;
  robot.name = "arm";
  robot.links = {rod("upper", "", JointKind::revolute)};
  Drawn drawn(build(robot));
  for (const ViewToggle& toggle : view_toggles()) drawn.toggles.*toggle.on = false;
  drawn.toggles.wrenches = true;
  const SpatialInertia<double>& M = drawn.model->inertia_B[1];
  const Vec3<double> f{3, 0, 4}, com = (1 / M.m) * M.h,
                                 through = com + Vec3<double>{0.1, 0.05, -0.1};
  const std::vector<Wrench<double>> F{{}, {cross(through, f), f}};
  drawn.state.set_wrenches(F);
  Drawing drawing = drawn.draw();
  ASSERT_EQ(drawing.arrows.size(), 2u);
  const Pose<double> X = world_poses(drawn.state)[1];
  const Solid& shaft = drawing.arrows[0];
  const Vec3<double> from = shaft.X * Vec3<double>{0, 0, -shaft.size.z / 2}, e = X.R * (0.2 * f);
  expect_near(cross(from - X * through, e), {0, 0, 0}, 1e-12);
  EXPECT_NEAR(dot(from - X * com, e), 0, 1e-12);
  EXPECT_THAT(drawing.labels, testing::ElementsAre(testing::Field(&Label::text, "5 N on upper")));
  drawn.state.set_wrenches(std::vector<Wrench<double>>{{}, {cross(through, f) + 2.0 * f, f}});
  EXPECT_THAT(drawn.draw().labels,
              testing::Contains(testing::Field(&Label::text, "10 N m on upper")));
}

// Checks a spring of 10 N/m that pulls the end of a rod to a point 0.5 m away. Only the spring is
// drawn, without another arrow for its wrench on the link.
TEST(Drawing, APullIsASpringWithItsForce) {
  RobotDescription robot;
  robot.name = "arm";
  robot.links = {rod("upper", "", JointKind::revolute)};
  Drawn drawn(build(robot));
  drawn.state.set_q(std::vector{0.0});
  for (const ViewToggle& toggle : view_toggles()) drawn.toggles.*toggle.on = false;
  drawn.toggles.wrenches = true;
  drawn.load.pull = Pull{"upper", {0, 0, -1}, {0, 0.3, -0.6}, 10, 2};
  drawn.state.add_wrench(drawn.model->frames[0], {{3, 0, 0}, {0, 3, 4}});
  const Drawing drawing = drawn.draw();
  ASSERT_EQ(drawing.strokes.size(), 1u);
  expect_near(drawing.strokes[0].from, {0, 0, -1}, 1e-12);
  expect_near(drawing.strokes[0].to, {0, 0.3, -0.6}, 1e-12);
  EXPECT_THAT(drawing.labels, testing::ElementsAre(testing::Field(
                                  &Label::text, "5 N on upper: (0, 3, 4) N in the world")));
  EXPECT_EQ(drawing.arrows.size(), 2u);  // the balls at the ends of the spring
}

// Checks the reactions of the selected joint with their numbers. At rest, the upper hinge carries
// both rods of 1 kg and the lower one its own rod.
TEST(Drawing, ReactionsAreDrawnAtTheirJoints) {
  RobotDescription robot;
  robot.name = "arm";
  robot.links = {rod("upper", "", JointKind::revolute), rod("lower", "upper", JointKind::revolute)};
  Drawn drawn(build(robot));
  drawn.state.set_q(std::vector{0.0, 0.0});
  for (const ViewToggle& toggle : view_toggles()) drawn.toggles.*toggle.on = false;
  drawn.toggles.reactions = true;
  drawn.W_B = joint_wrenches(drawn.state, std::vector{0.0, 0.0});
  drawn.highlight.link = 1;
  const Drawing drawing = drawn.draw();
  ASSERT_EQ(drawing.arrows.size(), 4u);
  for (const int k : {0, 2}) EXPECT_NEAR(drawing.arrows[size_t(k)].X.R(2, 2), 1, 1e-12);  // upwards
  EXPECT_LT(norm(drawing.arrows[0].X.p), 0.5);
  EXPECT_LT(norm(drawing.arrows[2].X.p - Vec3<double>{0, 0, -1}), 0.5);
  EXPECT_GT(drawing.arrows[0].size.z, drawing.arrows[2].size.z);
  EXPECT_THAT(drawing.labels,
              testing::ElementsAre(testing::Field(&Label::text, "9.81 N in lower_joint")));
}

// Checks a second hinge one metre below the first, which rotates with 2 rad/s about y.
TEST(Drawing, TwistsAreThoseOfTheLinksOrigins) {
  RobotDescription robot;
  robot.name = "arm";
  robot.links = {rod("upper", "", JointKind::revolute), rod("lower", "upper", JointKind::revolute)};
  Drawn drawn(build(robot));
  drawn.state.set_q(std::vector{0.0, 0.0});
  drawn.state.v = {2, -3};
  for (const ViewToggle& toggle : view_toggles()) drawn.toggles.*toggle.on = false;
  drawn.toggles.twists = true;
  drawn.highlight.joint = 1;
  const Drawing drawing = drawn.draw();
  EXPECT_THAT(drawing.labels,
              testing::IsSupersetOf({testing::Field(&Label::text, "2 m/s of lower"),
                                     testing::Field(&Label::text, "1 rad/s of lower")}));
  EXPECT_TRUE(std::any_of(drawing.arrows.begin(), drawing.arrows.end(), [](const Solid& arrow) {
    // The arrow points along -x.
    return arrow.taper == 0 && std::abs(arrow.X.R(0, 2) + 1) < 1e-12 && arrow.X.p.z < -0.99;
  }));
}

// Checks the ghosts that show the reference of a control: a robot, or a frame and its path.
TEST(Drawing, GhostsAreDrawnAtTheReference) {
  RobotDescription robot;
  robot.name = "arm";
  robot.links = {rod("upper", "", JointKind::revolute)};
  Drawn drawn(build(robot));
  State there(drawn.model);
  there.set_q(std::vector{1.2});
  drawn.references = {{.name = "pd", .robot = 0, .of_frame = false, .X_WB = world_poses(there)}};
  Drawing drawing = drawn.draw();
  const auto ghost = [&](const Solid& s) {
    return std::any_of(drawing.ghosts.begin(), drawing.ghosts.end(), [&](const Solid& g) {
      return norm(g.X.p - rotation_y(1.2) * inverse(rotation_y(0.3)) * s.X.p) < 1e-12;
    });
  };
  for (const Solid& solid : drawing.solids) EXPECT_TRUE(solid.link != 0 || ghost(solid));
  ASSERT_GT(drawing.ghosts.size(), 0u);
  drawn.references = {{.name = "task",
                       .robot = 0,
                       .of_frame = true,
                       .X_WF = translation<double>({1, 2, 3}),
                       .path = {{0, 0, 0}, {1, 0, 0}}}};
  drawing = drawn.draw();
  EXPECT_TRUE(drawing.ghosts.empty());
  EXPECT_THAT(drawing.labels, testing::Contains(testing::Field(&Label::text, "reference of task")));
}

TEST(Drawing, ScrewJointsShowTheirPitch) {
  RobotDescription robot;
  robot.name = "jack";
  robot.links = {rod("screw", "", JointKind::helical, {0, 0, 1})};
  Drawn drawn(build(robot));
  drawn.toggles.labels = drawn.toggles.link_frames = false;
  const Drawing drawing = drawn.draw();
  ASSERT_EQ(drawing.labels.size(), 1u);
  EXPECT_EQ(drawing.labels[0].text, "screw_joint: 62.83 mm/turn");  // 0.01 m/rad
}

TEST(Drawing, HidesDisabledParts) {
  RobotDescription robot;
  robot.name = "arm";
  robot.links = {rod("upper", "", JointKind::revolute)};
  Drawn drawn(build(robot));
  for (const ViewToggle& toggle : view_toggles()) drawn.toggles.*toggle.on = false;
  Drawing drawing = drawn.draw();
  EXPECT_TRUE(drawing.solids.empty() && drawing.arrows.empty() && drawing.ellipsoids.empty() &&
              drawing.strokes.empty() && drawing.marks.empty() && drawing.labels.empty());
  drawn.highlight.joint = 0;  // but a selected joint is shown
  drawing = drawn.draw();
  EXPECT_EQ(drawing.labels.at(0).text, "upper_joint");
}

TEST(Drawing, HighlightsOnlyTheSelectedLink) {
  RobotDescription robot;
  robot.name = "arm";
  robot.links = {rod("upper", "", JointKind::revolute), rod("lower", "upper", JointKind::revolute)};
  Drawn drawn(build(robot));
  const Drawing before = drawn.draw();
  drawn.highlight.link = 1;
  const Drawing after = drawn.draw();
  ASSERT_EQ(before.solids.size(), after.solids.size());
  for (size_t k = 0; k < before.solids.size(); ++k)
    EXPECT_EQ(before.solids[k].color.b != after.solids[k].color.b, before.solids[k].link == 1);
}

// Checks that the view requests signals by names that the Recorder knows.
TEST(View, FollowsFramesThatCanBeRecorded) {
  ModelBuilder builder;
  for (const char* name : {"left", "right"}) {
    RobotDescription robot;
    robot.name = name;
    robot.links = {rod("upper", "", JointKind::revolute),
                   rod("lower", "upper", JointKind::revolute)};
    robot.frames = {{"tip", "lower", translation<double>({0, 0, -1}), ""}};
    builder.add(robot);
  }
  const auto model = builder.build();
  ViewState view;
  view.show(*model);
  EXPECT_THAT(view.signals, testing::ElementsAre("left.pose.tip", "right.pose.tip"));
  EXPECT_NO_THROW(Recorder(*model, view.signals));
  view.follow(*model, model->frame("right.upper"));
  EXPECT_THAT(view.signals, testing::ElementsAre("right.pose.upper"));
  EXPECT_NO_THROW(Recorder(*model, view.signals));
}

}  // namespace
}  // namespace torsor::editor::test
