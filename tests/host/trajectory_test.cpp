// Tests of a trajectory plugin in plain C, and of malformed ones.

#include "host_fixture.hpp"

namespace torsor::host_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using List = std::vector<double>;

std::shared_ptr<const Trajectory> move(
    const std::string& file, const std::vector<Parameter>& parameters,
    const std::shared_ptr<const Model>& model = pendulum_model(1, 1, 2)) {
  return Registry({plugin(file)}).make<Trajectory>("motion", model, parameters);
}
const std::vector<Parameter> somewhere{{"from", List{1, 2}}, {"to", List{3, 5}}};

TEST(Trajectories, OfPlainCMove) {
  const auto trajectory = move("motion", somewhere);
  Reference out = trajectory->make_reference();
  ASSERT_TRUE(trajectory->evaluate(0.5, out));
  EXPECT_EQ(out.q, (List{2, 3.5}));
  EXPECT_EQ(out.v, (List{2, 3}));
  EXPECT_EQ(out.vdot, (List{0, 0}));
  EXPECT_EQ(trajectory->id(), "trajectory.motion");
  ASSERT_EQ(trajectory->settings().size(), 2u);
  EXPECT_EQ(std::get<List>(trajectory->settings()[1].value), (List{3, 5}));
}

// Checks that equal parameters have the same fingerprint, and different ones have another.
TEST(Trajectories, HaveAFingerprint) {
  EXPECT_EQ(move("motion", somewhere)->fingerprint(), move("motion", somewhere)->fingerprint());
  EXPECT_NE(move("motion", somewhere)->fingerprint(),
            move("motion", {{"from", List{1, 2}}, {"to", List{3, 4}}})->fingerprint());
}

// Checks a spherical joint: the coordinates y are the logarithm from the first position. The order
// of the parameters does not matter.
TEST(Trajectories, GetLogarithmsOnCurvedJoints) {
  LinkDescription link;
  link.name = "ball";
  link.joint.name = "socket";
  link.joint.kind = JointKind::spherical;
  link.inertia = inertia_about_com(1, {0, 0, 0}, {1, 1, 1, 0, 0, 0});
  RobotDescription robot;
  robot.name = "ball";
  robot.links = {link};
  const auto turned = [](double angle) {
    return List{std::cos(angle / 2), 0, 0, std::sin(angle / 2)};
  };
  const Parameter from{"from", turned(0.2)}, to{"to", turned(1)};
  for (const auto& parameters : {std::vector{from, to}, std::vector{to, from}}) {
    const auto trajectory = move("motion", parameters, build(robot));
    Reference out = trajectory->make_reference();
    ASSERT_TRUE(trajectory->evaluate(0.5, out));
    for (size_t k = 0; k < 4; ++k) EXPECT_NEAR(out.q[k], turned(0.6)[k], 1e-15);
    for (size_t k = 0; k < 3; ++k) EXPECT_NEAR(out.v[k], k == 2 ? 0.8 : 0, 1e-15);
  }
}

TEST(Trajectories, WithoutAPositionAreRejected) {
  EXPECT_THAT(
      error_of([] {
        move("motion", {{"from", List{1, 2}}});
      }),
      AllOf(HasSubstr("'trajectory.motion' needs its parameter 'to': a position q of the joints"),
            HasSubstr(plugin("motion").string())));
}

TEST(Trajectories, ThatAreMalformedAreRejected) {
  const std::pair<const char*, const char*> cases[] = {
      {"motion_offers_nothing", "it offers no torsor.trajectory/1"},
      {"motion_short_table", "its torsor.trajectory/1 table has 8 bytes, 24 are needed"},
      {"motion_no_describe", "its describe or evaluate is NULL"},
      {"motion_no_evaluate", "its describe or evaluate is NULL"},
      {"motion_no_set_param", "it has parameters but its set_param is NULL"},
  };
  for (const auto& [file, what] : cases)
    EXPECT_THAT(error_of([&, name = file] { move(name, somewhere); }),
                AllOf(HasSubstr("plugin 'trajectory.motion' is malformed: "), HasSubstr(what)));
  const Registry registry({plugin("motion_row_of_two")});
  ASSERT_EQ(registry.skipped().size(), 1u);
  EXPECT_THAT(
      registry.skipped()[0].reason,
      HasSubstr("parameter 'from' expects 2 motions: it must expect one, or 0 if it is optional"));
}

}  // namespace
}  // namespace torsor::host_test
