// What links look like, and what is drawn of a moment.

#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>

#include "editor/points.hpp"
#include "editor/view/drawing.hpp"
#include "editor/view/view.hpp"
#include "support/reference.hpp"
#include "torsor/dynamics/kinematics.hpp"
#include "torsor/model/builder.hpp"
#include "torsor/model/urdf.hpp"
#include "torsor/simulation/recorder.hpp"
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
  link.joint = {.name = name + "_joint",
                .kind = kind,
                .pitch = kind == JointKind::helical ? 0.01 : 0,
                .placement = ScrewPlacement{translation<double>({0, 0, parent.empty() ? 0.0 : -1.0}), axis}};
  link.inertia = inertia_about_com(1, {0, 0, -0.5}, {0.1, 0.1, 0.01, 0, 0, 0});
  return link;
}

// A moment of a model, with everything shown.
struct Drawn {
  explicit Drawn(std::shared_ptr<const Model> m)
      : model(std::move(m)), state(model), shapes(shapes_of(*model)) {
    toggles.inertia = toggles.frames = toggles.labels = true;
    std::vector<double> q;
    for (int k = 0; k < model->n_q; ++k) q.push_back(0.3 + 0.1 * k);
    state.set_q(q);
  }
  Drawing draw() const {
    return editor::draw({state, load, shapes, toggles, highlight, trails, palette(true)});
  }

  std::shared_ptr<const Model> model;
  State state;
  Load load;
  Shapes shapes;
  ViewToggles toggles;
  Highlight highlight;
  std::vector<Trail> trails;
};

void expect_drawable(const Drawing& drawing, const std::string& what) {
  for (const auto* solids : {&drawing.solids, &drawing.arrows, &drawing.ellipsoids})
    for (const Solid& solid : *solids) {
      EXPECT_TRUE(finite(solid.X.p) && finite(solid.size)) << what;
      EXPECT_TRUE(solid.size.x > 0 && solid.size.y > 0 && solid.size.z > 0) << what << " link " << solid.link;
      EXPECT_TRUE(std::isfinite(solid.taper) && solid.taper >= 0) << what;
      for (const double entry : (transpose(solid.X.R) * solid.X.R - Mat3<double>::identity()).m)
        EXPECT_NEAR(entry, 0, 1e-9);
    }
  for (const Stroke& stroke : drawing.strokes) EXPECT_TRUE(finite(stroke.from) && finite(stroke.to)) << what;
  for (const Mark& mark : drawing.marks) EXPECT_TRUE(finite(mark.at)) << what;
}

TEST(Shapes, EveryPublishedRobotHasSome) {
  TORSOR_NEEDS_SHARED_FOLDER();
  int robots = 0;
  for (const auto& entry : std::filesystem::directory_iterator(shared_folder() / "robots")) {
    if (entry.path().extension() != ".urdf") continue;
    const std::string name = entry.path().filename();
    const Drawn moment(build(read_urdf(entry.path().string())));
    const Drawing drawing = moment.draw();
    expect_drawable(drawing, name);
    // Every body that moves is seen.
    std::vector<bool> seen(size_t(moment.model->n_body));
    for (const auto& [body, solid] : moment.shapes.solids) seen[size_t(body)] = true;
    for (size_t body = 1; body < seen.size(); ++body) EXPECT_TRUE(seen[body]) << name << " body " << body;
    EXPECT_GT(moment.shapes.extent, 0.1) << name;
    EXPECT_LT(moment.shapes.extent, 100) << name;
    ++robots;
  }
  EXPECT_GE(robots, 10);
}

TEST(Shapes, EveryJointOfOneDegreeHasSome) {
  for (const JointKind kind : {JointKind::revolute, JointKind::prismatic, JointKind::helical})
    for (const Vec3<double>& axis : {Vec3<double>{0, 0, 1}, Vec3<double>{0, 1, 0}}) {
      RobotDescription robot;
      robot.name = "arm";
      robot.links = {rod("upper", "", kind, axis), rod("lower", "upper", kind, axis)};
      const Drawn moment(build(robot));
      const Drawing drawing = moment.draw();
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
  const Drawn moment(build(robot));
  const auto X_WB = world_poses(moment.state);
  const Drawing drawing = moment.draw();
  // From the first joint's point to the second's there is a solid of link 0 all the way.
  for (int k = 0; k <= 20; ++k) {
    const Vec3<double> at = X_WB[1].p + (k / 20.0) * (X_WB[2].p - X_WB[1].p);
    const Vec3<double> across{0, 1, 0};
    const auto hit = pick({at + 5.0 * across, -across}, drawing.solids);
    ASSERT_TRUE(hit) << k;
    EXPECT_NEAR(hit->distance, 5, 0.3);
  }
}

TEST(Shapes, VisualsStandWhereTheirLinkDoes) {
  RobotDescription robot;
  robot.name = "arm";
  robot.com_frames = true;  // moves the link's frame of the model away from the user's
  robot.links = {rod("upper", "", JointKind::revolute), rod("lower", "upper", JointKind::revolute)};
  const Pose<double> X_LV{exp_so3({0.1, 0.2, 0.3}), {0.05, 0, -0.4}};
  robot.links[1].visuals = {{X_LV, Box{{0.1, 0.2, 0.3}}, Color{0.1, 0.2, 0.3, 0.5}},
                            {X_LV, Cylinder{0.07, 0.9}, {}}};
  const Drawn moment(build(robot));
  // By hand: q = (0.3, 0.4) about y, the second hinge one metre below the first.
  const Pose<double> X_WL = rotation_y(0.3) * translation<double>({0, 0, -1}) * rotation_y(0.4);
  const Pose<double> X_WV = X_WL * X_LV;
  const Drawing drawing = moment.draw();
  std::vector<Solid> of_lower;
  for (const Solid& solid : drawing.solids)
    if (solid.link == 1) of_lower.push_back(solid);
  ASSERT_EQ(of_lower.size(), 2u);  // nothing automatic beside the description's
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
  EXPECT_FALSE(drawing.marks[0].whole);
  EXPECT_TRUE(drawing.marks[2].whole);
  expect_near(drawing.marks[2].at, 0.25 * drawing.marks[0].at + 0.75 * drawing.marks[1].at, 1e-14);
}

TEST(Drawing, ForceIsAnArrowInTheFramesAxes) {
  RobotDescription robot;
  robot.name = "arm";
  robot.links = {rod("upper", "", JointKind::revolute)};
  Drawn moment(build(robot));
  moment.toggles.axes = false;
  const int frame = moment.model->frame("upper");
  moment.load.wrench_F = {{frame, {{0, 0, 0}, {0, 0, 7}}}};
  const Drawing drawing = moment.draw();
  ASSERT_EQ(drawing.arrows.size(), 2u);
  const Pose<double> X_WF = frame_pose(moment.state, moment.model->frames[size_t(frame)]);
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
  Drawn moment(build(robot));
  moment.toggles.axes = moment.toggles.frames = false;
  moment.load.wrench_F = {{moment.model->frame("upper"), {{0, -2, 0}, {0, 0, 0}}}};
  const Drawing drawing = moment.draw();
  ASSERT_GT(drawing.strokes.size(), 10u);
  const Vec3<double> center{0, 0, 0};  // the hinge
  for (const Stroke& s : drawing.strokes) EXPECT_LT(cross(s.from - center, s.to - center).y, 0);
}

TEST(Drawing, ScrewJointSaysItsPitchAndIsDrawnWithIt) {
  RobotDescription robot;
  robot.name = "jack";
  robot.links = {rod("screw", "", JointKind::helical, {0, 0, 1})};
  Drawn moment(build(robot));
  moment.toggles.labels = moment.toggles.frames = false;
  const Drawing drawing = moment.draw();
  ASSERT_EQ(drawing.labels.size(), 1u);
  EXPECT_EQ(drawing.labels[0].text, "screw_joint: 62.83 mm/turn");  // 0.01 m/rad
}

TEST(Drawing, HidesWhatIsOff) {
  RobotDescription robot;
  robot.name = "arm";
  robot.links = {rod("upper", "", JointKind::revolute)};
  Drawn moment(build(robot));
  moment.toggles = {false, false, false, false, false, false, false, false, false};
  Drawing drawing = moment.draw();
  EXPECT_TRUE(drawing.solids.empty() && drawing.arrows.empty() && drawing.ellipsoids.empty() &&
              drawing.strokes.empty() && drawing.marks.empty() && drawing.labels.empty());
  moment.highlight.joint = 0;  // but what is selected is seen
  drawing = moment.draw();
  EXPECT_EQ(drawing.labels.at(0).text, "upper_joint");
}

TEST(Drawing, LightsUpTheSelectedLinkAlone) {
  RobotDescription robot;
  robot.name = "arm";
  robot.links = {rod("upper", "", JointKind::revolute), rod("lower", "upper", JointKind::revolute)};
  Drawn moment(build(robot));
  const Drawing before = moment.draw();
  moment.highlight.link = 1;
  const Drawing after = moment.draw();
  ASSERT_EQ(before.solids.size(), after.solids.size());
  for (size_t k = 0; k < before.solids.size(); ++k)
    EXPECT_EQ(before.solids[k].color.b != after.solids[k].color.b, before.solids[k].link == 1);
}

// The view asks for signals by names that the Recorder knows.
TEST(View, FollowsFramesThatCanBeRecorded) {
  ModelBuilder builder;
  for (const char* name : {"left", "right"}) {
    RobotDescription robot;
    robot.name = name;
    robot.links = {rod("upper", "", JointKind::revolute), rod("lower", "upper", JointKind::revolute)};
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
