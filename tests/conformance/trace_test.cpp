// Tests of the traces of recursions: against kinematics, laws of mechanics, each other, and a
// closed form.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "conformance/random_case.hpp"
#include "conformance/traced.hpp"
#include "support/known_robots.hpp"
#include "torsor/mechanics/kinematics.hpp"

namespace torsor::test {
namespace {

class Trace : public testing::TestWithParam<RobotCase> {
 protected:
  Trace() {
    for (const Link& link : model->links)
      state.add_wrench(model->frames[size_t(link.frame)], {random.vector(2), random.vector(5)});
    for (Tracer* of : {&inward, &forward})
      EXPECT_TRUE(of->trace(state, of->of_forward() ? tau : vdot)) << of->id();
  }

  Random random{3000 + GetParam().seed};
  std::shared_ptr<const Model> model = build(described(GetParam()));
  State state = random_state(model, random);
  std::vector<double> vdot = random_values(random, model->n_v, 4),
                      tau = to_list(
                          TestSolver("newton_euler", model).inverse(state, to_vector(vdot)));
  Tracer inward = tracer("solver.newton_euler", model),
         forward = tracer("solver.articulated_body", model);
};
constexpr RobotCase trace_cases[] = {
    {1, Shape::chain, 1}, {15, Shape::chain, 4}, {12, Shape::tree, 6}, {25, Shape::tree, 7}};
INSTANTIATE_TEST_SUITE_P(Random, Trace, testing::ValuesIn(trace_cases),
                         [](const auto& test) { return case_name(test.param); });

TEST_P(Trace, EndsInTheResultOfTheSolver) {
  const Twist<double> V{random.vector(1), random.vector(1)}, A{random.vector(1), random.vector(1)};
  state.set_world_motion(V, A);
  const Vec3<double> origin = A.v + cross(V.w, V.v) - state.gravity_W();
  for (const auto frames : {Tracer::Frames::of_bodies, Tracer::Frames::of_links}) {
    Tracer inverse = tracer("solver.newton_euler", model, frames),
           forward = tracer("solver.articulated_body", model, frames);
    TestSolver solver("newton_euler", model);
    ASSERT_TRUE(inverse.trace(state, vdot));
    ASSERT_TRUE(forward.trace(state, tau));
    EXPECT_TRUE(agree(result(inverse), solver.inverse(state, to_vector(vdot))));
    EXPECT_TRUE(agree_acceleration(
        result(forward), TestSolver("articulated_body", model).forward(state, to_vector(tau)),
        solver.mass_matrix(state)));
    expect_near(stacked(traced3(inverse, "w", 0), traced3(inverse, "a", 0)), stacked(V.w, origin),
                1, "world");
    expect_near(traced(forward, "A", 0), stacked(A.w, origin), 1, "world");
    EXPECT_EQ(forward.steps().size(),
              size_t(model->n_body - 1) * forward.table().quantities.size());
  }
}

// Equations: KHALIL 7.43, 7.44, 7.51, 7.52, 7.53, 7.54, 7.57.
TEST_P(Trace, MotionsAreThoseOfTheLinksFrames) {
  const Vector v = velocity(state), a = to_vector(vdot);
  for (int i = 1; i < model->n_body; ++i) {
    const Frame& frame = link_frame(inward, i);
    const Mat3<double> R = frame_pose(state, frame).R;
    const Vector moving = frame_jacobian(state, frame, Axes::world) * a;
    const Twist<double> rate = jacobian_rate(state, frame, Axes::world);
    const Vec3<double> wd = Vec3<double>{moving[0], moving[1], moving[2]} + rate.w,
                       at = Vec3<double>{moving[3], moving[4], moving[5]} + rate.v -
                            state.gravity_W();
    const Vector acceleration = stacked(transpose_times(R, wd), transpose_times(R, at));
    const Vec3<double> w = frame_twist(state, frame).w;
    for (const Tracer* of : {&inward, &forward})
      expect_near(stacked(traced3(*of, "w", i), {}), stacked(w, {}), v.norm(), "w");
    expect_near(stacked(traced3(inward, "wd", i), traced3(inward, "a", i)), acceleration, a.norm(),
                "wd, a");
  }
}

// Checks that the power of all inertial wrenches is the power of the joints without their rotors.
// Also checks that the wrenches through the joints at the world add up to the sum of all inertial
// wrenches, in the world frame.
TEST_P(Trace, WrenchesBalanceAndTheirPowerIsThatOfTheJoints) {
  double given = 0, size = 0;
  for (size_t k = 0; k < vdot.size(); ++k)
    given += state.v[k] * (inward.result()[k] - model->armature[k] * vdot[k]);
  Vector through = Vector::Zero(6), taken = Vector::Zero(6);
  const auto in_world = [&](const Vector& F, int body) {
    const Pose<double> X = frame_pose(state, link_frame(inward, body));
    const Wrench<double> at = transform(X, Wrench<double>{{F[0], F[1], F[2]}, {F[3], F[4], F[5]}});
    return stacked(at.n, at.f);
  };
  for (int i = 1; i < model->n_body; ++i) {
    const Vector F = traced(inward, "F", i);
    const Twist<double> V = frame_twist(state, link_frame(inward, i));
    given -= stacked(V.w, V.v).dot(F);
    size += stacked(V.w, V.v).norm() * F.norm();
    taken += in_world(F, i);
    if (model->parent[size_t(i)] == 0) through += in_world(traced(inward, "f", i), i);
  }
  EXPECT_LT(std::abs(given), tolerance * size);
  expect_near(through, taken, size, "all wrenches");
}

// Checks that P A + b at every joint is the Newton-Euler wrench of the same motion, and that P is
// symmetric.
// Equations: KHALIL 7.67.
TEST_P(Trace, ArticulatedInertiasGiveTheWrenchesOfTheJoints) {
  std::vector<double> again(forward.result().begin(), forward.result().end());
  ASSERT_TRUE(inward.trace(state, again));
  const Matrix Minv = TestSolver("newton_euler", model).inverse_mass_matrix(state);
  for (int i = 1; i < model->n_body; ++i) {
    const Matrix inertia = Eigen::Map<const Matrix>(
                     forward.at(forward.table().find("P").value(), i).data(), 6, 6),
                 carried = Eigen::Map<const Matrix>(
                     forward.at(forward.table().find("Pa").value(), i).data(), 6, 6);
    EXPECT_EQ((inertia - inertia.transpose()).norm(), 0);
    const Vector A = traced(forward, "A", i), b = traced(forward, "b", i),
                 f = traced(inward, "f", i);
    const double size = inertia.norm() * A.norm() + b.norm();
    EXPECT_LT((inertia * A + b - f).norm(), 1e-10 * (size + f.norm())) << "body " << i;
    expect_near(stacked(traced3(inward, "wd", i), traced3(inward, "a", i)), A, A.norm(), "A");
    const int first = model->v_index[size_t(i)], last = first + model->v_count[size_t(i)] - 1;
    double rotor = 0;
    for (int k = first; k <= last; ++k) rotor += model->armature[size_t(k)];
    const Twist<double> S = inverse_transform(forward.X_BL(i), model->S_B[size_t(last)]);
    // Without a rotor, the articulated inertia beyond the joint vanishes along the joint's own
    // motion.
    if (rotor == 0) {
      EXPECT_LT((carried * stacked(S.w, S.v)).norm(), 1e-10 * inertia.norm()) << "body " << i;
    }
    // This dof is eliminated last, when all others are free. So its d is the inverse of its
    // diagonal entry of M^-1.
    if (model->parent[size_t(i)] == 0) {
      const double d = traced(forward, "d", last)[0];
      EXPECT_NEAR(d * Minv(last, last), 1, 1e-8) << "body " << i;
    }
  }
}

// Checks every displayed equation of the articulated-body recursion with matrices. The inputs are
// the displayed quantities.
// Equations: KHALIL 7.68, 7.70, 7.71, 7.72, 7.73, 7.74, 7.75, 7.76, 7.77, 7.78.
TEST_P(Trace, ArticulatedBodiesFollowTheirEquations) {
  const auto six = [](const auto& x) { return stacked(x.w, x.v); };
  const auto w_of = [&](int i) { return traced3(forward, "w", i); };
  const auto matrix = [&](const char* symbol, int i) -> Matrix {
    return traced(forward, symbol, i).reshaped(6, 6);
  };
  const auto pose = [&](int i) {
    return i == 0 ? Pose<double>::identity() : frame_pose(state, link_frame(forward, i));
  };
  for (int i = model->n_body - 1; i > 0; --i) {
    const int p = model->parent[size_t(i)], first = model->v_index[size_t(i)],
              count = model->v_count[size_t(i)];
    const Pose<double> X = inverse(pose(p)) * pose(i), L = forward.X_BL(i);
    Matrix S(6, count);
    for (int k = 0; k < count; ++k)
      S.col(k) = six(inverse_transform(L, model->S_B[size_t(first + k)]));
    const Vector s = S * Eigen::Map<const Vector>(&state.v[size_t(first)], count);
    const Vec3<double> sw{s[0], s[1], s[2]}, sv{s[3], s[4], s[5]}, w = w_of(i), w_p = w_of(p);
    const Vec3<double> k_i = cross(w_p, cross(w_p, X.p));
    expect_near(stacked(traced3(forward, "k", i), {}), stacked(k_i, {}), 1, "k");
    const Vector gamma = stacked(cross(w, sw), 2 * cross(w, sv) - cross(sw, sv));
    expect_near(traced(forward, "gamma", i), gamma, s.norm(), "gamma");

    const SpatialInertia<double> M = transform(inverse(L), model->inertia_B[size_t(i)]);
    const Wrench<double> applied = inverse_transform(L, state.F_B()[size_t(i)]);
    const Vector beta = stacked(cross(w, M.I * w) - applied.n, cross(w, cross(w, M.h)) - applied.f);
    expect_near(traced(forward, "beta", i), beta, 1, "beta");
    Vector b = beta;
    for (int c = 1; c < model->n_body; ++c) {
      if (model->parent[size_t(c)] != i) continue;
      const Pose<double> X_c = inverse(pose(i)) * pose(c);
      Matrix Ad(6, 6);  // Ad(X_c^-1)
      for (int k = 0; k < 6; ++k) {
        const Vector e = Vector::Unit(6, k);
        Ad.col(k) =
            six(inverse_transform(X_c, Twist<double>{{e[0], e[1], e[2]}, {e[3], e[4], e[5]}}));
      }
      const Vector moved = traced(forward, "gamma", c) + Ad * stacked({}, traced3(forward, "k", c));
      b += Ad.transpose() * (traced(forward, "ba", c) + matrix("Pa", c) * moved);
    }
    const double size = matrix("P", i).norm() + b.norm();
    expect_near(traced(forward, "b", i), b, size, "b");

    Matrix P = matrix("P", i);
    for (int k = 0; k < count; ++k) {
      const Vector U = P * S.col(k);
      const double d = S.col(k).dot(U) + model->armature[size_t(first + k)],
                   u = tau[size_t(first + k)] - S.col(k).dot(b);
      expect_near(traced(forward, "U", first + k), U, size, "U");
      expect_near(traced(forward, "d", first + k), Vector::Constant(1, d), size, "d");
      expect_near(traced(forward, "u", first + k), Vector::Constant(1, u), size, "u");
      P -= U * U.transpose() / d;
      b += U * u / d;
    }
    EXPECT_LT((matrix("Pa", i) - P).norm(), 1e-10 * size);
    EXPECT_LT((traced(forward, "ba", i) - b).norm(), 1e-10 * size);

    const Vector A_p = traced(forward, "A", p) + stacked({}, k_i);
    const Twist<double> carried =
        inverse_transform(X, Twist<double>{{A_p[0], A_p[1], A_p[2]}, {A_p[3], A_p[4], A_p[5]}});
    expect_near(traced(forward, "Ac", i), six(carried) + gamma, A_p.norm(), "Ac");
    const Vector moving = S * Eigen::Map<const Vector>(&forward.result()[size_t(first)], count);
    expect_near(traced(forward, "A", i), traced(forward, "Ac", i) + moving,
                A_p.norm() + moving.norm(), "A");
  }
}

// Checks RCFS's arm of two point masses. The force at a joint is the sum of m (pddot - g) over the
// masses that it carries. The moment is that of these forces about the joint.
// Equations: KHALIL 7.36, 7.38, 7.55, 7.58, 7.60; MR 9.17, 9.56.
TEST(TraceOfAnArm, IsTheClosedFormOfTwoPointMasses) {
  const double l1 = 0.8, l2 = 0.5, m1 = 1.5, m2 = 0.7, q1 = 0.3, q2 = -1.1, u1 = 0.9, u2 = -2,
               a1 = 1.2, a2 = 3;
  const auto model =
      build(planar_n_link((Vector(2) << l1, l2).finished(), (Vector(2) << m1, m2).finished()));
  State state(model);
  state.set_q(std::vector{q1, q2});
  state.v = {u1, u2};
  state.set_gravity({0, -9.81, 0});
  Tracer of = tracer("solver.newton_euler", model);
  ASSERT_TRUE(of.trace(state, std::vector{a1, a2}));
  // Returns the acceleration of a mass at the end of a rod of length l, relative to its other end.
  // The rod has the angle q, the rate u and the angular acceleration a.
  const auto relative = [](double l, double q, double u, double a) {
    return Vec3<double>{-l * (a * std::sin(q) + u * u * std::cos(q)),
                        l * (a * std::cos(q) - u * u * std::sin(q)), 0};
  };
  const Vec3<double> p1{l1 * std::cos(q1), l1 * std::sin(q1), 0},
      r2{l2 * std::cos(q1 + q2), l2 * std::sin(q1 + q2), 0}, g{0, -9.81, 0},
      acc1 = relative(l1, q1, u1, a1), acc2 = acc1 + relative(l2, q1 + q2, u1 + u2, a1 + a2);
  const Vec3<double> force1 = m1 * (acc1 - g), force2 = m2 * (acc2 - g);
  const Vec3<double> moment2 = cross(r2, force2),
                     moment1 = cross(p1, force1) + cross(p1 + r2, force2);
  const auto in_world = [&](const char* symbol, int body) {
    const Mat3<double> R = frame_pose(state, link_frame(of, body)).R;
    const Vector x = traced(of, symbol, body);
    return stacked(R * Vec3<double>{x[0], x[1], x[2]}, R * Vec3<double>{x[3], x[4], x[5]});
  };
  expect_near(in_world("f", 2), stacked(moment2, force2), 10, "f of link 2");
  expect_near(in_world("f", 1), stacked(moment1, force1 + force2), 10, "f of link 1");
  expect_near(in_world("F", 1), stacked(cross(p1, force1), force1), 10, "F of link 1");
  EXPECT_NEAR(traced3(of, "w", 2).z, u1 + u2, 1e-15);
  EXPECT_NEAR(traced(of, "tau", 0)[0], moment1.z, 1e-13);
  EXPECT_NEAR(traced(of, "tau", 1)[0], moment2.z, 1e-13);
}

TEST(TraceOfAnArm, NamesWhatGoesInAndWhatComesOut) {
  const auto model = build(planar_n_link(Vector::Ones(2), Vector::Ones(2)));
  Tracer of = tracer("solver.articulated_body", model);
  ASSERT_TRUE(of.trace(State(model), std::vector{1.0, 2.0}));
  const int P = of.table().find("P").value(), d = of.table().find("d").value();
  const std::vector<TracedValue> in = of.inputs({1, P}), out = of.outputs({1, d});
  ASSERT_EQ(in.size(), 3u);
  EXPECT_EQ(in[0].symbol + " " + in[0].of + " " + in[0].unit,
            "M_i link1 kg, kg m, kg m^2 (m, h, Ixx Iyy Izz Ixy Ixz Iyz)");
  EXPECT_EQ(in[1].symbol + " " + in[1].of + " " + in[1].frame, "Pa_c link2 link2");
  EXPECT_EQ(in[2].symbol + " " + in[2].of + " " + in[2].frame, "X_c link2 link1");
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].symbol + " " + out[0].of + " " + out[0].unit, "d_i joint1 kg m^2");
}

TEST(TraceOfAnArm, NamesTheEntriesOfMatrices) {
  const auto model = build(planar_n_link(Vector::Ones(2), Vector::Ones(2)));
  State state(model);
  state.set_q(std::vector{0.3, 0.7});
  const auto names = [&](const Tracer& of, const char* symbol, int body) {
    std::vector<std::string> out;
    for (const TracedValue& x : of.outputs({body, of.table().find(symbol).value()}))
      out.push_back(x.symbol + " " + x.of + " [" + x.unit + "] " + x.frame);
    return out;
  };
  using testing::ElementsAre;
  Tracer lie = tracer("solver.lie_group", model),
         lagrange = tracer("solver.lagrange_christoffel", model),
         planar = tracer("solver.planar_lagrange", model);
  for (Tracer* of : {&lie, &lagrange, &planar})
    ASSERT_TRUE(of->trace(state, std::vector{1.0, 2.0}));
  EXPECT_THAT(names(lie, "Jb", 1), ElementsAre("Jb_i link1, joint1 [1, m/rad] link1"));
  EXPECT_THAT(names(lie, "Jd", 2), ElementsAre("Jd_i link2, joint1 [1/s, m/(rad s)] link2",
                                               "Jd_i link2, joint2 [1/s, m/(rad s)] link2"));
  EXPECT_THAT(names(lie, "H", 2),
              ElementsAre("H_i joint2, joint1 [kg m^2] ", "H_i joint2, joint2 [kg m^2] "));
  EXPECT_THAT(names(lie, "C", 1),
              ElementsAre("C_i joint1, joint1 [kg m^2/s] ", "C_i joint1, joint2 [kg m^2/s] "));
  EXPECT_THAT(names(lagrange, "G", 2), ElementsAre("G_i joint2, joint1, joint1 [kg m^2] "))
      << "zeros are left out";
  EXPECT_THAT(names(planar, "r", 2), ElementsAre("r_i link2 [m] link1"));
  EXPECT_THAT(names(planar, "qd", 2), ElementsAre("qd_i joint2 [rad/s] "));
  // The inputs of a sum over the carried bodies, or over all.
  const auto inputs = [&](const Tracer& of, const char* symbol, int body) {
    std::vector<std::string> out;
    for (const TracedValue& x : of.inputs({body, of.table().find(symbol).value()}))
      out.push_back(x.symbol + " " + x.of);
    return out;
  };
  EXPECT_THAT(inputs(lie, "g", 2),
              ElementsAre("Jb_s link2, joint1", "Jb_s link2, joint2", "M_s link2", "U_s link2"));
  EXPECT_THAT(inputs(planar, "Ma", 2),
              ElementsAre("r_a link1", "r_a link2", "M_a link1", "M_a link2"));
}

}  // namespace
}  // namespace torsor::test
