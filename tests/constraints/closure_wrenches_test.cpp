// Tests of the joint wrenches of closed mechanisms.

#include "torsor/constraints/closure_wrenches.hpp"

#include <gmock/gmock.h>

#include "constraints/closed_states.hpp"
#include "torsor/mechanics/joint_wrenches.hpp"
#include "torsor/mechanics/kinematics.hpp"

namespace torsor::test {
namespace {

std::span<const double> entries(const Eigen::VectorXd& x) {
  return {x.data(), size_t(x.size())};
}

class JointForce : public testing::TestWithParam<const char*> {};

// Newton's law of a body at the end of a branch, with the force of the reference at the cut joint:
//   F_joint + F_cut = m (a - g)
// The right side is the joint force without closures. The force normal to the plane of the
// mechanism is not determined, and the reference has none.
TEST_P(JointForce, BalancesTheForceOfTheReference) {
  Mechanism mechanism(GetParam());
  const Model& model = *mechanism.model;
  const auto& forces = mechanism.table["values"]["joint_forces"];
  for (size_t row = 0; row < mechanism.rows(); ++row) {
    mechanism.set_row(row);
    ConstrainedDynamics dynamics(model);
    dynamics.evaluate(mechanism.solver, mechanism.state);
    const auto motion = dynamics.forward(mechanism.loads());
    const std::span<const double> vdot = entries(motion.vdot);
    const auto W =
        joint_wrenches(mechanism.state, vdot,
                       dynamics.rows().closure_wrenches(mechanism.state, motion.multipliers));
    const auto inertial = joint_wrenches(mechanism.state, vdot);
    // The force of the reference on each body.
    std::vector<Vec3<double>> on_body(size_t(model.n_body), Vec3<double>{});
    for (const auto& [name, list] : forces.items()) {
      const Closure& closure = mechanism.closure(name);
      const Vec3<double> f = vec3(list[row]);
      on_body[size_t(closure.body_B)] = on_body[size_t(closure.body_B)] + f;
      on_body[size_t(closure.body_A)] = on_body[size_t(closure.body_A)] - f;
    }
    for (int body = 1; body < model.n_body; ++body) {
      if (std::ranges::count(model.parent, body) > 0) continue;
      const Mat3<double> R = frame_pose(mechanism.state, {"", body, Pose<double>::identity()}).R;
      const Vec3<double> have = R * W[size_t(body)].f,
                         need = R * inertial[size_t(body)].f - on_body[size_t(body)];
      EXPECT_LT(norm(have - need), 1e-9 * (1 + norm(need))) << "row " << row << " body " << body;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Planar, JointForce,
                         testing::Values("A1_fourbar", "A3_fivebar", "A4_parallelogram"));

class ClosedJointWrenches : public testing::TestWithParam<uint64_t> {};

// Along the joints, S . W + armature vdot is the applied torque: what the closures exert acts on
// the bodies. Mimic joints and linear conditions exert torques along joints, which are excluded.
TEST_P(ClosedJointWrenches, HaveTheAppliedTorquesAsComponents) {
  ClosedRun run(GetParam());
  const Model& model = *run.closed.model;
  Random random(GetParam());
  const std::vector<double> torques = random_values(random, model.n_v, 5);
  const Eigen::VectorXd tau = Eigen::Map<const Eigen::VectorXd>(torques.data(), model.n_v);
  ConstrainedDynamics dynamics(model);
  dynamics.evaluate(run.solver, run.state);
  const auto motion = dynamics.forward(tau);
  const auto W = joint_wrenches(run.state, entries(motion.vdot),
                                dynamics.rows().closure_wrenches(run.state, motion.multipliers));
  std::vector<char> excluded(size_t(model.n_v), 0);
  for (const Mimicry& mimic : model.mimics)
    excluded[size_t(mimic.dof)] = excluded[size_t(mimic.of_dof)] = 1;
  for (const Closure& closure : model.closures)
    for (const ClosureTerm& term : closure.terms) excluded[size_t(term.dof)] = 1;
  double largest = 0;
  for (const Wrench<double>& wrench : W) largest = std::max(largest, norm(wrench.f));
  for (int body = 1; body < model.n_body; ++body)
    for (int k = 0; k < model.v_count[size_t(body)]; ++k) {
      const int dof = model.v_index[size_t(body)] + k;
      if (excluded[size_t(dof)]) continue;
      EXPECT_NEAR(dot(model.S_B[size_t(dof)], W[size_t(body)]) +
                      model.armature[size_t(dof)] * motion.vdot[dof],
                  tau[dof], 1e-9 * (1 + largest))
          << "dof " << dof;
    }
  EXPECT_GT(largest, 1);
}
INSTANTIATE_TEST_SUITE_P(RandomTrees, ClosedJointWrenches,
                         testing::Range(uint64_t(0), uint64_t(9)));

}  // namespace
}  // namespace torsor::test
