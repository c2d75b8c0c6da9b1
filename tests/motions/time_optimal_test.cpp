// Tests of the fastest motion along a path: closed forms, a dense search over the phase plane,
// saturated limits, convergence, and messages.

#include "torsor/motions/time_optimal.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <numbers>

#include "planning/chains.hpp"
#include "support/error_of.hpp"
#include "support/random_robot.hpp"
#include "support/reference.hpp"
#include "torsor/motions/torque_check.hpp"

namespace torsor::test {
namespace {

using List = std::vector<double>;
using testing::AllOf;
using testing::HasSubstr;
constexpr double inf = std::numeric_limits<double>::infinity();

// A path of a robot, and its solver.
struct Course {
  std::shared_ptr<const Model> model;
  std::shared_ptr<const Trajectory> path;
  Vec3<double> gravity_W{0, 0, -9.81};
  Solver solver = planning_registry().solver("newton_euler", model);

  Course(const RobotDescription& robot, const std::string& law,
         const std::vector<Parameter>& parameters)
      : model(build(robot)), path(planning_registry().make<Trajectory>(law, model, parameters)) {}

  TimeOptimal fastest(const TimeOptimalOptions& options = {}) {
    return time_optimal(path, solver, gravity_W, options);
  }
  double duration(int points) { return fastest({.points = points}).motion->duration(); }
};
Course straight(const RobotDescription& robot, const List& from, const List& to) {
  return {robot, "linear", {{"from", from}, {"to", to}, {"duration", List{1}}}};
}
// A smooth path through random positions.
Course curve(const RobotDescription& robot, uint64_t seed, double size) {
  Random random(seed);
  const int n = build(robot)->n_v;
  Rows rows;
  for (int k = 0; k < 5; ++k) {
    rows.push_back(random_values(random, n, size));
    rows.back().insert(rows.back().begin(), k);
  }
  return {robot, "playback", {{"path", rows}}};
}

LinkDescription link_on(const std::string& name, const std::string& parent, JointKind kind,
                        const Vec3<double>& at, const Vec3<double>& axis,
                        const SpatialInertia<double>& inertia) {
  LinkDescription link;
  link.name = name;
  link.parent = parent;
  link.joint = {.name = name + "_joint",
                .kind = kind,
                .placement = ScrewPlacement{translation<double>(at), axis}};
  link.inertia = inertia;
  return link;
}
// A rod on a hinge about y, with the torque J a'' + m g l sin a at the angle a from the downward
// vertical: J = 0.5 kg m^2 and m g l = 9.81 N m. Without weight, J = 1 kg m^2.
RobotDescription rod(bool weight = true) {
  RobotDescription robot;
  robot.name = "rod";
  const SpatialInertia<double> heavy{2, {0, 0, -1}, {0.5, 0.5, 0, 0, 0, 0}},
      balanced{1, {0, 0, 0}, {1, 1, 1, 0, 0, 0}};
  robot.links = {
      link_on("rod", "", JointKind::revolute, {0, 0, 0}, {0, 1, 0}, weight ? heavy : balanced)};
  return robot;
}

// Returns the limit of |tau|: the effort limit or the stall torque.
double torque_limit(const Joint& joint, const Motor& motor) {
  return motor.stall_torque > 0 ? std::min(joint.effort_limit, motor.stall_torque)
                                : joint.effort_limit;
}
std::vector<Drive> motor_of(double stall_torque) {
  Drive out;
  out.motor.stall_torque = stall_torque;
  return {out};
}

Reference at(const Trajectory& trajectory, double t) {
  Reference out = trajectory.make_reference(2);
  const Status status = trajectory.evaluate(t, out);
  EXPECT_TRUE(status) << trajectory.explain(status);
  return out;
}

// ---- closed forms ----

TEST(TimeOptimal, IsBangBangForADoubleIntegrator) {
  RobotDescription robot = rod(false);
  robot.links[0].joint.effort_limit = 2;
  const TimeOptimal out = straight(robot, {0}, {3}).fastest();
  EXPECT_NEAR(out.motion->duration(), 2 * std::sqrt(3 / 2.0), 1e-11);
  EXPECT_NEAR(at(*out.motion, 0.5).vdot[0], 2, 1e-9);
  EXPECT_NEAR(at(*out.motion, 0.5).v[0], 1, 1e-9);
  EXPECT_NEAR(at(*out.motion, 2).vdot[0], -2, 1e-9);
  EXPECT_NEAR(at(*out.motion, out.motion->duration()).q[0], 3, 1e-12);
  for (const PhasePoint& point : out.phase) EXPECT_TRUE(std::isinf(point.max_rate));
  // The trapeze of KHALIL 8.22.
  robot.links[0].joint.velocity_limit = 1.5;
  EXPECT_NEAR(straight(robot, {0}, {3}).duration(2000), 1.5 / 2 + 3 / 1.5, 1e-6);
}

// A motor with the voltage +V, then -V. With J = 1, K_T = 0.5, R = 2 and N = 4:
//   vdot = (+-v_0 - v) / T,   v_0 = V / (N K_T),   T = J R / (N K_T)^2
// It reaches v_1 = v_0 (1 - exp(-t_1 / T)), and rests after t_2 = T log(1 + v_1 / v_0). The
// distances are v_0 t_1 - T v_1 and T v_1 - v_0 t_2.
TEST(TimeOptimal, UsesTheVoltageOfAMotorFully) {
  RobotDescription robot = rod(false);
  Drive drive;
  drive.motor.gear_ratio = 4;
  drive.motor.torque_constant = 0.5;
  drive.motor.resistance = 2;
  drive.motor.max_voltage = 6;
  robot.links[0].joint.drives = {drive};
  const double v_0 = 3, T = 0.5, distance = 3;
  const auto second = [&](double t_1) { return T * std::log(2 - std::exp(-t_1 / T)); };
  double low = 0, high = 10;
  while (high - low > 1e-14) {
    const double t_1 = (low + high) / 2;
    (v_0 * (t_1 - second(t_1)) < distance ? low : high) = t_1;
  }
  EXPECT_NEAR(straight(robot, {0}, {3}).duration(2000), low + second(low), 1e-5);
  // The weight of the rod needs 9.81 N m at the joint, 4.9 A and 9.81 V.
  robot.links[0].inertia = rod().links[0].inertia;
  EXPECT_THAT(error_of([&] { straight(robot, {0.5}, {std::numbers::pi / 2}).fastest(); }),
              HasSubstr("joint 'rod_joint' needs 9.81 V to rest at s = 1, and its limit is 6; "
                        "increase 'max_voltage'"));
}

// The stall torque is 2 N m and the speed limit is high: the motor accelerates and brakes with 2 N
// m.
TEST(TimeOptimal, BrakesWithTheStallTorque) {
  RobotDescription robot = rod(false);
  robot.links[0].joint.velocity_limit = 1e9;
  robot.links[0].joint.drives = motor_of(2);
  EXPECT_NEAR(straight(robot, {0}, {3}).fastest().motion->duration(), 2 * std::sqrt(3 / 2.0), 1e-6);
}

// v^2 = v_0^2 + 2 a d up to the switch, and likewise from the end.
TEST(TimeOptimal, StartsAndEndsAtGivenRates) {
  RobotDescription robot = rod(false);
  robot.links[0].joint.effort_limit = 2;
  Course course = straight(robot, {0}, {3});
  const TimeOptimal out = course.fastest({.start_rate = 0.5, .end_rate = 0.2});
  const double v_0 = 1.5, v_1 = 0.6, peak = std::sqrt((v_0 * v_0 + v_1 * v_1) / 2 + 2 * 3);
  EXPECT_NEAR(out.motion->duration(), (2 * peak - v_0 - v_1) / 2, 1e-6);
  EXPECT_NEAR(at(*out.motion, 0).v[0], 1.5, 1e-12);
  EXPECT_EQ(out.motion->smoothness(), 0);
}

// Friction F_v v: v' = (tau - F_v v) / J up to the switch at t_1 with the speed v_1.
TEST(TimeOptimal, IncludesViscousFriction) {
  RobotDescription robot = rod(false);
  robot.links[0].joint.effort_limit = 2;
  robot.links[0].joint.damping = 0.8;
  const double T_1 = 1.3, v_end = 2 / 0.8, v_1 = v_end * (1 - std::exp(-0.8 * T_1)),
               T_2 = std::log(1 + v_1 / v_end) / 0.8;
  const double d = v_end * T_1 - v_1 / 0.8 + (v_1 / 0.8 - v_end * T_2);
  EXPECT_NEAR(straight(robot, {0}, {d}).duration(4000), T_1 + T_2, 2e-6);
  // The line of a motor without friction, tau <= 2 (1 - v / 2.5), is the same equation while it
  // accelerates.
  robot.links[0].joint.damping = 0;
  robot.links[0].joint.velocity_limit = 2.5;
  robot.links[0].joint.drives = motor_of(2);
  const double brakes = v_1 / 2;
  EXPECT_NEAR(straight(robot, {0}, {v_end * T_1 - v_1 / 0.8 + v_1 * brakes / 2}).duration(4000),
              T_1 + brakes, 2e-6);
}

// The rod falls from beside the top through the bottom. Where it is horizontal, its motor of 5 N m
// cannot carry it (9.81 N m), so that it must be fast enough before.
TEST(TimeOptimal, PassesByMomentumWhereGravityExceedsTheLimit) {
  RobotDescription robot = rod();
  robot.links[0].joint.effort_limit = 5;
  const double top = M_PI - 0.3;
  const TimeOptimal out = straight(robot, {-top}, {top}).fastest({.points = 2000});
  // J v^2 / 2 - m g l cos a = 5 (a + top) - m g l cos(top) while it accelerates, and symmetrically.
  const int n = 1000000;
  double T = 0;
  for (int k = 0; k < n; ++k) {
    const double a = -top * (1 - (k + 0.5) / n);
    T += 2 * (top / n) / std::sqrt(4 * (5 * (a + top) + 9.81 * (std::cos(a) - std::cos(top))));
  }
  EXPECT_NEAR(out.motion->duration(), T, 1e-3 * T);
  EXPECT_THAT(error_of([&] { straight(robot, {0.1}, {top}).fastest(); }),
              HasSubstr("the motion starts at s = 0 with ds/dt = 0, but the limits of the joints "
                        "allow 1.7"));
}

// Two carriages along x and y, which move 2 kg and 1 kg.
RobotDescription gantry() {
  RobotDescription out;
  out.name = "gantry";
  const SpatialInertia<double> one{1, {0, 0, 0}, {1, 1, 1, 0, 0, 0}};
  out.links = {link_on("x", "", JointKind::prismatic, {0, 0, 0}, {1, 0, 0}, one),
               link_on("y", "x", JointKind::prismatic, {0, 0, 0}, {0, 1, 0}, one)};
  for (LinkDescription& link : out.links) link.joint.effort_limit = 4;
  return out;
}

// The friction of y changes its sign where y is largest, which is between two points of the grid.
TEST(TimeOptimal, IsAccurateWhereAJointReverses) {
  RobotDescription robot = gantry();
  Drive drive;
  drive.friction = {.law = Friction::Law::coulomb, .coulomb = 2, .breakaway = 2};
  robot.links[1].joint.drives = {drive};
  Course course(robot, "playback",
                {{"path", Rows{{0, 0, 0}, {1, 1, 0.7}, {2, 2, 1.07}, {3, 3, 0.2}}}});
  const double T = course.duration(8000);
  EXPECT_NEAR(course.duration(100), T, 1e-3 * T);
}

// At the corner of a path of lines, the robot rests.
TEST(TimeOptimal, RestsAtCorners) {
  Course course(gantry(), "playback",
                {{"path", Rows{{0, 0, 0}, {1, 2, 0}, {3, 2, 1}}}, {"interpolation", "linear"}});
  const TimeOptimal out = course.fastest();
  // a = 2 and 4 m/s^2
  EXPECT_NEAR(out.motion->duration(), 2 * std::sqrt(2 / 2.0) + 2 * std::sqrt(1 / 4.0), 1e-5);
  EXPECT_NEAR(at(*out.motion, 2).v[0], 0, 1e-6);
  EXPECT_NEAR(at(*out.motion, 2).q[0], 2, 1e-9);
}

// The law of the path's own motion has no effect: a straight path is the same for each.
TEST(TimeOptimal, DependsOnThePathAlone) {
  RobotDescription robot = iiwa(stored_table("iiwa_second_order.json"));
  const List torques{320, 320, 176, 176, 110, 40, 40};
  for (size_t k = 0; k < 7; ++k) robot.links[k].joint.effort_limit = torques[k];
  const List from{0, 0.3, 0, -1, 0, 1, 0}, to{1, 0.9, -0.5, -1.6, 0.4, 0.2, 1};
  const double T = straight(robot, from, to).duration(2000);
  for (const char* law : {"cubic", "bang_bang", "trapeze"}) {
    Course course(robot, law, {{"from", from}, {"to", to}, {"duration", List{7}}});
    EXPECT_NEAR(course.duration(2000), T, 1e-4 * T) << law;
  }
}

// A rotation about one axis of a ball joint loads the limited hinge before it as a hinge does.
TEST(TimeOptimal, MovesAlongTheManifoldOfABallJoint) {
  RobotDescription hinge = rod();
  hinge.links[0].joint.effort_limit = 25;
  hinge.links.push_back(link_on("second", "rod", JointKind::revolute, {0, 0, -0.5}, {0, 1, 0},
                                {1, {0, 0, -0.3}, {0.2, 0.1, 0.1, 0, 0, 0}}));
  RobotDescription ball = hinge;
  ball.links[1].joint.kind = JointKind::spherical;
  ball.links[1].joint.placement = ScrewPlacement{translation<double>({0, 0, -0.5})};
  const double angle = -2;
  Course course =
      straight(ball, {0, 1, 0, 0, 0}, {1.2, std::cos(angle / 2), 0, std::sin(angle / 2), 0});
  EXPECT_NEAR(course.duration(500), straight(hinge, {0, 0}, {1.2, angle}).duration(500), 1e-9);
}

// The derivatives of the motion are those of its position.
TEST(TimeOptimal, HasConsistentDerivatives) {
  RobotDescription robot = equal_links(2, 0.1);
  for (LinkDescription& link : robot.links) link.joint.effort_limit = 8;
  Course course = curve(robot, 3, 1);
  course.gravity_W = {0, -9.81, 0};
  const TimeOptimal out = course.fastest({.points = 40});
  for (size_t k = 3; k + 4 < out.phase.size(); ++k) {
    const double t_0 = out.phase[k].time, t_1 = out.phase[k + 1].time, t = (t_0 + t_1) / 2,
                 h = (t_1 - t_0) / 50;
    const Reference a = at(*out.motion, t - h), b = at(*out.motion, t + h), c = at(*out.motion, t);
    const auto differs = [&](const List& x, const List& y, const List& rate) {
      for (size_t j = 0; j < 2; ++j)
        EXPECT_NEAR((y[j] - x[j]) / (2 * h), rate[j], 2e-3 * (1 + std::abs(rate[j]))) << k;
    };
    differs(a.q, b.q, c.v);
    differs(a.v, b.v, c.vdot);
  }
}

// ---- dense search ----

// Finds the fastest motion by dynamic programming over a grid of the phase plane (s, x), with
// torques from M, C and g at the middle of each interval. The first grid covers the plane. The
// following ones are ever finer ones around the best motion, with more and more intervals.
class DenseSearch {
 public:
  static double duration(Course& course) {
    std::vector<double> best = DenseSearch(course, 100).over_the_plane();
    for (int stages = 100;; stages *= 2) {
      const double T = DenseSearch(course, stages).refine(best);
      if (stages == 800) return T;
      std::vector<double> finer(2 * best.size() - 1);
      for (size_t k = 0; k < finer.size(); ++k) finer[k] = (best[k / 2] + best[(k + 1) / 2]) / 2;
      // The limits are met in the middle of the new intervals if the motion is slow enough.
      for (const double factor : {1.0, 0.97, 0.9, 0.8, 0.65, 0.5}) {
        best = finer;
        for (double& x : best) x *= factor;
        if (std::isfinite(DenseSearch(course, 2 * stages).refine(best))) break;
      }
    }
  }

 private:
  DenseSearch(Course& course, int stages) : course_(course), h_(course.path->duration() / stages) {
    for (int k = 0; k < stages; ++k) add_stage((k + 0.5) * h_, *course.model);
  }
  std::vector<double> over_the_plane() {
    constexpr int levels = 800;
    std::vector<std::vector<double>> x(stages_.size() + 1);
    for (size_t k = 0; k < x.size(); ++k) {
      const double most = k == 0 || k == stages_.size() ? 0 : largest_x(k);
      for (int j = 0; j <= (most > 0 ? levels : 0); ++j)
        x[k].push_back(most * std::pow(double(j) / levels, 3));
    }
    return search(x);
  }
  // Improves a motion. Returns its duration.
  double refine(std::vector<double>& best) {
    std::vector<std::vector<double>> x(best.size());
    for (double cell = 0.01; cell > 1e-6; cell *= 0.6) {
      double before;
      do {
        before = time_;
        for (size_t k = 0; k < x.size(); ++k) {
          const bool end = k == 0 || k + 1 == x.size();
          const double size = end ? 0 : std::max({best[k - 1], best[k], best[k + 1]});
          x[k].clear();
          for (int j = end ? 0 : -6; j <= (end ? 0 : 6); ++j)
            x[k].push_back(std::max(0.0, best[k] + j * cell * size));
        }
        const std::vector<double> next = search(x);
        if (std::isfinite(time_)) best = next;
      } while (time_ < before * (1 - 1e-5));
    }
    return time_;
  }

  struct Row {
    double m, c, viscous, g, limit, line;  // |tau| <= limit, or tau + line sqrt(x) <= limit
    bool both;
  };
  struct Stage {
    std::vector<Row> rows;
    double most;  // x of the velocity limits
  };

  void add_stage(double s, const Model& model) {
    const Reference p = at(*course_.path, s);
    const Eigen::Index n = model.n_v;
    State state(course_.model);
    state.set_gravity(course_.gravity_W);
    state.set_q(p.q);
    state.v = p.v;
    Matrix M(n, n), C(n, n);
    Vector g(n);
    EXPECT_TRUE(course_.solver.mass_matrix(state, M.data()));
    EXPECT_TRUE(course_.solver.coriolis_matrix(state, C.data()));
    EXPECT_TRUE(course_.solver.gravity(state, g.data()));
    for (const Transmission& group : model.transmissions)
      for (size_t i = 0; i < group.dofs.size(); ++i)
        for (size_t j = 0; j < group.dofs.size(); ++j)
          if (i != j) M(group.dofs[i], group.dofs[j]) += group.armature(i, j);
    const Vector V = to_vector(p.v), m = M * V, c = M * to_vector(p.vdot) + C * V;
    Stage out{{}, inf};
    for (int k = 0; k < model.n_v; ++k) {
      const Joint& joint = model.joint_of_dof(k);
      const Drive& drive = model.drives[size_t(k)];
      const Friction &own = drive.friction, &motor = drive.motor.friction;
      const double sign = V[k] > 0 ? 1 : V[k] < 0 ? -1 : 0;
      Row row{m[k],
              c[k],
              (model.damping[size_t(k)] + own.viscous + motor.viscous) * V[k],
              g[k] + (own.coulomb + motor.coulomb) * sign,
              torque_limit(joint, drive.motor),
              0,
              true};
      out.rows.push_back(row);
      if (drive.motor.stall_torque > 0)
        out.rows.push_back(
            {sign * row.m, sign * row.c, sign * row.viscous, sign * row.g, drive.motor.stall_torque,
             drive.motor.stall_torque * std::abs(V[k]) / joint.velocity_limit, false});
      out.most = std::min(out.most, std::pow(joint.velocity_limit / V[k], 2));
    }
    stages_.push_back(out);
  }
  // Returns whether a limit is exceeded in an interval.
  static bool exceeds(const Stage& stage, double x, double u) {
    if (x > stage.most) return true;
    const double r = std::sqrt(x);
    for (const Row& row : stage.rows) {
      const double tau = row.m * u + row.c * x + row.viscous * r + row.g;
      if ((row.both ? std::abs(tau) : tau + row.line * r) > row.limit) return true;
    }
    return false;
  }
  // Returns an x above which no motion passes node k.
  double largest_x(size_t k) const {
    double out = inf;
    for (const Stage* stage : {&stages_[k - 1], &stages_[k]}) {
      double x = std::min(stage->most, 100.0);  // far above the fastest motions of these paths
      for (; x > 1e-6; x *= 0.99) {
        double least = -inf, most = inf;
        for (const Row& row : stage->rows)
          for (const double sign : {1.0, -1.0}) {
            if (!row.both && sign < 0) continue;
            const double a = sign * row.m, r = std::sqrt(x),
                         b = sign * (row.c * x + row.viscous * r + row.g) + row.line * r -
                             row.limit;
            if (std::isinf(b)) continue;
            if (a > 0) most = std::min(most, -b / a);
            if (a < 0) least = std::max(least, -b / a);
          }
        if (least <= most) break;
      }
      out = std::min(out, x / 0.99);
    }
    return out;
  }
  // Returns the fastest sequence of the given x. Sets time_.
  std::vector<double> search(const std::vector<std::vector<double>>& x) {
    std::vector<std::vector<double>> time(x.size());
    std::vector<std::vector<size_t>> next(x.size());
    time.back().assign(x.back().size(), 0.0);
    for (size_t k = x.size() - 1; k-- > 0;) {
      time[k].assign(x[k].size(), inf);
      next[k].assign(x[k].size(), 0);
      for (size_t i = 0; i < x[k].size(); ++i)
        for (size_t j = 0; j < x[k + 1].size(); ++j) {
          const double p = x[k][i], z = x[k + 1][j];
          const double T = 2 * h_ / (std::sqrt(p) + std::sqrt(z)) + time[k + 1][j];
          if (!(T < time[k][i]) || exceeds(stages_[k], (p + z) / 2, (z - p) / (2 * h_))) continue;
          time[k][i] = T;
          next[k][i] = j;
        }
    }
    time_ = time[0][0];
    std::vector<double> out{x[0][0]};
    for (size_t k = 0, i = 0; k + 1 < x.size(); ++k) out.push_back(x[k + 1][i = next[k][i]]);
    return out;
  }

  Course& course_;
  double h_, time_ = inf;
  std::vector<Stage> stages_;
};

RobotDescription scara() {
  RobotDescription robot;
  robot.name = "scara";
  const SpatialInertia<double> arm{4, {0.8, 0, 0}, {0.02, 0.25, 0.25, 0, 0, 0}},
      spindle{1.5, {0, 0, 0}, {0.01, 0.01, 0.002, 0, 0, 0}};
  robot.links = {
      link_on("arm", "", JointKind::revolute, {0, 0, 0}, {0, 0, 1}, arm),
      link_on("forearm", "arm", JointKind::revolute, {0.4, 0, 0}, {0, 0, 1}, arm),
      link_on("spindle", "forearm", JointKind::prismatic, {0.4, 0, 0}, {0, 0, -1}, spindle),
      link_on("tool", "spindle", JointKind::revolute, {0, 0, 0}, {0, 0, 1}, spindle)};
  const double torques[] = {30, 15, 40, 1}, speeds[] = {6, 8, 1.5, 20};
  for (size_t k = 0; k < 4; ++k) {
    robot.links[k].joint.effort_limit = torques[k];
    robot.links[k].joint.velocity_limit = speeds[k];
  }
  return robot;
}
RobotDescription limited(RobotDescription robot, const List& torques) {
  for (size_t k = 0; k < torques.size(); ++k) robot.links[k].joint.effort_limit = torques[k];
  return robot;
}
RobotDescription tree() {
  RobotDescription robot = random_robot(5, Shape::tree, 11);
  for (LinkDescription& link : robot.links) {
    JointDescription& joint = link.joint;
    if (joint.kind == JointKind::fixed) continue;
    joint.damping = 3;
    joint.effort_limit = 900;
    joint.velocity_limit = 9;
    Drive drive;
    drive.friction = {.law = Friction::Law::coulomb, .viscous = 2, .coulomb = 5, .breakaway = 5};
    drive.motor.stall_torque = 800;
    joint.drives = {drive};
  }
  return robot;
}
struct NamedCourse {
  const char* name;
  Course course;
};
std::vector<NamedCourse> courses() {
  std::vector<NamedCourse> out;
  out.push_back({"planar 2R", curve(limited(equal_links(2), {12, 5}), 1, 1.2)});
  out.back().course.gravity_W = {0, -9.81, 0};
  out.push_back({"RX-90", curve(limited(rx90(stored_table("rx90.json"), RxParameters::standard),
                                        {700, 900, 400, 30, 25, 12}),
                                2, 1)});
  out.push_back({"iiwa", curve(limited(iiwa(stored_table("iiwa_second_order.json")),
                                       {320, 320, 176, 176, 110, 40, 40}),
                               3, 1)});
  out.push_back({"SCARA", curve(scara(), 4, 0.8)});
  out.push_back({"tree", curve(tree(), 5, 0.6)});
  return out;
}

TEST(TimeOptimal, AgreesWithADenseSearch) {
  for (auto& [name, course] : courses()) {
    SCOPED_TRACE(name);
    const TimeOptimal out = course.fastest();
    const double found = out.motion->duration(), searched = DenseSearch::duration(course);
    RecordProperty(name, std::to_string(found / searched - 1));
    ASSERT_TRUE(std::isfinite(searched));
    EXPECT_NEAR(found, searched, 1e-3 * searched);
  }
}

// ---- limits ----

// Returns the largest use of a limit at each of many times: torques over their limits, velocities
// over theirs, and torques over the line of the motor.
std::vector<double> uses(Course& course, const Trajectory& motion, int samples) {
  std::vector<double> out;
  for (int k = 0; k < samples; ++k) {
    const double t = motion.duration() * (k + 0.5) / samples;
    const Reference r = at(motion, t);
    State state(course.model);
    state.set_gravity(course.gravity_W);
    state.set_q(r.q);
    state.v = r.v;
    List tau(r.v.size());
    EXPECT_TRUE(course.solver.inverse(state, r.vdot.data(), tau.data()));
    double use = 0;
    for (int j = 0; j < course.model->n_v; ++j) {
      const Joint& joint = course.model->joint_of_dof(j);
      const Drive& drive = course.model->drives[size_t(j)];
      const double v = r.v[size_t(j)], sign = v > 0 ? 1 : -1;
      const double torque = tau[size_t(j)] +
                            (course.model->damping[size_t(j)] + drive.friction.viscous) * v +
                            drive.friction.coulomb * sign;
      use = std::max({use, std::abs(torque) / torque_limit(joint, drive.motor),
                      std::abs(v) / joint.velocity_limit});
      if (const double stall = drive.motor.stall_torque)
        use = std::max(use, sign * torque / (stall * (1 - std::abs(v) / joint.velocity_limit)));
    }
    out.push_back(use);
  }
  return out;
}

TEST(TimeOptimal, UsesALimitFullyAtEachTimeAndExceedsNone) {
  for (auto& [name, course] : courses()) {
    SCOPED_TRACE(name);
    const TimeOptimal out = course.fastest({.points = 2000});
    const List use = uses(course, *out.motion, 3000);
    EXPECT_LE(*std::ranges::max_element(use), 1 + 1e-6);
    // Between two points around a switch, no limit is used fully.
    const auto idle = std::ranges::count_if(use, [](double x) { return x < 0.999; });
    EXPECT_LE(idle, 0.01 * 3000);
    // The motion cannot be made faster uniformly.
    double most = 0;
    for (const TorqueUse& dof :
         check_torques(*out.motion, course.solver, course.gravity_W, 8000).dofs)
      most = std::max(most, dof.use);
    EXPECT_NEAR(most, 1, 1e-6);
  }
}

TEST(TimeOptimal, StaysBelowTheMaximumVelocityCurve) {
  for (auto& [name, course] : courses()) {
    SCOPED_TRACE(name);
    double closest = inf;
    for (const PhasePoint& point : course.fastest().phase) {
      EXPECT_LE(point.rate, point.max_rate * (1 + 1e-9));
      if (point.max_rate > 0) closest = std::min(closest, point.max_rate / point.rate);
    }
    EXPECT_LT(closest, 1.5);
  }
}

TEST(TimeOptimal, ConvergesWithTheNumberOfPoints) {
  for (auto& [name, course] : courses()) {
    SCOPED_TRACE(name);
    const double T = course.duration(8000), coarse = course.duration(250) / T - 1,
                 fine = course.duration(1000) / T - 1;
    // The error is of second order.
    EXPECT_LT(std::abs(coarse), 1e-3);
    EXPECT_LT(std::abs(fine), std::abs(coarse) / 10);
  }
}

// ---- messages ----

TEST(TimeOptimal, SaysWhatIsImpossible) {
  RobotDescription robot = rod(false);
  const auto message = [&](Course course, const TimeOptimalOptions& options = {}) {
    return error_of([&] { course.fastest(options); });
  };
  EXPECT_THAT(message(straight(robot, {0}, {1})),
              HasSubstr("nothing limits the speed at s = 0: the joints that move have no limits"));
  robot.links[0].joint.effort_limit = 2;
  EXPECT_THAT(message(straight(robot, {1}, {1})), HasSubstr("the path has no length"));
  EXPECT_THAT(message(straight(robot, {0}, {1}), {.start_rate = -1}),
              HasSubstr("the rate at the start is -1; it must be a finite number, not negative"));
  EXPECT_THAT(message(straight(robot, {0}, {1}), {.end_rate = NAN}),
              HasSubstr("the rate at the end is nan; it must be a finite number, not negative"));
  // The rod, which starts with 3 rad/s, stops after 2.25 rad.
  EXPECT_THAT(message(straight(robot, {0}, {1}), {.start_rate = 3}),
              AllOf(HasSubstr("the motion starts at s = 0 with ds/dt = 3"),
                    HasSubstr("allow 0 to 2; change")));
  EXPECT_THAT(message({robot, "quintic", {{"from", List{0}}, {"to", List{1}}, {"duration", 1.0}}}),
              HasSubstr("no velocity and no acceleration at s = 0"));
  EXPECT_THAT(message({robot,
                       "sinusoid",
                       {{"center", List{0}}, {"amplitude", List{1}}, {"frequency", List{1}}}}),
              HasSubstr("the path never ends"));
  RobotDescription heavy = rod();
  heavy.links[0].joint.effort_limit = 5;
  EXPECT_THAT(
      message(straight(heavy, {0.1}, {1.5})),
      HasSubstr("joint 'rod_joint' needs 9.78543 N m to rest at s = 1, and its limit is 5"));
  heavy.links[0].joint.drives = {Drive{
      .friction = {.law = Friction::Law::stribeck, .coulomb = 1, .breakaway = 2, .decay = 1}}};
  EXPECT_THAT(message(straight(heavy, {0}, {0.1})), HasSubstr("has stribeck friction"));
}

}  // namespace
}  // namespace torsor::test
