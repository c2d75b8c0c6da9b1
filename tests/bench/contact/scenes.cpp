#include "bench/contact/scenes.hpp"

#include <fmt/format.h>

#include <charconv>
#include <variant>

#include "torsor/cli/options/robot_file.hpp"
#include "torsor/scripting/scene/experiment_plugins.hpp"
#include "torsor/shapes/shape_inertia.hpp"

namespace torsor::bench {

namespace {

// Adds a box with the centre of mass at a point. Its density is that of brick.
void add_box(ModelBuilder& builder, int number, const Vec3<double>& size,
             const Vec3<double>& center) {
  constexpr double density = 1800;  // kg/m^3
  const double m = density * size.x * size.y * size.z;
  const auto moment = [&](double a, double b) { return m / 12 * (a * a + b * b); };
  LinkDescription link;
  link.name = fmt::format("box{}", number);
  link.joint.name = fmt::format("free{}", number);
  link.joint.kind = JointKind::floating;
  link.inertia = {
      m,
      {0, 0, 0},
      {moment(size.y, size.z), moment(size.x, size.z), moment(size.x, size.y), 0, 0, 0}};
  link.collisions.push_back({.shape = {.kind = ShapeKind::box, .size = 0.5 * size}});
  RobotDescription robot;
  robot.name = fmt::format("robot{}", number);
  robot.links.push_back(link);
  builder.add(robot, translation(center));
}

// The boxes of a pile are numbered from stack to stack or from column to column, each from below.
constexpr int courses = 5;

void add_stacks(ModelBuilder& builder, int n) {
  constexpr double edge = 0.1, apart = 0.3;
  for (int k = 0; k < n; ++k)
    add_box(builder, k + 1, {edge, edge, edge},
            {apart * double(k / courses), 0, edge * (0.5 + k % courses)});
}

// Neighbours in a course are 2 mm apart, so that they do not touch. Every other course is displaced
// by a quarter of a brick, so that the bricks at the ends do not tip.
void add_wall(ModelBuilder& builder, int n) {
  constexpr double length = 0.2, height = 0.1, joint = 2e-3;
  for (int k = 0; k < n; ++k) {
    const int course = k % courses;
    add_box(builder, k + 1, {length, length / 2, height},
            {(length + joint) * (double(k / courses) + 0.25 * (course % 2)), 0,
             height * (0.5 + course)});
  }
}

Scene pile(PileFamily family, int n, const Registry& plugins) {
  ModelBuilder builder;
  builder.add(CollisionDescription{.name = "ground", .shape = {.kind = ShapeKind::half_space}});
  (family == PileFamily::stacks ? add_stacks : add_wall)(builder, n);
  Experiment experiment;
  experiment.model = builder.build();
  experiment.q = neutral(*experiment.model);
  experiment.v.assign(size_t(experiment.model->n_v), 0.0);
  experiment.integrator = Integrator::time_stepping;
  experiment.constraint_solver = default_constraint_solver(*experiment.model);
  set_plugins(experiment, std::make_shared<const Registry>(plugins));
  return {fmt::format("{}:{}", family == PileFamily::stacks ? "stacks" : "walls", n), family, n,
          std::move(experiment)};
}

int pile_size(const std::string& name) {
  const std::string text = name.substr(name.find(':') + 1);
  int n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc() || end != text.data() + text.size() || n < 1 || n > largest_pile)
    throw Error(fmt::format("'{}': the number of boxes is 1 to {}", name, largest_pile));
  return n;
}

Scene scene_from_file(const std::string& file, const Registry& plugins, bool allow_plugins) {
  cli::RobotOptions options;
  options.file = file;
  options.allow_plugins = allow_plugins;
  auto read = cli::read_scene_or_robot(options, plugins);
  auto* experiment = std::get_if<Experiment>(&read);
  if (!experiment) throw Error(fmt::format("{}: --steps needs a scene with an experiment", file));
  return {file, PileFamily::none, 0, std::move(*experiment)};
}

}  // namespace

std::vector<Scene> read_scenes(const std::vector<std::string>& names, const Registry& plugins,
                               bool allow_plugins) {
  std::vector<Scene> out;
  for (const std::string& name : names) {
    if (name == "stacks")
      for (const int n : stack_sizes) out.push_back(pile(PileFamily::stacks, n, plugins));
    else if (name == "walls")
      for (const int n : wall_sizes) out.push_back(pile(PileFamily::wall, n, plugins));
    else if (name.starts_with("stacks:"))
      out.push_back(pile(PileFamily::stacks, pile_size(name), plugins));
    else if (name.starts_with("walls:"))
      out.push_back(pile(PileFamily::wall, pile_size(name), plugins));
    else
      out.push_back(scene_from_file(name, plugins, allow_plugins));
  }
  return out;
}

}  // namespace torsor::bench
