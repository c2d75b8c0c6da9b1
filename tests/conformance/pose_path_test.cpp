// Tests of paths of a frame through via poses, against closed forms and the stated distances.

#include <gmock/gmock.h>

#include <numbers>

#include "conformance/trajectories.hpp"

namespace torsor::test {
namespace {

using List = std::vector<double>;

Rows rows(const std::vector<Pose<double>>& poses) {
  Rows out;
  for (const Pose<double>& X : poses) out.push_back(numbers(X));
  return out;
}
std::vector<Pose<double>> random_poses(Random& random, int n) {
  std::vector<Pose<double>> out;
  for (int k = 0; k < n; ++k) out.push_back(random.pose(1));
  return out;
}
std::shared_ptr<const Trajectory> path(const std::string& id,
                                       const std::vector<Pose<double>>& poses,
                                       std::vector<Parameter> more) {
  more.push_back({"poses", rows(poses)});
  return make(id, plain_chain(1), more);
}
double turn(const Mat3<double>& A, const Mat3<double>& B) {
  return norm(log_so3(transpose(A) * B));
}
double apart(const Pose<double>& A, const Pose<double>& B) {
  return turn(A.R, B.R) + norm(A.p - B.p);
}
// Calls f(t) at n + 1 equally spaced times.
template <class Function>
void along(const Trajectory& trajectory, int n, const Function& f) {
  for (int k = 0; k <= n; ++k) f(k == n ? trajectory.duration() : trajectory.duration() * k / n);
}
void expect_near(const Twist<double>& A, const Twist<double>& B, double tolerance) {
  EXPECT_LT(norm(A.w - B.w), tolerance);
  EXPECT_LT(norm(A.v - B.v), tolerance);
}

TEST(PosePaths, TwoPosesAreAStraightLine) {
  for (int seed = 0; seed < 30; ++seed) {
    TORSOR_TRACE_SEED(seed);
    Random random{uint64_t(seed)};
    const std::vector<Pose<double>> ends = random_poses(random, 2);
    for (const auto& [blend, law] :
         {std::pair{"parabolic", "trapeze"}, std::pair{"quartic", "smooth_trapeze"}}) {
      const double D = norm(ends[1].p - ends[0].p);
      // Only the translation has limits, so that both have the same ramps.
      const std::vector<Parameter> limits{{"speed", List{0.5 * D}}, {"acceleration", List{D}}};
      std::vector<Parameter> line = limits;
      line.insert(line.end(), {{"from", numbers(ends[0])},
                               {"to", numbers(ends[1])},
                               {"law", law},
                               {"angular_speed", List{100}},
                               {"angular_acceleration", List{1000}}});
      std::vector<Parameter> blended = limits;
      blended.push_back({"blend_law", blend});
      const auto a = path("pose_lines", ends, blended),
                 b = make("straight_line", plain_chain(1), line);
      EXPECT_NEAR(a->duration(), b->duration(), 1e-13);
      along(*b, 50, [&](double t) {
        const Reference x = at(*a, t), y = at(*b, t);
        EXPECT_LT(apart(x.X_WF, y.X_WF), digits);
        expect_near(x.V[0], y.V[0], 10 * digits);
      });
    }
  }
}

// Checks that the frame is on the line between two poses, at constant speed, except within the
// stated distance from the inner poses and the ramps at the ends.
TEST(PosePaths, LinesAreLeftOnlyNearThePoses) {
  const double speed = 0.7, angular_speed = 2, blend = 0.08;
  for (int seed = 0; seed < 40; ++seed) {
    TORSOR_TRACE_SEED(seed);
    Random random{uint64_t(seed)};
    std::vector<Pose<double>> poses = random_poses(random, 5);
    for (int k = 0; k < 5; ++k)
      poses[size_t(k)].p = poses[size_t(k)].p + Vec3<double>{double(2 * k), 0, 0};
    const auto trajectory = path(
        "pose_lines", poses,
        {{"speed", List{speed}}, {"angular_speed", List{angular_speed}}, {"blend", List{blend}}});
    List nearest(5, 1e9);
    int on_lines = 0, in_blends = 0;
    along(*trajectory, 4000, [&](double t) {
      const Reference now = at(*trajectory, t);
      const Vec3<double>& p = now.X_WF.p;
      EXPECT_LE(norm(now.V[0].v), speed * (1 + 1e-12));
      EXPECT_LE(norm(now.V[0].w), angular_speed * (1 + 1e-12));
      double to_pose = 1e9;
      for (size_t k = 0; k < 5; ++k) {
        nearest[k] = std::min(nearest[k], norm(p - poses[k].p));
        to_pose = std::min(to_pose, norm(p - poses[k].p));
      }
      if (to_pose <= blend * (1 + 1e-9)) return void(++in_blends);
      ++on_lines;
      EXPECT_NEAR(std::max(norm(now.V[0].v) / speed, norm(now.V[0].w) / angular_speed), 1, 1e-12);
      double to_line = 1e9, axis = 1e9;
      for (size_t k = 0; k < 4; ++k) {
        const Vec3<double> D = poses[k + 1].p - poses[k].p, d = p - poses[k].p;
        const double part = dot(d, D) / dot(D, D);
        if (part < 0 || part > 1 || norm(d - part * D) > to_line) continue;
        to_line = norm(d - part * D);
        const Vec3<double> u = log_so3(transpose(poses[k].R) * poses[k + 1].R);
        axis = norm(log_so3(transpose(poses[k].R) * now.X_WF.R) - part * u);
      }
      EXPECT_LT(to_line, digits);
      EXPECT_LT(axis, 1e-11) << "the rotation is not that of the line";
    });
    for (const double each : nearest) EXPECT_LT(each, blend);
    EXPECT_GT(on_lines, 2000);
    EXPECT_GT(in_blends, 50);
  }
}

// Checks the middle of a blend: the path passes the pose at the distance 2 tau H(1/2) |v_a - v_b|,
// with H(1/2) = 1/8 for parabolas and 3/32 for quartics.
TEST(PosePaths, CornersAreCutByTheClosedForm) {
  const auto corner = [](const char* law) {
    const Vec3<double> P[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}};
    const double V = 0.5, blend = 0.1, tau = blend / V;
    const auto trajectory = path("pose_lines",
                                 {{Mat3<double>::identity(), P[0]},
                                  {Mat3<double>::identity(), P[1]},
                                  {Mat3<double>::identity(), P[2]}},
                                 {{"speed", List{V}}, {"blend", List{blend}}, {"blend_law", law}});
    EXPECT_NEAR(trajectory->duration(), 2 / V + 2 * tau, 1e-14);
    return norm(at(*trajectory, trajectory->duration() / 2).X_WF.p - P[1]) /
           (tau * V * std::sqrt(2));
  };
  EXPECT_NEAR(corner("parabolic"), 2.0 / 8, digits);
  EXPECT_NEAR(corner("quartic"), 2.0 * 3 / 32, digits);
  EXPECT_NEAR(corner("sextic"), 2 * (2.5 / 16 - 3.0 / 32 + 1.0 / 64), digits);
}

// Checks that blends use one of the limits of acceleration fully and exceed none.
TEST(PosePaths, BlendsUseTheLimitsOfAcceleration) {
  for (const char* law : {"parabolic", "quartic", "sextic"})
    for (int seed = 0; seed < 20; ++seed) {
      TORSOR_TRACE_SEED(seed);
      Random random{uint64_t(seed)};
      const double a = random.uniform(2, 4), alpha = random.uniform(3, 9);
      const auto trajectory = path("pose_lines", random_poses(random, 4),
                                   {{"speed", List{0.3}},
                                    {"angular_speed", List{0.6}},
                                    {"acceleration", List{a}},
                                    {"angular_acceleration", List{alpha}},
                                    {"blend_law", law}});
      double worst = 0;
      const std::vector<double>& breaks = trajectory->breaks();
      for (size_t k = 0; k + 1 < breaks.size(); ++k)
        for (int i = 0; i <= 64; ++i) {
          const Reference now = at(*trajectory, breaks[k] + (breaks[k + 1] - breaks[k]) * i / 64);
          worst = std::max({worst, norm(now.V[1].v) / a, norm(now.V[1].w) / alpha});
        }
      EXPECT_NEAR(worst, 1, 1e-9);
    }
}

TEST(PosePaths, SplinesPassEveryPose) {
  for (int seed = 0; seed < 40; ++seed) {
    TORSOR_TRACE_SEED(seed);
    Random random{uint64_t(seed)};
    const std::vector<Pose<double>> poses = random_poses(random, 6);
    const auto trajectory =
        path("pose_spline", poses,
             {{"law", "linear"}, {"speed", List{0.5}}, {"angular_speed", List{0.9}}});
    ASSERT_EQ(trajectory->breaks().size(), 6u);
    for (size_t k = 0; k < 6; ++k)
      EXPECT_LT(apart(at(*trajectory, trajectory->breaks()[k]).X_WF, poses[k]), 1e-12) << k;
  }
}

// Checks the speed along a spline with a linear law: that of the origin, or the combined one.
TEST(PosePaths, SplinesHaveConstantSpeed) {
  for (int seed = 0; seed < 20; ++seed) {
    TORSOR_TRACE_SEED(seed);
    Random random{uint64_t(seed)};
    std::vector<Pose<double>> poses = random_poses(random, 6);
    for (int k = 0; k < 6; ++k)
      poses[size_t(k)].p = poses[size_t(k)].p + Vec3<double>{double(2 * k), 0, 0};
    const auto one = path("pose_spline", poses, {{"law", "linear"}, {"speed", List{0.5}}});
    along(*one, 300, [&](double t) { EXPECT_NEAR(norm(at(*one, t).V[0].v), 0.5, 1e-13); });
    const auto both = path("pose_spline", poses,
                           {{"law", "linear"}, {"speed", List{0.5}}, {"angular_speed", List{0.9}}});
    along(*both, 300, [&](double t) {
      const Reference now = at(*both, t);
      EXPECT_NEAR(std::hypot(norm(now.V[0].v) / 0.5, norm(now.V[0].w) / 0.9), 1, 1e-13);
    });
  }
}

// Checks a rotation about one axis through unequal angles. At constant angular speed it is
// R_0 exp(u W t), whatever the poses are.
TEST(PosePaths, RotationsAboutOneAxisAreGreatCircles) {
  Random random{3};
  const Pose<double> start = random.pose(1);
  const Vec3<double> axis = random.vector(1), u = 1 / norm(axis) * axis;
  std::vector<Pose<double>> poses;
  for (const double angle : {0.0, 0.5, 1.2, 2.9, 3.3, 5.0})
    poses.push_back({start.R * exp_so3(angle * u), start.p});
  const auto trajectory =
      path("pose_spline", poses, {{"law", "linear"}, {"angular_speed", List{0.7}}});
  EXPECT_NEAR(trajectory->duration(), 5 / 0.7, 1e-12);
  along(*trajectory, 100, [&](double t) {
    const Reference now = at(*trajectory, t);
    EXPECT_LT(turn(now.X_WF.R, start.R * exp_so3(0.7 * t * u)), 1e-12);
    expect_near(now.V[0], {0.7 * (start.R * u), {0, 0, 0}}, 1e-12);
    expect_near(now.V[1], {}, 1e-11);
  });
}

// Checks the order of the error for poses on a helix whose frame turns about two axes. The origin
// has a constant speed along the helix, so that the exact motion is known at each time.
TEST(PosePaths, SplinesApproximateAHelixToFourthOrder) {
  const double c = 0.2, end = 3, speed = 0.5, rate = speed / std::hypot(1, c);
  const auto exact = [&](double phi) {
    Pose<double> X = rotation_z(phi) * rotation_x(std::sin(phi));
    X.p = {std::cos(phi), std::sin(phi), c * phi};
    return X;
  };
  const auto errors = [&](int n) {
    std::vector<Pose<double>> poses;
    for (int k = 0; k <= n; ++k) poses.push_back(exact(end * k / n));
    const auto trajectory = path("pose_spline", poses, {{"law", "linear"}, {"speed", List{speed}}});
    std::array<double, 3> out{};
    along(*trajectory, 997, [&](double t) {
      const Reference now = at(*trajectory, t);
      const Pose<double> X = exact(rate * t);
      out[0] = std::max(out[0], norm(now.X_WF.p - X.p));
      out[1] = std::max(out[1], turn(now.X_WF.R, X.R));
      const Vec3<double> w =
          rate * Vec3<double>{0, 0, 1} +
          rate * std::cos(rate * t) * (rotation_z(rate * t).R * Vec3<double>{1, 0, 0});
      out[2] = std::max(out[2], norm(now.V[0].w - w));
    });
    return out;
  };
  const auto wide = errors(24), narrow = errors(48);
  EXPECT_NEAR(observed_order(wide[0], narrow[0]), 4, 0.4) << wide[0] << " " << narrow[0];
  EXPECT_NEAR(observed_order(wide[1], narrow[1]), 4, 0.4) << wide[1] << " " << narrow[1];
  EXPECT_NEAR(observed_order(wide[2], narrow[2]), 3, 0.4) << wide[2] << " " << narrow[2];
}

// Checks that the motion does not depend on the frame that is called the world, and that another
// choice of the axes on the body leaves the rotation as it is.
TEST(PosePaths, DoNotDependOnTheWorldFrame) {
  for (int seed = 0; seed < 20; ++seed) {
    TORSOR_TRACE_SEED(seed);
    Random random{uint64_t(seed)};
    const std::vector<Pose<double>> poses = random_poses(random, 5);
    const Pose<double> X_NW = random.pose(3);
    const Mat3<double> S = random.rotation();
    std::vector<Pose<double>> moved, turned;
    for (const Pose<double>& X : poses) {
      moved.push_back(X_NW * X);
      turned.push_back({X.R * S, X.p});
    }
    const std::vector<Parameter> lines{{"speed", List{0.3}},
                                       {"angular_speed", List{0.6}},
                                       {"acceleration", List{2}},
                                       {"angular_acceleration", List{4}}};
    for (const char* id : {"pose_lines", "pose_spline"}) {
      const auto a = path(id, poses, lines), b = path(id, moved, lines),
                 c = path(id, turned, lines);
      along(*a, 60, [&](double t) {
        const Reference x = at(*a, t), y = at(*b, t), z = at(*c, t);
        EXPECT_LT(apart(X_NW * x.X_WF, y.X_WF), 1e-11);
        EXPECT_LT(apart({x.X_WF.R * S, x.X_WF.p}, z.X_WF), 1e-11);
        for (size_t k = 0; k < 2; ++k) {
          expect_near({X_NW.R * x.V[k].w, X_NW.R * x.V[k].v}, y.V[k], 1e-8);
          expect_near(x.V[k], z.V[k], 1e-8);
        }
      });
    }
  }
}

// Checks the jump of the acceleration at the poses of a spline with the quintic law against the
// rates of the acceleration: it must be rounding.
TEST(PosePaths, TheAccelerationOfASplineIsContinuous) {
  for (int seed = 0; seed < 40; ++seed) {
    TORSOR_TRACE_SEED(seed);
    Random random{uint64_t(seed)};
    const auto trajectory =
        path("pose_spline", random_poses(random, 7),
             {{"law", "quintic"}, {"speed", List{0.5}}, {"angular_speed", List{0.9}}});
    EXPECT_EQ(trajectory->smoothness(), 2);
    for (const double t : trajectory->breaks()) {
      if (t == 0 || t == trajectory->duration()) continue;
      const double before = 1e-9;
      const Reference a = at(*trajectory, t - before), b = at(*trajectory, t);
      const double scale = 1 + norm(a.V[1].w) + norm(a.V[1].v),
                   slope = norm(a.V[2].w) + norm(a.V[2].v);
      expect_near(a.V[1], b.V[1], 1e-10 * scale + 2 * before * slope);
    }
  }
}

}  // namespace
}  // namespace torsor::test
