// Tests of the wrenches transmitted by joints. References: dense matrices, the laws of momentum, a
// floating base in place of a moving world, and a rod on a pivot.

#include "torsor/mechanics/joint_wrenches.hpp"

#include <gtest/gtest.h>

#include "support/dense_dynamics.hpp"
#include "support/random_state.hpp"
#include "torsor/mechanics/centroidal.hpp"
#include "torsor/model/inertia.hpp"

namespace torsor::test {
namespace {

Eigen::Matrix<double, 6, 1> six_of(const Wrench<double>& F) {
  return {F.n.x, F.n.y, F.n.z, F.f.x, F.f.y, F.f.z};
}

// A tree with joints of every kind, under random wrenches.
class JointWrenches : public testing::TestWithParam<uint64_t> {
 protected:
  Random random{GetParam()};
  RobotDescription robot = random_robot(9, Shape::tree, GetParam(), Kinds::every);
  std::shared_ptr<const Model> model = build(robot);
  State state = random_state(model, random);
  std::vector<double> vdot = random_values(random, model->n_v, 5);
  void SetUp() override { add_random_wrenches(random, state); }
};
INSTANTIATE_TEST_SUITE_P(Seeds, JointWrenches, testing::Values(1, 2, 3, 4));

// Equations: MR 9.42.
TEST_P(JointWrenches, HaveTheJointForcesAsComponents) {
  const std::vector<Wrench<double>> W = joint_wrenches(state, vdot);
  const torsor_model flat = model->view();
  const Eigen::Map<const Vector> v(state.v.data(), model->n_v), a(vdot.data(), model->n_v);
  const Vector tau = DenseDynamics(flat, state.view()).inverse(v, a);
  for (int i = 1; i < model->n_body; ++i)
    for (int k = model->v_index[size_t(i)];
         k < model->v_index[size_t(i)] + model->v_count[size_t(i)]; ++k)
      EXPECT_NEAR(dot(model->S_B[size_t(k)], W[size_t(i)]),
                  tau[k] - model->armature[size_t(k)] * vdot[size_t(k)], 1e-11 * tau.norm())
          << k;
}

// Checks all six components of the wrench that the world transmits. Together with the weight and
// the applied wrenches, it is the rate of change of momentum.
// Equations: KHALIL 7.45, 7.46, 7.48, 7.49, 7.69; MR 9.32, 9.33, 9.74, 9.79.
TEST_P(JointWrenches, OfTheWorldAreTheRateOfTheMomentum) {
  const std::vector<Wrench<double>> W = joint_wrenches(state, vdot);
  const Centroidal whole = centroidal(state);
  Wrench<double> given{W[0].n - cross(whole.com, W[0].f), W[0].f + whole.mass * state.gravity_W()};
  const std::vector<Pose<double>> X = world_poses(state);
  for (size_t i = 1; i < X.size(); ++i) {
    const Wrench<double> F = transform(X[i], state.F_B()[i]);
    given = given + Wrench<double>{F.n - cross(whole.com, F.f), F.f};
  }
  const auto change =
      (whole.A * Eigen::Map<const Vector>(vdot.data(), model->n_v) + six_of(whole.bias)).eval();
  EXPECT_LT((change - six_of(given)).norm(), 1e-11 * six_of(W[0]).norm());
}

// Checks that a moving world is equivalent to a nearly massless ship that moves in a world at rest.
TEST_P(JointWrenches, IncludeTheMotionOfTheWorld) {
  const Twist<double> V{random.vector(2), random.vector(2)},
      Vdot{random.vector(4), random.vector(4)};
  state.set_world_motion(V, Vdot);
  const std::vector<Wrench<double>> W = joint_wrenches(state, vdot);
  RobotDescription carried = robot;
  for (LinkDescription& link : carried.links)
    if (link.parent.empty()) link.parent = "ship";
  LinkDescription ship;
  ship.name = "ship";
  ship.joint.name = "sea";
  ship.joint.kind = JointKind::floating;
  ship.inertia = inertia_about_com(1e-12, {0, 0, 0}, {1e-12, 1e-12, 1e-12, 0, 0, 0});
  carried.links.insert(carried.links.begin(), ship);
  carried.dof_order.insert(carried.dof_order.begin(), "sea");
  State at(build(carried));
  std::vector<double> q{0, 0, 0, 1, 0, 0, 0}, v{V.w.x, V.w.y, V.w.z, V.v.x, V.v.y, V.v.z},
      a{Vdot.w.x, Vdot.w.y, Vdot.w.z, Vdot.v.x, Vdot.v.y, Vdot.v.z};
  q.insert(q.end(), state.q().begin(), state.q().end());
  v.insert(v.end(), state.v.begin(), state.v.end());
  a.insert(a.end(), vdot.begin(), vdot.end());
  at.set_q(q);
  at.v = v;
  at.set_gravity(state.gravity_W());
  std::vector<Wrench<double>> F(size_t(at.model().n_body));
  std::copy(state.F_B().begin() + 1, state.F_B().end(), F.begin() + 2);
  at.set_wrenches(F);
  const std::vector<Wrench<double>> on_ship = joint_wrenches(at, a);
  ASSERT_EQ(at.model().n_body, model->n_body + 1);
  for (size_t i = 1; i < W.size(); ++i)
    EXPECT_LT((six_of(W[i]) - six_of(on_ship[i + 1])).norm(), 1e-9 * (1 + six_of(W[i]).norm()))
        << i;
  for (const Frame& frame : model->frames) {
    const InertialMeasurement still = inertial_measurement(state, vdot, frame),
                              moved = inertial_measurement(
                                  at, a, at.model().frames[size_t(at.model().frame(frame.name))]);
    EXPECT_LT(norm(still.w - moved.w), 1e-12 * (1 + norm(moved.w))) << frame.name;
    EXPECT_LT(norm(still.a - moved.a), 1e-12 * (1 + norm(moved.a))) << frame.name;
  }
}

// Compares an IMU with the acceleration J vdot + Jdot v of the frame's origin in the world.
TEST_P(JointWrenches, InertialMeasurementsAreThoseOfTheJacobian) {
  const Eigen::Map<const Vector> a(vdot.data(), model->n_v);
  for (const Frame& frame : model->frames) {
    const InertialMeasurement imu = inertial_measurement(state, vdot, frame);
    const Vector of_J = frame_jacobian(state, frame, Axes::world) * a;
    const Twist<double> rate = jacobian_rate(state, frame, Axes::world);
    const Mat3<double> R = frame_pose(state, frame).R;
    const Vec3<double> specific =
        rate.v + Vec3<double>{of_J[3], of_J[4], of_J[5]} - state.gravity_W();
    EXPECT_LT(norm(R * imu.a - specific), 1e-12 * (1 + norm(specific))) << frame.name;
    EXPECT_LT(norm(imu.w - frame_twist(state, frame).w), 1e-13 * (1 + norm(imu.w))) << frame.name;
  }
}

// Checks a rod of length 2 on a pivot about y, at the distance b along y, at the angle a from
// straight down. Let c be the centre of the rod, relative to the world's origin. The pivot exerts
// the force f = m (cddot - g), and the moment c x f + I_c alpha about the origin. The frame of the
// link is at the far end of the rod.
TEST(JointWrenchesOfARod, AreThoseOfThePivot) {
  const double m = 3, b = 0.4, I = 1, a = 0.7, w = 1.3, alpha = -2.1;
  LinkDescription link;
  link.name = "rod";
  link.joint.name = "pivot";
  link.joint.kind = JointKind::revolute;
  link.joint.placement = ScrewPlacement{translation<double>({0, b, -2}), {0, 1, 0}, {0, -b, 2}};
  link.inertia = inertia_about_com(m, {0, 0, 1}, {I, I, 0.01, 0, 0, 0});
  RobotDescription robot;
  robot.name = "pendulum";
  robot.links = {link};
  State state(build(robot));
  state.set_q(std::vector{a});
  state.v = {w};
  const std::vector<Wrench<double>> W = joint_wrenches(state, std::vector{alpha});
  const Vec3<double> down{-std::sin(a), 0, -std::cos(a)}, ahead{-std::cos(a), 0, std::sin(a)};
  const Vec3<double> c = down + Vec3<double>{0, b, 0},
                     f = m * (alpha * ahead - w * w * down) + Vec3<double>{0, 0, m * 9.81};
  const Vec3<double> n = cross(c, f) + Vec3<double>{0, I * alpha, 0};
  EXPECT_LT((six_of(W[0]) - six_of({n, f})).norm(), 1e-13);
  const Joint& pivot = state.model().joints[0];
  const Vec3<double> end = 2.0 * down + Vec3<double>{0, b, 0};
  EXPECT_LT((six_of(at_link(state, pivot, W, Axes::world)) - six_of({n - cross(end, f), f})).norm(),
            1e-13);
  const Wrench<double> turned = at_link(state, pivot, W);
  EXPECT_NEAR(turned.f.z, -dot(down, f), 1e-13);
  EXPECT_NEAR(turned.f.x, -dot(ahead, f), 1e-13);
}

}  // namespace
}  // namespace torsor::test
