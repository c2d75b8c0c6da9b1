// Tests of the force plugins against closed forms.

#include <gtest/gtest.h>

#include <cmath>

#include "simulation/forces.hpp"

namespace torsor::test {
namespace {

using List = std::vector<double>;

// Compares with the closed form of m xddot + d xdot + k (x - l) = 0, underdamped:
//   x = l + A e^(-a t) (cos w t + a/w sin w t),   a = d/2m,   w^2 = k/m - a^2
TEST(SpringDamper, SwingsAsItsClosedForm) {
  const double k = 100, d = 2, l = 1, A = 0.3, a = d / 2, w = std::sqrt(k - a * a);
  const auto model = build(slider());
  Simulation s = with_forces(model, {force("spring_damper", model,
                                           {{"from", "world"},
                                            {"to", "cart"},
                                            {"stiffness", k},
                                            {"damping", d},
                                            {"rest_length", l}})});
  s.set_state(List{l + A}, List{0});
  EXPECT_DOUBLE_EQ(s.energy().elastic, 0.5 * k * A * A);
  for (const double t : {0.1, 0.5, 1.0}) {
    run_to(s, t);
    EXPECT_NEAR(s.state().q()[0],
                l + A * std::exp(-a * t) * (std::cos(w * t) + a / w * std::sin(w * t)), 1e-11);
    EXPECT_NEAR(s.ledger_error(), 0, 1e-9 * 0.5 * k * A * A);
  }
  EXPECT_LT(s.snapshot()[Work::forces], -1) << "what the damper takes";
  EXPECT_EQ(s.snapshot()[Work::contact], 0);
}

// Checks that momentum is conserved for two free balls that a spring connects at points away from
// their centres.
TEST(SpringDamper, KeepsMomentum) {
  const auto model = build(free_balls({"a", "b"}, 0.5));
  const std::vector<FramePlace> from{{"a", translation<double>({0.1, 0.2, 0.3})}},
      to{{"b", translation<double>({-0.2, 0.1, 0})}};
  Simulation s = with_forces(model,
                             {force("spring_damper", model,
                                    {{"from", from},
                                     {"to", to},
                                     {"stiffness", 50.0},
                                     {"damping", 3.0},
                                     {"rest_length", 0.5}})},
                             0.01, {0, 0, 0});
  s.set_state(List{0, 0, 0, 1, 0, 0, 0, 1, 0.5, 0, 1, 0, 0, 0},
              List{0.3, -1, 2, 0, 1, 0, -1, 0.2, 0.1, 0.4, 0, -0.5});
  // Returns the linear momentum, and the angular momentum about the world's origin.
  const auto momentum = [&] {
    std::pair<Vec3<double>, Vec3<double>> sum{};
    for (const char* name : {"a", "b"}) {
      const Frame& frame = model->frames[size_t(model->frame(name))];
      const Pose<double> X = frame_pose(s.state(), frame);
      const Twist<double> V = frame_twist(s.state(), frame);
      const Vec3<double> p = X.R * V.v;
      sum.first += p;
      sum.second += cross(X.p, p) + 0.1 * (X.R * V.w);
    }
    return sum;
  };
  const auto start = momentum();
  run_to(s, 2);
  EXPECT_NEAR(norm(momentum().first - start.first), 0, 1e-11);
  EXPECT_NEAR(norm(momentum().second - start.second), 0, 1e-10);
  EXPECT_NEAR(s.ledger_error(), 0, 1e-9);
}

// Compares linear and quadratic drag with their closed forms:
//   m vdot = -b v:    v = v_0 e^(-b t / m)
//   m vdot = -c v^2:  v = v_0 / (1 + c v_0 t / m),   c = rho C_d A / 2
TEST(FluidDrag, SlowsDownAsItsClosedForms) {
  const auto model = build(slider());
  const double b = 0.7, rho = 1000, area = 0.002, c = rho * area / 2, v0 = 3;
  Simulation linear = with_forces(
      model, {force("fluid_drag", model, {{"frames", frames({"cart"})}, {"linear", List{b}}})});
  Simulation quadratic = with_forces(
      model, {force("fluid_drag", model,
                    {{"frames", "cart"}, {"drag_area", List{area}}, {"density", rho}})});
  linear.set_state(List{0}, List{v0});
  quadratic.set_state(List{0}, List{v0});
  for (const double t : {0.5, 2.0}) {
    run_to(linear, t);
    run_to(quadratic, t);
    EXPECT_NEAR(linear.state().v[0], v0 * std::exp(-b * t), 1e-11);
    EXPECT_NEAR(quadratic.state().v[0], v0 / (1 + c * v0 * t), 1e-11);
    EXPECT_NEAR(quadratic.ledger_error(), 0, 1e-9);
  }
  EXPECT_NEAR(linear.snapshot()[Work::forces], -0.5 * v0 * v0 * (1 - std::exp(-2 * b * 2)), 1e-9);
}

// Compares a fall through a fluid that rises with the velocity u with its closed form. The ball
// starts at rest relative to the fluid, and v is its velocity upwards:
//   u - v = v_t tanh(g t / v_t),   v_t^2 = 2 m g / (rho C_d A)
TEST(FluidDrag, TerminalVelocityIsThatOfTheClosedForm) {
  const auto model = build(free_balls({"ball"}, 0.1));
  const double area = 0.3, rho = 1.2, u = 0.8, v_t = std::sqrt(2 * g / (rho * area));
  Simulation s = with_forces(
      model, {force("fluid_drag", model,
                    {{"frames", "ball"}, {"drag_area", List{area}}, {"velocity", List{0, 0, u}}})});
  s.set_state(List{0, 0, 0, 1, 0, 0, 0}, List{0, 0, 0, 0, 0, u});
  for (const double t : {0.3, 3.0}) {
    run_to(s, t);
    EXPECT_NEAR(s.state().v[5], u - v_t * std::tanh(g * t / v_t), 1e-10);
  }
  run_to(s, 30);
  EXPECT_NEAR(s.state().v[5], u - v_t, 1e-10);
}

// Checks that a ball comes to rest at the penetration d with k d^e = m g.
TEST(Ground, CarriesTheWeight) {
  const auto model = build(free_balls({"ball"}, 0.1));
  for (const double e : {1.0, 1.5}) {
    const double k = 2000;
    Simulation s = with_forces(model, {force("ground", model,
                                             {{"plane", "world"},
                                              {"frames", "ball"},
                                              {"radius", List{0.1}},
                                              {"stiffness", k},
                                              {"exponent", e},
                                              {"dissipation", 3.0}})});
    s.set_state(List{0, 0, 0.15, 1, 0, 0, 0}, List(6, 0.0));
    run_to(s, 8);
    EXPECT_NEAR(0.1 - s.state().q()[2], std::pow(g / k, 1 / e), 1e-6) << e;
    EXPECT_NEAR(s.ledger_error(), 0, 1e-9);
    EXPECT_LT(s.snapshot()[Work::contact], -0.3);
    EXPECT_EQ(s.snapshot()[Work::forces], 0);
  }
}

// Returns the rebound speed v_o, the root of a v_i - ln(1 + a v_i) = -a v_o - ln(1 - a v_o). The
// right side grows from 0 to infinity on [0, 1/a).
double rebound(double v_i, double a) {
  if (a == 0) return v_i;
  double low = 0, high = 1 / a;
  for (int k = 0; k < 100; ++k) {
    const double v = (low + high) / 2;
    (-a * v - std::log1p(-a * v) < a * v_i - std::log1p(a * v_i) ? low : high) = v;
  }
  return low;
}

// Checks the rebound speed for several exponents and dissipations. The impact is elastic for a = 0.
TEST(Ground, ReboundsAsItsClosedForm) {
  const auto model = build(free_balls({"ball"}, 0.1));
  for (const double e : {1.0, 1.5, 2.0})
    for (const double a : {0.0, 0.05, 0.5, 3.0}) {
      const double v_i = 2;
      Simulation s = with_forces(model,
                                 {force("ground", model,
                                        {{"plane", "world"},
                                         {"frames", "ball"},
                                         {"radius", List{0.1}},
                                         {"stiffness", 1000.0},
                                         {"exponent", e},
                                         {"dissipation", a}})},
                                 0.01, {0, 0, 0});
      s.set_state(List{0, 0, 0.2, 1, 0, 0, 0}, List{0, 0, 0, 0, 0, -v_i});
      run_to(s, 3);
      ASSERT_GT(s.state().q()[2], 0.1) << "it has left the ground";
      const double v_o = s.state().v[5];
      EXPECT_NEAR(v_o, rebound(v_i, a), 2e-9) << e << " " << a;
      EXPECT_NEAR(s.ledger_error(), 0, 1e-9 * 0.5 * v_i * v_i);
    }
}

// Checks that a slipping block loses the velocity mu g per second. Below the transition speed v_s,
// its velocity decays at the rate mu g / v_s.
TEST(Ground, SlidesWithCoulombFriction) {
  const auto model = build(block());
  const double k = 1e4, mu = 0.3, v0 = 2, v_s = 0.01;
  Simulation s = with_forces(model, {force("ground", model,
                                           {{"plane", "world"},
                                            {"frames", "block"},
                                            {"stiffness", k},
                                            {"friction", mu},
                                            {"transition", v_s}})});
  s.set_state(List{0, -g / k}, List{v0, 0});
  const double stop = (v0 - v_s) / (mu * g);
  run_to(s, 0.5);
  EXPECT_NEAR(s.state().v[0], v0 - mu * g * 0.5, 1e-10);
  EXPECT_NEAR(s.snapshot()[Work::contact], -0.5 * (v0 * v0 - std::pow(s.state().v[0], 2)), 1e-9);
  run_to(s, 0.7);
  EXPECT_NEAR(s.state().v[0], v_s * std::exp(-mu * g / v_s * (0.7 - stop)), 1e-8);
  EXPECT_NEAR(s.ledger_error(), 0, 1e-9);
}

// Checks that a sphere that starts slipping rolls in the end, with 5/7 of its velocity (Coriolis).
// The plane is level, or tilted together with gravity.
TEST(Ground, MakesASlippingBallRoll) {
  const double r = 0.2, k = 1e5, v0 = 3;
  const Pose<double> tilt = rotation_z(0.4) * rotation_y(0.7);
  const auto model = build(free_balls({"ball"}, r));
  double level[2] = {};
  for (const bool tilted : {false, true}) {
    const Pose<double> X_WP = tilted ? tilt : Pose<double>::identity();
    Simulation s = with_forces(model,
                               {force("ground", model,
                                      {{"plane", std::vector<FramePlace>{{"world", X_WP}}},
                                       {"frames", "ball"},
                                       {"radius", List{r}},
                                       {"stiffness", k},
                                       {"friction", 0.5},
                                       {"transition", 0.01}})},
                               0.01, X_WP.R * Vec3<double>{0, 0, -g});
    const Vec3<double> p = X_WP.R * Vec3<double>{0, 0, r - g / k},
                       v = X_WP.R * Vec3<double>{v0, 0, 0};
    s.set_state(List{p.x, p.y, p.z, 1, 0, 0, 0}, List{0, 0, 0, v.x, v.y, v.z});
    run_to(s, 2);
    const Frame& ball = model->frames[size_t(model->frame("ball"))];
    const Pose<double> X = frame_pose(s.state(), ball);
    const Twist<double> V = frame_twist(s.state(), ball);
    const Vec3<double> v_P = transpose_times(X_WP.R, X.R * V.v),
                       w_P = transpose_times(X_WP.R, X.R * V.w);
    // The sphere rolls on the radius r - d. The friction acts r below its centre, and the conserved
    // angular momentum is about that point.
    EXPECT_NEAR(v_P.x, 5.0 / 7 * v0, 1e-8);
    EXPECT_NEAR(w_P.y, v_P.x / r, 1e-7);
    EXPECT_NEAR(s.ledger_error(), 0, 1e-9 * 0.5 * v0 * v0);
    level[tilted] = transpose_times(X_WP.R, X.p).x;
  }
  EXPECT_NEAR(level[0], level[1], 1e-9) << "base-frame invariance";
}

// Checks that momentum is conserved if the plane belongs to a free body, which the ball pushes
// away.
TEST(Ground, MayBeABodyThatMoves) {
  const auto model = build(free_balls({"ball", "table"}, 0.1));
  Simulation s = with_forces(model,
                             {force("ground", model,
                                    {{"plane", "table"},
                                     {"frames", "ball"},
                                     {"radius", List{0.1}},
                                     {"stiffness", 500.0},
                                     {"dissipation", 0.2},
                                     {"friction", 0.4}})},
                             0.01, {0, 0, 0});
  s.set_state(List{0.02, 0, 0.2, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0},
              List{0, 5, 0, 0.3, 0, -2, 0, 0.5, 0, 0, 0, 0.1});
  run_to(s, 0.3);
  Vec3<double> p{};
  for (const char* name : {"ball", "table"}) {
    const Frame& frame = model->frames[size_t(model->frame(name))];
    p += frame_pose(s.state(), frame).R * frame_twist(s.state(), frame).v;
  }
  EXPECT_NEAR(norm(p - Vec3<double>{0.3, 0, -1.9}), 0, 1e-11);
  EXPECT_LT(s.snapshot()[Work::contact], -0.01);
  EXPECT_NEAR(s.ledger_error(), 0, 1e-9);
}

TEST(Forces, RejectInvalidParameters) {
  const auto model = build(slider());
  const auto expect = [&](const std::string& id, const std::vector<Parameter>& parameters,
                          const std::string& message) {
    try {
      (void)force(id, model, parameters);
      ADD_FAILURE() << "no error: " << message;
    } catch (const Error& error) {
      const std::string what = error.what();
      EXPECT_NE(what.find(message), what.npos) << what;
      EXPECT_EQ(what.find('\n'), what.npos) << what;
    }
  };
  const Parameter from{"from", "world"}, to{"to", "cart"}, plane{"plane", "world"},
      on{"frames", "cart"};
  expect("grund", {},
         "there is no force 'grund'; did you mean 'ground'? (found: fluid_drag, ground, "
         "spring_damper");
  expect("solver.newton_euler", {}, "'solver.newton_euler' is a solver, not a force");
  expect("spring_damper", {from},
         "'force.spring_damper' needs its parameter 'to': the name of a link or frame");
  expect("spring_damper", {from, to}, "no spring or damper is set; set stiffness or damping");
  expect("spring_damper", {from, {"to", "world"}, {"stiffness", 1.0}},
         "both frames are on the same body");
  expect("spring_damper", {from, {"to", "crt"}},
         "parameter 'to' of 'force.spring_damper': there is no link or frame 'crt'; did you mean "
         "'cart'?");
  expect("spring_damper", {from, {"to", 3.0}},
         "must be the name of a link or frame, or \"world\", not 3");
  expect("spring_damper", {from, to, {"stiffness", -3.0}},
         "must be a number of at least 0 N/m, not -3");
  expect("spring_damper", {from, to, {"stifness", 3.0}},
         "'force.spring_damper' has no parameter 'stifness'; did you mean 'stiffness'?");
  expect("fluid_drag", {on}, "no drag is set; set linear or drag_area");
  expect("fluid_drag", {{"linear", List{1}}}, "'frames' is empty");
  expect("fluid_drag", {on, {"linear", List{1, 2}}}, "'linear' has 2 values for 1 frames");
  expect("ground", {on}, "needs its parameter 'plane'");
  expect("ground", {plane}, "'frames' is empty");
  expect("ground", {plane, on, {"stiffness", 0.0}}, "the stiffness is 0");
  expect("ground", {plane, on, {"exponent", 0.5}}, "must be a number in [1, 10], not 0.5");
  expect("ground", {plane, on, {"transition", 0.0}},
         "must be a number of at least 1e-09 m/s, not 0");
  expect("ground", {plane, {"frames", "world"}},
         "one of the frames is on the same body as the plane");
}

}  // namespace
}  // namespace torsor::test
