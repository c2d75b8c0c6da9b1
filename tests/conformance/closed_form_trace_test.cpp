// Tests of the traces of closed forms: lie_group and lagrange_christoffel against kinematics, other
// solvers and differences on random trees, planar_lagrange against the formulae of RCFS.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "conformance/random_case.hpp"
#include "conformance/traced.hpp"
#include "support/known_robots.hpp"

namespace torsor::test {
namespace {

Vector six(const Twist<double>& V) {
  return stacked(V.w, V.v);
}
// Returns the rows of a matrix that is traced row by row.
Matrix traced_rows(const Tracer& of, const char* symbol) {
  const int n = of.model().n_v;
  Matrix out(n, n);
  for (int k = 0; k < n; ++k) out.row(k) = traced(of, symbol, k);
  return out;
}
Vector traced_forces(const Tracer& of, const char* symbol) {
  Vector out(of.model().n_v);
  for (int k = 0; k < of.model().n_v; ++k) out[k] = traced(of, symbol, k)[0];
  return out;
}
// Returns the traced Jacobian of a body, [6 x n_v].
Matrix traced_jacobian(const Tracer& of, const char* symbol, int body) {
  const Vector x = traced(of, symbol, body);
  return Eigen::Map<const Eigen::MatrixXd>(x.data(), 6, of.model().n_v);
}
void expect_matrix(const Matrix& a, const Matrix& b, double size, const char* what) {
  expect_near(a.reshaped(), b.reshaped(), size, what);
}

class ClosedFormTrace : public testing::TestWithParam<RobotCase> {
 protected:
  ClosedFormTrace() {
    for (const Link& link : model->links)
      state.add_wrench(model->frames[size_t(link.frame)], {random.vector(2), random.vector(5)});
    for (Tracer* of : {&lie, &lagrange, &newton}) EXPECT_TRUE(of->trace(state, vdot)) << of->id();
  }
  Vector armature() const { return Eigen::Map<const Vector>(model->armature.data(), model->n_v); }

  Random random{4000 + GetParam().seed};
  std::shared_ptr<const Model> model = build(described(GetParam()));
  State state = random_state(model, random);
  std::vector<double> vdot = random_values(random, model->n_v, 4);
  Tracer lie = tracer("solver.lie_group", model),
         lagrange = tracer("solver.lagrange_christoffel", model),
         newton = tracer("solver.newton_euler", model);
  TestSolver solver{"newton_euler", model};
};
constexpr RobotCase closed_form_cases[] = {
    {1, Shape::chain, 1}, {7, Shape::chain, 3}, {12, Shape::tree, 6}, {25, Shape::tree, 7}};
INSTANTIATE_TEST_SUITE_P(Random, ClosedFormTrace, testing::ValuesIn(closed_form_cases),
                         [](const auto& test) { return case_name(test.param); });

TEST_P(ClosedFormTrace, EndsInTheTorquesOfNewtonEuler) {
  const Twist<double> V{random.vector(1), random.vector(1)}, A{random.vector(1), random.vector(1)};
  state.set_world_motion(V, A);
  const Vector tau = solver.inverse(state, to_vector(vdot));
  for (const char* id : {"solver.lie_group", "solver.lagrange_christoffel"})
    for (const auto frames : {Tracer::Frames::of_bodies, Tracer::Frames::of_links}) {
      Tracer of = tracer(id, model, frames);
      ASSERT_TRUE(of.trace(state, vdot));
      EXPECT_TRUE(agree(result(of), tau)) << id;
    }
}

// The frames are those of the links.
TEST_P(ClosedFormTrace, MotionsAndJacobiansAreThoseOfTheLinks) {
  const Vector v = velocity(state), a = to_vector(vdot);
  for (int i = 1; i < model->n_body; ++i) {
    const Frame& frame = link_frame(lie, i);
    const Matrix J = frame_jacobian(state, frame), Jd = jacobian_derivative(state, frame);
    const Vector gravity =
        stacked({}, transpose_times(frame_pose(state, frame).R, -1.0 * state.gravity_W()));
    expect_near(traced(lie, "V", i), six(frame_twist(state, frame)), v.norm(), "V");
    expect_matrix(traced_jacobian(lie, "Jb", i), J, J.norm(), "Jb");
    expect_matrix(traced_jacobian(lagrange, "Jb", i), J, J.norm(), "Jb");
    expect_matrix(traced_jacobian(lie, "Jd", i), Jd, J.norm() * v.norm(), "Jd");
    expect_near(traced(lie, "Vd", i), J * a + six(jacobian_rate(state, frame)) + gravity,
                J.norm() * (a.norm() + v.squaredNorm()), "Vd");
    expect_near(traced(lie, "U", i), gravity, gravity.norm(), "U");
    expect_near(traced(lagrange, "A", i), gravity, gravity.norm(), "A");
    const Vector F = traced(newton, "F", i);
    expect_near(traced(lie, "F", i), F, 10 * F.norm(), "F");
  }
}

// Compares with Newton-Euler. M, C and g of this state are without the applied wrenches.
TEST_P(ClosedFormTrace, MatricesAreThoseOfTheEquationOfMotion) {
  const Vector v = velocity(state);
  const Matrix M = solver.mass_matrix(state);
  const Vector g = solver.gravity(state), b = solver.bias(state);
  EXPECT_TRUE(agree(traced_rows(lie, "H"), M));
  EXPECT_TRUE(agree(traced_rows(lagrange, "B"), M - Matrix(armature().asDiagonal())));
  for (const Tracer* of : {&lie, &lagrange}) {
    const Matrix C = traced_rows(*of, "C");
    EXPECT_TRUE(agree(traced_forces(*of, "g"), g));
    expect_near(C * v + traced_forces(*of, "g"), b, 10 * (C.norm() * v.norm() + g.norm()),
                "C v + g");
    // Mdot = C + C^T, with Mdot from differences along the motion.
    const auto M_after = [&](double t) {
      State there = state;
      std::vector<double> q(there.q().size());
      integrate(*model, state.q().data(), state.v.data(), t, q.data());
      there.set_q(q);
      return solver.mass_matrix(there);
    };
    const double h = 1e-4;
    const Matrix Mdot =
        (8 * (M_after(h) - M_after(-h)) - (M_after(2 * h) - M_after(-2 * h))) / (12 * h);
    EXPECT_LT((C + C.transpose() - Mdot).norm(), 1e-6 * (Mdot.norm() + M.norm())) << of->id();
  }
}

TEST_P(ClosedFormTrace, LagrangeSumsInertiasAndWrenchesOfSubtrees) {
  std::vector<Matrix> inertia(size_t(model->n_body), Matrix::Zero(6, 6));
  std::vector<Vector> wrench(size_t(model->n_body), Vector::Zero(6));
  Vector Q = Vector::Zero(model->n_v);
  const auto in_link = [&](int i) { return frame_pose(state, link_frame(lagrange, i)); };
  for (int m = 1; m < model->n_body; ++m) {
    const SpatialInertia<double> M =
        transform(inverse(lagrange.X_BL(m)), model->inertia_B[size_t(m)]);
    const Wrench<double> F = inverse_transform(lagrange.X_BL(m), state.F_B()[size_t(m)]);
    Q += frame_jacobian(state, link_frame(lagrange, m)).transpose() * stacked(F.n, F.f);
    for (int i = m; i > 0; i = model->parent[size_t(i)]) {
      const Pose<double> X = inverse(in_link(i)) * in_link(m);
      for (int k = 0; k < 6; ++k) {
        const Vector e = Vector::Unit(6, k);
        const Twist<double> moved =
            inverse_transform(X, Twist<double>{{e[0], e[1], e[2]}, {e[3], e[4], e[5]}});
        const Wrench<double> momentum = transform(X, M * moved);
        inertia[size_t(i)].col(k) += stacked(momentum.n, momentum.f);
      }
      const Wrench<double> at = transform(X, F);
      wrench[size_t(i)] += stacked(at.n, at.f);
    }
  }
  for (int i = 1; i < model->n_body; ++i) {
    const Matrix& M = inertia[size_t(i)];
    expect_near(traced(lagrange, "Mc", i), M.reshaped(), 10 * M.norm(), "Mc");
    expect_near(traced(lagrange, "Fc", i), wrench[size_t(i)], 10 * wrench[size_t(i)].norm(), "Fc");
  }
  expect_near(traced_forces(lagrange, "Q"), Q, 100 * Q.norm(), "Q");
}

// Checks the symbols for chosen velocities. Without gravity, the bias of Newton-Euler for v = e_l
// is G_kll. For v = e_l + e_m, it also contains G_klm + G_kml. C from the symbols is checked above.
TEST_P(ClosedFormTrace, SymbolsAreTheVelocityForcesOfPairsOfDof) {
  const int n = model->n_v;
  std::vector<Matrix> G;
  for (int k = 0; k < n; ++k) {
    const Vector x = traced(lagrange, "G", k);
    G.push_back(Eigen::Map<const Eigen::Matrix<double, -1, -1, Eigen::RowMajor>>(x.data(), n, n));
  }
  State moving(model);
  moving.set_q({state.q().begin(), state.q().end()});
  moving.set_gravity({0, 0, 0});
  const auto forces = [&](const Vector& v) {
    moving.v = to_list(v);
    return solver.bias(moving);
  };
  const Vector v = velocity(state);
  for (int l = 0; l < n; ++l)
    for (int m = l; m < n; ++m) {
      const Vector e = l == m ? Vector(Vector::Unit(n, l))
                              : Vector(Vector::Unit(n, l) + Vector::Unit(n, m)),
                   b = forces(e);
      for (int k = 0; k < n; ++k)
        EXPECT_NEAR(e.dot(G[size_t(k)] * e), b[k], 1e-10 * (1 + b.norm() + G[size_t(k)].norm()));
    }
  for (int k = 0; k < n; ++k)
    expect_near(G[size_t(k)] * v, traced(lagrange, "C", k), 1 + G[size_t(k)].norm() * v.norm(),
                "G v");
}

TEST_P(ClosedFormTrace, LagrangeAddsTheForcesOfAMovingWorld) {
  const Twist<double> V{random.vector(1), random.vector(1)}, A{random.vector(1), random.vector(1)};
  EXPECT_EQ(traced_forces(lagrange, "cw").norm(), 0) << "the world is at rest";
  state.set_world_motion({}, A);
  const Vector without = solver.bias(state);
  state.set_world_motion(V, A);
  const Vector with = solver.bias(state);
  ASSERT_TRUE(lagrange.trace(state, vdot));
  expect_near(traced_forces(lagrange, "cw"), with - without, 10 * (with.norm() + without.norm()),
              "cw");
  const Vector v = velocity(state), a = to_vector(vdot);
  const Matrix B = traced_rows(lagrange, "B"), C = traced_rows(lagrange, "C");
  const Vector sum = B * a + C * v + traced_forces(lagrange, "cw") + traced_forces(lagrange, "g") -
                     traced_forces(lagrange, "Q") + armature().cwiseProduct(a);
  expect_near(result(lagrange), sum, 100 * sum.norm(), "tau");
}

// Checks RCFS 108-110 with the angles of the links.
TEST(TraceOfAPlanarChain, IsTheClosedFormInAbsoluteAngles) {
  const Vector length = (Vector(3) << 0.8, 0.5, 0.3).finished(),
               mass = (Vector(3) << 1.5, 0.7, 0.4).finished(),
               x = (Vector(3) << 0.3, -1.1, 0.6).finished(),
               xd = (Vector(3) << 0.9, -2, 1.3).finished(),
               xdd = (Vector(3) << 1.2, 3, -2).finished(),
               q = (Vector(3) << 0.3, -0.8, -0.2).finished(),
               qd = (Vector(3) << 0.9, -1.1, 0.2).finished(),
               qdd = (Vector(3) << 1.2, 4.2, 2.2).finished(),
               carried = (Vector(3) << 2.6, 1.1, 0.4).finished();
  const auto model = build(planar_n_link(length, mass));
  State state(model);
  state.set_q(to_list(x));
  state.v = to_list(xd);
  state.set_gravity({0, -9.81, 0});
  const Vec3<double> force{1, 2, 0};
  const Frame& tip = model->frames[size_t(model->frame("tip3"))];
  state.add_wrench(tip, {{0, 0, 0.7}, force});
  Tracer of = tracer("solver.planar_lagrange", model);
  ASSERT_TRUE(of.trace(state, to_list(xdd)));
  const Vec3<double> pushed = frame_pose(state, tip).R * force;
  Vector u(3);
  for (int h = 0; h < 3; ++h) {
    // The link vector is in the axes of link 1, which is turned by q_1.
    expect_near(
        traced(of, "r", h + 1),
        (Vector(3) << length[h] * std::cos(q[h] - q[0]), length[h] * std::sin(q[h] - q[0]), 0)
            .finished(),
        1, "r");
    EXPECT_NEAR(traced(of, "qd", h)[0], qd[h], 1e-14);
    EXPECT_NEAR(traced(of, "qdd", h)[0], qdd[h], 1e-14);
    const double g = carried[h] * 9.81 * length[h] * std::cos(q[h]);
    EXPECT_NEAR(traced(of, "ga", h)[0], g, 1e-12);
    u[h] = g - (h == 2 ? 0.7 : 0) -
           length[h] * (std::cos(q[h]) * pushed.y - std::sin(q[h]) * pushed.x);
    for (int k = 0; k < 3; ++k) {
      const double m = carried[std::max(h, k)] * length[h] * length[k];
      EXPECT_NEAR(traced(of, "Ma", h)[k], m * std::cos(q[h] - q[k]), 1e-14);
      EXPECT_NEAR(traced(of, "Ca", h)[k], m * std::sin(q[h] - q[k]), 1e-14);
      u[h] += m * (std::cos(q[h] - q[k]) * qdd[k] + std::sin(q[h] - q[k]) * qd[k] * qd[k]);
    }
  }
  expect_near(traced_forces(of, "u"), u, u.norm(), "u");
  expect_near(result(of), (Vector(3) << u.sum(), u[1] + u[2], u[2]).finished(), u.norm(), "tau");
}

// Checks a chain with rotors whose base moves in space.
TEST(TraceOfAPlanarChain, EndsInTheTorquesOfNewtonEuler) {
  Random random{11};
  const auto model = build(described({5, Shape::planar, 13}));
  TestSolver solver("newton_euler", model);
  State state = random_state(model, random);
  const std::vector<double> vdot = random_values(random, model->n_v, 4);
  state.add_wrench(model->frames[size_t(model->links.back().frame)],
                   {random.vector(2), random.vector(5)});
  for (const bool moving : {false, true}) {
    if (moving)
      state.set_world_motion({random.vector(1), random.vector(1)},
                             {random.vector(1), random.vector(1)});
    for (const auto frames : {Tracer::Frames::of_bodies, Tracer::Frames::of_links}) {
      Tracer of = tracer("solver.planar_lagrange", model, frames);
      ASSERT_TRUE(of.trace(state, vdot));
      EXPECT_TRUE(agree(result(of), solver.inverse(state, to_vector(vdot))));
      EXPECT_TRUE(agree(traced_rows(of, "H"), solver.mass_matrix(state)));
      EXPECT_TRUE(agree(traced_forces(of, "g"), solver.gravity(state)));
      expect_matrix(traced_rows(of, "C"),
                    TestSolver("lagrange_christoffel", model).coriolis_matrix(state), 10, "C");
      const Vector ga = traced_forces(of, "ga"), qd = traced_forces(of, "qd");
      if (moving) continue;
      const Vector sum = traced_rows(of, "Ca") * qd.cwiseAbs2() + ga;
      Matrix L = Matrix::Zero(sum.size(), sum.size());  // in the order of the dof
      for (int i = 1; i < model->n_body; ++i)
        for (int p = 1; p <= i; ++p) L(model->v_index[size_t(i)], model->v_index[size_t(p)]) = 1;
      EXPECT_TRUE(agree(L.transpose() * sum, solver.bias(state)));
    }
  }
}

}  // namespace
}  // namespace torsor::test
