#include "conformance/solvers.hpp"

#include <gmock/gmock.h>

#include <cstdio>
#include <cstdlib>
#include <limits>

namespace torsor::test {

// Exits if the plugins cannot be read. The tests are named after the solvers before main() begins,
// and an exception there would not be caught.
const Registry& build_registry() {
  static const Registry registry = [] {
    const char* chosen = std::getenv("TORSOR_TEST_PLUGINS");
    try {
      return Registry({chosen ? chosen : TORSOR_PLUGIN_DIR});
    } catch (const Error& error) {
      std::fprintf(stderr, "%s%s\n", chosen ? "TORSOR_TEST_PLUGINS: " : "", error.what());
      std::exit(2);
    }
  }();
  return registry;
}

std::vector<std::string> solver_ids(std::string_view family) {
  std::vector<std::string> ids;
  for (const PluginInfo& plugin : build_registry().plugins())
    if (plugin.kind() == Solver::kind && (plugin.family.empty() || plugin.family == family))
      ids.emplace_back(without_kind(plugin.id));
  return ids;
}

namespace {
template <class Result, class Call>
Result ask(Solver& solver, Result result, const Call& call) {
  result.setConstant(std::numeric_limits<double>::quiet_NaN());
  const Status status = call(result.data());
  if (!status) ADD_FAILURE() << solver.id() << ": " << solver.explain(status);
  return result;
}
}  // namespace

TestSolver::TestSolver(const std::string& solver_id, std::shared_ptr<const Model> model)
    : solver_(build_registry().solver(solver_id, model)), n_v_(model->n_v) {}

Vector TestSolver::inverse(const State& state, const Vector& vdot) {
  return ask(solver_, Vector(n_v_),
             [&](double* out) { return solver_.inverse(state, vdot.data(), out); });
}
Vector TestSolver::forward(const State& state, const Vector& tau) {
  return ask(solver_, Vector(n_v_),
             [&](double* out) { return solver_.forward(state, tau.data(), out); });
}
Vector TestSolver::gravity(const State& state) {
  return ask(solver_, Vector(n_v_), [&](double* out) { return solver_.gravity(state, out); });
}
Vector TestSolver::bias(const State& state) {
  return ask(solver_, Vector(n_v_), [&](double* out) { return solver_.bias(state, out); });
}
Matrix TestSolver::mass_matrix(const State& state) {
  return ask(solver_, Matrix(n_v_, n_v_),
             [&](double* out) { return solver_.mass_matrix(state, out); });
}
Matrix TestSolver::inverse_mass_matrix(const State& state) {
  return ask(solver_, Matrix(n_v_, n_v_),
             [&](double* out) { return solver_.inverse_mass_matrix(state, out); });
}
Matrix TestSolver::coriolis_matrix(const State& state) {
  return ask(solver_, Matrix(n_v_, n_v_),
             [&](double* out) { return solver_.coriolis_matrix(state, out); });
}

std::vector<Matrix> TestSolver::christoffel_symbols(const State& state) {
  const Vector all = ask(solver_, Vector(n_v_ * n_v_ * n_v_), [&](double* out) {
    return solver_.evaluate(Quantity::christoffel_symbols, state, nullptr, out);
  });
  std::vector<Matrix> rows;
  for (int i = 0; i < n_v_; ++i)
    rows.push_back(Eigen::Map<const Matrix>(all.data() + i * n_v_ * n_v_, n_v_, n_v_));
  return rows;
}

// Checks that all plugins load. Otherwise the tests that are named after a plugin would be missing
// without notice.
TEST(EveryPluginOfThisBuild, Loads) {
  for (const SkippedFile& file : build_registry().skipped())
    ADD_FAILURE() << file.file << " " << file.reason;
  EXPECT_THAT(solver_ids("planar_n_link"),
              testing::IsSupersetOf({"articulated_body", "lagrange_christoffel", "lie_group",
                                     "newton_euler", "planar_lagrange"}));
}

}  // namespace torsor::test
