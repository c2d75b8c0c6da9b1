#include "torsor/formats/export/export.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "torsor/formats/export/lua/lua.hpp"
#include "torsor/formats/export/mjcf/mjcf.hpp"
#include "torsor/formats/export/sdf.hpp"
#include "torsor/formats/export/urdf.hpp"

namespace torsor {

namespace {

constexpr RobotTarget targets[] = {
    {"urdf", ".urdf", "URDF", exporting::write_urdf},
    {"mjcf", ".xml", "MJCF", exporting::write_mjcf},
    {"sdf", ".sdf", "SDF", exporting::write_sdf},
    {"lua", ".lua", "Lua", exporting::write_lua},
};

}  // namespace

std::span<const RobotTarget> robot_targets() {
  return targets;
}

const RobotTarget* robot_target(std::string_view name) {
  const auto found = std::ranges::find(targets, name, &RobotTarget::name);
  return found == std::end(targets) ? nullptr : found;
}

bool ExportedRobot::changes_mechanism() const {
  return std::ranges::any_of(losses, [](const exporting::Loss& loss) {
    return loss.effect == exporting::Effect::structure;
  });
}

std::string ExportedRobot::report(size_t most) const {
  return exporting::report_of(losses, most);
}

ExportedRobot export_robot(const RobotDescription& robot, const RobotTarget& format,
                           const exporting::Target& target) {
  build(robot);  // throws Error for a robot that is not valid
  exporting::Written out = format.write(robot, target);
  std::vector<exporting::Loss> losses = target.losses;
  losses.insert(losses.end(), out.losses.begin(), out.losses.end());
  std::ranges::stable_sort(losses, {}, &exporting::Loss::effect);
  return {std::move(out.files), std::move(losses)};
}

std::vector<exporting::Loss> losses_of_reading(const RobotDescription& robot) {
  using Kind = UnusedWord::Kind;
  exporting::Notes out;
  for (const UnusedWord& word : robot.unused) {
    const bool matters = word.kind == Kind::unsupported || word.kind == Kind::broken;
    const char* const outcome = word.kind == Kind::ignored       ? "not read: it has no effect here"
                                : word.kind == Kind::unsupported ? "not read: not supported"
                                : word.kind == Kind::unknown     ? "not read: unknown"
                                                                 : "not used";
    out.note(word.what,
             fmt::format("{}:{}", std::filesystem::path(word.file).filename().string(), word.line),
             outcome, matters ? exporting::Effect::forces : exporting::Effect::nothing);
  }
  std::vector<exporting::Loss> losses = out.take();
  std::ranges::stable_sort(losses, {}, &exporting::Loss::effect);
  return losses;
}

}  // namespace torsor
