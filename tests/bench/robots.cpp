#include "bench/robots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "torsor/base/input_file.hpp"
#include "torsor/base/prefix.hpp"
#include "torsor/cli/options/robot_file.hpp"
#include "torsor/formats/robot_file.hpp"
#include "torsor/model/random_robot.hpp"
#include "torsor/scripting/scene/script.hpp"

namespace torsor::bench {

namespace fs = std::filesystem;

namespace {

// Returns a generated robot of n bodies with revolute joints about random axes. The bodies have
// about 10 kg and 10 cm, and joints are up to 0.3 m apart. In a tree, each body carries two others.
// The robot depends only on the family and n.
Robot generated(Family family, int n) {
  Random random(uint64_t(n) * 2 + (family == Family::tree));
  RobotDescription robot;
  robot.name = fmt::format("{}{}", family == Family::tree ? "tree" : "chain", n);
  for (int i = 0; i < n; ++i) {
    LinkDescription link;
    link.name = fmt::format("link{}", i);
    if (i > 0) link.parent = robot.links[family == Family::tree ? (i - 1) / 2 : i - 1].name;
    link.joint.name = fmt::format("joint{}", i);
    link.joint.kind = JointKind::revolute;
    link.joint.placement = ScrewPlacement{.X_PL = random.pose(0.3), .axis = random.direction()};
    link.inertia = random_inertia(random, 0.1, 10);
    robot.links.push_back(std::move(link));
  }
  return {robot.name, family, build(robot)};
}

Robot from_file(const fs::path& file, const Registry& plugins, bool allow_plugins = false) {
  cli::RobotOptions options;
  options.file = file.string();
  options.allow_plugins = allow_plugins;
  if (is_script(file) || robot_format(file))
    return {file.stem().string(), Family::file, cli::read_robot(options, plugins).model};
  throw Error(
      fmt::format("'{}': a robot is a {} or .lua file, shipped, chains, trees, chain:N or tree:N{}",
                  file.string(), robot_extensions(),
                  did_you_mean(file.string(), {"shipped", "chains", "trees"})));
}

void add_shipped(std::vector<Robot>& robots, const Registry& plugins) {
  const fs::path folder = default_script_folder() / "robots";
  std::error_code error;
  std::vector<fs::path> files;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    if (entry->path().extension() == ".lua") files.push_back(entry->path());
  if (error)
    throw Error(fmt::format("cannot read the folder {}: {}", folder.string(), error.message()));
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) robots.push_back(from_file(file, plugins));
}

// Returns N of "chain:N" or "tree:N". Throws Error if N is invalid.
int size_in(const std::string& name) {
  const std::string text = name.substr(name.find(':') + 1);
  int n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc() || end != text.data() + text.size() || n < 1 || n > largest_size)
    throw Error(fmt::format("'{}': the number of bodies is 1 to {}", name, largest_size));
  return n;
}

}  // namespace

std::vector<Robot> read_robots(const std::vector<std::string>& names, const Registry& plugins,
                               bool allow_plugins) {
  std::vector<Robot> robots;
  for (const std::string& name : names) {
    if (name == "shipped")
      add_shipped(robots, plugins);
    else if (name == "chains" || name == "trees")
      for (const int n : sizes)
        robots.push_back(generated(name == "trees" ? Family::tree : Family::chain, n));
    else if (name.starts_with("chain:"))
      robots.push_back(generated(Family::chain, size_in(name)));
    else if (name.starts_with("tree:"))
      robots.push_back(generated(Family::tree, size_in(name)));
    else
      robots.push_back(from_file(name, plugins, allow_plugins));
  }
  for (const Robot& robot : robots)
    if (robot.model->n_v == 0)
      throw Error(fmt::format("robot '{}' has no joint that moves", robot.name));
  return robots;
}

}  // namespace torsor::bench
