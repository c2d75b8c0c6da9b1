#include "torsor/formats/robot_file.hpp"

#include "fuzz/support.hpp"
#include "fuzz/targets.hpp"
#include "torsor/formats/lint/lint.hpp"

void torsor::fuzz::sdf(std::string_view input) {
  const auto file = written("robot.sdf", input);
  const size_t choice = input.size();
  const RobotFileOptions options{.strict = choice % 8 == 1,
                                 .com_frames = choice % 2 == 1,
                                 .base_motors = choice / 2 % 4 == 1,
                                 .collisions = choice / 4 % 2 == 1};
  accepts([&] {
    const RobotDescription robot = read_robot_file(file, options);
    accepts([&] { lint(robot); });
    compute_inverse_dynamics(build(robot));
  });
}
