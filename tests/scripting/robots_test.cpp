// Tests of the robots of scripts/robots: their torques against tables of independent programs, and
// their options.

#include <cmath>
#include <map>

#include "scripting/script_file.hpp"
#include "support/reference.hpp"
#include "torsor/host/registry.hpp"
#include "torsor/mechanics/kinematics.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;

RobotDescription robot(const std::string& name, const Overrides& options = {}) {
  return load_robot(std::filesystem::path(TORSOR_SOURCE_DIR) / "scripts/robots" / (name + ".lua"),
                    options);
}
std::string robot_options_error(const std::string& name, const Overrides& options) {
  try {
    robot(name, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// A function object for the inverse dynamics of a robot.
class Inverse {
 public:
  Inverse(const RobotDescription& description, const Vec3<double>& gravity)
      : state_(build(description)),
        solver_(Registry({TORSOR_PLUGIN_DIR}).solver("newton_euler", state_.model_ptr())) {
    state_.set_gravity(gravity);
  }
  Vector operator()(const Vector& q, const Vector& v, const Vector& vdot) {
    state_.set_q({q.data(), size_t(q.size())});
    state_.v.assign(v.begin(), v.end());
    Vector tau(v.size());
    EXPECT_TRUE(solver_.inverse(state_, vdot.data(), tau.data()));
    return tau;
  }
  void wrench(const std::string& frame, const Wrench<double>& F) {
    const Model& model = state_.model();
    state_.clear_wrenches();
    state_.add_wrench(model.frames[size_t(model.frame(frame))], F);
  }

 private:
  State state_;
  Solver solver_;
};

Wrench<double> negated(const Vector& moment, const Vector& force) {
  return {{-moment[0], -moment[1], -moment[2]}, {-force[0], -force[1], -force[2]}};
}

TEST(Robots, EveryLinkCanBeSeen) {
  for (const char* name : {"iiwa", "rx90", "scara"}) {
    const auto model = build(
        robot(name, name == std::string("scara") ? Overrides{{"payload", "1"}} : Overrides{}));
    std::vector<int> shapes(model->links.size());
    for (const Visual& visual : model->visuals) ++shapes[size_t(visual.link)];
    EXPECT_THAT(shapes, testing::Each(testing::Gt(0))) << name;
  }
}

TEST(Iiwa, TorquesAreThoseOfTheTable) {
  const Json table = stored_table("iiwa_second_order.json");
  Inverse inverse(robot("iiwa", {{"armature", "0"}, {"damping", "0"}}), {0, 0, -9.80665});
  for (const Json& s : table["samples"]) {
    const Vector q = vector(s["q"]), v = vector(s["qd"]), vdot = vector(s["qdd"]),
                 F = vector(s["wrench"]);
    inverse.wrench("link7", {});
    EXPECT_TRUE(agree(inverse(q, v, vdot), vector(s["tau_phys"])));
    inverse.wrench("link7", negated(F.head(3), F.tail(3)));
    EXPECT_TRUE(agree(inverse(q, v, vdot), vector(s["tau_phys_wrench"])));
  }
}

// Checks that rotors and damping are active by default, and that options switch them off.
TEST(Iiwa, HasRotorsAndDampingByDefault) {
  const auto plain = build(robot("iiwa", {{"armature", "0"}, {"damping", "0"}})),
             usual = build(robot("iiwa"));
  ASSERT_EQ(usual->n_v, 7);
  for (size_t i = 0; i < 7; ++i) {
    EXPECT_EQ(plain->armature[i], 0);
    EXPECT_EQ(plain->damping[i], 0);
    EXPECT_GE(usual->armature[i], i < 4 ? 0.1 : 0.01);
    EXPECT_LT(usual->armature[i], 1);
    EXPECT_GT(usual->damping[i], 0);
    EXPECT_EQ(usual->joints[i].name, "joint" + std::to_string(i + 1));
  }
  EXPECT_THAT(robot_options_error("iiwa", {{"armatur", "0"}}),
              HasSubstr("did you mean 'armature'?"));
}

TEST(Rx90, BothParameterSetsGiveTheTorquesOfTheTable) {
  const Json table = stored_table("rx90.json");
  for (const char* parameters : {"standard", "base"}) {
    Inverse inverse(robot("rx90", {{"parameters", parameters}}), {0, 0, -9.81});
    for (const Json& s : table["samples"]) {
      inverse.wrench("link6", negated(vector(s["C"]), vector(s["F"])));
      EXPECT_TRUE(
          agree(inverse(vector(s["q"]), vector(s["qd"]), vector(s["qdd"])), vector(s["GAM"])))
          << parameters;
    }
  }
}

TEST(Rx90, BaseParametersAreMarkedAsGrouped) {
  for (const LinkDescription& link : robot("rx90", {{"parameters", "base"}}).links)
    EXPECT_TRUE(link.grouped);
  for (const LinkDescription& link : robot("rx90").links) EXPECT_FALSE(link.grouped);
  EXPECT_THAT(robot_options_error("rx90", {{"parameters", "some"}}),
              HasSubstr("it must be 'standard' or 'base'"));
}

TEST(Planar, TorquesAreThoseOfTheTable) {
  std::map<int, int> seen;
  const Json table = stored_table("planar_nlink.json");
  for (const Json& s : table["samples"]) {
    const int n = s["N"];
    std::string l, m;
    for (int i = 0; i < n; ++i) {
      l += s["l"][size_t(i)].dump() + ",";
      m += s["m"][size_t(i)].dump() + ",";
    }
    const RobotDescription chain =
        load_robot_text("return require('robots.planar').build{ n = " + std::to_string(n) +
                        ", lengths = {" + l + "}, masses = {" + m + "} }");
    EXPECT_EQ(chain.family, "planar_n_link");
    Inverse inverse(chain, {0, -s["g"].get<double>(), 0});
    // The angles of the table are absolute. The joint angles of the engine are relative to the
    // previous rod.
    const auto relative = [n](Vector x) {
      for (int i = n - 1; i > 0; --i) x[i] -= x[i - 1];
      return x;
    };
    const Vector q = relative(vector(s["q"]));
    EXPECT_TRUE(close(q, vector(s["x"]), 1, 1e-14));
    EXPECT_TRUE(
        agree(inverse(q, relative(vector(s["qd"])), relative(vector(s["qdd"]))), vector(s["tau"])))
        << n;
    ++seen[n];
  }
  EXPECT_EQ(seen.size(), 4u);
}

TEST(Planar, OptionsAreChecked) {
  EXPECT_EQ(robot("planar").links.size(), 2u);
  EXPECT_EQ(robot("planar", {{"n", "7"}, {"lengths", "0.5"}}).links.size(), 7u);
  for (const char* n : {"0", "-1", "2.5", "x", "1001"})
    EXPECT_THAT(robot_options_error("planar", {{"n", n}}), HasSubstr("integer from 1 to 1000"))
        << n;
  EXPECT_THAT(scene_error("\nrequire('robots.planar').build{ n = 3, masses = {1, 2} }"),
              testing::StartsWith("scene.lua:2: option 'masses' must be a list of 3 numbers"));
}

// Compares with the closed form of the double pendulum: point masses of 2 and 3 kg on rods of 0.5
// and 0.8 m. Angle q1 is from the vertical, q2 from rod 1.
TEST(DoublePendulum, TorquesAreThoseOfTheClosedForm) {
  const double m1 = 2, m2 = 3, a = 0.5, b = 0.8, g = 9.81;
  Inverse inverse(load_robot_text("return require('robots.double_pendulum').build{ masses = {2, "
                                  "3}, lengths = {0.5, 0.8} }"),
                  {0, 0, -g});
  const double q1 = 0.7, q2 = -1.3, v1 = 0.9, v2 = -2.1, u1 = 1.7, u2 = 0.4;
  const double c = std::cos(q2), s = std::sin(q2);
  const double M11 = m1 * a * a + m2 * (a * a + b * b + 2 * a * b * c),
               M12 = m2 * (b * b + a * b * c), M22 = m2 * b * b;
  const double k = m2 * a * b * s;
  // The axes are +y, so positive q moves the bob towards -x. The gravity torque m g l sin(q) acts
  // against it.
  const double G2 = m2 * g * b * std::sin(q1 + q2), G1 = (m1 + m2) * g * a * std::sin(q1) + G2;
  const Vector tau = inverse(Vector{{q1, q2}}, Vector{{v1, v2}}, Vector{{u1, u2}});
  const Vector expected{{M11 * u1 + M12 * u2 - k * (2 * v1 * v2 + v2 * v2) + G1,
                         M12 * u1 + M22 * u2 + k * v1 * v1 + G2}};
  EXPECT_TRUE(agree(tau, expected));
}

// Checks the closed forms of the tool's position and of the force that holds the spindle against
// gravity.
TEST(Scara, FollowsItsClosedForm) {
  const RobotDescription arm = robot("scara", {{"payload", "2"}});
  State state(build(arm));
  const double q1 = 0.4, q2 = -0.9, q3 = 0.07, q4 = 1.1;
  state.set_q(std::vector<double>{q1, q2, q3, q4});
  const Pose<double> X =
      frame_pose(state, state.model().frames[size_t(state.model().frame("tool"))]);
  EXPECT_NEAR(X.p.x, 0.325 * std::cos(q1) + 0.275 * std::cos(q1 + q2), 1e-15);
  EXPECT_NEAR(X.p.y, 0.325 * std::sin(q1) + 0.275 * std::sin(q1 + q2), 1e-15);
  EXPECT_NEAR(X.p.z, 0.39 - 0.05 - q3 - 0.05, 1e-15);
  // The z axis of the tool points down, so the tool rotates in the opposite sense.
  EXPECT_NEAR(std::atan2(X.R(1, 0), X.R(0, 0)), q1 + q2 - q4, 1e-15);
  Inverse inverse(arm, {0, 0, -9.81});
  const Vector zero = Vector::Zero(4), hold = inverse(zero, zero, zero);
  EXPECT_TRUE(close(hold, Vector{{0, 0, -9.81 * (1.2 + 0.4 + 2), 0}}, 35, 1e-14));
}

}  // namespace
}  // namespace torsor::test
