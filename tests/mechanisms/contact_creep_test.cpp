// Bodies at rest do not creep during 10^6 steps.

#include <gtest/gtest.h>

#include "simulation/contact_scenes.hpp"

namespace torsor::test {
namespace {

// Less than 1e-12 m/s.
TEST(Creep, APinchedCapsuleStays) {
  Simulation run = pinched_capsule();
  expect_no_creep(run, 1000000, 1e-9);
}
TEST(Creep, ABlockOnAnInclineStays) {
  Simulation run = block_in_steps(0.4, {.mu = 0.45});
  expect_no_creep(run, 1000000, 1e-9);
}

// 100 s.
TEST(Creep, AStackOfTenBoxesStays) {
  const ContactMaterial material{.mu = 0.5};
  RobotDescription robot;
  robot.name = "stack";
  std::vector<double> q;
  for (int k = 0; k < 10; ++k) {
    add_box(robot, "box" + std::to_string(k), 1, {0.2, 0.2, 0.2}, material);
    q.insert(q.end(), {0, 0, 0.1 + 0.2 * k, 1, 0, 0, 0});
  }
  Simulation run = started(on_plane(robot, material), 1e-3, q, std::vector<double>(60, 0.0));
  expect_no_creep(run, 100000, 1e-9);
}

}  // namespace
}  // namespace torsor::test
