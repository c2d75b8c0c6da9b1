// Tests of the centre of mass and the momentum of the complete model, against the mass matrix,
// central differences and the laws of momentum.

#include "torsor/mechanics/centroidal.hpp"
#include "torsor/base/linear_algebra.hpp"

#include <gtest/gtest.h>

#include "support/dense_dynamics.hpp"
#include "support/random_state.hpp"
#include "torsor/base/error.hpp"
#include "torsor/mechanics/kinematics.hpp"

namespace torsor::test {
namespace {

using Six = Eigen::Matrix<double, 6, 1>;

Six six(const Wrench<double>& F) {
  return {F.n.x, F.n.y, F.n.z, F.f.x, F.f.y, F.f.z};
}

State moved(const State& from, double h) {
  State to = from;
  std::vector<double> q(from.q().size());
  integrate(from.model(), from.q().data(), from.v.data(), h, q.data());
  to.set_q(q);
  return to;
}

// A tree with joints of every kind, attached to the world.
class Tree : public testing::TestWithParam<uint64_t> {
 protected:
  Random random{GetParam()};
  std::shared_ptr<const Model> model =
      build(random_robot(9, Shape::tree, GetParam(), Kinds::every));
  State state = random_state(model, random);
  Centroidal whole = centroidal(state);
  Vector v = Eigen::Map<const Vector>(state.v.data(), model->n_v);
};
INSTANTIATE_TEST_SUITE_P(Seeds, Tree, testing::Values(1, 2, 3, 4));

TEST_P(Tree, MomentumIsTheSumOfTheBodies) {
  std::vector<Twist<double>> V(size_t(model->n_body));
  body_twists(state, V);
  const std::vector<Pose<double>> X = world_poses(state);
  Wrench<double> h{};
  for (size_t i = 1; i < V.size(); ++i) {
    // The wrench is about the world's origin.
    const Wrench<double> own = transform(X[i], model->inertia_B[i] * V[i]);
    h = h + Wrench<double>{own.n - cross(whole.com, own.f), own.f};
  }
  const double size = six(h).norm();
  EXPECT_LT((six(whole.momentum) - six(h)).norm(), 1e-13 * size);
  EXPECT_LT((whole.A * v - six(h)).norm(), 1e-13 * size);
  EXPECT_LT((whole.A_dot * v - six(whole.bias)).norm(), 1e-12 * six(whole.bias).norm());
  EXPECT_LT(norm(whole.mass * whole.com_velocity - h.f), 1e-13 * size);
}

TEST_P(Tree, MemoryKeepsNothingOfEarlierStates) {
  CentroidalScratch scratch(*model);
  Centroidal again;
  centroidal(random_state(model, random), scratch, again);
  centroidal(state, scratch, again);
  EXPECT_EQ(again.mass, whole.mass);
  EXPECT_EQ(norm(again.com - whole.com) + norm(again.com_velocity - whole.com_velocity), 0);
  EXPECT_EQ(six(again.momentum), six(whole.momentum));
  EXPECT_EQ(six(again.bias), six(whole.bias));
  EXPECT_EQ(again.A, whole.A);
  EXPECT_EQ(again.A_dot, whole.A_dot);
  EXPECT_EQ(again.com_jacobian, whole.com_jacobian);
  EXPECT_EQ(again.inertia.xy, whole.inertia.xy);
}

// Checks derivatives against central differences. Also checks that their order is 2, if their error
// is above rounding.
TEST_P(Tree, DerivativesAreThoseOfDifferences) {
  const auto com = [&](double h) {
    const Vec3<double> c = centroidal(moved(state, h)).com;
    return Eigen::Vector3d(c.x, c.y, c.z);
  };
  const auto difference = [&](double h) -> Matrix {
    return (centroidal(moved(state, h)).A - centroidal(moved(state, -h)).A) / (2 * h);
  };
  EXPECT_LT(((com(1e-5) - com(-1e-5)) / 2e-5 - whole.com_jacobian * v).norm(),
            1e-8 * (1 + com(0).norm()));
  const double scale = whole.A.norm() * v.norm();
  EXPECT_LT((difference(1e-5) - whole.A_dot).norm(), 1e-7 * scale);
  const double coarse = (difference(1e-3) - whole.A_dot).norm();
  ASSERT_GT(coarse, 1e-9 * scale);
  EXPECT_NEAR(observed_order(coarse, (difference(5e-4) - whole.A_dot).norm()), 2, 0.05);
}

// A model with a floating base.
struct Flying {
  Random random{7};
  std::shared_ptr<const Model> model;
  Flying() {
    RobotDescription robot = random_robot(6, Shape::tree, 11, Kinds::every);
    for (LinkDescription& link : robot.links)
      if (link.parent.empty()) link.parent = "hull";
    LinkDescription hull;
    hull.name = "hull";
    hull.inertia = random_inertia(random, 0.5, 4);
    hull.joint.name = "free";
    hull.joint.kind = JointKind::floating;
    robot.links.push_back(hull);
    robot.dof_order.insert(robot.dof_order.begin(), "free");
    model = build(robot);
  }
};

// Checks that hdot about the centre of mass is the sum of the external wrenches and the weight.
// Joint torques do not change it.
TEST(CentroidalOfAFloatingBase, ObeysTheLawsOfMomentum) {
  Flying flying;
  State state = random_state(flying.model, flying.random);
  add_random_wrenches(flying.random, state);
  const Centroidal whole = centroidal(state);
  const torsor_model flat = flying.model->view();
  const DenseDynamics dense(flat, state.view());
  const Vector v = Eigen::Map<const Vector>(state.v.data(), flying.model->n_v);
  Vector tau =
      Eigen::Map<const Vector>(random_values(flying.random, flying.model->n_v, 20).data(), v.size())
          .eval();
  tau.head<6>().setZero();  // no motor at the floating joint
  const Vector vdot = solve(dense.M, tau + dense.load - dense.C * v - dense.g);
  Wrench<double> given{{}, whole.mass * state.gravity_W()};
  const std::vector<Pose<double>> X = world_poses(state);
  for (size_t i = 1; i < X.size(); ++i) {
    const Wrench<double> F = transform(X[i], state.F_B()[i]);
    given = given + Wrench<double>{F.n - cross(whole.com, F.f), F.f};
  }
  EXPECT_LT((whole.A * vdot + six(whole.bias) - six(given)).norm(),
            1e-10 * (whole.A * vdot).norm());
}

// Checks that A_G is the six rows of M of the floating base, moved to the centre of mass. Also
// checks that the angular momentum is the total inertia times w if the model rotates with locked
// joints.
TEST(CentroidalOfAFloatingBase, IsTheRowsOfMOfTheBase) {
  Flying flying;
  const State state = random_state(flying.model, flying.random);
  const Centroidal whole = centroidal(state);
  const torsor_model flat = flying.model->view();
  const DenseDynamics dense(flat, state.view());
  const Frame& hull = flying.model->frames[size_t(flying.model->frame("hull"))];
  const Pose<double> X = frame_pose(state, hull);
  for (int k = 0; k < flying.model->n_v; ++k) {
    const Vector m = dense.M.col(k).head<6>();
    const Wrench<double> about_G = transform(
        Pose<double>{X.R, X.p - whole.com}, Wrench<double>{{m[0], m[1], m[2]}, {m[3], m[4], m[5]}});
    EXPECT_LT((whole.A.col(k) - six(about_G)).norm(), 1e-13 * whole.A.norm()) << k;
  }
  const Vec3<double> w{0.3, -0.4, 0.5}, w_B = transpose_times(X.R, w);
  State turning = state;
  turning.v.assign(state.v.size(), 0);
  turning.v[0] = w_B.x, turning.v[1] = w_B.y, turning.v[2] = w_B.z;
  EXPECT_LT(norm(centroidal(turning).momentum.n - whole.inertia * w),
            1e-13 * norm(whole.inertia * w));
}

TEST(CentroidalOfAnEmptyModel, IsRejected) {
  EXPECT_THROW(centroidal(State(std::make_shared<const Model>())), Error);
}

}  // namespace
}  // namespace torsor::test
