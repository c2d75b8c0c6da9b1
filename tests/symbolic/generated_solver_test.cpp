// Tests of the solver that is generated for each model.

#include "torsor/symbolic/generated_solver.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>

#include "support/error_of.hpp"
#include "support/known_robots.hpp"
#include "support/random_state.hpp"
#include "symbolic/shell.hpp"
#include "torsor/analysis/comparison.hpp"
#include "torsor/symbolic/solver_source.hpp"

namespace torsor::test {
namespace {

using namespace symbolic;
using testing::HasSubstr;

// A registry with the generated solver, whose files are in a temporary folder.
class SolverOfEachModel : public testing::Test {
 protected:
  SolverOfEachModel() : registry({TORSOR_PLUGIN_DIR}) {
    setenv("XDG_CACHE_HOME", folder.path().c_str(), 1);
    add_generated_solver(registry);
  }
  // Returns the compiled files in the cache.
  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> out;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path()))
      if (entry.path().extension() == ".so") out.push_back(entry.path());
    return out;
  }
  WorkFolder folder;
  Registry registry;
};

std::shared_ptr<const Model> arm(double mass) {
  return build(planar_n_link(mass * Vector::Ones(2), Vector::Ones(2)));
}

TEST_F(SolverOfEachModel, AgreesWithAnotherSolverForEveryModel) {
  for (const double mass : {1.0, 2.0}) {
    const auto model = arm(mass);
    std::vector<Solver> solvers;
    for (const char* id : {"generated", "solver.generated(forward_dynamics)", "articulated_body"})
      solvers.push_back(registry.solver(id, model));
    EXPECT_EQ(solvers[0].capability(Quantity::mass_matrix), Capability::offered);
    EXPECT_EQ(solvers[1].capability(Quantity::mass_matrix), Capability::derived);
    Comparison comparison(std::move(solvers));
    Random random(7);
    for (int k = 0; k < 20; ++k) {
      const State state = random_state(model, random);
      comparison.ask(state, random_values(random, model->n_v, 5),
                     random_values(random, model->n_v, 5));
      for (const Compared quantity : all_compared)
        for (const int generated : {0, 1})
          EXPECT_FALSE(comparison.between(generated, 2, quantity).broken()) << name(quantity);
    }
  }
  EXPECT_EQ(files().size(), 4u) << "two models, with two choices of quantities";
}

TEST_F(SolverOfEachModel, IsCompiledOnce) {
  (void)registry.solver("generated", arm(1));
  ASSERT_EQ(files().size(), 1u);
  const auto before = std::filesystem::last_write_time(files()[0]);
  (void)registry.solver("generated", arm(1));
  Registry later({TORSOR_PLUGIN_DIR});
  add_generated_solver(later);
  (void)later.again({}).solver("generated", arm(1));
  EXPECT_EQ(files().size(), 1u);
  EXPECT_EQ(std::filesystem::last_write_time(files()[0]), before);
}

// Checks that a damaged file in the cache is compiled again.
TEST_F(SolverOfEachModel, IsCompiledAgainIfItsFileIsDamaged) {
  (void)registry.solver("generated", arm(1));
  ASSERT_EQ(files().size(), 1u);
  for (const char* damaged : {"", "not a plugin"}) {
    const std::filesystem::path file = files()[0];
    std::filesystem::remove(file);  // the file of a loaded plugin must not be changed
    std::ofstream(file) << damaged;
    Registry later({TORSOR_PLUGIN_DIR});
    add_generated_solver(later);
    EXPECT_EQ(later.solver("generated", arm(1)).model().n_v, 2);
  }
}

TEST_F(SolverOfEachModel, IsFoundByItsIdAlone) {
  EXPECT_EQ(registry.find<Solver>("generated").id, "solver.generated");
  EXPECT_EQ(registry.find<Solver>("generated(bias)").id, "solver.generated(bias)");
  EXPECT_EQ(registry.plugins().size(), Registry({TORSOR_PLUGIN_DIR}).plugins().size());
  EXPECT_THROW((void)registry.find<Force>("generated"), Error);
}

TEST_F(SolverOfEachModel, RejectsWrongArguments) {
  const auto error = [&](const char* id) {
    return error_of([&] { (void)registry.solver(id, arm(1)); });
  };
  EXPECT_THAT(error("generated(mass_matrx+inverse_dynamics)"),
              HasSubstr("cannot offer 'mass_matrx'; did you mean 'mass_matrix'?"));
  EXPECT_THAT(error("generated(inverse_dynamics+inverse_dynamics)"), HasSubstr("listed twice"));
  EXPECT_THAT(error("generated(mass_matrix)"), HasSubstr("inverse_dynamics or forward_dynamics"));
  EXPECT_THAT(error("generated(bias"), HasSubstr("it does not end with ')'"));
  const std::vector<std::string> quantities = {"inverse_dynamics", "bias"};
  EXPECT_EQ(generated_solver_id(quantities), "generated(inverse_dynamics+bias)");
  EXPECT_THAT(error_of([] { (void)generated_solver_id(std::vector<std::string>{"bias"}); }),
              HasSubstr("inverse_dynamics or forward_dynamics"));
}

}  // namespace
}  // namespace torsor::test
