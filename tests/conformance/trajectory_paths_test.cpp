// Tests of splines and playback against their definitions, of periodic motions against their
// formulae, and of lines in space against their geometry.

#include <gmock/gmock.h>

#include <numbers>

#include "conformance/trajectories.hpp"
#include "support/error_of.hpp"

namespace torsor::test {
namespace {

using List = std::vector<double>;

Rows plain_path(Random& random, int n, int rows) {
  Rows out;
  double t = 0;
  for (int i = 0; i < rows; ++i, t += random.uniform(0.1, 1)) {
    out.push_back(random_values(random, n, 2));
    out.back().insert(out.back().begin(), t);
  }
  return out;
}

// Checks that a spline passes through every row at its time, that `continuous` derivatives are
// continuous at inner rows, and that `given` derivatives have their values at the ends. Together
// these determine the spline.
void expect_spline(const std::string& id, const std::vector<Parameter>& ends, int continuous,
                   int given, const List& velocity) {
  const auto model = plain_chain(3);
  Random random{7};
  for (const int rows : {2, 3, 4, 9, 60}) {
    const Rows path = plain_path(random, 3, rows);
    std::vector<Parameter> parameters = ends;
    parameters.push_back({"path", path});
    const auto trajectory = make(id, model, parameters);
    for (int i = 0; i < rows; ++i) {
      const double t = path[size_t(i)][0], before = 1e-8;
      const Reference here = at(*trajectory, t), left = at(*trajectory, t - before);
      for (size_t j = 0; j < 3; ++j) {
        EXPECT_NEAR(here.q[j], path[size_t(i)][1 + j], 1e-12);
        const double now[] = {here.v[j], here.vdot[j], here.vddot[j], here.vdddot[j], 0};
        const double then[] = {left.v[j], left.vdot[j], left.vddot[j], left.vdddot[j], 0};
        const bool inner = i > 0 && i + 1 < rows;
        for (int k = 0; k < continuous && inner; ++k) {
          const double slope =
              k + 1 < continuous ? std::abs(now[k + 1]) + std::abs(then[k + 1]) : 1e7;
          EXPECT_NEAR(now[k], then[k], 1e-9 * (1 + std::abs(now[k])) + before * slope)
              << "row " << i << " derivative " << k + 1;
        }
        for (int k = 0; k < given && !inner; ++k)
          EXPECT_NEAR(now[k], k == 0 ? velocity[j] : 0, 1e-8) << "row " << i;
      }
    }
  }
}
TEST(TrajectoryPaths, CubicSplineHasContinuousAcceleration) {
  expect_spline("cubic_spline", {}, 2, 1, {0, 0, 0});
  expect_spline("cubic_spline",
                {{"start_velocity", List{1, 2, 3}}, {"end_velocity", List{1, 2, 3}}}, 2, 1,
                {1, 2, 3});
}
TEST(TrajectoryPaths, QuinticSplineHasContinuousSnap) {
  expect_spline("quintic_spline", {}, 4, 2, {0, 0, 0});
  expect_spline("quintic_spline",
                {{"start_velocity", List{1, 2, 3}}, {"end_velocity", List{1, 2, 3}}}, 4, 2,
                {1, 2, 3});
}

// Checks that a spline reproduces a polynomial of its degree from its rows and its derivatives at
// the ends.
TEST(TrajectoryPaths, SplinesReproducePolynomials) {
  const auto model = plain_chain(1);
  const auto cubic = [](double t) { return 1 - 2 * t + 3 * t * t - 0.7 * t * t * t; };
  const auto quintic = [](double t) {
    return 0.3 + t - t * t + 0.2 * std::pow(t, 4) - 0.1 * std::pow(t, 5);
  };
  Rows cubic_rows, quintic_rows;
  for (const double t : {0.0, 0.3, 0.4, 1.1, 1.5, 2.0}) {
    cubic_rows.push_back({t, cubic(t)});
    quintic_rows.push_back({t, quintic(t)});
  }
  const auto clamped = make(
      "cubic_spline", model,
      {{"path", cubic_rows}, {"start_velocity", List{-2}}, {"end_velocity", List{-2 + 12 - 8.4}}});
  const auto played = make("playback", model, {{"path", cubic_rows}});
  const auto smooth = make("quintic_spline", model,
                           {{"path", quintic_rows},
                            {"start_velocity", List{1}},
                            {"end_velocity", List{1 - 4 + 6.4 - 8}},
                            {"start_acceleration", List{-2}},
                            {"end_acceleration", List{-2 + 9.6 - 16}}});
  for (double t = 0; t <= 2; t += 0.05) {
    EXPECT_NEAR(at(*clamped, t).q[0], cubic(t), 1e-13);
    EXPECT_NEAR(at(*played, t).q[0], cubic(t), 1e-13);
    EXPECT_NEAR(at(*smooth, t).q[0], quintic(t), 1e-13);
  }
}

// Checks the playback of a sine: the error of the piecewise cubic is of fourth order in the
// distance of the rows.
TEST(TrajectoryPaths, PlaybackIsOfFourthOrder) {
  const auto model = plain_chain(1);
  const auto error = [&](int rows) {
    Rows path;
    for (int i = 0; i <= rows; ++i) path.push_back({2.0 * i / rows, std::sin(1 + 2.0 * i / rows)});
    const auto trajectory = make("playback", model, {{"path", path}});
    double worst = 0;
    for (double t = 0; t <= 2; t += 0.0031)
      worst = std::max(worst, std::abs(at(*trajectory, t).q[0] - std::sin(1 + t)));
    return worst;
  };
  EXPECT_NEAR(observed_order(error(20), error(40)), 4, 0.3);
}

// Checks that each change of the target adds a quintic motion to the motions that have not ended.
TEST(TrajectoryPaths, ANewTargetAddsAMotion) {
  const auto model = plain_chain(1);
  const Rows path{{0, 0.0}, {0.5, 1.0}, {1, -2.0}};
  const auto both = make("retarget", model, {{"path", path}, {"duration", 2.0}});
  const auto quintic = [&](double from, double to, double t) {
    return at(
        *make("quintic", model, {{"from", List{from}}, {"to", List{to}}, {"duration", List{2}}}),
        t);
  };
  for (const double t : {0.2, 0.7, 1.0, 1.4, 2.4, 2.6, 3.0}) {
    const Reference first = quintic(0, 1, t - 0.5), second = quintic(0, -3, t - 1),
                    now = at(*both, t);
    EXPECT_NEAR(now.q[0], first.q[0] + second.q[0], 1e-14) << t;
    EXPECT_NEAR(now.v[0], first.v[0] + second.v[0], 1e-13) << t;
    EXPECT_NEAR(now.vdot[0], first.vdot[0] + second.vdot[0], 1e-12) << t;
  }
  EXPECT_EQ(both->duration(), 3);
  EXPECT_NEAR(at(*both, 3).q[0], -2, 1e-15);
}

// Checks q = q_f(t) - (1 - r(t)) D (KHALIL 8.3) for a target on a cubic, with the quintic r, and
// that the motion is exactly that of the target from t_f on.
TEST(TrajectoryPaths, FollowAMovingTargetExactly) {
  const auto model = plain_chain(1);
  const auto target = [](double t) { return 1 + t - 2 * t * t + 0.7 * t * t * t; };
  Rows path;
  for (const double t : {0.0, 0.3, 0.4, 1.1, 1.5, 2.0}) path.push_back({t, target(t)});
  const double T = 1.2, from = -0.4, D = target(0) - from;
  const auto motion =
      make("moving_target", model, {{"from", List{from}}, {"path", path}, {"duration", T}});
  EXPECT_EQ(motion->duration(), 2);
  EXPECT_EQ(at(*motion, 0).q[0], from);
  for (double t = 0; t <= 2; t += 0.05) {
    const double u = std::min(t / T, 1.0), u2 = u * u, rest = 1 - u,
                 r = u * u2 * (10 - 15 * u + 6 * u2), rate = 30 * u2 * rest * rest / T;
    const Reference now = at(*motion, t);
    EXPECT_NEAR(now.q[0], target(t) - (1 - r) * D, 1e-13) << t;
    EXPECT_NEAR(now.v[0], 1 - 4 * t + 2.1 * t * t + rate * D, 1e-12) << t;
  }
  const auto followed = make("playback", model, {{"path", path}});
  for (const double t : {1.2, 1.3, 1.77, 2.0}) EXPECT_EQ(at(*motion, t).q, at(*followed, t).q);
  EXPECT_THAT(
      error_of([&] {
        make("moving_target", model, {{"from", List{0}}, {"path", path}, {"duration", 2.5}});
      }),
      testing::HasSubstr("the approach takes 2.5 s, longer than the path of the target, 2 s"));
}

TEST(TrajectoryPaths, WavesAreTheirFormulae) {
  const auto model = plain_chain(2);
  const double f = 0.4, w = 2 * std::numbers::pi * f;
  const auto fourier = make("fourier", model,
                            {{"center", List{1, 2}},
                             {"frequency", f},
                             {"sine", Rows{{0.1, 0.2}, {0.3, 0.4}}},
                             {"cosine", Rows{{0.5}, {0.6}}}});
  const auto sinusoid = make("sinusoid", model,
                             {{"center", List{1, 2}},
                              {"amplitude", List{0.1, 0.3}},
                              {"frequency", List{f, 3 * f}},
                              {"phase", List{0, 1}}});
  for (const double t : {0.0, 0.3, 1.7, 40.1}) {
    const Reference a = at(*fourier, t), b = at(*sinusoid, t);
    EXPECT_NEAR(a.q[1],
                2 + 0.3 * std::sin(w * t) + 0.4 * std::sin(2 * w * t) + 0.6 * std::cos(w * t),
                1e-13);
    EXPECT_NEAR(
        a.vdot[0],
        -w * w * (0.1 * std::sin(w * t) + 4 * 0.2 * std::sin(2 * w * t) + 0.5 * std::cos(w * t)),
        1e-11);
    EXPECT_NEAR(b.q[0], 1 + 0.1 * std::sin(w * t), 1e-14);
    EXPECT_NEAR(b.v[1], 0.3 * 3 * w * std::cos(3 * w * t + 1), 1e-12);
  }
  EXPECT_EQ(fourier->duration(), std::numeric_limits<double>::infinity());
  EXPECT_EQ(fourier->smoothness(), TORSOR_SMOOTH);
}

double distance(const Pose<double>& A, const Pose<double>& B) {
  return norm(log_so3(transpose(A.R) * B.R)) + norm(A.p - B.p);
}

// Equations: KHALIL 8.49, 8.50, 8.53, 8.54, 8.56.
TEST(TrajectoryPaths, LinesInSpaceMeetBothPosesAndStayOnTheLine) {
  const auto model = plain_chain(1);
  for (int seed = 0; seed < 200; ++seed) {
    TORSOR_TRACE_SEED(seed);
    Random random{uint64_t(seed)};
    const Pose<double> from = random.pose(1), to = random.pose(1);
    for (const char* id : {"straight_line", "euler_line"}) {
      const auto trajectory =
          make(id, model, {{"from", numbers(from)}, {"to", numbers(to)}, {"duration", List{1}}});
      EXPECT_LT(distance(at(*trajectory, 0).X_WF, from), digits);
      EXPECT_LT(distance(at(*trajectory, 1).X_WF, to), digits * 10);
      for (const double t : {0.2, 0.5, 0.9}) {
        const Reference now = at(*trajectory, t);
        const Vec3<double> displacement = now.X_WF.p - from.p, D = to.p - from.p;
        EXPECT_LT(norm(cross(displacement, D)), digits);
        EXPECT_LT(norm(cross(now.V[0].v, D)), digits * 10);
        if (id != std::string("straight_line")) continue;
        // Checks that the axis of rotation is fixed in the world and in the frame, and that the
        // angle is proportional to the distance.
        const Vec3<double> u = log_so3(transpose(from.R) * to.R),
                           u_now = log_so3(transpose(from.R) * now.X_WF.R);
        EXPECT_LT(norm(u_now - (norm(displacement) / norm(D)) * u), 1e-9);
        EXPECT_LT(norm(cross(now.V[0].w, from.R * u)), digits * 100);
      }
    }
  }
}

// Checks the minimum time of a simultaneous translation and rotation: none of the four limits is
// exceeded, and one is reached.
// Equations: KHALIL 8.48.
TEST(TrajectoryPaths, LinesInSpaceTakeTheMinimumTime) {
  const auto model = plain_chain(1);
  for (int seed = 0; seed < 200; ++seed) {
    TORSOR_TRACE_SEED(seed);
    Random random{uint64_t(seed)};
    const double limit[] = {random.uniform(0.1, 2), random.uniform(0.1, 5), random.uniform(0.1, 2),
                            random.uniform(0.1, 5)};
    const auto trajectory = make("straight_line", model,
                                 {{"from", numbers(random.pose(1))},
                                  {"to", numbers(random.pose(1))},
                                  {"law", "trapeze"},
                                  {"speed", List{limit[0]}},
                                  {"acceleration", List{limit[1]}},
                                  {"angular_speed", List{limit[2]}},
                                  {"angular_acceleration", List{limit[3]}}});
    double worst = 0;
    for (int k = 0; k <= 100; ++k) {
      const Reference now = at(*trajectory, trajectory->duration() * k / 100);
      worst = std::max({worst, norm(now.V[0].v) / limit[0], norm(now.V[1].v) / limit[1],
                        norm(now.V[0].w) / limit[2], norm(now.V[1].w) / limit[3]});
    }
    EXPECT_LE(worst, 1 + 1e-12);
    EXPECT_GT(worst, 1 - 1e-12);
  }
}

// Checks the shorter path from phi = 3 to phi = -3, which passes through pi. Print has the factor R_i
// before the three rotations.
// Equations: KHALIL 8.55.
TEST(TrajectoryPaths, EulerAnglesTakeTheShorterPath) {
  const auto model = plain_chain(1);
  const Pose<double> from = rotation_z(3) * rotation_x(1), to = rotation_z(-3) * rotation_x(1.4);
  const auto trajectory = make(
      "euler_line", model, {{"from", numbers(from)}, {"to", numbers(to)}, {"duration", List{1}}});
  const Reference middle = at(*trajectory, 0.5);
  const Pose<double> half = rotation_z(std::numbers::pi) * rotation_x(1.2);
  EXPECT_LT(distance(middle.X_WF, half), digits);
  EXPECT_GT(distance(middle.X_WF, from * half), 0.1);
  EXPECT_NEAR(middle.V[0].w.z, 15.0 / 8 * (2 * std::numbers::pi - 6), digits * 10);
}

// Checks a rotation by half a turn. Two paths are equally short; the motion must follow one of
// them.
TEST(TrajectoryPaths, AStraightLineMayTurnByHalfATurn) {
  const auto model = plain_chain(1);
  const Pose<double> to = rotation_y(std::numbers::pi);
  const auto trajectory = make(
      "straight_line", model,
      {{"from", numbers(Pose<double>::identity())}, {"to", numbers(to)}, {"duration", List{1}}});
  EXPECT_LT(distance(at(*trajectory, 1).X_WF, to), digits);
  EXPECT_NEAR(norm(at(*trajectory, 0.5).V[0].w), 15.0 / 8 * std::numbers::pi, digits * 10);
}

}  // namespace
}  // namespace torsor::test
