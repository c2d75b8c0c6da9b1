#pragma once
// Every solver plugin of this build, found by the Registry, and a wrapper for its quantities.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "support/agreement.hpp"
#include "torsor/host/registry.hpp"

namespace torsor::test {

// Returns the plugins of this build, or of the folder that TORSOR_TEST_PLUGINS names.
const Registry& build_registry();

// Returns "articulated_body", "newton_euler", ...: the solvers for any tree, and those for the
// family.
std::vector<std::string> solver_ids(std::string_view family = "");

// One solver prepared for one model. A call that fails is a test failure with the host's
// explanation, and returns NaN.
class Asked {
 public:
  Asked(const std::string& solver_id, std::shared_ptr<const Model> model);

  Vector inverse(const State& state, const Vector& vdot);
  Vector forward(const State& state, const Vector& tau);
  Vector gravity(const State& state);
  Vector bias(const State& state);
  Matrix mass_matrix(const State& state);
  Matrix inverse_mass_matrix(const State& state);
  Matrix coriolis_matrix(const State& state);
  // Returns one matrix for each row i: [j][k] of G_ijk.
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
