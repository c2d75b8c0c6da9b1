// Tests that the dynamic model is linear in the inertial parameters m, m c and I about the origin
// (KHALIL 7.3.3.3 f). It is also linear in the rotor inertias, which are added to the diagonal of M
// (KHALIL 7.3.5). The robots in each test differ in these parameters only.

#include <gtest/gtest.h>

#include "conformance/random_case.hpp"

namespace torsor::test {
namespace {

SpatialInertia<double> combined(double s, const SpatialInertia<double>& a, double t,
                                const SpatialInertia<double>& b) {
  const auto sum = [&](double x, double y) { return s * x + t * y; };
  return {sum(a.m, b.m),
          s * a.h + t * b.h,
          {sum(a.I.xx, b.I.xx), sum(a.I.yy, b.I.yy), sum(a.I.zz, b.I.zz), sum(a.I.xy, b.I.xy),
           sum(a.I.xz, b.I.xz), sum(a.I.yz, b.I.yz)}};
}

class Linearity : public RandomRobot {
 protected:
  // The quantities of one state that are linear in the parameters.
  struct Answers {
    Matrix M, C, Mdot;
    Vector tau, g, bias, Cv;
  };
  Answers ask(const RobotDescription& description, const Vector& vdot) const {
    const auto variant = build(description);
    TestSolver asked(solver_id(), variant);
    State at(variant);
    at.set_q(state.q());
    at.v = state.v;
    at.set_gravity(state.gravity_W());
    const Matrix C = asked.coriolis_matrix(at);
    return {asked.mass_matrix(at), C,
            C + C.transpose(),     asked.inverse(at, vdot),
            asked.gravity(at),     asked.bias(at),
            C * velocity(at)};
  }
  RobotDescription description() const { return described(robot()); }
};
TORSOR_ON_RANDOM_ROBOTS(Linearity);

TEST_P(Linearity, RobotsOfOneShapeSuperpose) {
  const double s = 0.3, t = 2;
  const RobotDescription one = description();
  RobotDescription other = one, sum = one;
  for (size_t i = 0; i < one.links.size(); ++i) {
    LinkDescription& link = other.links[i];
    link.inertia = another_inertia(robot(), random, link, 0.2, 10);
    if (traits(link.joint.kind).actuated) link.joint.armature = random.uniform(0, 0.5);
    sum.links[i].inertia = combined(s, one.links[i].inertia, t, link.inertia);
    sum.links[i].joint.armature = s * one.links[i].joint.armature.all + t * link.joint.armature.all;
  }
  const Vector vdot = random_vector(5);
  const Answers a = ask(one, vdot), b = ask(other, vdot), both = ask(sum, vdot);
  const auto superpose = [&](const Matrix& of_sum, const Matrix& of_one, const Matrix& of_other) {
    return close(of_sum, s * of_one + t * of_other, s * of_one.norm() + t * of_other.norm(),
                 agreement);
  };
  EXPECT_TRUE(superpose(both.M, a.M, b.M));
  EXPECT_TRUE(
      close(both.Mdot, s * a.Mdot + t * b.Mdot, s * a.C.norm() + t * b.C.norm(), agreement));
  EXPECT_TRUE(superpose(both.Cv, a.Cv, b.Cv));
  EXPECT_TRUE(superpose(both.g, a.g, b.g));
  EXPECT_TRUE(superpose(both.bias, a.bias, b.bias));
  EXPECT_TRUE(superpose(both.tau, a.tau, b.tau));
}

TEST_P(Linearity, RotorInertiaIsOnTheDiagonal) {
  const RobotDescription bare = description();
  RobotDescription geared = bare;
  Vector rotor = Vector::Zero(model->n_v);
  for (LinkDescription& link : geared.links) {
    const JointTraits& kind = traits(link.joint.kind);
    if (!kind.actuated) continue;
    const double more = random.uniform(1, 2);
    rotor.segment(model->joints[size_t(model->joint(link.joint.name))].v_index, kind.n_v)
        .setConstant(more);
    link.joint.armature = link.joint.armature.all + more;
  }
  const Vector vdot = random_vector(5);
  const Answers without = ask(bare, vdot), with = ask(geared, vdot);
  EXPECT_TRUE(close(with.M - without.M, rotor.asDiagonal(), with.M.norm(), agreement));
  EXPECT_TRUE(close(with.tau - without.tau, rotor.cwiseProduct(vdot), with.tau.norm(), agreement));
  EXPECT_TRUE(agree(with.Cv, without.Cv));
  EXPECT_TRUE(agree(with.g, without.g));
  EXPECT_TRUE(agree(with.bias, without.bias));
}

}  // namespace
}  // namespace torsor::test
