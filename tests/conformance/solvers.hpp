#pragma once
// Finds every solver plugin of this build with the Registry, and wraps its quantities for tests.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "support/agreement.hpp"
#include "torsor/host/registry.hpp"

namespace torsor::test {

// Returns the registry of the plugins of this build, or of the folder in TORSOR_TEST_PLUGINS.
const Registry& build_registry();

// Returns names like "articulated_body": the solvers for any tree, and those for the family.
std::vector<std::string> solver_ids(std::string_view family = "");

// A solver that is prepared for one model. If a call fails, it reports a test failure with the
// host's explanation and returns NaN.
class TestSolver {
 public:
  TestSolver(const std::string& solver_id, std::shared_ptr<const Model> model);

  Vector inverse(const State& state, const Vector& vdot);
  Vector forward(const State& state, const Vector& tau);
  Vector gravity(const State& state);
  Vector bias(const State& state);
  Matrix mass_matrix(const State& state);
  Matrix inverse_mass_matrix(const State& state);
  Matrix coriolis_matrix(const State& state);
  // Returns one matrix for each i: element [j][k] is G_ijk.
  std::vector<Matrix> christoffel_symbols(const State& state);

  Solver& solver() { return solver_; }

 private:
  Solver solver_;
  int n_v_;
};

inline Vector velocity(const State& state) {
  return Eigen::Map<const Vector>(state.v.data(), Eigen::Index(state.v.size()));
}
inline Vector to_vector(const std::vector<double>& x) {
  return Eigen::Map<const Vector>(x.data(), Eigen::Index(x.size()));
}
inline std::vector<double> to_list(const Vector& x) {
  return {x.data(), x.data() + x.size()};
}

}  // namespace torsor::test
