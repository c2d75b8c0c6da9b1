#include <fmt/format.h>

#include "bench/simbenchmark/bodies.hpp"
#include "bench/simbenchmark/task.hpp"

namespace torsor::bench::simbenchmark {

namespace {

constexpr double thickness = 0.05, length = 0.2, block_height = 0.1;  // m

// Each floor is 0.2 m high. It has 8 blocks along y, which two rows of blocks along x connect. The
// row at +y has one block more, and all blocks of a floor that should touch do so exactly.
Start tower_start(int floors) {
  const ContactMaterial material{.mu = 0.8};
  RobotDescription robot;
  robot.name = "tower";
  Start out;
  const auto add = [&](const Vec3<double>& size, const Vec3<double>& p) {
    add_block(robot, fmt::format("block{}", robot.links.size()), 10, size, material);
    place(out.q, p);
  };
  const Vec3<double> across{thickness, length + 0.05, block_height};
  const Vec3<double> along{length, thickness, block_height};
  for (int floor = 0; floor < floors; ++floor) {
    const double low = 2 * block_height * floor + 0.05, high = low + block_height;
    for (int j = 0; j < 8; ++j) add(across, {length * j, 0, low});
    for (int j = 0; j < 4; ++j) add(along, {2 * length * j + 0.1, -0.5 * length, high});
    for (int j = 0; j < 3; ++j) add(along, {2 * length * j + 0.3, 0.5 * length, high});
    add(along, {0.1, 0.5 * length, high});
    add(along, {6 * length + 0.1, 0.5 * length, high});
  }
  ModelBuilder builder;
  builder.add(robot);
  builder.add(ground(material));
  out.model = builder.build();
  out.v.assign(size_t(out.model->n_v), 0.0);
  return out;
}

}  // namespace

// The tower has collapsed when its last block is below the base of the highest floor.
Task block_tower(int floors, double duration) {
  Task out;
  out.name = "kapla";
  out.summary = fmt::format("a stack of {} blocks", 17 * floors);
  out.duration = duration;
  out.steps = {1e-2};
  out.start = [floors](const Method&) { return tower_start(floors); };
  out.is_over = [floors](const Simulation& now) {
    const std::span<const double> q = now.state().q();
    return centre(q, int(q.size()) / 7 - 1).z < 2 * block_height * (floors - 1);
  };
  return out;
}

}  // namespace torsor::bench::simbenchmark
