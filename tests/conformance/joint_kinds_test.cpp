// Tests of joints with several dof for every solver, against equivalent chains of joints with one
// dof.

#include <gtest/gtest.h>

#include <set>

#include "conformance/random_case.hpp"
#include "support/log_se3.hpp"
#include "torsor/mechanics/kinematics.hpp"

namespace torsor::test {
namespace {

TEST(RandomRobots, HaveEveryKind) {
  std::set<JointKind> kinds;
  for (const RobotCase& robot : random_cases)
    for (const LinkDescription& link : described(robot).links) kinds.insert(link.joint.kind);
  EXPECT_EQ(kinds.size(), joint_kind_names().size());
}

LinkDescription moved_by(const std::string& name, const std::string& parent, JointKind kind,
                         const Vec3<double>& axis = {0, 0, 1}) {
  LinkDescription link;
  link.name = name;
  link.parent = parent;
  link.joint.name = "moves_" + name;
  link.joint.kind = kind;
  link.joint.placement = ScrewPlacement{.axis = axis};
  return link;
}

class JointKinds : public testing::TestWithParam<std::string> {
 protected:
  // Returns a model of the links with inertia on the last one. Adds a link `arm` to it, so that the
  // tested joint is not the only one.
  std::shared_ptr<const Model> with_bodies(std::vector<LinkDescription> links) const {
    RobotDescription robot;
    robot.name = "robot";
    Random same(4);
    links.back().inertia = random_inertia(same, 0.3, 5);
    LinkDescription arm = moved_by("arm", links.back().name, JointKind::revolute, {0.6, 0.8, 0});
    arm.joint.placement = ScrewPlacement{.X_PL = same.pose(0.4), .axis = {0.6, 0.8, 0}};
    arm.inertia = random_inertia(same, 0.2, 2);
    links.push_back(arm);
    robot.links = std::move(links);
    return build(robot);
  }
  static const Frame& frame(const Model& model, const char* name) {
    return model.frames[size_t(model.frame(name))];
  }

  // Returns J with v = J v_chain for the tested joint and the arm. `rows` lists the components of
  // the body's twist that are the dof of the joint.
  static Matrix columns(const State& chain, const std::vector<int>& rows) {
    const Model& model = chain.model();
    const Eigen::MatrixXd J = frame_jacobian(chain, frame(model, "body"));
    Matrix out = Matrix::Zero(Eigen::Index(rows.size()) + 1, model.n_v);
    for (size_t k = 0; k < rows.size(); ++k) out.row(Eigen::Index(k)) = J.row(rows[k]);
    out(Eigen::Index(rows.size()), model.n_v - 1) = 1;
    return out;
  }
  static State along(const State& from, double h) {
    State to = from;
    std::vector<double> q(from.q().begin(), from.q().end());
    integrate(from.model(), q.data(), from.v.data(), h, q.data());
    to.set_q(q);
    return to;
  }

  // Checks that a joint is equivalent to a chain of virtual joints (KHALIL 7.4.3): M_c = J^T M J
  // and g_c = J^T g. Torques J^T tau on the chain must give vdot = J vdot_c + Jdot v_c.
  void expect_equivalent(const State& chain, State joint, const std::vector<int>& rows) {
    const Matrix J = columns(chain, rows);
    const Vector v = velocity(chain), tau = to_vector(random_values(random, joint.model().n_v, 10));
    joint.v = to_list(J * v);
    joint.set_gravity(chain.gravity_W());
    TestSolver ask_chain(GetParam(), chain.model_ptr()), ask_joint(GetParam(), joint.model_ptr());
    EXPECT_TRUE(
        agree(ask_chain.mass_matrix(chain), J.transpose() * ask_joint.mass_matrix(joint) * J));
    EXPECT_TRUE(agree(ask_chain.gravity(chain), J.transpose() * ask_joint.gravity(joint)));
    const auto slope = [&](double h) -> Matrix {
      return (columns(along(chain, h), rows) - columns(along(chain, -h), rows)) / (2 * h);
    };
    const Matrix Jdot = (4 * slope(1e-3) - slope(2e-3)) / 3;
    const Vector vdot = J * ask_chain.forward(chain, J.transpose() * tau) + Jdot * v;
    EXPECT_TRUE(close(vdot, ask_joint.forward(joint, tau), vdot.norm(), 1e-8));
  }

  Random random{21};
};
INSTANTIATE_TEST_SUITE_P(Solvers, JointKinds, testing::ValuesIn(solver_ids()),
                         [](const auto& solver) { return solver.param; });

TEST_P(JointKinds, FloatingIsSixVirtualJoints) {
  using enum JointKind;
  const auto chain_model = with_bodies(
      {moved_by("x", "", prismatic, {1, 0, 0}), moved_by("y", "x", prismatic, {0, 1, 0}),
       moved_by("z", "y", prismatic), moved_by("roll", "z", revolute, {1, 0, 0}),
       moved_by("pitch", "roll", revolute, {0, 1, 0}), moved_by("body", "pitch", revolute)});
  const auto joint_model = with_bodies({moved_by("body", "", floating)});
  for (int k = 0; k < 5; ++k) {
    State chain(chain_model), joint(joint_model);
    chain.set_q(random_values(random, 7, 1));
    chain.v = random_values(random, 7, 2);
    chain.set_gravity(random.vector(10));
    const Pose<double> X = frame_pose(chain, frame(*chain_model, "body"));
    const Quaternion r = quaternion(X.R);
    joint.set_q(std::vector{X.p.x, X.p.y, X.p.z, r.w, r.x, r.y, r.z, chain.q()[6]});
    expect_equivalent(chain, joint, {0, 1, 2, 3, 4, 5});
  }
}

TEST_P(JointKinds, SphericalIsThreeRevoluteJoints) {
  using enum JointKind;
  const auto chain_model = with_bodies({moved_by("roll", "", revolute, {1, 0, 0}),
                                        moved_by("pitch", "roll", revolute, {0, 1, 0}),
                                        moved_by("body", "pitch", revolute)});
  const auto joint_model = with_bodies({moved_by("body", "", spherical)});
  State chain(chain_model), joint(joint_model);
  chain.set_q(random_values(random, 4, 1));
  chain.v = random_values(random, 4, 2);
  const Quaternion r = quaternion(frame_pose(chain, frame(*chain_model, "body")).R);
  joint.set_q(std::vector{r.w, r.x, r.y, r.z, chain.q()[3]});
  expect_equivalent(chain, joint, {0, 1, 2});
}

TEST_P(JointKinds, PlanarIsTwoSlidersAndAHinge) {
  using enum JointKind;
  const auto chain_model =
      with_bodies({moved_by("x", "", prismatic, {1, 0, 0}),
                   moved_by("y", "x", prismatic, {0, 1, 0}), moved_by("body", "y", revolute)});
  const auto joint_model = with_bodies({moved_by("body", "", planar)});
  State chain(chain_model), joint(joint_model);
  chain.set_q(random_values(random, 4, 3));
  chain.v = random_values(random, 4, 2);
  joint.set_q(chain.q());  // both are x, y and an angle
  expect_equivalent(chain, joint, {2, 3, 4});
}

TEST_P(JointKinds, CylindricalIsASliderAndAHinge) {
  using enum JointKind;
  const auto chain_model =
      with_bodies({moved_by("z", "", revolute), moved_by("body", "z", prismatic)});
  const auto joint_model = with_bodies({moved_by("body", "", cylindrical)});
  State chain(chain_model), joint(joint_model);
  chain.set_q(random_values(random, 3, 3));
  chain.v = random_values(random, 3, 2);
  joint.set_q(chain.q());
  expect_equivalent(chain, joint, {2, 5});
}

// Checks the pose X_PL Rot(e1, q1) Rot(e2, q2) about the point of the joint, and the dynamics
// against two revolute joints.
TEST_P(JointKinds, UniversalIsTwoRevoluteJoints) {
  const Vec3<double> first{1, 0, 0.2}, second{0, 2, 0}, point{0.1, -0.3, 0.2};
  const Pose<double> X_PL = random.pose(0.5);
  LinkDescription universal = moved_by("body", "", JointKind::revolute);
  universal.joint.placement = ScrewPlacement{.X_PL = X_PL, .axis = first, .point = point};
  universal.joint.second_axis = second;
  universal.joint.armature = std::vector{0.1, 0.2};
  LinkDescription cross = moved_by("cross", "", JointKind::revolute),
                  body = moved_by("body", "cross", JointKind::revolute);
  cross.joint.placement = ScrewPlacement{.X_PL = X_PL, .axis = first, .point = point};
  body.joint.placement = ScrewPlacement{.axis = second, .point = point};
  cross.joint.armature = 0.1;
  body.joint.armature = 0.2;
  const auto model = with_bodies({universal}), written_out = with_bodies({cross, body});
  EXPECT_EQ(model->joints[0].name, "moves_body_1");
  EXPECT_EQ(model->joints[1].name, "moves_body_2");
  EXPECT_EQ(model->links[0].name, "moves_body_cross");
  State state = random_state(model, random), same(written_out);
  same.set_q(state.q());
  same.v = state.v;
  same.set_gravity(state.gravity_W());
  TestSolver a(GetParam(), model), b(GetParam(), written_out);
  EXPECT_TRUE(agree(a.mass_matrix(state), b.mass_matrix(same)));
  EXPECT_TRUE(agree(a.bias(state), b.bias(same)));

  const auto turned = [&](const Vec3<double>& axis, double angle) {
    return translation(point) * Pose<double>{exp_so3((angle / norm(axis)) * axis), {0, 0, 0}} *
           translation(-point);
  };
  const Pose<double> expected = X_PL * turned(first, state.q()[0]) * turned(second, state.q()[1]);
  const Twist<double> error = log_se3(inverse(expected) * frame_pose(state, frame(*model, "body")));
  EXPECT_LT(norm(error.w) + norm(error.v), 1e-14);
}

// Checks that two free bodies move independently: each obeys the laws of Newton and Euler about its
// COM.
TEST_P(JointKinds, TwoFreeBodiesAreIndependent) {
  RobotDescription robot;
  robot.name = "two";
  robot.links = {moved_by("a", "", JointKind::floating), moved_by("b", "", JointKind::floating)};
  const Vec3<double> com[] = {{0.1, 0.2, -0.3}, {0, 0.4, 0.1}},
                     I_com[] = {{1, 2, 2.5}, {0.3, 0.2, 0.4}};
  for (int k = 0; k < 2; ++k)
    robot.links[size_t(k)].inertia =
        inertia_about_com(2.0 + k, com[k], {I_com[k].x, I_com[k].y, I_com[k].z, 0, 0, 0});
  const auto model = build(robot);
  State state = random_state(model, random);
  TestSolver solver(GetParam(), model);
  const Vector vdot = solver.forward(state, Vector::Zero(12));
  EXPECT_EQ(solver.mass_matrix(state).topRightCorner(6, 6).norm(), 0);
  for (int k = 0; k < 2; ++k) {
    const double* v = &state.v[size_t(6 * k)];
    const Vec3<double> w{v[0], v[1], v[2]}, u{v[3], v[4], v[5]}, &I = I_com[k], &c = com[k];
    const Vec3<double> Iw{I.x * w.x, I.y * w.y, I.z * w.z}, torque = -cross(w, Iw);
    const Vec3<double> wdot{torque.x / I.x, torque.y / I.y, torque.z / I.z};
    const Vec3<double> g =
        transpose_times(frame_pose(state, model->frames[size_t(k)]).R, state.gravity_W());
    // a_com = udot + w x u + wdot x c + w x (w x c) = g, in the axes of the body
    const Vec3<double> udot = g - cross(w, u) - cross(wdot, c) - cross(w, cross(w, c));
    Vector expected(6);
    expected << wdot.x, wdot.y, wdot.z, udot.x, udot.y, udot.z;
    EXPECT_TRUE(close(vdot.segment(6 * k, 6), expected, expected.norm(), 1e-12));
  }
}

}  // namespace
}  // namespace torsor::test
