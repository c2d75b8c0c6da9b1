#include "torsor/formats/robot_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "torsor/formats/mjcf/mjcf.hpp"
#include "torsor/formats/sdf/sdf.hpp"
#include "torsor/formats/urdf/urdf.hpp"
#include "torsor/formats/xacro/xacro.hpp"

namespace torsor {

namespace {

constexpr RobotFormat formats[] = {
    {"URDF", ".urdf", read_urdf}, {"xacro", ".xacro", read_xacro}, {"SDF", ".sdf", read_sdf},
    {"SDF", ".world", read_sdf},  {"MJCF", ".xml", read_mjcf},     {"MJCF", ".mjcf", read_mjcf},
};

}  // namespace

const RobotFormat* robot_format(const std::filesystem::path& file) {
  const auto found = std::ranges::find(formats, file.extension().string(), &RobotFormat::extension);
  return found == std::end(formats) ? nullptr : found;
}

std::string robot_extensions(std::string_view format) {
  std::string out;
  for (const RobotFormat& each : formats)
    if (format.empty() || each.name == format)
      out += fmt::format("{}{}", out.empty() ? "" : ", ", each.extension);
  return out;
}

void require_robot_extension(const std::filesystem::path& file, std::string_view expected) {
  if (!robot_format(file)) throw Error(fmt::format("'{}': {}", file.string(), expected));
}

void require_robot_format(const std::filesystem::path& file, std::string_view format,
                          std::string_view call) {
  const RobotFormat* found = robot_format(file);
  if (found && found->name == format) return;
  const std::string extensions = robot_extensions(format);
  require_robot_extension(file, fmt::format("{} reads {} files", call, extensions));
  throw Error(fmt::format("'{}': {} reads {} files; this is a {} file", file.string(), call,
                          extensions, found->name));
}

RobotDescription read_robot_file(const std::filesystem::path& file,
                                 const RobotFileOptions& options) {
  require_robot_extension(file, fmt::format("a robot file is a {} file", robot_extensions()));
  return robot_format(file)->read(file, options);
}

}  // namespace torsor
