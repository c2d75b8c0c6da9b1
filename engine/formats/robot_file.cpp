#include "torsor/formats/robot_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "torsor/formats/mjcf/mjcf.hpp"
#include "torsor/formats/urdf/closures.hpp"
#include "torsor/formats/urdf/urdf.hpp"
#include "torsor/formats/xml/document.hpp"

namespace torsor {

namespace {

constexpr RobotFormat formats[] = {
    {"URDF", ".urdf", read_urdf, {"xacro", ".xacro", xml::expand_xacro}},
    {"MJCF", ".xml", read_mjcf},
    {"MJCF", ".mjcf", read_mjcf}};

}  // namespace

const RobotFormat* robot_format(const std::filesystem::path& file) {
  const auto found = std::ranges::find(formats, file.extension().string(), &RobotFormat::extension);
  return found == std::end(formats) ? nullptr : found;
}

const RobotSource* robot_source(const std::filesystem::path& file) {
  const std::string extension = file.extension().string();
  if (extension.empty()) return nullptr;
  const auto found = std::ranges::find(
      formats, extension, [](const RobotFormat& format) { return format.source.extension; });
  return found == std::end(formats) ? nullptr : &found->source;
}

std::string robot_extensions() {
  std::string out;
  for (const RobotFormat& format : formats)
    out += fmt::format("{}{}", out.empty() ? "" : ", ", format.extension);
  return out;
}

void require_robot_extension(const std::filesystem::path& file, std::string_view expected) {
  if (robot_format(file)) return;
  if (const RobotSource* source = robot_source(file))
    throw Error(fmt::format("'{}': {}; {}", file.string(), expected, source->advice));
  throw Error(fmt::format("'{}': {}", file.string(), expected));
}

void require_robot_format(const std::filesystem::path& file, std::string_view format,
                          std::string_view call) {
  const RobotFormat* found = robot_format(file);
  if (found && found->name == format) return;
  std::string extensions;
  for (const RobotFormat& each : formats)
    if (each.name == format)
      extensions += fmt::format("{}{}", extensions.empty() ? "" : " or ", each.extension);
  require_robot_extension(file, fmt::format("{} reads {} files", call, extensions));
  throw Error(fmt::format("'{}': {} reads {} files; this is a {} file", file.string(), call,
                          extensions, found->name));
}

std::optional<std::filesystem::path> file_of_closures(const std::filesystem::path& file) {
  if (file.extension() != ".urdf") return std::nullopt;
  std::filesystem::path out = urdf::closures_file(file);
  if (!std::filesystem::exists(out)) return std::nullopt;
  return out;
}

RobotDescription read_robot_file(const std::filesystem::path& file,
                                 const RobotFileOptions& options) {
  require_robot_extension(file, fmt::format("a robot file is a {} file", robot_extensions()));
  return robot_format(file)->read(file, options);
}

}  // namespace torsor
