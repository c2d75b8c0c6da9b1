// Tests of the SDF reader: joints, inertias, shapes and worlds.

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <numbers>

#include "formats/sdf_file.hpp"
#include "torsor/mechanics/kinematics.hpp"
#include "torsor/mechanics/state.hpp"

namespace torsor::test::sdf_reader {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr double pi = std::numbers::pi;
const std::string one_kilogram =
    "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>";

std::string link(const std::string& name, const std::string& pose = "0 0 0 0 0 0") {
  return "<link name='" + name + "'><pose>" + pose + "</pose>" + one_kilogram + "</link>\n";
}
std::string joint(const std::string& name, const std::string& type, const std::string& parent,
                  const std::string& child, const std::string& content = "") {
  return fmt::format("<joint name='{}' type='{}'><parent>{}</parent><child>{}</child>{}</joint>\n",
                     name, type, parent, child, content);
}
std::string axis(const std::string& xyz, const std::string& content = "") {
  return "<axis><xyz>" + xyz + "</xyz>" + content + "</axis>";
}

// Returns the pose of a link in the world at q.
Pose<double> pose_at(const Model& model, const std::string& name, const std::vector<double>& q) {
  State state(std::make_shared<Model>(model));
  state.set_q(q);
  return frame_pose(state, model.frames[size_t(model.frame(name))]);
}

void expect_pose(const Pose<double>& X, const Pose<double>& expected) {
  EXPECT_LT(norm(X.p - expected.p), 1e-14);
  for (int k = 0; k < 9; ++k) EXPECT_NEAR(X.R.m[k], expected.R.m[k], 1e-14);
}

// One joint from the world to a link at (1, 2, 3).
RobotDescription robot_with(const std::string& type, const std::string& content,
                            const std::string& version = "1.11") {
  return read_sdf_text(
      sdf_model(link("a", "1 2 3 0 0 0") + joint("j", type, "world", "a", content), version));
}

TEST(Sdf, ReadsTheMotionOfRevoluteJoints) {
  for (const char* type : {"revolute", "continuous"}) {
    const auto model = build(
        robot_with(type, "<pose>1 0 0 0 0 0</pose>" +
                             axis("0 0 2",
                                  "<limit><lower>-1</lower><upper>1e16</upper><effort>-1</effort>"
                                  "<velocity>3</velocity></limit><dynamics><damping>0.1</damping>"
                                  "<friction>0.2</friction><spring_stiffness>5</spring_stiffness>"
                                  "<spring_reference>0.3</spring_reference></dynamics>")));
    ASSERT_EQ(model->n_v, 1);
    // Turns about the vertical axis through (2, 2, 3).
    expect_pose(pose_at(*model, "a", {pi / 2}),
                translation<double>({2, 1, 3}) * rotation_z(pi / 2));
    const Joint& j = model->joints[0];
    EXPECT_EQ(j.lower, type == std::string("revolute") ? -1 : -INFINITY);
    EXPECT_EQ(j.upper, INFINITY);
    EXPECT_EQ(j.effort_limit, INFINITY);
    EXPECT_EQ(j.velocity_limit, 3);
    EXPECT_EQ(model->damping[0], 0.1);
    EXPECT_EQ(model->drives[0].friction.coulomb, 0.2);
    EXPECT_EQ(model->drives[0].spring.stiffness, 5);
    EXPECT_EQ(model->drives[0].spring.rest, 0.3);
  }
}

TEST(Sdf, ReadsAxesInOtherFrames) {
  const std::string content = link("a", "0 0 0 0 0 1.5707963267948966") +
                              "<frame name='f'><pose>0 0 0 0 1.5707963267948966 0</pose></frame>";
  const auto axis_of = [&](const std::string& axis, const std::string& version) {
    const RobotDescription robot =
        read_sdf_text(sdf_model(content + joint("j", "revolute", "world", "a", axis), version));
    return std::get<ScrewPlacement>(robot.links[0].joint.placement).axis;
  };
  const auto near = [](const Vec3<double>& a, const Vec3<double>& b) {
    return norm(a - b) < 1e-15;
  };
  // In the frame of the joint, in that of the model, and in f, whose x axis is -z of the model.
  EXPECT_TRUE(near(axis_of(axis("1 0 0"), "1.11"), {1, 0, 0}));
  EXPECT_TRUE(
      near(axis_of("<axis><xyz expressed_in='__model__'>1 0 0</xyz></axis>", "1.11"), {0, -1, 0}));
  EXPECT_TRUE(near(axis_of("<axis><xyz expressed_in='f'>1 0 0</xyz></axis>", "1.11"), {0, 0, -1}));
  const std::string old = "<use_parent_model_frame>1</use_parent_model_frame>";
  EXPECT_TRUE(near(axis_of(axis("1 0 0", old), "1.6"), {0, -1, 0}));
  EXPECT_TRUE(near(axis_of(axis("1 0 0"), "1.6"), {1, 0, 0}));
  EXPECT_TRUE(near(axis_of(axis("1 0 0"), "1.4"), {0, -1, 0}));
}

// screw_thread_pitch: m per turn, right-handed if positive. thread_pitch: rad per m, left-handed if
// positive. The default is 1 m per turn.
TEST(Sdf, ReadsBothConventionsOfScrews) {
  const auto travel = [](const std::string& words) {  // of one turn
    const auto model = build(robot_with("screw", axis("0 0 1") + words));
    return pose_at(*model, "a", {2 * pi}).p.z - 3;
  };
  EXPECT_NEAR(travel("<screw_thread_pitch>0.5</screw_thread_pitch>"), 0.5, 1e-15);
  EXPECT_NEAR(travel("<screw_thread_pitch>-0.5</screw_thread_pitch>"), -0.5, 1e-15);
  EXPECT_NEAR(travel("<thread_pitch>4</thread_pitch>"), -2 * pi / 4, 1e-14);
  EXPECT_NEAR(travel("<thread_pitch>-4</thread_pitch>"), 2 * pi / 4, 1e-14);
  EXPECT_NEAR(travel(""), 1, 1e-14);
  EXPECT_NEAR(travel("<screw_thread_pitch>2</screw_thread_pitch><thread_pitch>4</thread_pitch>"), 2,
              1e-14);
}

TEST(Sdf, ReadsJointsWithTwoAxes) {
  for (const char* type : {"universal", "revolute2"}) {
    const auto model = build(robot_with(
        type, axis("1 0 0", "<limit><lower>-2</lower></limit>") +
                  "<axis2><xyz>0 1 0</xyz><dynamics><damping>0.5</damping></dynamics></axis2>"));
    EXPECT_THAT(model->dof_names(), ElementsAre("j_1", "j_2"));
    expect_pose(pose_at(*model, "a", {0.3, 0.4}),
                translation<double>({1, 2, 3}) * rotation_x(0.3) * rotation_y(0.4));
    EXPECT_EQ(model->joints[0].lower, -2);
    EXPECT_EQ(model->damping[1], 0.5);
  }
}

TEST(Sdf, ReadsBallJoints) {
  const auto model = build(robot_with("ball", "<pose>0 0 1 0 0 0</pose>"));
  ASSERT_EQ(model->n_v, 3);
  // A turn by pi about x, through (1, 2, 4).
  expect_pose(pose_at(*model, "a", {0, 1, 0, 0}), translation<double>({1, 2, 5}) * rotation_x(pi));
  EXPECT_TRUE(model->drives[0].passive);
}

TEST(Sdf, LetsModelsFloatThatAreNotFixed) {
  const RobotDescription robot = read_sdf_text(
      sdf_model("<pose>0 0 1 0 0 0</pose>" + link("a", "1 0 0 0 0 0") + link("b", "1 0 0.5 0 0 0") +
                joint("j", "prismatic", "a", "b", axis("0 0 1"))));
  EXPECT_THAT(robot.dof_order, ElementsAre("floating_base", "j"));
  const auto model = build(robot);
  EXPECT_TRUE(model->drives[0].passive);
  // The neutral position is the pose in the file.
  expect_pose(pose_at(*model, "b", {0, 0, 0, 1, 0, 0, 0, 0.25}), translation<double>({1, 0, 1.75}));
  const std::string fixed = sdf_model("<static>1</static>" + link("a"));
  EXPECT_EQ(build(read_sdf_text(fixed))->n_v, 0);
  EXPECT_THAT(error_of_sdf(fixed, {.floating_base = true}), HasSubstr("no link floats"));
  EXPECT_EQ(error_of_sdf(sdf_model(link("a")), {.floating_base = true}), "");
}

// The parent of the joint has no parent itself, and its child is fixed in the world.
TEST(Sdf, ReversesJointsWhoseChildIsTheBase) {
  for (const char* type : {"revolute", "prismatic", "screw", "universal"}) {
    const std::string axes = axis("0 0 1") + (type == std::string("universal")
                                                  ? "<axis2><xyz>1 0 0</xyz></axis2>"
                                                  : "<screw_thread_pitch>0.5</screw_thread_pitch>");
    const auto text = [&](const std::string& parent, const std::string& child) {
      return sdf_model(
          link("a", "1 0 0 0.1 0 0") + link("b", "0 2 0 0 0.2 0") +
          joint("f", "fixed", "world", "b") +
          joint("j", type, parent, child, "<pose relative_to='b'>0.3 0 0 0 0.1 0</pose>" + axes));
    };
    const auto reversed = build(read_sdf_text(text("a", "b")));
    std::vector<double> q(size_t(reversed->n_q), 0.0);
    q[0] = 0.7;
    if (q.size() > 1) q[1] = 0.4;
    ASSERT_EQ(reversed->joints.size(), q.size());
    EXPECT_THAT(reversed->closures, IsEmpty());
    // The pose of b relative to a is the inverse of that of a relative to b, with b as the parent
    // and the opposite q. The two axes change places.
    const auto straight = build(read_sdf_text(
        q.size() > 1 ? sdf_model(link("a", "1 0 0 0.1 0 0") + link("b", "0 2 0 0 0.2 0") +
                                 joint("f", "fixed", "world", "b") +
                                 joint("j", type, "b", "a",
                                       "<pose relative_to='b'>0.3 0 0 0 0.1 0</pose>" +
                                           axis("1 0 0") + "<axis2><xyz>0 0 1</xyz></axis2>"))
                     : text("b", "a")));
    const std::vector<double> opposite =
        q.size() > 1 ? std::vector<double>{-q[1], -q[0]} : std::vector<double>{-q[0]};
    expect_pose(pose_at(*reversed, "a", q), pose_at(*straight, "a", opposite));
  }
}

TEST(Sdf, ClosesLoops) {
  const std::string y = axis("0 1 0");
  const RobotDescription robot = read_sdf_text(sdf_model(
      link("crank") + link("coupler", "0.3 0 0 0 0 0") + link("rocker", "0.9 0 0 0 0 0") +
      joint("a", "revolute", "world", "crank", y) + joint("b", "revolute", "crank", "coupler", y) +
      joint("c", "revolute", "world", "rocker", y) +
      joint("d", "revolute", "coupler", "rocker", "<pose>0 0 0.1 0 0 0</pose>" + y)));
  const auto model = build(robot);
  EXPECT_EQ(model->n_v, 3);
  ASSERT_EQ(model->closures.size(), 1u);
  EXPECT_EQ(model->closures[0].kind, ClosureKind::revolute);
  EXPECT_EQ(model->closures[0].name, "d");
  const Pose<double>& X_BF = model->frames[size_t(model->frame("coupler"))].X_BF;
  EXPECT_LT(norm((inverse(X_BF) * model->closures[0].X_BA).p - Vec3<double>{0.6, 0, 0.1}), 1e-15);
}

TEST(Sdf, ReadsMimics) {
  const auto model = build(read_sdf_text(
      sdf_model(link("a") + link("b") + joint("j", "revolute", "world", "a", axis("0 0 1")) +
                joint("k", "revolute", "a", "b",
                      axis("0 0 1",
                           "<mimic joint='j'><multiplier>2</multiplier><offset>0.5</offset>"
                           "<reference>0.1</reference></mimic>")))));
  ASSERT_EQ(model->mimics.size(), 1u);
  EXPECT_EQ(model->mimics[0].ratio, 2);
  EXPECT_NEAR(model->mimics[0].offset, 0.3, 1e-16);
  EXPECT_THAT(warnings_of_sdf(sdf_model(link("a") + joint("j", "revolute", "world", "a",
                                                          axis("0 0 1", "<mimic joint='x'/>")))),
              HasSubstr("joint 'j' mimics 'x', which is not a joint of its model, so it moves "
                        "independently; correct the name, or remove <mimic>"));
}

// theta_2 = -ratio theta_1, with the angles of the wheels relative to the arm about -z. The axis of
// the first wheel is -z, and that of the second one is z.
TEST(Sdf, ReadsGearboxes) {
  const RobotDescription robot = read_sdf_text(sdf_model(
      link("arm") + link("w1") + link("w2") + joint("f", "fixed", "world", "arm") +
      joint("j1", "revolute", "arm", "w1", axis("0 0 -1")) +
      joint("j2", "revolute", "arm", "w2", axis("0 0 1")) +
      joint("g", "gearbox", "w1", "w2",
            axis("0 0 -1") + "<axis2><xyz>0 0 -1</xyz></axis2><gearbox_ratio>3</gearbox_ratio>"
                             "<gearbox_reference_body>arm</gearbox_reference_body>")));
  ASSERT_EQ(robot.closures.size(), 1u);
  EXPECT_EQ(robot.closures[0].kind, ClosureKind::gear);
  EXPECT_THAT(robot.closures[0].joints, ElementsAre("j2", "j1"));
  // theta_1 = q_1 and theta_2 = -q_2, so that q_2 = 3 q_1.
  EXPECT_EQ(robot.closures[0].parameter, 3);
  EXPECT_EQ(build(robot)->n_v, 2);
}

TEST(Sdf, ComputesInertiasFromCollisions) {
  const std::string collisions =
      "<collision name='c'><pose>0 0 1 0 0 0</pose><geometry><box><size>1 2 3</size></box>"
      "</geometry></collision><collision name='d'><density>20</density><geometry><sphere><radius>1"
      "</radius></sphere></geometry></collision>";
  const auto inertia = [&](const std::string& content) {
    return read_sdf_text(sdf_model("<link name='a'><inertial auto='true'>" + content +
                                   "</inertial>" + collisions + "</link>"))
        .links[0]
        .inertia;
  };
  const double box = 6 * 10, sphere = 20 * 4 * pi / 3;
  const SpatialInertia<double> M = inertia("<density>10</density>");
  EXPECT_NEAR(M.m, box + sphere, 1e-12);
  EXPECT_NEAR(M.h.z, box, 1e-12);
  EXPECT_NEAR(M.I.zz, box * (1 + 4) / 12 + 0.4 * sphere, 1e-12);
  const SpatialInertia<double> scaled = inertia("<density>10</density><mass>2</mass>");
  EXPECT_NEAR(scaled.m, 2, 1e-15);
  EXPECT_NEAR(scaled.I.zz, M.I.zz * 2 / M.m, 1e-13);
}

TEST(Sdf, UsesTheDefaultsOfTheFormatWithAWarning) {
  const std::string text = sdf_model("<link name='a'/>");
  EXPECT_EQ(read_sdf_text(text).links[0].inertia.m, 1);
  EXPECT_THAT(warnings_of_sdf(text), HasSubstr("FILE:2: no <inertial> in these links, so the mass "
                                               "is 1 kg"));
}

TEST(Sdf, ReadsShapes) {
  const auto shapes = [](const std::string& name, const std::string& content) {
    return "<visual name='" + name + "'><geometry>" + content + "</geometry><transparency>0.5" +
           "</transparency><material><diffuse>1 0 0 1</diffuse></material></visual>";
  };
  const RobotDescription robot = read_sdf_text(sdf_model(
      "<link name='a'><pose>1 0 0 0 0 0</pose>" + one_kilogram +
      shapes("v1", "<capsule><radius>1</radius><length>2</length></capsule>") +
      shapes("v2", "<mesh><uri>model://m/x.dae</uri><scale>2 2 2</scale></mesh>") +
      "<visual name='v3'><pose relative_to='__model__'/><geometry><ellipsoid><radii>1 2 3</radii>"
      "</ellipsoid></geometry></visual><visual name='v4'><geometry><plane/></geometry></visual>"
      "</link>"));
  const auto& visuals = robot.links[0].visuals;
  ASSERT_EQ(visuals.size(), 3u);
  EXPECT_EQ(std::get<Capsule>(visuals[0].shape).length, 2);
  EXPECT_EQ(visuals[0].color->a, 0.5);
  EXPECT_EQ(std::get<MeshFile>(visuals[1].shape).scale.x, 2);
  EXPECT_EQ(visuals[2].X_LV.p.x, -1);
  EXPECT_TRUE(robot.links[0].shapes_left_out);
}

TEST(Sdf, ReadsCollisionsOnRequest) {
  const std::string text = sdf_model(
      "<link name='a'>" + one_kilogram +
      "<collision name='c'><geometry><plane><normal>0 1 0</normal></plane></geometry><surface>"
      "<friction><ode><mu>0.3</mu></ode></friction><bounce><restitution_coefficient>0.2"
      "</restitution_coefficient></bounce></surface></collision></link>"
      "<link name='b'><self_collide>1</self_collide>" +
      one_kilogram +
      "<collision name='c'><geometry><box><size>1 1 1</size></box></geometry></collision></link>");
  EXPECT_TRUE(read_sdf_text(text).links[0].collisions.empty());
  const RobotDescription robot = read_sdf_text(text, {.collisions = true});
  const CollisionDescription& plane = robot.links[0].collisions.at(0);
  EXPECT_EQ(plane.shape.kind, ShapeKind::half_space);
  EXPECT_LT(norm(plane.X_LC.R * Vec3<double>{0, 0, 1} - Vec3<double>{0, 1, 0}), 1e-15);
  EXPECT_EQ(plane.material.mu, 0.3);
  EXPECT_EQ(plane.material.restitution, 0.2);
  EXPECT_EQ(plane.group, "m");
  EXPECT_EQ(robot.links[1].collisions.at(0).group, "");
  EXPECT_EQ(robot.links[1].collisions.at(0).material.mu, 1);
}

TEST(Sdf, ReadsWorlds) {
  const RobotDescription robot = read_sdf_text(
      "<sdf version='1.9'><world name='w'><gravity>0 0 -3.7</gravity>\n"
      "<model name='ground'><static>true</static><link name='link'/></model>"
      "<model name='arm'><pose>5 0 0 0 0 0</pose>" +
      link("a", "1 0 0 0 0 0") + joint("j", "revolute", "world", "a", axis("0 0 1")) +
      "</model><model name='ball'>" + link("a") + "</model>" +
      joint("weld", "fixed", "ground::link", "ball::a") + "</world></sdf>");
  EXPECT_EQ(robot.name, "w");
  EXPECT_EQ(robot.gravity_W->z, -3.7);
  EXPECT_THAT(robot.dof_order, ElementsAre("arm::j"));
  expect_pose(pose_at(*build(robot), "arm::a", {0}), translation<double>({6, 0, 0}));
  const RobotDescription empty = read_sdf_text(
      "<sdf version='1.9'><world name='w'><model name='a'>" + link("a") + "</model></world></sdf>");
  EXPECT_EQ(empty.gravity_W->z, -9.8);  // the default of SDF
  EXPECT_THAT(empty.dof_order, ElementsAre("a::floating_base"));
  EXPECT_FALSE(read_sdf_text(sdf_model(link("a"))).gravity_W);
}

}  // namespace
}  // namespace torsor::test::sdf_reader
