// Tests of poses, twists and Jacobians of frames, against products and central differences of
// poses.

#include "torsor/mechanics/kinematics.hpp"

#include <gtest/gtest.h>

#include "support/agreement.hpp"
#include "support/allocation_counter.hpp"
#include "support/dense_dynamics.hpp"
#include "support/log_se3.hpp"
#include "support/random_state.hpp"

namespace torsor::test {
namespace {

constexpr double kinematics_rounding = 1e-13;

Eigen::Matrix<double, 6, 1> stacked(const Twist<double>& V) {
  return {V.w.x, V.w.y, V.w.z, V.v.x, V.v.y, V.v.z};
}

// Returns the twist, in frame axes, that moves the frame in unit time from its pose in state a to
// its pose in state b.
Vector between(const State& a, const State& b, const Frame& frame) {
  return stacked(log_se3(inverse(frame_pose(a, frame)) * frame_pose(b, frame)));
}

State moved(const State& from, const Vector& direction, double h) {
  State to = from;
  std::vector<double> q(from.q().begin(), from.q().end());
  integrate(from.model(), q.data(), direction.data(), h, q.data());
  to.set_q(q);
  return to;
}

class Kinematics : public testing::TestWithParam<uint64_t> {
 protected:
  Random random{GetParam()};
  std::shared_ptr<const Model> model =
      build(random_robot(9, Shape::tree, GetParam(), Kinds::every));
  State state = random_state(model, random);
};
INSTANTIATE_TEST_SUITE_P(Seeds, Kinematics, testing::Values(1, 2, 3, 4));

TEST_P(Kinematics, FramePosesAreProductsAlongTheTree) {
  const std::vector<Pose<double>> X_WB = world_poses(state);
  ASSERT_EQ(int(X_WB.size()), model->n_body);
  for (const Frame& frame : model->frames) {
    const Pose<double> a = frame_pose(state, frame), b = X_WB[size_t(frame.body)] * frame.X_BF;
    EXPECT_LT(stacked(log_se3(inverse(a) * b)).norm(), kinematics_rounding) << frame.name;
  }
}

// Compares each column of J with central differences of the pose along this dof.
// Equations: KHALIL 7.23b.
TEST_P(Kinematics, JacobianIsTheDerivativeOfThePose) {
  const Frame& frame = model->frames[size_t(random.below(int(model->frames.size())))];
  const Eigen::MatrixXd J = frame_jacobian(state, frame);
  ASSERT_EQ(J.rows(), 6);
  ASSERT_EQ(J.cols(), model->n_v);
  for (int k = 0; k < model->n_v; ++k) {
    const Vector unit = Vector::Unit(model->n_v, k);
    const double h = 1e-4;
    const Vector difference =
        between(moved(state, unit, -h), moved(state, unit, h), frame) / (2 * h);
    EXPECT_LT((difference - J.col(k)).norm(), 1e-7) << frame.name << ", column " << k;
  }
}

// Moves all joints at once. The error is of second order, or zero if the frame moves along one
// screw.
TEST_P(Kinematics, JacobianDifferencesHaveOrderTwo) {
  const Frame& frame = model->frames[size_t(model->frame("link8"))];
  const Vector v = Eigen::Map<const Vector>(state.v.data(), model->n_v);
  const Vector exact = frame_jacobian(state, frame) * v;
  const auto error = [&](double h) {
    return (between(moved(state, v, -h), moved(state, v, h), frame) / (2 * h) - exact).norm();
  };
  if (error(1e-2) < 1e-12) return;
  EXPECT_NEAR(observed_order(error(1e-2), error(5e-3)), 2, 0.05);
}

// Equations: KHALIL 7.14, 7.15, 7.17, 7.18, 7.22, 7.41, 7.42; MR 9.46, 9.54, 9.91; MK 15.
TEST_P(Kinematics, TwistIsJacobianTimesVelocity) {
  const Vector v = Eigen::Map<const Vector>(state.v.data(), model->n_v);
  std::vector<Twist<double>> V_WB(size_t(model->n_body));
  body_twists(state, V_WB);
  for (const Frame& frame : model->frames) {
    const Vector twist = stacked(frame_twist(state, frame));
    EXPECT_LT((twist - frame_jacobian(state, frame) * v).norm(), kinematics_rounding) << frame.name;
    EXPECT_LT((twist - stacked(inverse_transform(frame.X_BF, V_WB[size_t(frame.body)]))).norm(),
              kinematics_rounding);
  }
}

// Checks the Jacobian in world axes for every kind of joint. The linear rows are the derivative of
// the position of the origin, the angular rows that of R_WF.
// Equations: JIN 30, 35.
TEST_P(Kinematics, JacobianInTheWorldIsTheDerivativeOfPositionAndRotation) {
  const Frame& frame = model->frames[size_t(model->frame("link8"))];
  const Eigen::MatrixXd J = frame_jacobian(state, frame, Axes::world);
  for (int k = 0; k < model->n_v; ++k) {
    const Vector unit = Vector::Unit(model->n_v, k);
    const double h = 1e-4;
    const Pose<double> a = frame_pose(moved(state, unit, -h), frame),
                       b = frame_pose(moved(state, unit, h), frame);
    const Vector difference = stacked({log_so3(b.R * transpose(a.R)), b.p - a.p}) / (2 * h);
    EXPECT_LT((difference - J.col(k)).norm(), 1e-7) << "column " << k;
  }
  const Vector v = Eigen::Map<const Vector>(state.v.data(), model->n_v);
  EXPECT_LT((J * v - stacked(frame_twist(state, frame, Axes::world))).norm(), kinematics_rounding);
}

// Checks Jdot v for every joint kind, in frame axes and in world axes. If all joints move at a
// constant v, the components of the twist change at the rate Jdot v. The error of the central
// differences is of second order.
// Equations: MR 9.92.
TEST_P(Kinematics, JacobianRateIsTheDerivativeOfTheTwistAlongAGeodesic) {
  const Vector v = Eigen::Map<const Vector>(state.v.data(), model->n_v);
  for (const Axes axes : {Axes::frame, Axes::world})
    for (const Frame& frame : model->frames) {
      const Vector exact = stacked(jacobian_rate(state, frame, axes));
      const auto difference = [&](double h) -> Vector {
        return (frame_jacobian(moved(state, v, h), frame, axes) -
                frame_jacobian(moved(state, v, -h), frame, axes)) *
               v / (2 * h);
      };
      const double scale = frame_jacobian(state, frame, axes).norm() * v.squaredNorm();
      EXPECT_LE((difference(1e-5) - exact).norm(), 1e-7 * scale) << frame.name << int(axes);
      const double coarse = (difference(1e-3) - exact).norm();
      // The motion is so simple that the differences have no visible error.
      if (coarse <= 1e-8 * scale) continue;
      EXPECT_NEAR(observed_order(coarse, (difference(5e-4) - exact).norm()), 2, 0.05)
          << frame.name << int(axes);
    }
}

// Compares Jdot of every body with the block matrices of MK.
TEST_P(Kinematics, JacobianRateIsThatOfTheClosedForm) {
  const torsor_model flat = model->view();
  const DenseDynamics dense(flat, state.view());
  const Vector rates = dense.Jdot * Eigen::Map<const Vector>(state.v.data(), model->n_v);
  for (int i = 1; i < model->n_body; ++i) {
    const Frame body{"body", i, Pose<double>::identity()};
    EXPECT_TRUE(agree(stacked(jacobian_rate(state, body)), rates.segment<6>(6 * (i - 1))))
        << "body " << i;
    EXPECT_TRUE(agree(jacobian_derivative(state, body), dense.Jdot.middleRows(6 * (i - 1), 6)))
        << "body " << i;
  }
}

// Compares each column of Jdot, for every joint kind, with central differences of J. Also checks
// the sum Jdot v.
// Equations: KHALIL 9.21; MK 19.
TEST_P(Kinematics, JacobianDerivativeIsThatOfEveryColumn) {
  const Vector v = Eigen::Map<const Vector>(state.v.data(), model->n_v);
  for (const Axes axes : {Axes::frame, Axes::world})
    for (const Frame& frame : model->frames) {
      const Matrix exact = jacobian_derivative(state, frame, axes);
      const double scale = frame_jacobian(state, frame, axes).norm() * v.norm();
      EXPECT_LE((exact * v - stacked(jacobian_rate(state, frame, axes))).norm(),
                kinematics_rounding * scale * v.norm());
      const auto difference = [&](double h) -> Matrix {
        return (frame_jacobian(moved(state, v, h), frame, axes) -
                frame_jacobian(moved(state, v, -h), frame, axes)) /
               (2 * h);
      };
      EXPECT_LE((difference(1e-5) - exact).norm(), 1e-7 * scale) << frame.name << int(axes);
      const double coarse = (difference(1e-3) - exact).norm();
      if (coarse <= 1e-8 * scale) continue;
      EXPECT_NEAR(observed_order(coarse, (difference(5e-4) - exact).norm()), 2, 0.05)
          << frame.name << int(axes);
    }
}

// Compares the screws in the world with the Jacobians of all bodies, for every joint kind, and
// their rates with central differences.
TEST_P(Kinematics, JointScrewsAreColumnsOfAllJacobians) {
  const size_t n_v = size_t(model->n_v), n = size_t(model->n_body);
  std::vector<Pose<double>> X_WB(n);
  std::vector<Twist<double>> S_W(n_v), V_W(n), Sdot_W(n_v), ahead(n_v), behind(n_v);
  joint_screws(state, X_WB, S_W);
  joint_screw_rates(state, S_W, V_W, Sdot_W);
  for (size_t i = 1; i < n; ++i) {
    const Frame body{"body", int(i), Pose<double>::identity()};
    const Matrix J = frame_jacobian(state, body);
    for (size_t b = i; b > 0; b = size_t(model->parent[b]))
      for (int k = model->v_index[b]; k < model->v_index[b] + model->v_count[b]; ++k)
        EXPECT_TRUE(agree(stacked(inverse_transform(X_WB[i], S_W[size_t(k)])), J.col(k)))
            << "body " << i << ", dof " << k;
    EXPECT_TRUE(
        agree(stacked(inverse_transform(X_WB[i], V_W[i])), stacked(frame_twist(state, body))))
        << "body " << i;
  }
  const Vector v = Eigen::Map<const Vector>(state.v.data(), model->n_v);
  const double h = 1e-5;
  joint_screws(moved(state, v, h), X_WB, ahead);
  joint_screws(moved(state, v, -h), X_WB, behind);
  for (size_t k = 0; k < n_v; ++k) {
    const Vector difference = (stacked(ahead[k]) - stacked(behind[k])) / (2 * h);
    EXPECT_LE((difference - stacked(Sdot_W[k])).norm(),
              1e-6 * (1 + stacked(S_W[k]).norm()) * v.norm())
        << "dof " << k;
  }
}

// Checks the accelerations of two points of a body, in world axes. The joints move at constant v.
// The point at r from the origin has the acceleration
//   a_origin + wdot x r + w x (w x r)
TEST_P(Kinematics, AccelerationsOfTwoPointsOfABodyAreThoseOfARigidBody) {
  const Vec3<double> p{0.3, -0.2, 0.5};
  const int body = model->n_body - 1;
  const Frame origin{"origin", body, Pose<double>::identity()},
      point{"point", body, translation(p)};
  const Mat3<double> R = frame_pose(state, origin).R;
  const Vec3<double> w = frame_twist(state, origin, Axes::world).w, r = R * p;
  const Twist<double> a = jacobian_rate(state, origin, Axes::world),
                      b = jacobian_rate(state, point, Axes::world);
  EXPECT_LE(norm(b.w - a.w), kinematics_rounding * norm(a.w));
  EXPECT_LT(norm(b.v - (a.v + cross(a.w, r) + cross(w, cross(w, r)))), 1e-12 * (1 + norm(a.v)));
}

TEST_P(Kinematics, HotCallsAllocateNothing) {
  TORSOR_NEEDS_ALLOCATION_COUNTS();
  const Frame& frame = model->frames[size_t(model->frame("link8"))];
  Eigen::MatrixXd J(6, model->n_v);
  std::vector<Pose<double>> X_WB(size_t(model->n_body));
  std::vector<Twist<double>> S_W(size_t(model->n_v)), Sdot_W(S_W), V_W(X_WB.size());
  const long before = allocations();
  joint_screws(state, X_WB, S_W);
  joint_screw_rates(state, S_W, V_W, Sdot_W);
  for (const Axes axes : {Axes::frame, Axes::world}) {
    frame_jacobian(state, frame, axes, J);
    J.col(0) << stacked(frame_twist(state, frame, axes)) +
                    stacked(jacobian_rate(state, frame, axes));
    jacobian_derivative(state, frame, axes, J);
  }
  EXPECT_EQ(allocations() - before, 0);
}

// Checks that a link fixed to the world does not move, and that its frame exists.
TEST(KinematicsOfFixedLinks, HasNoMotion) {
  RobotDescription robot = random_robot(3, Shape::chain, 5);
  LinkDescription post;
  post.name = "post";
  post.joint.placement = ScrewPlacement{.X_PL = translation<double>({1, 2, 3})};
  robot.links.push_back(post);
  const auto model = build(robot);
  Random random(5);
  const State state = random_state(model, random);
  const Frame& frame = model->frames[size_t(model->frame("post"))];
  EXPECT_EQ(norm(frame_pose(state, frame).p - Vec3<double>{1, 2, 3}), 0);
  EXPECT_EQ(frame_jacobian(state, frame).norm(), 0);
  EXPECT_EQ(stacked(frame_twist(state, frame)).norm(), 0);
}

}  // namespace
}  // namespace torsor::test
