// Tests of the constraint solver plugins that handle friction groups.

#include <gmock/gmock.h>

#include <Eigen/LU>

#include "conformance/constraint_solvers.hpp"
#include "support/allocation_counter.hpp"
#include "support/contact_problems.hpp"
#include "support/random_state.hpp"
#include "torsor/base/error.hpp"
#include "torsor/sdk/constraints/constraint_view.hpp"

namespace torsor::test {
namespace {

constexpr const char* contact_solvers[] = {"projected_gauss_seidel", "newton_admm"};

// Returns contacts of a robot at a random state. Contacts often have more rows than dof.
RandomProblem robot_contacts(uint64_t seed) {
  Random random(seed);
  const auto model = build(random_robot(3 + random.below(6), TreeShape::tree, seed));
  TestSolver solver("newton_euler", model);
  const State state = random_state(model, random);
  const int n_v = model->n_v;
  ContactRows rows(solver.inverse_mass_matrix(state));
  for (int k = 1 + random.below(4); k > 0; --k)
    rows.add(Eigen::MatrixXd(3, n_v).unaryExpr([&](double) { return random.uniform(-1, 1); }),
             random.uniform());
  return rows.problem(
      Eigen::VectorXd(n_v).unaryExpr([&](double) { return random.uniform(-1, 1); }));
}

// Returns G = J J^T for random contacts with `count` tangents each.
RandomProblem random_contacts(Random& random, int contacts, int count, double most_mu) {
  const int n_v = (1 + count) * contacts + 2;
  ContactRows rows(Eigen::MatrixXd::Identity(n_v, n_v));
  const auto draw = [&](double) { return random.uniform(-1, 1); };
  for (int k = 0; k < contacts; ++k)
    rows.add(Eigen::MatrixXd(1 + count, n_v).unaryExpr(draw), random.uniform(0, most_mu));
  return rows.problem(Eigen::VectorXd(n_v).unaryExpr(draw));
}

// Returns all solutions of planar contacts, as lambda: tries the modes separate, stick, and slide
// in both directions of each contact, which are linear.
std::vector<Eigen::VectorXd> planar_solutions(const RandomProblem& p) {
  const int contacts = int(p.frictions.size()), n = 2 * contacts;
  std::vector<Eigen::VectorXd> out;
  for (int code = 0; code < int(std::pow(4, contacts)); ++code) {
    Eigen::MatrixXd A = p.G;
    Eigen::VectorXd b = -p.c;
    std::vector<int> modes;
    for (int k = 0, rest = code; k < contacts; ++k, rest /= 4) {
      const int mode = modes.emplace_back(rest % 4), t = 2 * k + 1;
      // 0: lambda = 0. 1: w = 0. 2, 3: w_n = 0, lambda_t = +-mu lambda_n.
      if (mode == 1) continue;
      A.row(t).setZero();
      A(t, t) = 1, b[t] = 0;
      if (mode == 0) {
        A.row(t - 1).setZero();
        A(t - 1, t - 1) = 1, b[t - 1] = 0;
      } else {
        A(t, t - 1) = (mode == 2 ? -1 : 1) * p.frictions[size_t(k)].mu;
      }
    }
    const Eigen::VectorXd lambda = A.partialPivLu().solve(b), w = p.rates(lambda);
    bool holds = lambda.size() == n && lambda.allFinite();
    for (int k = 0; k < contacts && holds; ++k) {
      const double mu = p.frictions[size_t(k)].mu, force = lambda[2 * k], t = lambda[2 * k + 1],
                   rate = w[2 * k], w_t = w[2 * k + 1], eps = 1e-10;
      holds = force >= -eps && rate >= -eps && std::abs(t) <= mu * force + eps &&
              (modes[size_t(k)] != 2 || w_t <= eps) && (modes[size_t(k)] != 3 || w_t >= -eps);
    }
    if (holds) out.push_back(lambda);
  }
  return out;
}

TEST(ContactSolvers, PlanarContactsHaveASolutionOfTheEnumeration) {
  int unique = 0;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const RandomProblem p = random_contacts(random, 1 + random.below(4), 1, 1);
    const std::vector<Eigen::VectorXd> solutions = planar_solutions(p);
    ASSERT_FALSE(solutions.empty());
    unique += solutions.size() == 1;
    for (const char* id : contact_solvers) {
      const Eigen::VectorXd w = p.rates(solve_with(*constraint_solver(id), p));
      double nearest = HUGE_VAL;
      for (const Eigen::VectorXd& lambda : solutions)
        nearest = std::min(nearest, (p.rates(lambda) - w).lpNorm<Eigen::Infinity>());
      EXPECT_LT(nearest, 1e-7 * p.c.lpNorm<Eigen::Infinity>()) << id;
    }
  }
  EXPECT_GT(unique, 250);
}

// Returns the rates of a single contact in all modes that satisfy Coulomb's law. The directions of
// sliding are found by a search over the circle.
std::vector<Eigen::Vector3d> single_contact_rates(const RandomProblem& p) {
  const double mu = p.frictions[0].mu;
  std::vector<Eigen::Vector3d> out;
  if (p.c[0] >= 0) out.emplace_back(p.c);
  const Eigen::Vector3d stick = -Eigen::Matrix3d(p.G).ldlt().solve(Eigen::Vector3d(p.c));
  if (stick.tail<2>().norm() <= mu * stick[0]) out.emplace_back(Eigen::Vector3d::Zero());
  const auto rates = [&](double angle) -> Eigen::Vector3d {
    const Eigen::Vector3d pull(1, -mu * std::cos(angle), -mu * std::sin(angle)), g = p.G * pull;
    const double force = -p.c[0] / g[0];
    return Eigen::Vector3d(p.c) + (force > 0 ? force : NAN) * g;
  };
  // The part of w_t across the direction of sliding
  const auto across = [&](double angle) {
    const Eigen::Vector3d w = rates(angle);
    return w[2] * std::cos(angle) - w[1] * std::sin(angle);
  };
  constexpr int parts = 2000;
  for (int k = 0; k < parts; ++k) {
    double a = 2 * M_PI * k / parts, b = 2 * M_PI * (k + 1) / parts;
    if (!(across(a) * across(b) <= 0)) continue;
    for (int step = 0; step < 60; ++step)
      (across(a) * across((a + b) / 2) <= 0 ? b : a) = (a + b) / 2;
    const Eigen::Vector3d w = rates(a);
    if (w[1] * std::cos(a) + w[2] * std::sin(a) > 0) out.push_back(w);
  }
  return out;
}

TEST(ContactSolvers, ASingleContactHasTheModeOfASearch) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const RandomProblem p = random_contacts(random, 1, 2, 0.8);
    const std::vector<Eigen::Vector3d> solutions = single_contact_rates(p);
    for (const char* id : contact_solvers) {
      const Eigen::Vector3d w = p.rates(solve_with(*constraint_solver(id), p));
      double nearest = HUGE_VAL;
      for (const Eigen::Vector3d& each : solutions) nearest = std::min(nearest, (each - w).norm());
      EXPECT_LT(nearest, 1e-7 * p.c.norm()) << id;
    }
  }
}

// Solves a problem with both solvers. Checks the residual, an independent measure, and that contact
// forces do no work on the rates.
void expect_solved(const char* id, const RandomProblem& p,
                   const std::vector<Parameter>& parameters = {}) {
  const auto solver = constraint_solver(id, parameters);
  const Eigen::VectorXd lambda = solve_with(*solver, p);
  EXPECT_LT(solver->residual(), 1e-8) << id << ", " << solver->iterations() << " iterations";
  EXPECT_LT(contact_violation(p, lambda), 1e-7) << id;
  const torsor_constraint_problem view = p.view();
  EXPECT_NEAR(solver->residual(), sdk::residual_of(view, lambda.data()), 1e-13);
  const double work = lambda.dot(p.rates(lambda)), energy = 0.5 * lambda.dot(p.rates(lambda) + p.c),
               size = lambda.cwiseAbs().dot(p.c_terms);
  EXPECT_LE(work, 1e-7 * size);
  EXPECT_LE(energy, 1e-7 * size);
}

TEST(ContactSolvers, SolveRandomContactsOfRobots) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_solved("newton_admm", robot_contacts(seed));
  }
}

TEST(ContactSolvers, SolvePiles) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const int bodies = 1 + random.below(4);
    const RandomProblem p = random_pile(random, {.bodies = bodies,
                                                 .contacts = bodies + random.below(bodies),
                                                 .has_rolling = seed % 3 == 0});
    expect_solved("newton_admm", p);
    expect_solved("projected_gauss_seidel", p, {{"over_relaxation", 0.8}});
  }
}

TEST(ContactSolvers, NewtonSolvesFacesAndMassRatios) {
  for (uint64_t seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const int bodies = 1 + random.below(5);
    expect_solved("newton_admm", random_pile(random, {.bodies = bodies,
                                                      .contacts = bodies + random.below(bodies),
                                                      .mass_ratio = seed % 2 == 0 ? 1e4 : 10,
                                                      .has_faces = true,
                                                      .has_rolling = seed % 3 == 0}));
  }
}

// Without friction, w of normal rows is unique. The same problem with tangential rows that are
// fixed at 0 has only bounds.
TEST(ContactSolvers, WithoutFrictionTheyAgreeWithPivoting) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    RandomProblem p = random_pile(random, {.bodies = 3, .contacts = 5}), bounded = p;
    for (torsor_friction& friction : p.frictions) {
      friction.mu = 0;
      bounded.upper.segment(friction.first, friction.count).setZero();
    }
    bounded.frictions.clear();
    const Eigen::VectorXd w = bounded.rates(solve_with(*constraint_solver("pivoting"), bounded));
    for (const char* id : contact_solvers)
      EXPECT_LT((p.rates(solve_with(*constraint_solver(id), p)) - w).norm(), 1e-7 * p.c.norm())
          << id;
  }
}

// Returns the problem of a time step of a cube at rest on an incline, with contacts at four
// corners. G and c follow from Newton and Euler for mass 2 and edge 0.2.
RandomProblem cube_on_incline(double angle, double mu) {
  const double mass = 2, edge = 0.2, inertia = mass * edge * edge / 6, dt = 1e-3, g = 9.81;
  Eigen::VectorXd inverse(6), v = Eigen::VectorXd::Zero(6);
  inverse << Eigen::Vector3d::Constant(1 / mass), Eigen::Vector3d::Constant(1 / inertia);
  v[0] = g * dt * std::sin(angle), v[2] = -g * dt * std::cos(angle);
  ContactRows rows(inverse.asDiagonal());
  for (const double x : {-edge / 2, edge / 2})
    for (const double y : {-edge / 2, edge / 2}) {
      Eigen::MatrixXd J(3, 6);
      const Eigen::Vector3d r(x, y, -edge / 2),
          axes[] = {Eigen::Vector3d::UnitZ(), Eigen::Vector3d::UnitX(), Eigen::Vector3d::UnitY()};
      for (int i = 0; i < 3; ++i) J.row(i) << axes[i].transpose(), r.cross(axes[i]).transpose();
      rows.add(J, mu);
    }
  return rows.problem(v);
}

TEST(ContactSolvers, ACubeSticksOnAnInclineUpToTheAngleOfFriction) {
  const double angle = 0.4, dt = 1e-3, g = 9.81, limit = std::tan(angle);
  for (const char* id : contact_solvers) {
    const auto solver = constraint_solver(id, {{"tolerance", 1e-13}});
    // Gauss-Seidel converges slowly close to the limit.
    const double near = id == contact_solvers[0] ? 0.01 : 1e-6;
    for (const double mu : {limit * (1 + near), 2 * limit}) {
      const RandomProblem p = cube_on_incline(angle, mu);
      EXPECT_LT(p.rates(solve_with(*solver, p)).lpNorm<Eigen::Infinity>(), 1e-14) << id << mu;
    }
    for (const double mu : {limit * (1 - near), 0.3 * limit}) {
      const RandomProblem p = cube_on_incline(angle, mu);
      const Eigen::VectorXd w = p.rates(solve_with(*solver, p));
      const double slip = g * dt * (std::sin(angle) - mu * std::cos(angle));
      for (int k = 0; k < 4; ++k)
        EXPECT_LT((w.segment<3>(3 * k) - Eigen::Vector3d(0, slip, 0)).norm(), 1e-13) << id << mu;
    }
  }
}

// Writes G without its zeros.
struct SparseProblem {
  RandomProblem p;
  std::vector<int32_t> row_start = {0}, column;
  std::vector<double> value;

  explicit SparseProblem(RandomProblem given) : p(std::move(given)) {
    for (int i = 0; i < int(p.c.size()); ++i) {
      for (int j = 0; j < int(p.c.size()); ++j)
        if (p.G(i, j) != 0 || i / 3 == j / 3) column.push_back(j), value.push_back(p.G(i, j));
      row_start.push_back(int32_t(column.size()));
    }
  }
  ConstraintProblem problem() const {
    ConstraintProblem out = problem_of(p);
    out.G = nullptr;
    out.sparse = {row_start, column, value};
    return out;
  }
};

TEST(ContactSolvers, ASparseMatrixHasTheSolutionOfTheDenseOne) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    const SparseProblem sparse(random_pile(random, {.bodies = 8, .contacts = 10}));
    ASSERT_LT(sparse.problem().size().profile, problem_of(sparse.p).size().profile);
    for (const char* id : contact_solvers) {
      const auto solver = constraint_solver(id);
      Eigen::VectorXd lambda(sparse.p.c.size());
      EXPECT_TRUE(solver->solve(sparse.problem(), {lambda.data(), size_t(lambda.size())}));
      EXPECT_LT((lambda - solve_with(*constraint_solver(id), sparse.p)).norm(),
                1e-9 * lambda.norm())
          << id << ", seed " << seed;
    }
  }
}

TEST(ContactSolvers, StartAtTheGivenValues) {
  Random random(3);
  const RandomProblem p = random_pile(random, {});
  for (const char* id : contact_solvers) {
    const auto solver = constraint_solver(id);
    const Eigen::VectorXd lambda = solve_with(*solver, p);
    EXPECT_GT(solver->iterations(), 0);
    ConstraintProblem again = problem_of(p);
    again.start = {lambda.data(), size_t(lambda.size())};
    Eigen::VectorXd other(lambda.size());
    EXPECT_TRUE(solver->solve(again, {other.data(), size_t(other.size())}));
    EXPECT_EQ(solver->iterations(), 0) << id;
    EXPECT_LT((other - lambda).norm(), 1e-12 * lambda.norm());
  }
}

// The impulses of the last step, when velocities have changed a little: Newton's method needs few
// steps, and no sweeps.
TEST(ContactSolvers, NewtonNeedsFewStepsFromASimilarSolution) {
  const auto solver = constraint_solver("newton_admm", {{"tolerance", 1e-12}});
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    RandomProblem p = random_pile(random, {});
    const Eigen::VectorXd start = solve_with(*solver, p);
    p.c *= 1 + 1e-4;
    ConstraintProblem next = problem_of(p);
    next.start = {start.data(), size_t(start.size())};
    Eigen::VectorXd lambda(start.size());
    EXPECT_TRUE(solver->solve(next, {lambda.data(), size_t(lambda.size())}));
    EXPECT_GT(solver->iterations(), 0);
    EXPECT_LE(solver->iterations(), 3);
    EXPECT_LT(contact_violation(p, lambda), 1e-11);
  }
}

TEST(ContactSolvers, DoNotAllocateAndRepeatTheirBits) {
  TORSOR_NEEDS_ALLOCATION_COUNTS();
  for (const char* id : contact_solvers) {
    const auto solver = constraint_solver(id);
    solver->reserve(200);
    std::vector<RandomProblem> problems;
    for (uint64_t seed = 1; seed <= 5; ++seed) {
      Random random(seed);
      problems.push_back(random_pile(random, {.has_rolling = true}));
    }
    Eigen::VectorXd first(200), second(200);
    bool all = true;
    const long before = allocations();
    for (const RandomProblem& p : problems) {
      all &= bool(solver->solve(problem_of(p), {first.data(), size_t(p.c.size())}));
      all &= bool(solver->solve(problem_of(p), {second.data(), size_t(p.c.size())}));
      all &= std::equal(first.begin(), first.begin() + p.c.size(), second.begin());
    }
#ifdef NDEBUG
    EXPECT_EQ(allocations(), before) << id;
#endif
    EXPECT_TRUE(all) << id;
  }
}

TEST(ContactSolvers, ASolverWithoutFrictionIsNotCalled) {
  Random random(1);
  const RandomProblem p = random_pile(random, {});
  Eigen::VectorXd lambda(p.c.size());
  const auto solver = constraint_solver("pivoting");
  EXPECT_FALSE(solver->handles_friction());
  try {
    (void)solver->solve(problem_of(p), {lambda.data(), size_t(lambda.size())});
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "constraint solver 'constraint_solver.pivoting' does not handle friction groups; "
                 "choose another constraint solver for scenes with contacts");
  }
}

// The residual is 0 for a solution, 1 without forces if all normals approach, and does not depend
// on the units of the contacts.
TEST(ContactResidual, DoesNotDependOnUnits) {
  Random random(2);
  RandomProblem p = random_pile(random, {.has_rolling = true});
  const Eigen::VectorXd lambda =
      Eigen::VectorXd(p.c.size()).unaryExpr([&](double) { return random.uniform(0, 1); });
  const torsor_constraint_problem view = p.view();
  const double residual = sdk::residual_of(view, lambda.data());
  EXPECT_GT(residual, 0.01);
  Eigen::VectorXd units(p.c.size()), scaled = lambda;
  for (torsor_friction& friction : p.frictions) {
    if (friction.first == friction.normal + 1)
      units[friction.normal] = std::pow(10, random.uniform(-3, 3));
    const double unit = std::pow(10, random.uniform(-3, 3));
    units.segment(friction.first, friction.count).setConstant(unit);
    friction.mu *= units[friction.normal] / unit;
  }
  p.G = units.asDiagonal() * p.G * units.asDiagonal();
  p.c.array() *= units.array(), p.c_terms.array() *= units.array();
  scaled.array() /= units.array();
  const torsor_constraint_problem other = p.view();
  EXPECT_NEAR(sdk::residual_of(other, scaled.data()), residual, 1e-12);
}

// P(v) is the nearest point of the convex set K if and only if (v - P(v)) . (k - P(v)) <= 0 for all
// k in K.
TEST(ContactCone, ProjectsOnTheNearestPoint) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    RandomProblem p = random_pile(random, {.bodies = 1, .contacts = 1, .has_rolling = true});
    p.lower[0] = random.below(2) == 0 ? 0 : random.uniform(0, 0.5);
    p.upper[0] = random.below(2) == 0 ? HUGE_VAL : p.lower[0] + random.uniform(0, 0.5);
    const torsor_constraint_problem view = p.view();
    const sdk::Contact contact(view, 0);
    const int n = contact.n_rows();
    Eigen::VectorXd v(n), k(n);
    for (double& x : v) x = random.uniform(-2, 2);
    Eigen::VectorXd nearest = v;
    contact.project(nearest.data());
    for (int trial = 0; trial < 200; ++trial) {
      const double most = std::min(contact.upper(), contact.lower() + 3);
      k[0] = random.uniform(contact.lower(), most);
      for (int g = 0; g < contact.n_groups(); ++g) {
        const auto& group = contact.group(g);
        for (int i = group.begin; i < group.end; ++i) k[i] = random.uniform(-1, 1);
        const double size = k.segment(group.begin, group.end - group.begin).norm(),
                     radius = random.uniform() * group.m * k[0];
        k.segment(group.begin, group.end - group.begin) *= radius / size;
      }
      EXPECT_LE((v - nearest).dot(k - nearest), 1e-12) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace torsor::test
