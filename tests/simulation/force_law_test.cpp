// Tests of the wrenches of force plugins in random states, with rotating bodies and several frames
// on each body. The references are the laws in world axes, or in the axes of the ground's plane.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "simulation/forces.hpp"
#include "support/agreement.hpp"
#include "support/random_state.hpp"

namespace torsor::test {
namespace {

using List = std::vector<double>;

// The sum of the forces on each body, in world axes: a row (moment about the world's origin; force)
// per body.
struct WorldWrenches {
  explicit WorldWrenches(const Model& model) : rows(Matrix::Zero(model.n_body, 6)) {}
  void push(int body, const Vec3<double>& p, const Vec3<double>& f) {
    const Vec3<double> m = cross(p, f);
    if (body > 0) rows.row(body) += Eigen::Matrix<double, 1, 6>{m.x, m.y, m.z, f.x, f.y, f.z};
  }
  Matrix rows;
};

// Three free balls in a random state, and the result of a force in this state.
class Evaluated {
 public:
  explicit Evaluated(uint64_t seed)
      : random(seed),
        model(build(free_balls({"a", "b", "c"}, 0.5))),
        state(random_state(model, random)) {}

  void evaluate(const Force& force) {
    X_WB = world_poses(state);
    V_WB_B.resize(X_WB.size());
    body_twists(state, V_WB_B);
    result = force.make_result();
    status = force.evaluate(state, {X_WB, V_WB_B}, nullptr, result);
  }
  Matrix wrenches() const {
    WorldWrenches out(*model);
    for (int i = 1; i < model->n_body; ++i) {
      const auto& [n, f] = result.F_B[size_t(i)];
      const Vec3<double> f_W = X_WB[size_t(i)].R * f, m = X_WB[size_t(i)].R * n;
      out.push(i, X_WB[size_t(i)].p, f_W);
      out.rows.row(i).head<3>() += Eigen::RowVector3d{m.x, m.y, m.z};
    }
    return out.rows;
  }
  // Return the pose of a frame, and the velocity at p of its body.
  Pose<double> pose(const FramePlace& at) const { return X_WB[body(at)] * at.X; }
  Vec3<double> velocity(const FramePlace& at, const Vec3<double>& p) const {
    const Pose<double>& X = X_WB[body(at)];
    const Twist<double>& V = V_WB_B[body(at)];
    return X.R * V.v + cross(X.R * V.w, p - X.p);
  }
  size_t body(const FramePlace& at) const { return size_t(frame_at(*model, {at.name}).body); }
  FramePlace place(const std::string& name) { return {name, random.pose(0.5)}; }

  Random random;
  std::shared_ptr<const Model> model;
  State state;
  std::vector<Pose<double>> X_WB;
  std::vector<Twist<double>> V_WB_B;
  Force::Result result;
  Status status;
};

TEST(ForceLaws, SpringDamper) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    TORSOR_TRACE_SEED(seed);
    Evaluated at(seed);
    const FramePlace from = at.place("a"), to = at.place(seed % 2 ? "b" : "world");
    const double k = 30, d = 4, l_0 = 0.3;
    at.evaluate(*force("spring_damper", at.model,
                       {{"from", std::vector{from}},
                        {"to", std::vector{to}},
                        {"stiffness", k},
                        {"damping", d},
                        {"rest_length", l_0}}));
    ASSERT_TRUE(at.status);
    const Vec3<double> p = at.pose(from).p, q = at.pose(to).p, r = q - p,
                       rdot = at.velocity(to, q) - at.velocity(from, p);
    const double l = norm(r), ldot = dot(r, rdot) / l, f = k * (l - l_0) + d * ldot;
    WorldWrenches expected(*at.model);
    expected.push(int(at.body(from)), p, (f / l) * r);
    expected.push(int(at.body(to)), q, (-f / l) * r);
    EXPECT_TRUE(agree(at.wrenches(), expected.rows));
    EXPECT_NEAR(at.result.energy, 0.5 * k * (l - l_0) * (l - l_0), 1e-13 * k * l * l);
    EXPECT_NEAR(at.result.energy_rate, k * (l - l_0) * ldot, 1e-12 * k * l * norm(rdot));
  }
}

// Checks a spring damper whose frames coincide, so that it has no direction. If its rest length is
// 0, its force is zero. Otherwise evaluation fails.
TEST(ForceLaws, SpringDamperOfLengthZero) {
  Evaluated at(1);
  at.state = State(at.model);
  const auto between = [&](double rest) {
    return force("spring_damper", at.model,
                 {{"from", "a"}, {"to", "b"}, {"stiffness", 3.0}, {"rest_length", rest}});
  };
  at.evaluate(*between(0));
  ASSERT_TRUE(at.status);
  EXPECT_EQ(at.wrenches().norm(), 0);
  EXPECT_EQ(at.result.energy, 0);
  const auto open = between(0.1);
  at.evaluate(*open);
  EXPECT_FALSE(at.status);
  EXPECT_THAT(open->explain(at.status), testing::HasSubstr("the two frames coincide"));
}

TEST(ForceLaws, FluidDrag) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    TORSOR_TRACE_SEED(seed);
    Evaluated at(seed);
    const std::vector<FramePlace> frames{at.place("a"), at.place("a"), at.place("b")};
    const List b{0.3, 0, 2}, area{0.1, 0.4, 0}, u{0.5, -1, 2};
    const double rho = 1.7;
    at.evaluate(*force("fluid_drag", at.model,
                       {{"frames", frames},
                        {"linear", b},
                        {"drag_area", area},
                        {"density", rho},
                        {"velocity", u}}));
    ASSERT_TRUE(at.status);
    WorldWrenches expected(*at.model);
    for (size_t i = 0; i < frames.size(); ++i) {
      const Vec3<double> p = at.pose(frames[i]).p,
                         v = at.velocity(frames[i], p) - Vec3<double>{u[0], u[1], u[2]};
      expected.push(int(at.body(frames[i])), p, (-b[i] - 0.5 * rho * area[i] * norm(v)) * v);
    }
    EXPECT_TRUE(agree(at.wrenches(), expected.rows));
    EXPECT_EQ(at.result.energy, 0);
    EXPECT_EQ(at.result.energy_rate, 0);
  }
}

// Compares the ground with its law in the axes of the plane, where the normal is z. Some contacts
// slip, some creep, and some separate so fast that the contact force is zero. Some balls do not
// touch the ground.
TEST(ForceLaws, Ground) {
  const double k = 100, e = 1.5, a = 2, mu = 0.6, v_s = 3;
  int sliding = 0, creeping = 0, parting = 0, apart = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    TORSOR_TRACE_SEED(seed);
    Evaluated at(seed);
    const FramePlace plane = at.place("c");
    const std::vector<FramePlace> frames{at.place("a"), at.place("a"), at.place("b")};
    const List radius{0, 0.4, 1.5};
    at.evaluate(*force("ground", at.model,
                       {{"plane", std::vector{plane}},
                        {"frames", frames},
                        {"radius", radius},
                        {"stiffness", k},
                        {"exponent", e},
                        {"dissipation", a},
                        {"friction", mu},
                        {"transition", v_s}}));
    ASSERT_TRUE(at.status);
    const Pose<double> X_WP = at.pose(plane);
    WorldWrenches expected(*at.model);
    double energy = 0, energy_rate = 0, power = 0;
    for (size_t i = 0; i < frames.size(); ++i) {
      Vec3<double> c_P = transpose_times(X_WP.R, at.pose(frames[i]).p - X_WP.p);
      c_P.z -= radius[i];
      const double d = -c_P.z;
      apart += d <= 0;
      if (d <= 0) continue;
      const Vec3<double> c = X_WP.p + X_WP.R * c_P;
      const Vec3<double> v_P =
          transpose_times(X_WP.R, at.velocity(frames[i], c) - at.velocity(plane, c));
      const double spring = k * std::pow(d, e), damped = 1 - a * v_P.z,
                   f_n = damped > 0 ? damped * spring : 0, speed = std::hypot(v_P.x, v_P.y),
                   rub = mu * f_n / (speed > v_s ? speed : v_s);
      ++(damped <= 0 ? parting : speed > v_s ? sliding : creeping);
      const Vec3<double> f = X_WP.R * Vec3<double>{-rub * v_P.x, -rub * v_P.y, f_n};
      expected.push(int(at.body(frames[i])), c, f);
      expected.push(int(at.body(plane)), c, -f);
      energy += spring * d / (e + 1);
      energy_rate -= spring * v_P.z;
      power += spring * norm(v_P);
    }
    EXPECT_TRUE(agree(at.wrenches(), expected.rows));
    EXPECT_NEAR(at.result.energy, energy, 1e-13 * energy);
    EXPECT_NEAR(at.result.energy_rate, energy_rate, 1e-12 * power);
  }
  for (const int cases : {sliding, creeping, parting, apart}) EXPECT_GE(cases, 5);
}

}  // namespace
}  // namespace torsor::test
