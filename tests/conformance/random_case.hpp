#pragma once
// Tests of every solver on random robots by seed: chains and trees, small and large. Solvers of a
// family are tested on random robots of this family.

#include <string>
#include <tuple>

#include "conformance/solvers.hpp"
#include "support/random_state.hpp"

namespace torsor::test {

struct RobotCase {
  int n;
  Shape shape;
  uint64_t seed;
};
inline constexpr RobotCase random_cases[] = {
    {1, Shape::chain, 1},  {2, Shape::chain, 2},  {7, Shape::chain, 3},
    {15, Shape::chain, 4}, {40, Shape::chain, 8}, {6, Shape::tree, 5},
    {12, Shape::tree, 6},  {25, Shape::tree, 7},  {60, Shape::tree, 9}};
inline constexpr RobotCase planar_cases[] = {{2, Shape::planar, 11},
                                             {3, Shape::planar, 12},
                                             {5, Shape::planar, 13},
                                             {10, Shape::planar, 14}};

inline RobotDescription described(const RobotCase& robot) {
  if (robot.shape == Shape::planar) return random_planar_chain(robot.n, robot.seed);
  return random_robot(robot.n, robot.shape, robot.seed, Kinds::every);
}

// Returns another inertia for a link of this robot. In a planar chain, it is another point mass at
// the same place.
inline SpatialInertia<double> another_inertia(const RobotCase& robot, Random& random,
                                              const LinkDescription& link, double size,
                                              double mass) {
  if (robot.shape != Shape::planar) return random_inertia(random, size, mass);
  return inertia_about_com(mass, (1 / link.inertia.m) * link.inertia.h, {0, 0, 0, 0, 0, 0});
}

// Fixture with a random robot in a random state, and a solver for it.
class RandomRobot : public testing::TestWithParam<std::tuple<std::string, RobotCase>> {
 protected:
  const RobotCase& robot() const { return std::get<1>(GetParam()); }
  const std::string& solver_id() const { return std::get<0>(GetParam()); }
  Vector random_vector(double size) { return to_vector(random_values(random, model->n_v, size)); }

  Random random{1000 + robot().seed};
  std::shared_ptr<const Model> model = build(described(robot()));
  State state = random_state(model, random);
  TestSolver solver{solver_id(), model};
};

inline std::string case_name(const RobotCase& robot) {
  constexpr const char* names[] = {"chain", "tree", "planar"};
  return names[int(robot.shape)] + std::to_string(robot.n) + "_seed" + std::to_string(robot.seed);
}
inline std::string random_case_name(const testing::TestParamInfo<RandomRobot::ParamType>& test) {
  return std::get<0>(test.param) + "_" + case_name(std::get<1>(test.param));
}

}  // namespace torsor::test

#define TORSOR_ON_RANDOM_ROBOTS(Suite)                                                      \
  INSTANTIATE_TEST_SUITE_P(                                                                 \
      Random, Suite,                                                                        \
      testing::Combine(testing::ValuesIn(solver_ids()), testing::ValuesIn(random_cases)),   \
      random_case_name);                                                                    \
  INSTANTIATE_TEST_SUITE_P(Planar, Suite,                                                   \
                           testing::Combine(testing::ValuesIn(solver_ids("planar_n_link")), \
                                            testing::ValuesIn(planar_cases)),               \
                           random_case_name)
