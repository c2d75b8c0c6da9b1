// Tests of the time derivatives of torques for every solver that offers them: against values of an
// independent program (MK's iiwa and 2R), and against differences of inverse dynamics along a known
// motion.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "conformance/random_case.hpp"
#include "conformance/raw_solver.hpp"
#include "support/allocation_counter.hpp"
#include "support/known_robots.hpp"
#include "torsor/formats/robot_file.hpp"

namespace torsor::test {
namespace {

// Returns tau and its time derivatives, one in each row. vdot has one row for each order too: vdot,
// vddot, ...
Matrix rates_of(Solver& solver, const State& state, const Matrix& vdot,
                Solver::MotionRates motion = {}) {
  motion.order = int(vdot.rows()) - 1;
  motion.vdot = vdot.data();
  Matrix out = Matrix::Constant(vdot.rows(), vdot.cols(), std::numeric_limits<double>::quiet_NaN());
  const Status status = solver.rates(state, motion, out.data());
  EXPECT_TRUE(status) << solver.explain(status);
  return out;
}

std::vector<std::string> with_rates() {
  std::vector<std::string> ids;
  for (const std::string& id : solver_ids())
    if (build_registry().solver(id, build(described(random_cases[0]))).has_rates())
      ids.push_back(id);
  return ids;
}

TEST(Rates, AreOfferedBySomeSolvers) {
  EXPECT_THAT(with_rates(), testing::IsSupersetOf({"newton_euler", "lie_group"}));
  const auto model = build(described(random_cases[0]));
  Solver without = build_registry().solver("articulated_body", model);
  ASSERT_FALSE(without.has_rates());
  const Matrix zero = Matrix::Zero(3, model->n_v);
  Matrix out = zero;
  EXPECT_EQ(without.explain(without.rates(State(model), {2, zero.data()}, out.data())),
            "solver 'solver.articulated_body' offers no rates of torques (torsor.solver.rates/1)");
}

class RatesOf : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Solvers, RatesOf, testing::ValuesIn(with_rates()),
                         [](const auto& test) { return test.param; });

TEST_P(RatesOf, OfAnOrderThatIsTooHighAreRejected) {
  const auto model = build(described(random_cases[1]));
  Solver solver = build_registry().solver(GetParam(), model);
  const int order = solver.max_rate_order() + 1;
  const Matrix zero = Matrix::Zero(order + 1, model->n_v);
  Matrix out = zero;
  EXPECT_EQ(solver.explain(solver.rates(State(model), {order, zero.data()}, out.data())),
            "solver 'solver." + GetParam() + "' offers derivatives of torques up to order " +
                std::to_string(order - 1) + "; order " + std::to_string(order) + " is requested");
}

// Largest errors and values of tau, taud and taudd over the samples of a table. A sample has q and
// its derivatives to q4, and torques whose names end in `suffix`. Its wrench is BY the last link ON
// the environment, at the origin of the link.
struct Errors {
  double worst[3] = {}, most[3] = {};
  void add(const Matrix& found, const Json& sample, const char* suffix) {
    const char* names[] = {"tau", "taud", "taudd"};
    for (int k = 0; k < 3; ++k) {
      const Vector expected = vector(sample[names[k] + std::string(suffix)]);
      worst[k] =
          std::max(worst[k], (found.row(k).transpose() - expected).lpNorm<Eigen::Infinity>());
      most[k] = std::max(most[k], expected.lpNorm<Eigen::Infinity>());
    }
  }
  void expect_below(double part) const {
    std::printf("tau to %.1e of %.0f, tau' %.1e of %.0f, tau'' %.1e of %.0f\n", worst[0], most[0],
                worst[1], most[1], worst[2], most[2]);
    for (int k = 0; k < 3; ++k) EXPECT_LT(worst[k], part * most[k]);
  }
};
Matrix motion_of(const Json& sample) {
  Matrix vdot(3, Eigen::Index(sample["q"].size()));
  const char* names[] = {"qdd", "q3", "q4"};
  for (int k = 0; k < 3; ++k) vdot.row(k) = vector(sample[names[k]]).transpose();
  return vdot;
}
State state_of(const std::shared_ptr<const Model>& model, const Json& sample) {
  State state(model);
  state.set_q(to_list(vector(sample["q"])));
  state.v = to_list(vector(sample["qd"]));
  return state;
}

// Equations: JIN 44; MR 9.88; MK 35, 45.
TEST_P(RatesOf, MatchAnIndependentProgram) {
  const Json table = stored_table("iiwa_second_order.json");
  const auto model = build(iiwa(table));
  Solver solver = build_registry().solver(GetParam(), model);
  Errors free, wrenched;
  for (const Json& sample : table["samples"]) {
    State state = state_of(model, sample);
    state.set_gravity({0, 0, -9.80665});
    free.add(rates_of(solver, state, motion_of(sample)), sample, "_phys");
    if (!sample.contains("tau_phys_wrench")) continue;
    const Frame& last = model->frames[size_t(model->links.back().frame)];
    const auto on_body = [&](const char* name) {
      const Vector w = -vector(sample[name]);
      return transform(last.X_BF, Wrench<double>{{w[0], w[1], w[2]}, {w[3], w[4], w[5]}});
    };
    std::vector<Wrench<double>> F(size_t(model->n_body)), rates(2 * F.size());
    F[size_t(last.body)] = on_body("wrench");
    rates[size_t(last.body)] = on_body("wrench_d");
    rates[F.size() + size_t(last.body)] = on_body("wrench_dd");
    state.set_wrenches(F);
    wrenched.add(rates_of(solver, state, motion_of(sample),
                          {.order = 2, .vdot = nullptr, .F_B = rates.data()}),
                 sample, "_phys_wrench");
  }
  free.expect_below(1e-13);
  wrenched.expect_below(1e-13);
}

// Checks MK's 2R arm of point masses, with gravity along -y.
TEST_P(RatesOf, OfThePlanarArmMatchAnIndependentProgram) {
  const Json table = stored_table("planar2r_second_order.json");
  const Json& p = table["parameters"];
  const RobotDescription robot =
      planar_n_link(Eigen::Vector2d(p["L1"], p["L2"]), Eigen::Vector2d(p["m1"], p["m2"]));
  const auto model = build(robot);
  Solver solver = build_registry().solver(GetParam(), model);
  Errors errors;
  for (const Json& sample : table["samples"]) {
    State state = state_of(model, sample);
    state.set_gravity({0, -double(p["g"]), 0});
    errors.add(rates_of(solver, state, motion_of(sample)), sample, "");
  }
  errors.expect_below(1e-13);
}

// A motion with known derivatives: q(t) = q_0 (+) D r(t) with r = sin(2 t + 0.3). Every joint moves
// along one screw, so v = D r' for every joint kind. The wrenches are polynomials of time, in the
// axes of the bodies. The base has the acceleration A_0 + A_1 t + A_2 t^2. Gravity is fixed in
// space.
struct KnownMotion {
  KnownMotion(const RobotCase& robot)
      : model(build(described(robot))),
        random(500 + robot.seed),
        state(random_state(model, random)) {
    q0.assign(state.q().begin(), state.q().end());
    D = to_vector(random_values(random, model->n_v, 1));
    for (auto& coefficient : F) {
      coefficient.resize(size_t(model->n_body));
      for (Wrench<double>& wrench : coefficient) wrench = {random.vector(5), random.vector(5)};
    }
    V_W = {random.vector(1), random.vector(1)};
    for (Twist<double>& coefficient : A) coefficient = {random.vector(1), random.vector(1)};
  }
  static double r(double t, int order) {
    return std::pow(2, order) * std::sin(2 * t + 0.3 + order * M_PI / 2);
  }
  // Sets the state at time t. Gravity in the axes of the base obeys g' = -w x g. It is integrated
  // from 0 to t by 200 steps of fourth order.
  void move_to(double t) {
    std::vector<double> q(q0.size());
    integrate(*model, q0.data(), D.data(), r(t, 0), q.data());
    state.set_q(q);
    state.v = to_list(D * r(t, 1));
    std::vector<Wrench<double>> F_t(F[0].size());
    for (size_t i = 0; i < F_t.size(); ++i) F_t[i] = F[0][i] + t * F[1][i] + t * t * F[2][i];
    state.set_wrenches(F_t);
    state.set_world_motion(twist(t), A[0] + t * A[1] + t * t * A[2]);
    Vec3<double> g{1, 2, -9};
    constexpr int steps = 200;
    const double h = t / steps;
    const auto rate = [&](double s, const Vec3<double>& at) { return cross(at, twist(s).w); };
    for (int k = 0; k < steps; ++k) {
      const double s = k * h;
      const Vec3<double> a = rate(s, g), b = rate(s + h / 2, g + h / 2 * a),
                         c = rate(s + h / 2, g + h / 2 * b), d = rate(s + h, g + h * c);
      g += h / 6 * (a + 2.0 * b + 2.0 * c + d);
    }
    state.set_gravity(g);
  }
  Twist<double> twist(double t) const {
    return V_W + t * A[0] + (t * t / 2) * A[1] + (t * t * t / 3) * A[2];
  }
  Matrix vdot(double t, int order) const {
    Matrix out(order + 1, D.size());
    for (int k = 0; k <= order; ++k) out.row(k) = (D * r(t, k + 2)).transpose();
    return out;
  }
  // Return the first and second derivatives of the base's acceleration and of the wrenches at t.
  // Higher derivatives are zero.
  std::vector<Twist<double>> world_rates(double t) const {
    return {A[1] + 2 * t * A[2], 2.0 * A[2]};
  }
  std::vector<Wrench<double>> wrench_rates(double t, int order) const {
    std::vector<Wrench<double>> out(size_t(order) * F[0].size());
    for (size_t i = 0; i < F[0].size(); ++i) {
      if (order > 0) out[i] = F[1][i] + 2 * t * F[2][i];
      if (order > 1) out[F[0].size() + i] = 2.0 * F[2][i];
    }
    return out;
  }

  std::shared_ptr<const Model> model;
  Random random;
  State state;
  std::vector<double> q0;
  Vector D;
  std::vector<Wrench<double>> F[3];
  Twist<double> V_W, A[3];
};

Matrix rates_along(Solver& solver, KnownMotion& motion, double t, int order) {
  motion.move_to(t);
  const auto world = motion.world_rates(t);
  const auto F = motion.wrench_rates(t, order);
  return rates_of(solver, motion.state, motion.vdot(t, order),
                  {.order = order, .vdot = nullptr, .Vdot_W = world, .F_B = F.data()});
}

// Checks each derivative against differences of fourth order of the derivative below it, beginning
// with tau.
TEST_P(RatesOf, AreTheDerivativesOfInverseDynamics) {
  for (const RobotCase& robot : random_cases) {
    KnownMotion motion(robot);
    TestSolver solver(GetParam(), motion.model);
    const double h = 1e-3, t = 0.4;
    for (int order = 1; order <= solver.solver().max_rate_order(); ++order) {
      const auto before = [&](double at) {
        return Vector(
            rates_along(solver.solver(), motion, at, order - 1).row(order - 1).transpose());
      };
      const Matrix found = rates_along(solver.solver(), motion, t, order);
      const Vector difference =
          (before(t - 2 * h) - 8 * before(t - h) + 8 * before(t + h) - before(t + 2 * h)) /
          (12 * h);
      EXPECT_LT((found.row(order).transpose() - difference).norm(), 1e-8 * found.norm())
          << case_name(robot) << ", order " << order;
    }
    motion.move_to(t);
    EXPECT_TRUE(agree(rates_along(solver.solver(), motion, t, 0).row(0).transpose(),
                      solver.inverse(motion.state, motion.vdot(t, 0).row(0).transpose())));
  }
}

TEST_P(RatesOf, CentralDifferencesAreOfSecondOrder) {
  KnownMotion motion(random_cases[5]);
  Solver solver = build_registry().solver(GetParam(), motion.model);
  const Matrix exact = rates_along(solver, motion, 0.4, 2);
  const auto error = [&](double h, int order) {
    const Matrix after = rates_along(solver, motion, 0.4 + h, order - 1),
                 before = rates_along(solver, motion, 0.4 - h, order - 1);
    return ((after - before).row(order - 1) / (2 * h) - exact.row(order)).norm();
  };
  for (const int order : {1, 2})
    EXPECT_NEAR(observed_order(error(4e-3, order), error(2e-3, order)), 2, 0.05);
}

// Checks that the derivatives are finite in the zero position, where the sine of every angle is 0.
TEST_P(RatesOf, AreFiniteInTheZeroPosition) {
  for (const RobotCase& robot : random_cases) {
    const auto model = build(described(robot));
    Solver solver = build_registry().solver(GetParam(), model);
    Random random(robot.seed);
    State state(model);
    state.v = random_values(random, model->n_v, 2);
    const Matrix found =
        rates_of(solver, state, Matrix::Ones(solver.max_rate_order() + 1, model->n_v));
    EXPECT_TRUE(found.allFinite()) << case_name(robot);
  }
}

TEST(Rates, OfTheRecursionAndTheClosedFormAgree) {
  for (const RobotCase& robot : random_cases) {
    KnownMotion motion(robot);
    Solver recursive = build_registry().solver("newton_euler", motion.model),
           closed = build_registry().solver("lie_group", motion.model);
    const Matrix a = rates_along(recursive, motion, 0.4, 2),
                 b = rates_along(closed, motion, 0.4, 2);
    for (int k = 0; k <= 2; ++k)
      EXPECT_TRUE(agree(a.row(k), b.row(k))) << case_name(robot) << ", order " << k;
  }
}

class RatesOfRobots : public testing::TestWithParam<std::string> {};
std::vector<std::string> robots_of_usual_size() {
  std::vector<std::string> robots = all_robots();
  std::erase(robots, "chain100");
  return robots;
}
INSTANTIATE_TEST_SUITE_P(Rates, RatesOfRobots, testing::ValuesIn(robots_of_usual_size()),
                         [](const auto& robot) { return robot.param; });

// Compares the recursion with the closed form in random states of robots from files, with fixed and
// floating bases.
TEST_P(RatesOfRobots, OfTheRecursionMatchTheClosedForm) {
  double worst = 0;
  for (const bool floating : {false, true}) {
    const auto model = build(read_robot_file(robot_file(GetParam()), {.floating_base = floating}));
    Solver recursive = build_registry().solver("newton_euler", model),
           closed = build_registry().solver("lie_group", model);
    Random random(17);
    for (int sample = 0; sample < 3; ++sample) {
      const State state = random_state(model, random);
      const Matrix vdot =
          Eigen::Map<Matrix>(random_values(random, 3 * model->n_v, 2).data(), 3, model->n_v);
      const Matrix a = rates_of(recursive, state, vdot), b = rates_of(closed, state, vdot);
      for (int k = 0; k <= 2; ++k) {
        worst = std::max(worst, (a.row(k) - b.row(k)).norm() / b.row(k).norm());
        EXPECT_TRUE(close(a.row(k), b.row(k), b.row(k).norm(), 1e-11))
            << (floating ? "floating" : "fixed") << ", order " << k;
      }
    }
  }
  std::printf("largest difference %.1e\n", worst);
}

// Checks the parts of the equation of motion. M, C and g must be those of the solver, and M', C'
// etc. must be their derivatives along the motion. The parts must add up to tau and its
// derivatives.
// Equations: MK 25, 36, 38, 40, 42, 43, 44, 46, 47, 50, 52.
TEST(Rates, OfTheEquationMatchItsParts) {
  for (const RobotCase& robot : {random_cases[2], random_cases[6]}) {
    KnownMotion motion(robot);
    TestSolver solver("lie_group", motion.model);
    const Eigen::Index n = motion.model->n_v;
    struct Parts {
      Matrix M, C, g, Q, tau;
    };
    const auto parts_at = [&](double t) {
      motion.move_to(t);
      Parts out{Matrix(3 * n, n), Matrix(3 * n, n), Matrix(3, n), Matrix(3, n), Matrix(3, n)};
      const Matrix vdot = motion.vdot(t, 2);
      const auto world = motion.world_rates(t);
      const auto F = motion.wrench_rates(t, 2);
      EXPECT_TRUE(solver.solver().equation_rates(
          motion.state, {.order = 2, .vdot = vdot.data(), .Vdot_W = world, .F_B = F.data()},
          {out.M.data(), out.C.data(), out.g.data(), out.Q.data(), out.tau.data()}));
      return out;
    };
    const double h = 1e-3, t = 0.4;
    const Parts m2 = parts_at(t - 2 * h), m1 = parts_at(t - h), p1 = parts_at(t + h),
                p2 = parts_at(t + 2 * h), at = parts_at(t);
    EXPECT_TRUE(agree(at.M.topRows(n), solver.mass_matrix(motion.state)));
    EXPECT_TRUE(agree(at.C.topRows(n), solver.coriolis_matrix(motion.state)))
        << "in a world that moves, too";
    const auto expect_derivatives = [&](Matrix Parts::*part, Eigen::Index rows, const char* name) {
      const Matrix difference = (m2.*part - 8 * m1.*part + 8 * p1.*part - p2.*part) / (12 * h);
      const Matrix first = (at.*part).middleRows(rows, rows), second = (at.*part).bottomRows(rows);
      EXPECT_LT((first - difference.topRows(rows)).norm(), 1e-8 * first.norm()) << name;
      EXPECT_LT((second - difference.middleRows(rows, rows)).norm(), 1e-8 * second.norm()) << name;
    };
    expect_derivatives(&Parts::M, n, "M");
    expect_derivatives(&Parts::C, n, "C");
    expect_derivatives(&Parts::g, 1, "g");
    expect_derivatives(&Parts::Q, 1, "Q");
    const Vector v = velocity(motion.state), vdot = motion.vdot(t, 0).row(0).transpose();
    EXPECT_TRUE(agree(at.M.topRows(n) * vdot + at.C.topRows(n) * v + at.g.row(0).transpose() -
                          at.Q.row(0).transpose(),
                      solver.inverse(motion.state, vdot)));
    const auto expect_skew = [&](const Matrix& N, const char* name) {
      EXPECT_LT((N + N.transpose()).norm(), 1e-11 * N.norm()) << name;
    };
    expect_skew(at.M.middleRows(n, n) - 2 * at.C.topRows(n), "M' - 2C");
    expect_skew(at.M.bottomRows(n) - 2 * at.C.middleRows(n, n), "M'' - 2C'");
  }
}

TEST_P(RatesOf, ArePureFunctionsThatDoNotAllocate) {
  TORSOR_NEEDS_ALLOCATION_COUNTS();
  KnownMotion motion(random_cases[7]);
  const RawSolver raw(build_registry().find<Solver>(GetParam()), motion.model->view());
  motion.move_to(0.4);
  const int order = raw.rates()->max_order;
  const size_t size = size_t(order + 1) * size_t(motion.model->n_v), guards = 8;
  const Matrix vdot = motion.vdot(0.4, order);
  const auto F = motion.wrench_rates(0.4, order);
  const torsor_motion_rates in{sizeof in, order, vdot.data(), nullptr, nullptr, &F[0].n.x};
  const torsor_state view = motion.state.view();
  constexpr double guard = 12345.678;
  std::vector<std::vector<double>> seen;
  for (const double filling : {std::numeric_limits<double>::quiet_NaN(), 0.0, 1e300}) {
    WorkArea work(raw.work_doubles() + guards, guard);
    std::fill_n(work.data(), raw.work_doubles(), filling);
    std::vector<double> out(size + guards, guard);
    const long before = allocations();
    ASSERT_EQ(raw.rates()->rates(raw.plugin(), raw.model(), &view, &in, work.data(), out.data()),
              TORSOR_OK);
    EXPECT_EQ(allocations(), before);
    for (size_t k = 0; k < guards; ++k) {
      EXPECT_EQ(work.data()[raw.work_doubles() + k], guard);
      EXPECT_EQ(out[size + k], guard);
    }
    seen.push_back(out);
  }
  for (const auto& out : seen)
    EXPECT_EQ(std::memcmp(out.data(), seen[0].data(), sizeof(double) * out.size()), 0);
}

}  // namespace
}  // namespace torsor::test
