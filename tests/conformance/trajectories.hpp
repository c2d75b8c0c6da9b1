#pragma once
// Trajectories of every plugin of this build, with parameters that make a motion of a model.

#include "conformance/solvers.hpp"
#include "support/random_robot.hpp"

namespace torsor::test {

// Absolute tolerance: the compared positions and rates are of the order of 1.
inline constexpr double digits = 1e-12;

struct TrajectoryCase {
  std::string name, id;
  std::vector<Parameter> parameters;
};

// Returns one or more cases of every plugin, the same for a seed.
std::vector<TrajectoryCase> trajectory_cases(const Model& model, uint64_t seed);
// Returns the names of the cases, one test each.
std::vector<std::string> trajectory_case_names();

std::shared_ptr<const Trajectory> make(const std::string& id,
                                       const std::shared_ptr<const Model>& model,
                                       const std::vector<Parameter>& parameters);

// Returns a pose as the value of a parameter.
std::vector<double> numbers(const Pose<double>& X);

// Returns the reference at a time. A failure is a test failure.
Reference at(const Trajectory& trajectory, double t);

// Returns a random chain of revolute, prismatic and helical joints, whose coordinates are q.
std::shared_ptr<const Model> plain_chain(int n);

}  // namespace torsor::test
