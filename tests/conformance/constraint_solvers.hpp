#pragma once
// The constraint solver plugins of this build, and calls of them for tests.

#include "conformance/solvers.hpp"
#include "support/constraint_problems.hpp"
#include "torsor/model/random_robot.hpp"

namespace torsor::test {

inline std::vector<std::string> constraint_solvers() {
  std::vector<std::string> out;
  for (const PluginInfo& plugin : build_registry().plugins())
    if (plugin.kind() == ConstraintSolver::kind) out.emplace_back(without_kind(plugin.id));
  return out;
}

inline std::unique_ptr<ConstraintSolver> constraint_solver(
    const std::string& id, const std::vector<Parameter>& parameters = {}) {
  return build_registry().make<ConstraintSolver>(id, build(random_robot(2, TreeShape::chain, 1)),
                                                 parameters);
}

inline ConstraintProblem problem_of(const RandomProblem& p) {
  const auto list = [](const Eigen::VectorXd& x) { return std::span(x.data(), size_t(x.size())); };
  return {p.G.data(), list(p.c), list(p.c_terms), list(p.lower), list(p.upper), p.frictions};
}

// Solves a problem; returns lambda. Expects a solution.
inline Eigen::VectorXd solve_with(ConstraintSolver& solver, const RandomProblem& p) {
  Eigen::VectorXd lambda(p.c.size());
  const Status status = solver.solve(problem_of(p), {lambda.data(), size_t(lambda.size())});
  EXPECT_TRUE(status) << solver.explain(status);
  return lambda;
}

}  // namespace torsor::test
