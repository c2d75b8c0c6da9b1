// Tests of the structure report: random robots satisfy all laws, and the report names each law that
// a solver breaks.

#include "torsor/analysis/structure_report.hpp"

#include <gmock/gmock.h>

#include "support/known_robots.hpp"
#include "support/random_robot.hpp"
#include "support/table_solver.hpp"

namespace torsor::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

StructureReport inspect(Solver& solver, int states = 1, uint64_t seed = 1) {
  StructureInspection inspection(solver, {0, 0, -9.81}, seed);
  for (int k = 0; k < states; ++k) inspection.check_state();
  return inspection.report();
}

std::vector<std::string> broken(const StructureReport& report) {
  std::vector<std::string> out;
  for (const LawResult& law : report.laws)
    if (law.broken()) out.push_back(law.name);
  return out;
}

// Checks random robots with every joint kind. The errors must be far below the tolerances, so that
// a real fault is visible.
TEST(StructureReport, RandomRobotsSatisfyAllLaws) {
  for (const uint64_t seed : {1, 2, 3}) {
    TORSOR_TRACE_SEED(seed);
    Solver solver =
        table_solver(dense_solver_table(), build(random_robot(5, Shape::tree, seed, Kinds::every)));
    const StructureReport report = inspect(solver);
    EXPECT_THAT(broken(report), IsEmpty());
    for (const LawResult& law : report.laws)
      EXPECT_LT(law.worst, law.allowed < 1 ? 1e-9 : law.allowed) << law.name;
    EXPECT_EQ(report.factorisation, Factorisation::bodies);
  }
}

// Checks RCFS's 2R arm of unit masses and lengths, with c = cos q2: M = (3 + 2c, 1 + c; 1 + c, 1).
// Its eigenvalues follow from the trace 4 + 2c and the determinant 2 - c^2.
TEST(StructureReport, MatchesTheClosedFormOfAPlanarArm) {
  torsor_solver table = dense_solver_table();
  table.coriolis_matrix = nullptr;  // The host derives C with Christoffel symbols.
  Solver solver = table_solver(table, build(planar_n_link(Vector::Ones(2), Vector::Ones(2))));
  const StructureReport report = inspect(solver, 100);
  EXPECT_THAT(broken(report), IsEmpty());
  EXPECT_EQ(report.factorisation, Factorisation::christoffel);
  EXPECT_NEAR(report.largest_eigenvalue.largest, 3 + std::sqrt(8.0), 1e-2);  // stretched: c = 1
  EXPECT_NEAR(report.smallest_eigenvalue.least, 3 - std::sqrt(8.0), 1e-2);
  EXPECT_NEAR(report.condition.least, 1, 0.1);  // folded: M = 1
  EXPECT_NEAR(report.condition.largest, std::pow(3 + std::sqrt(8.0), 2), 0.1);
  EXPECT_THAT(report.endless, IsEmpty());
}

// Checks a pan and a roll joint with the mass in the horizontal plane: g vanishes except for
// rounding, and U is zero.
TEST(StructureReport, TreatsRoundingErrorsAsZero) {
  RobotDescription robot;
  for (const char* name : {"pan", "roll"}) {
    LinkDescription link;
    link.name = name;
    if (!robot.links.empty()) link.parent = robot.links.back().name;
    link.joint.name = std::string(name) + "_joint";
    link.joint.kind = JointKind::revolute;
    link.joint.placement = ScrewPlacement{
        .axis = name == std::string("pan") ? Vec3<double>{0, 0, 1} : Vec3<double>{1, 0, 0}};
    link.inertia = inertia_about_com(1, {0.1, 0, 0}, {0.1, 0.1, 0.1, 0, 0, 0});
    robot.links.push_back(link);
  }
  Solver solver = table_solver(dense_solver_table(), build(robot));
  EXPECT_THAT(broken(inspect(solver, 20)), IsEmpty());
}

// Checks a prismatic joint on a revolute joint. Across the axis of rotation, a slider without
// limits is an unbounded lever arm. Along the axis it is not.
TEST(StructureReport, FindsUnboundedLeverArms) {
  const auto arm = [](Vec3<double> axis, double upper) {
    RobotDescription robot;
    robot.name = "arm";
    Random random(1);
    const char* const names[] = {"turn", "slide"};
    for (int i = 0; i < 2; ++i) {
      LinkDescription link;
      link.name = std::string("link_") + names[i];
      link.parent = i ? "link_turn" : "";
      link.inertia = random_inertia(random, 0.3, 2);
      link.joint.name = names[i];
      link.joint.kind = i ? JointKind::prismatic : JointKind::revolute;
      link.joint.placement = ScrewPlacement{.axis = i ? axis : Vec3<double>{0, 0, 1}};
      link.joint.upper = i ? upper : INFINITY;
      link.joint.lower = -link.joint.upper;
      robot.links.push_back(link);
    }
    return build(robot);
  };
  const auto endless = [&](Vec3<double> axis, double upper) {
    Solver solver = table_solver(dense_solver_table(), arm(axis, upper));
    return inspect(solver).endless;
  };
  EXPECT_THAT(endless({1, 0, 0}, INFINITY), ElementsAre(1));
  EXPECT_THAT(endless({0, 0, 1}, INFINITY), IsEmpty());
  EXPECT_THAT(endless({1, 0, 0}, 2), IsEmpty());
}

// The table of which each test case below changes one function.
torsor_solver dense = dense_solver_table();

// Equations: MK 63, 64.
TEST(StructureReport, NamesTheLawsThatASolverBreaks) {
  const auto model = build(random_robot(4, Shape::chain, 3, Kinds::every));
  const auto broken_by = [&](const auto& change) {
    torsor_solver table = dense;
    change(table);
    Solver solver = table_solver(table, model);
    return broken(inspect(solver));
  };
  EXPECT_THAT(broken_by([](torsor_solver&) {}), IsEmpty());
  EXPECT_THAT(broken_by([](torsor_solver& t) {
                t.gravity = [](const torsor_plugin* p, const torsor_model* m, const torsor_state* s,
                               double* w, double* g) {
                  const torsor_status status = dense.gravity(p, m, s, w, g);
                  g[0] *= 1.001;
                  return status;
                };
              }),
              ElementsAre("C v + g", "dU/dq"));
  EXPECT_THAT(broken_by([](torsor_solver& t) {
                t.coriolis_matrix = [](const torsor_plugin* p, const torsor_model* m,
                                       // C v is the same, Mdot - 2C is not skew-symmetric
                                       const torsor_state* s, double* w, double* C) {
                  const torsor_status status = dense.coriolis_matrix(p, m, s, w, C);
                  C[0] += s->v[1], C[1] -= s->v[0];
                  return status;
                };
              }),
              ElementsAre("Mdot - 2C", "Mddot - 2Cdot"));
  EXPECT_THAT(broken_by([](torsor_solver& t) {
                t.mass_matrix = [](const torsor_plugin* p, const torsor_model* m,
                                   const torsor_state* s, double* w, double* M) {
                  const torsor_status status = dense.mass_matrix(p, m, s, w, M);
                  M[1] *= 1.01;
                  return status;
                };
              }),
              testing::IsSupersetOf({"M = M^T", "T = v.M v/2"}));
  EXPECT_THAT(broken_by([](torsor_solver& t) {
                t.inverse = [](const torsor_plugin* p, const torsor_model* m, const torsor_state* s,
                               const double* vdot, double* w, double* tau) {
                  const torsor_status status = dense.inverse(p, m, s, vdot, w, tau);
                  tau[2] += 0.01 * vdot[2];
                  return status;
                };
              }),
              ElementsAre("Y pi"));
  EXPECT_THAT(broken_by([](torsor_solver& t) {
                t.forward = [](const torsor_plugin* p, const torsor_model* m, const torsor_state* s,
                               const double* tau, double* w, double* vdot) {
                  const torsor_status status = dense.forward(p, m, s, tau, w, vdot);
                  vdot[0] *= 1.001;
                  return status;
                };
              }),
              ElementsAre("d(T + U)/dt"));
}

// A solver whose M and tau are wrong only in what they depend on. scale(state, model): a factor
// near 1 on M_11, and on tau_1 of the inertia.
struct Dependence {
  double (*factor)(const torsor_model&, const torsor_state&);
};
Dependence wrong_dependence;

torsor_status scaled_M(const torsor_plugin* p, const torsor_model* m, const torsor_state* s,
                       double* w, double* M) {
  const torsor_status status = dense.mass_matrix(p, m, s, w, M);
  M[size_t(m->n_v) * size_t(m->n_v) - 1] *= wrong_dependence.factor(*m, *s);
  return status;
}
torsor_status scaled_tau(const torsor_plugin* p, const torsor_model* m, const torsor_state* s,
                         const double* vdot, double* w, double* tau) {
  const torsor_status status = dense.inverse(p, m, s, vdot, w, tau);
  tau[m->n_v - 1] *= wrong_dependence.factor(*m, *s);
  return status;
}

// Checks the laws about dependence (KHALIL 7.3.3.3 b, c, d) on trees with joints of every kind, and
// that each law names a solver that breaks it.
TEST(StructureReport, ChecksWhatTheTermsDependOn) {
  const auto broken_by = [&](const std::shared_ptr<const Model>& model,
                             const torsor_solver& table) {
    Solver solver = table_solver(table, model);
    StructureInspection inspection(solver, {0, 0, -9.81}, 1, [&](auto other) {
      return table_solver(table, std::move(other));
    });
    inspection.check_state();
    const StructureReport report = inspection.report();
    std::vector<std::string> out;
    for (const LawResult& law : report.laws) {
      EXPECT_FALSE(law.skipped && law.name.find("inertias") != law.name.npos);
      if (law.broken() && (law.name == "M_ij(q)" || law.name.ends_with("(inertias)")))
        out.push_back(law.name);
    }
    return out;
  };
  for (const uint64_t seed : {1, 2, 3})
    EXPECT_THAT(
        broken_by(build(random_robot(6, Shape::tree, seed, Kinds::every)), dense_solver_table()),
        IsEmpty());
  // In a chain, the last entry of M and of tau depend on no joint before, and on the last link
  // only.
  const auto chain = build(planar_n_link(Vector::Ones(3), Vector::Ones(3)));
  torsor_solver wrong_M = dense, wrong_tau = dense;
  wrong_M.mass_matrix = scaled_M;
  wrong_tau.inverse = scaled_tau;
  wrong_dependence = {[](const torsor_model&, const torsor_state& s) { return 1 + 1e-6 * s.q[0]; }};
  EXPECT_THAT(broken_by(chain, wrong_M), ElementsAre("M_ij(q)"));
  wrong_dependence = {[](const torsor_model& m, const torsor_state&) {
    return 1 + 1e-6 * m.inertia_B[10];  // the mass of body 1
  }};
  EXPECT_THAT(broken_by(chain, wrong_M), ElementsAre("M_ij(inertias)"));
  EXPECT_THAT(broken_by(chain, wrong_tau), ElementsAre("tau_i(inertias)"));
}

// Checks that the report names a joint without inertia: the last link has no mass.
TEST(StructureReport, NamesAJointWithoutInertia) {
  Solver solver =
      table_solver(dense_solver_table(), build(planar_n_link(Vector::Ones(2), Vector::Unit(2, 0))));
  const StructureReport report = inspect(solver, 3);
  EXPECT_THAT(broken(report), testing::IsSupersetOf({"M positive"}));
  EXPECT_THAT(report.lightest, testing::HasSubstr("joint 'joint2' 1"));
}

}  // namespace
}  // namespace torsor::test
