#pragma once
// Test cases for every trajectory plugin of this build: parameters that give a motion of a model.

#include "conformance/solvers.hpp"
#include "support/random_robot.hpp"

namespace torsor::test {

// Absolute tolerance for positions and rates of order 1.
inline constexpr double digits = 1e-12;

struct TrajectoryCase {
  std::string name, id;
  std::vector<Parameter> parameters;
};

// Returns one or more cases for every plugin. They depend on the seed only.
std::vector<TrajectoryCase> trajectory_cases(const Model& model, uint64_t seed);
// Returns the names of the cases, which are the names of the tests.
std::vector<std::string> trajectory_case_names();

std::shared_ptr<const Trajectory> make(const std::string& id,
                                       const std::shared_ptr<const Model>& model,
                                       const std::vector<Parameter>& parameters);

// Returns the numbers of a pose, as the value of a parameter.
std::vector<double> numbers(const Pose<double>& X);

// Returns the reference at time t. If the call fails, this is a test failure.
Reference at(const Trajectory& trajectory, double t);

// Returns a random chain of n revolute, prismatic and helical joints. Their coordinates are the
// entries of q.
std::shared_ptr<const Model> plain_chain(int n);

}  // namespace torsor::test
