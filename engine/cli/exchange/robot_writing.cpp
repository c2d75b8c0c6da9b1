#include "torsor/cli/exchange/robot_writing.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "torsor/base/input_file.hpp"
#include "torsor/base/output_file.hpp"
#include "torsor/base/text.hpp"
#include "torsor/formats/robot_file.hpp"

namespace torsor::cli {

namespace {

namespace fs = std::filesystem;
using exporting::Effect, exporting::Loss;

RobotDescription read_with_collisions(RobotOptions& options, const Registry& plugins,
                                      std::vector<Loss>& losses, bool& is_scene) {
  if (is_script(options.file)) return read_robot_description(options, plugins, &is_scene);
  options.collisions = true;
  try {
    return read_robot_description(options, plugins);
  } catch (const Error& error) {
    options.collisions = false;
    RobotDescription out = read_robot_description(options, plugins);  // throws other errors again
    losses.push_back({"collision shapes",
                      fmt::format("not read: {}", one_line(error.what())),
                      Effect::contact,
                      {"all links"}});
    return out;
  }
}

bool is_same(const fs::path& a, const fs::path& b) {
  std::error_code ignored;
  return fs::equivalent(a, b, ignored);
}

}  // namespace

ReadRobot read_whole_robot(RobotOptions options, const Registry& plugins) {
  ReadRobot out;
  bool is_scene = false;
  out.robot = read_with_collisions(options, plugins, out.losses, is_scene);
  for (Loss& loss : losses_of_reading(out.robot)) out.losses.push_back(std::move(loss));
  if (is_scene)
    out.losses.push_back(
        {"scene",
         "not written: gravity, start, controls, loads, sensors, and what the world has",
         Effect::forces,
         {fs::path(options.file).filename().string()}});
  return out;
}

void add_force_flag(CLI::App& command, bool& force) {
  command.add_flag("--force", force, "replace existing files");
}

void write_robot(const ExportedRobot& robot, const WriteOptions& options) {
  const fs::path folder = fs::path(options.out).parent_path();
  std::vector<fs::path> sources{options.source};
  if (const auto closures = file_of_closures(options.source)) sources.push_back(*closures);
  for (const exporting::ExportedFile& file : robot.files) {
    const fs::path path = folder / file.name;
    for (const fs::path& source : sources)
      if (is_same(path, source))
        throw Error(fmt::format("'{}' would replace its own source; give --out another name",
                                path.string()));
    std::error_code ignored;
    if (!options.force && fs::exists(path, ignored))
      throw Error(fmt::format("'{}' exists; give --out another name, or replace it with --force",
                              path.string()));
  }
  for (const exporting::ExportedFile& file : robot.files) {
    write_file(folder / file.name, file.text);
    fmt::print("{}\n", (folder / file.name).string());
  }
  fmt::print("{}{}", counted(robot.losses.size(), "difference"),
             robot.losses.empty() ? "\n" : ":\n");
  fmt::print("{}", without_controls(robot.report()));
}

}  // namespace torsor::cli
