// Tests which joints and links affect an entry of the dynamic model. On a chain (KHALIL 7.3.3.3):
//   c  A_ij is a function of q_{k+1}..q_n, k = min(i, j), and of the inertial parameters of links
//      r..n, r = max(i, j)
//   d  Gamma_i is a function of the inertial parameters of links i..n
// On a tree, "after i" means "carried by joint i". If i carries j, A_ij depends on the joints from
// i to j without i, and on those that j carries. If neither joint carries the other, they are not
// coupled.
//
// Other joints and links must not change an entry except for rounding. The rounding is relative to
// the norm of the total quantity, because some solvers compute in the world frame.

#include <gtest/gtest.h>

#include "conformance/random_case.hpp"

namespace torsor::test {
namespace {

constexpr double rounding = 1e-13;

class Structure : public RandomRobot {
 protected:
  Structure() {
    for (int i = 1; i < model->n_body; ++i)
      for (int k = model->v_index[size_t(i)];
           k < model->v_index[size_t(i)] + model->v_count[size_t(i)]; ++k)
        body_of[size_t(k)] = i;
  }
  // Returns whether dof i moves the body.
  bool moves(int i, int body) const {
    while (body > body_of[size_t(i)]) body = model->parent[size_t(body)];
    return body == body_of[size_t(i)];
  }
  // Returns whether dof i moves the body of dof j.
  bool carries(int i, int j) const { return moves(i, body_of[size_t(j)]); }

  TestSolver ask_about(const RobotDescription& changed, State& at) const {
    const auto variant = build(changed);
    at = State(variant);
    at.set_q(state.q());
    at.v = state.v;
    at.set_gravity(state.gravity_W());
    return TestSolver(solver_id(), variant);
  }

  std::vector<int> body_of = std::vector<int>(size_t(model->n_v));  // [n_v] body of each dof
};
TORSOR_ON_RANDOM_ROBOTS(Structure);

TEST_P(Structure, JointsOnDifferentBranchesAreNotCoupled) {
  const Matrix M = solver.mass_matrix(state), C = solver.coriolis_matrix(state);
  for (int i = 0; i < model->n_v; ++i)
    for (int j = 0; j < model->n_v; ++j) {
      const bool coupled = carries(i, j) || carries(j, i);
      EXPECT_TRUE(coupled || M(i, j) == 0) << "M(" << i << ", " << j << ") is " << M(i, j);
      EXPECT_TRUE(coupled || C(i, j) == 0) << "C(" << i << ", " << j << ") is " << C(i, j);
    }
}

TEST_P(Structure, InertiaDependsOnTheJointsAfterTheFirst) {
  const Matrix M = solver.mass_matrix(state);
  int changes = 0;
  for (int m = 0; m < model->n_v; ++m) {
    State turned = state;
    std::vector<double> q(state.q().begin(), state.q().end());
    const Vector step = 0.7 * Vector::Unit(model->n_v, m);
    integrate(*model, q.data(), step.data(), 1, q.data());
    turned.set_q(q);
    const Matrix change = solver.mass_matrix(turned) - M;
    const double noise = rounding * (M.norm() + change.norm());
    for (int i = 0; i < model->n_v; ++i)
      for (int j = 0; j < model->n_v; ++j) {
        if (!carries(i, j)) continue;
        const bool may_change = m != i && carries(i, m) && (carries(m, j) || carries(j, m));
        for (const double d : {change(i, j), change(j, i)}) {
          EXPECT_TRUE(may_change || std::abs(d) <= noise)
              << "joint " << m << " changes M(" << i << ", " << j << ") by " << d;
          changes += std::abs(d) > noise;
        }
      }
  }
  if (robot().n > 1) {
    EXPECT_GT(changes, 0);
  }
}

TEST_P(Structure, TermsDependOnTheLinksThatTheirJointsCarry) {
  const Vector vdot = random_vector(5), tau = solver.inverse(state, vdot),
               g = solver.gravity(state), bias = solver.bias(state);
  const Matrix M = solver.mass_matrix(state);
  const RobotDescription robot_as_it_is = described(robot());
  for (size_t link = 0; link < robot_as_it_is.links.size(); ++link) {
    RobotDescription changed = robot_as_it_is;
    changed.links[link].inertia =
        changed.links[link].inertia + another_inertia(robot(), random, changed.links[link], 0.3, 5);
    // The body is 0 if the link is fixed to the world.
    const int body = model->frames[size_t(model->frame(changed.links[link].name))].body;
    State at = state;
    TestSolver variant = ask_about(changed, at);
    const Matrix changed_M = variant.mass_matrix(at), change = changed_M - M;
    const Vector changed_tau = variant.inverse(at, vdot), changed_g = variant.gravity(at),
                 changed_bias = variant.bias(at);
    const double noise = rounding * changed_M.norm();
    for (int i = 0; i < model->n_v; ++i) {
      for (int j = 0; j < model->n_v; ++j)
        EXPECT_TRUE((moves(i, body) && moves(j, body)) || std::abs(change(i, j)) <= noise)
            << changed.links[link].name << " changes M(" << i << ", " << j << ") by "
            << change(i, j);
      if (moves(i, body)) {
        EXPECT_GT(change(i, i), 0) << changed.links[link].name << " is carried by joint " << i;
        continue;
      }
      SCOPED_TRACE(changed.links[link].name + " and joint " + std::to_string(i));
      EXPECT_NEAR(changed_tau[i], tau[i], rounding * changed_tau.norm());
      EXPECT_NEAR(changed_g[i], g[i], rounding * changed_g.norm());
      EXPECT_NEAR(changed_bias[i], bias[i], rounding * changed_bias.norm());
    }
  }
}

}  // namespace
}  // namespace torsor::test
