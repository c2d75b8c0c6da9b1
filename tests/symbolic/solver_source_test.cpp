// Tests of generated solvers: they load as plugins, agree with the other solvers, and reject every
// robot but their own.

#include "torsor/symbolic/solver_source.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <cstdio>

#include "conformance/solvers.hpp"
#include "support/known_robots.hpp"
#include "support/random_state.hpp"
#include "symbolic/shell.hpp"
#include "torsor/base/error.hpp"
#include "torsor/batch/batch_solver.hpp"
#include "torsor/symbolic/solver_build.hpp"

namespace torsor::test {
namespace {

using namespace symbolic;
using testing::HasSubstr;

SolverOptions solver_options(const std::string& name, std::vector<std::string> quantities = {}) {
  if (quantities.empty()) quantities = solver_quantities();
  return {.name = name, .quantities = std::move(quantities)};
}

// A generated solver, compiled and loaded.
class Built {
 public:
  Built(const std::shared_ptr<const Model>& model, const SolverOptions& options)
      : file_(compile_solver(solver_source(model, options).text, options.name, folder_.path())),
        registry_({file_}) {
    for (const SkippedFile& skipped : registry_.skipped()) ADD_FAILURE() << skipped.reason;
  }
  Solver solver(const std::shared_ptr<const Model>& model, const std::string& name) const {
    return registry_.solver("generated." + name, model);
  }
  const WorkFolder& folder() const { return folder_; }

 private:
  WorkFolder folder_;
  std::filesystem::path file_;
  Registry registry_;
};

struct SolverCase {
  const char* name;
  RobotDescription robot;
};
std::vector<SolverCase> solver_cases() {
  return {{"rx90", rx90(stored_table("rx90.json"), RxParameters::standard)},
          {"iiwa", iiwa(stored_table("iiwa_second_order.json"))},
          {"tree", random_robot(4, Shape::tree, 31, Kinds::every)},
          {"chain", random_robot(3, Shape::chain, 32, Kinds::every)},
          {"planar", planar_n_link(Vector::Ones(3), Vector::Ones(3))},
          {"floating", random_robot(2, Shape::chain, 33,
                                    std::vector{JointKind::floating, JointKind::spherical})}};
}

void PrintTo(const SolverCase& each, std::ostream* out) {
  *out << each.name;
}

class GeneratedSolver : public testing::TestWithParam<SolverCase> {};
INSTANTIATE_TEST_SUITE_P(Robots, GeneratedSolver, testing::ValuesIn(solver_cases()),
                         [](const auto& test) { return std::string(test.param.name); });

// Checks each quantity at rest, with gravity in the given and in other directions, on a moving
// world, and with wrenches.
TEST_P(GeneratedSolver, AgreesWithTheOthers) {
  const auto model = build(GetParam().robot);
  const std::string name = GetParam().name;
  const Built built(model, solver_options(name));
  Solver solver = built.solver(model, name);
  TestSolver lie("lie_group", model), bodies("articulated_body", model);
  Random random(8);
  const int n = model->n_v;
  double worst = 0;
  for (int sample = 0; sample < 40; ++sample) {
    SCOPED_TRACE(sample);
    State state = random_state(model, random);
    if (sample % 4 == 0) state.set_gravity({0, 0, -random.uniform(0, 20)});
    if (sample % 4 == 2) add_random_wrenches(random, state);
    if (sample % 4 == 3)
      state.set_world_motion({random.vector(1), random.vector(2)},
                             {random.vector(1), random.vector(2)});
    const Vector given = to_vector(random_values(random, n, 10));
    const auto ask = [&](Quantity quantity, Eigen::Index rows, Eigen::Index columns) {
      Matrix out = Matrix::Constant(rows, columns, std::nan(""));
      const Status status = solver.evaluate(quantity, state, given.data(), out.data());
      EXPECT_TRUE(status) << solver.explain(status);
      EXPECT_EQ(solver.capability(quantity), Capability::offered);
      return out;
    };
    const auto expect = [&](const Matrix& found, const Matrix& expected) {
      // 1e-11: a sum of forces can be small because large ones cancel
      EXPECT_TRUE(close(found, expected, expected.norm(), 1e-11));
      if (expected.norm() > 0) worst = std::max(worst, (found - expected).norm() / expected.norm());
    };
    const Matrix M = bodies.mass_matrix(state);
    expect(ask(Quantity::mass_matrix, n, n), lie.mass_matrix(state));
    expect(ask(Quantity::inverse, n, 1), lie.inverse(state, given));
    expect(ask(Quantity::gravity, n, 1), lie.gravity(state));
    expect(ask(Quantity::bias, n, 1), lie.bias(state));
    const Matrix C = ask(Quantity::coriolis_matrix, n, n), C_l = lie.coriolis_matrix(state);
    EXPECT_TRUE(close(C + C.transpose(), C_l + C_l.transpose(), C_l.norm(), 1e-12));
    EXPECT_TRUE(agree_acceleration(ask(Quantity::forward, n, 1), lie.forward(state, given), M));
    EXPECT_TRUE(
        agree_inverse(ask(Quantity::inverse_mass_matrix, n, n), lie.inverse_mass_matrix(state), M));
    const std::vector<Matrix> G = lie.christoffel_symbols(state);
    Matrix all(n * n, n);
    for (int i = 0; i < n; ++i) all.middleRows(i * n, n) = G[size_t(i)];
    expect(ask(Quantity::christoffel_symbols, n * n, n), all);
  }
  std::printf("largest difference %.1e\n", worst);
}

// Blocks of states: at rest, with gravity in other directions, on a moving world, and with
// wrenches.
TEST_P(GeneratedSolver, ComputesBlocksOfStates) {
  const auto model = build(GetParam().robot);
  const std::string name = GetParam().name;
  const Built built(model, solver_options(name));
  Solver solver = built.solver(model, name);
  BatchSolver in_lanes(solver);
  ASSERT_GT(in_lanes.lanes(), 1u);
  Random random(9);
  for (const int world : {0, 1, 2, 3}) {
    SCOPED_TRACE(world);
    StateBatch batch(model, 11);
    State like(model);
    if (world == 1) like.set_gravity(random.vector(10));
    if (world == 2)
      like.set_world_motion({random.vector(1), random.vector(2)},
                            {random.vector(1), random.vector(2)});
    if (world == 3) batch.add_wrenches();
    batch.set_world(like);
    std::vector<double> given(size_t(model->n_v) * batch.stride());
    for (double& x : given) x = random.uniform(-9, 9);
    for (size_t k = 0; k < batch.size(); ++k) {
      State state = random_state(model, random);
      if (world == 3) add_random_wrenches(random, state);
      batch.set(k, state);
    }
    for (const Quantity quantity : torsor::all_quantities) {
      if (indices(quantity) > 2) continue;
      EXPECT_TRUE(in_lanes.is_in_lanes(quantity));
      const size_t size = entries(quantity, size_t(model->n_v));
      std::vector<double> all(size * batch.stride());
      ASSERT_TRUE(in_lanes.evaluate(quantity, batch, given.data(), all.data()));
      for (size_t k = 0; k < batch.size(); ++k) {
        State state(model);
        batch.get(k, state);
        Vector in(model->n_v), one = Vector::Zero(Eigen::Index(size)), lane = one;
        for (int i = 0; i < model->n_v; ++i) in[i] = given[size_t(i) * batch.stride() + k];
        for (size_t i = 0; i < size; ++i) lane[Eigen::Index(i)] = all[i * batch.stride() + k];
        ASSERT_TRUE(solver.evaluate(quantity, state, in.data(), one.data()));
        EXPECT_TRUE(close(lane, one, one.norm(), 1e-11)) << torsor::name(quantity);
      }
    }
  }
}

TEST_P(GeneratedSolver, CompilesWithoutWarnings) {
  const auto model = build(GetParam().robot);
  const std::string text = solver_source(model, solver_options("robot")).text;
  EXPECT_EQ(text, solver_source(model, solver_options("robot")).text);
  const WorkFolder folder;
  folder.write("robot.c", text);
  for (const std::string compiler : {"gcc", "clang"}) {
    std::string output;
    if (folder.run("command -v " + compiler, output) != 0)
      GTEST_SKIP() << compiler << " is not installed";
    EXPECT_EQ(folder.run(compiler + " -std=c11 -pedantic -Wall -Wextra -Werror -c robot.c -I '" +
                             TORSOR_BINARY_DIR + "/include'",
                         output),
              0)
        << output;
  }
}

RobotDescription small_robot() {
  return random_robot(3, Shape::chain, 7);
}

TEST(GeneratedSolvers, RejectEveryOtherRobot) {
  const auto model = build(small_robot());
  const Built built(model, solver_options("own", {"inverse_dynamics"}));
  EXPECT_NO_THROW(built.solver(model, "own"));
  const auto expect_rejected = [&](const RobotDescription& robot) {
    try {
      built.solver(build(robot), "own");
      ADD_FAILURE() << "accepted another robot";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("it was generated for the robot '" + small_robot().name +
                                          "', and this robot differs from it; generate the solver "
                                          "again"));
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    }
  };
  RobotDescription robot = small_robot();
  robot.links.back().inertia.m = std::nextafter(robot.links.back().inertia.m, 100);
  expect_rejected(robot);
  robot = small_robot();
  for (LinkDescription& link : robot.links) link.joint.armature = 0.123;
  expect_rejected(robot);
  expect_rejected(random_robot(3, Shape::chain, 8));
  expect_rejected(random_robot(4, Shape::chain, 7));
  expect_rejected(random_robot(3, Shape::chain, 7, std::vector{JointKind::prismatic}));
  // Names do not matter, nor does damping, which is not part of the dynamics of a solver.
  robot = small_robot();
  for (LinkDescription& link : robot.links)
    if (link.joint.kind != JointKind::fixed) link.joint.damping = 1;
  EXPECT_NO_THROW(built.solver(build(robot), "own"));
}

TEST(GeneratedSolvers, AcceptARobotThatDoesNotMove) {
  RobotDescription robot = planar_n_link(Vector::Ones(2), Vector::Ones(2));
  for (LinkDescription& link : robot.links) link.joint.kind = JointKind::fixed;
  const auto model = build(robot);
  ASSERT_EQ(model->n_v, 0);
  const Built built(model, solver_options("still", {"inverse_dynamics"}));
  Solver solver = built.solver(model, "still");
  EXPECT_TRUE(solver.inverse(State(model), nullptr, nullptr));
}

// Checks that -0.0 in the tables of the model is stored as -0.0: they are compared by their bytes.
TEST(GeneratedSolvers, StoreNegativeZeros) {
  Model changed = *build(planar_n_link(Vector::Ones(2), Vector::Ones(2)));
  changed.X_PB0[2].p.y = -0.0;
  changed.inertia_B[1].I.xy = -0.0;
  changed.S_B[0].v.x = -0.0;
  const auto model = std::make_shared<const Model>(changed);
  const Built built(model, solver_options("zeros", {"gravity", "inverse_dynamics"}));
  EXPECT_NO_THROW(built.solver(model, "zeros"));
}

// Checks a point mass on a rail that a massless link turns about an axis. If the mass is on the
// axis, it has no moment of inertia about the axis, so M is singular.
TEST(GeneratedSolvers, ReportASingularMassMatrix) {
  RobotDescription robot;
  robot.name = "rail";
  robot.links.resize(2);
  LinkDescription &rail = robot.links[0], &mass = robot.links[1];
  rail.name = "rail";
  rail.joint.name = "hinge";
  rail.joint.kind = JointKind::revolute;
  mass.name = "mass";
  mass.parent = "rail";
  mass.joint.name = "slide";
  mass.joint.kind = JointKind::prismatic;
  mass.joint.placement = ScrewPlacement{.axis = {1, 0, 0}};
  mass.inertia = inertia_about_com(2, {0, 0, 0}, {0, 0, 0, 0, 0, 0});
  const auto model = build(robot);
  const Built built(model, solver_options("rail"));
  Solver solver = built.solver(model, "rail");
  TestSolver bodies("articulated_body", model);
  Random random(2);
  std::vector<double> out(4);
  for (int sample = 0; sample < 10; ++sample) {
    State state = random_state(model, random);
    if (sample % 2) state.set_world_motion({random.vector(1), random.vector(1)}, {});
    const Vector tau = to_vector(random_values(random, 2, 5));
    const double at_the_axis[] = {0.3, 0}, beside_it[] = {0.3, 0.5};
    state.set_q(at_the_axis);
    for (const Status status : {solver.forward(state, tau.data(), out.data()),
                                solver.inverse_mass_matrix(state, out.data())}) {
      EXPECT_EQ(TORSOR_STATUS_CODE(status.value), TORSOR_SINGULAR);
      EXPECT_THAT(solver.explain(status), HasSubstr("'hinge'"));
    }
    EXPECT_TRUE(solver.inverse(state, tau.data(), out.data()));
    state.set_q(beside_it);
    Vector vdot(2);
    ASSERT_TRUE(solver.forward(state, tau.data(), vdot.data()));
    EXPECT_TRUE(agree(vdot, bodies.forward(state, tau)));
  }
}

TEST(GeneratedSolvers, HaveLongFunctionsInParts) {
  const auto model = build(random_robot(20, Shape::tree, 35, Kinds::every));
  SolverOptions options = solver_options("parts");
  options.quantities = {"inverse_dynamics", "forward_dynamics"};
  EXPECT_THAT(solver_source(model, options).text, HasSubstr("  forward_in_general_part2("));
  const Built built(model, options);
  Solver solver = built.solver(model, "parts");
  TestSolver bodies("articulated_body", model);
  Random random(3);
  for (int sample = 0; sample < 10; ++sample) {
    State state = random_state(model, random);
    if (sample % 2) add_random_wrenches(random, state);
    const Vector tau = to_vector(random_values(random, model->n_v, 5));
    Vector vdot(model->n_v), back(model->n_v);
    ASSERT_TRUE(solver.forward(state, tau.data(), vdot.data()));
    EXPECT_TRUE(agree_acceleration(vdot, bodies.forward(state, tau), bodies.mass_matrix(state)));
    ASSERT_TRUE(solver.inverse(state, vdot.data(), back.data()));
    EXPECT_TRUE(close(back, bodies.inverse(state, vdot), back.norm(), 1e-11));
  }
}

TEST(GeneratedSolvers, OfferOnlyQuantitiesOfSolvers) {
  const auto model = build(small_robot());
  try {
    (void)solver_source(model, solver_options("robot", {"torque_rates"}));
    ADD_FAILURE() << "no Error was thrown";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::StartsWith("a solver cannot offer 'torque_rates'"));
  }
  EXPECT_THROW((void)solver_source(model, solver_options("my robot")), Error);
  // The host derives what is not offered.
  const Built built(model, solver_options("part", {"inverse_dynamics"}));
  Solver solver = built.solver(model, "part");
  EXPECT_EQ(solver.capability(Quantity::mass_matrix), Capability::derived);
  Random random(1);
  const State state = random_state(model, random);
  Matrix M(model->n_v, model->n_v);
  ASSERT_TRUE(solver.mass_matrix(state, M.data()));
  EXPECT_TRUE(agree(M, TestSolver("lie_group", model).mass_matrix(state)));
}

// Sets a variable of the environment during its lifetime.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    had_ = std::getenv(name);
    setenv(name, value.c_str(), 1);
  }
  ~Variable() { had_ ? setenv(name_, old_.c_str(), 1) : unsetenv(name_); }
  Variable(const Variable&) = delete;

 private:
  const char* name_;
  std::string old_;
  bool had_;
};

std::string build_error(const std::string& source, const std::filesystem::path& folder) {
  try {
    (void)compile_solver(source, "robot", folder);
  } catch (const Error& error) {
    return error.what();
  }
  return "no Error was thrown";
}

TEST(CompileSolver, SaysWhatIsWrong) {
  const WorkFolder folder;
  const std::string path = folder.path().string();
  {
    const Variable no_compiler("CC", "/nonexistent");
    EXPECT_EQ(build_error("int x;\n", folder.path()),
              "cannot run the C compiler '/nonexistent' for " + path +
                  "/robot.c: No such file or directory; install gcc, or name a compiler in the "
                  "variable CC");
    EXPECT_EQ(folder.read("robot.c"), "int x;\n");
  }
  const std::string broken = build_error("int x = ;\n", folder.path());
  EXPECT_THAT(broken, testing::StartsWith(path + "/robot.c does not compile: "));
  EXPECT_THAT(broken, HasSubstr("error:"));
  EXPECT_THAT(broken, testing::EndsWith("; " + path + "/robot.log has all messages"));
  EXPECT_THAT(folder.read("robot.log"), HasSubstr("error:"));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "robot.so"));
  folder.write("file", "");
  EXPECT_THAT(build_error("int x;\n", folder.path() / "file" / "sub"), HasSubstr("file"));
}

TEST(CachedSolver, IsCompiledOnce) {
  const WorkFolder folder;
  const Variable cache("XDG_CACHE_HOME", folder.path().string());
  const std::string script =
      "#!/bin/sh\necho >>" + folder.path().string() + "/compilations\nexec cc \"$@\"\n";
  const std::filesystem::path compiler = folder.write("compiler", script);
  std::filesystem::permissions(compiler, std::filesystem::perms::owner_all);
  const Variable chosen("CC", compiler.string());
  const std::string source = "int one(void) { return 1; }\n";
  const std::filesystem::path first = cached_solver(source, "robot");
  EXPECT_TRUE(first.string().starts_with(folder.path().string())) << first;
  EXPECT_NE(cached_solver(source + " ", "robot"), first);
  EXPECT_EQ(cached_solver(source, "robot"), first);
  EXPECT_EQ(folder.read("compilations"), "\n\n");
  folder.write("compiler", script + "# another version\n");
  EXPECT_NE(cached_solver(source, "robot"), first);
}

}  // namespace
}  // namespace torsor::test
