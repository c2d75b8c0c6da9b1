// Tests of references and prescribed motions whose derivatives jump. Integrators keep their order,
// because a step that begins or ends at a jump uses the value on its own side.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "simulation/robots.hpp"
#include "support/known_robots.hpp"
#include "torsor/control/controller_law.hpp"

namespace torsor::test {
namespace {

using List = std::vector<double>;

const Registry& laws() {
  static const Registry plugins({TORSOR_PLUGIN_DIR});
  return plugins;
}

std::shared_ptr<const Trajectory> two_link_move(const std::string& law,
                                                const std::shared_ptr<const Model>& model,
                                                double duration) {
  return laws().make<Trajectory>(
      law, model, {{"from", List{0, 0}}, {"to", List{1, -1}}, {"duration", duration}});
}

ReferenceLaw reference_along(const std::shared_ptr<const Trajectory>& trajectory) {
  return {.of_frame = false,
          .make = [trajectory] { return trajectory->make_reference(); },
          .evaluate = [trajectory](double t,
                                   Reference& out) { ASSERT_TRUE(trajectory->evaluate(t, out)); },
          .breaks = trajectory->breaks()};
}

std::shared_ptr<const Model> two_links(double spring = 0) {
  RobotDescription robot = planar_n_link(Vector::Ones(2), Vector::Ones(2));
  robot.family = "";
  Drive drive;
  drive.spring = {.stiffness = spring, .rest = 0.5};
  for (LinkDescription& link : robot.links) link.joint.drives = {drive};
  return build(robot);
}

// Runs continuous-time computed torque with the exact model, starting on the reference. Returns the
// largest error of the position.
double error_along(const std::string& law, double duration, Integrator method, double dt,
                   const std::shared_ptr<const Model>& model) {
  const auto trajectory = two_link_move(law, model, duration);
  Load load;
  load.controls = {{.name = "law",
                    .law = std::make_shared<ControllerLaw>(
                        laws().controller("computed_torque", model, "newton_euler", {0, -g, 0},
                                          {{"frequency", 10.0}}),
                        reference_along(trajectory))}};
  Simulation s(model, solver_factory(), method, dt, {1e-10, 1e-12});
  s.set_gravity({0, -g, 0});
  s.begin(load, List{0, 0}, List{0, 0});
  Reference desired = trajectory->make_reference();
  double worst = 0;
  while (s.time() < 1 - dt / 2) {
    s.step();
    EXPECT_TRUE(trajectory->evaluate(s.time(), desired));
    for (size_t k = 0; k < 2; ++k)
      worst = std::max(worst, std::abs(s.state().q()[k] - desired.q[k]));
  }
  return worst;
}

TEST(ReferenceJumps, KeepTheOrder) {
  const auto model = two_links();
  for (const char* law : {"cubic", "bang_bang", "trapeze", "smooth_trapeze", "quintic"})
    for (const double duration : {0.8, 0.777}) {
      const double coarse = error_along(law, duration, Integrator::rk4, 4e-3, model),
                   fine = error_along(law, duration, Integrator::rk4, 2e-3, model);
      EXPECT_LT(fine, 1e-8) << law;
      EXPECT_GT(coarse, 8 * fine) << law << " " << duration;
    }
}

TEST(ReferenceJumps, AreHandledByVariableStepMethods) {
  const auto model = two_links();
  for (const Integrator method :
       {Integrator::dormand_prince, Integrator::fehlberg, Integrator::dirk})
    for (const char* law : {"cubic", "bang_bang", "trapeze"})
      for (const double duration : {0.8, 0.777})
        EXPECT_LT(error_along(law, duration, method, 0.01, model), 1e-7)
            << name(method) << " " << law;
}

// Checks that the controller's model includes the springs of the joints.
TEST(ControllerModels, IncludeSprings) {
  EXPECT_LT(error_along("quintic", 0.8, Integrator::fehlberg, 0.01, two_links(20)), 1e-8);
}

// Checks that rk4 keeps its order for two links of which the first follows a trapezoidal velocity
// profile. The order is measured by halving the step.
TEST(ReferenceJumps, OfPrescribedMotionsKeepTheOrder) {
  const auto model = two_links();
  const auto trajectory = two_link_move("trapeze", model, 0.777);
  const auto end = [&](double dt) {
    Load load;
    const auto desired = std::make_shared<Reference>(trajectory->make_reference(2));
    const auto motion = [=](double t, std::span<double> v, std::span<double> vdot) {
      ASSERT_TRUE(trajectory->evaluate(t, *desired));
      v[0] = desired->v[0];
      vdot[0] = desired->vdot[0];
    };
    load.prescriptions.push_back({0, motion, "", trajectory->breaks()});
    Simulation s(model, solver_factory(), Integrator::rk4, dt);
    s.set_gravity({0, -g, 0});
    s.begin(load, List{0, 0}, List{0, 0});
    while (s.time() < 1 - dt / 2) s.step();
    EXPECT_NEAR(s.state().q()[0], 1, 1e-9);
    return s.state().q()[1];
  };
  const double a = end(0.02), b = end(0.01), c = end(0.005);
  EXPECT_NEAR(std::log2(std::abs((a - b) / (b - c))), 4, 0.4);
}

TEST(Controls, RejectAReferenceOfOtherJoints) {
  const auto model = two_links(), other = build(slider());
  const std::shared_ptr<const Trajectory> trajectory = laws().make<Trajectory>(
      "quintic", other, {{"from", List{0}}, {"to", List{1}}, {"duration", 1.0}});
  Load load;
  load.controls = {{.name = "law",
                    .law = std::make_shared<ControllerLaw>(
                        laws().controller("pid", model, "newton_euler", {0, -g, 0}, {{"kp", 1.0}}),
                        reference_along(trajectory))}};
  Simulation s(model, solver_factory(), Integrator::rk4, 1e-3);
  try {
    s.begin(load, List{0, 0}, List{0, 0});
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("the control 'law' follows 1 coordinates; robot"));
  }
}

// Checks that the limit of a clamped motor also limits the controller's max_torque, so that no
// integral winds up.
TEST(Controls, PassTheLimitsOfMotorsToTheLaw) {
  RobotDescription robot = slider();
  robot.links[0].joint.effort_limit = 3;
  Drive drive;
  drive.motor.clamp = true;
  robot.links[0].joint.drives = {drive};
  const auto model = build(robot);
  double received = 0;
  struct LimitProbe final : ControlLaw {
    double* most;
    std::vector<LawSignal> none;
    explicit LimitProbe(double* to) : most(to) {}
    std::unique_ptr<ControlLaw> clone() const override {
      return std::make_unique<LimitProbe>(*this);
    }
    size_t n_x() const override { return 0; }
    std::vector<double> initial_memory() const override { return {}; }
    const std::vector<LawSignal>& signals() const override { return none; }
    size_t n_signal() const override { return 0; }
    void evaluate(const Measured&, double, std::span<const double> max_torque,
                  std::span<const double>, const Answer&) override {
      *most = max_torque[0];
    }
    uint64_t fingerprint() const override { return 0; }
  };
  for (const auto& [own, expected] : {std::pair{List{}, 3.0}, {List{2}, 2.0}, {List{5}, 3.0}}) {
    Load load;
    load.controls = {
        {.name = "law", .law = std::make_shared<LimitProbe>(&received), .max_torque = own}};
    Simulation s(model, solver_factory(), Integrator::rk4, 1e-3);
    s.begin(load, List{0}, List{0});
    s.step();
    EXPECT_EQ(received, expected);
  }
}

}  // namespace
}  // namespace torsor::test
