#include "torsor/formats/lint/lint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "torsor/base/error.hpp"
#include "torsor/formats/lint/rules.hpp"
#include "torsor/formats/mesh/solid_inertia.hpp"
#include "torsor/model/building/universal.hpp"

namespace torsor {

namespace {

using namespace lint_rules;

// Returns the origins of all link frames in world coordinates at the neutral q.
std::vector<Vec3<double>> places(const Model& model) {
  const std::vector<double> q = neutral(model);
  std::vector<double> scratch(pose_scratch(model));
  std::vector<Pose<double>> X_WB(model.n_body);
  evaluate_poses(model, q.data(), scratch.data(), X_WB.data());
  for (int i = 1; i < model.n_body; ++i) X_WB[i] = X_WB[model.parent[i]] * X_WB[i];
  std::vector<Vec3<double>> out;
  for (const Link& link : model.links) {
    const Frame& frame = model.frames[link.frame];
    out.push_back(X_WB[frame.body] * frame.X_BF.p);
  }
  return out;
}

Surroundings look_around(const RobotDescription& robot, const Model& model) {
  Surroundings out{robot, std::vector<LinkSize>(robot.links.size()), {}, 0, 0};
  for (const LinkDescription& link : robot.links) out.mass += link.inertia.m;
  const std::vector<Vec3<double>> p = places(model);
  std::vector<double> offsets;
  for (size_t i = 0; i < robot.links.size(); ++i) {
    const SpatialInertia<double>& M = robot.links[i].inertia;
    if (M.m > 0) out.sizes[i].reach = std::max(out.sizes[i].reach, norm(M.h) / M.m);
    const int parent = model.links[i].parent;
    if (parent < 0) continue;
    const double offset = norm(p[i] - p[size_t(parent)]);
    out.sizes[i].offset = offset;
    if (offset > 0) offsets.push_back(offset);
    out.sizes[size_t(parent)].reach = std::max(out.sizes[size_t(parent)].reach, offset);
  }
  if (!offsets.empty()) {
    const auto middle = offsets.begin() + long(offsets.size() / 2);
    std::nth_element(offsets.begin(), middle, offsets.end());
    out.length = *middle;
  }
  return out;
}

// Returns the inertias of the links if their shapes were solids. Reports meshes that are no solids
// in one note.
std::vector<std::optional<SpatialInertia<double>>> solids(const RobotDescription& robot,
                                                          const MeshAccess* meshes, Finder& find) {
  std::vector<std::optional<SpatialInertia<double>>> out(robot.links.size());
  int failures = 0;
  std::string source, first;
  for (size_t i = 0; i < robot.links.size(); ++i) {
    const LinkDescription& link = robot.links[i];
    const bool has_mesh = std::ranges::any_of(link.visuals, [](const VisualDescription& visual) {
      return std::holds_alternative<MeshFile>(visual.shape);
    });
    if (link.visuals.empty() || link.shapes_left_out || link.grouped || !(link.inertia.m > 0) ||
        (has_mesh && !meshes))
      continue;
    try {
      out[i] = solid_inertia_of_mass(link.visuals, link.inertia.m, meshes ? *meshes : MeshAccess{});
    } catch (const Error& error) {
      if (failures++ == 0) source = link.source, first = error.what();
    }
  }
  if (failures > 0)
    find.add(Severity::note, "inertia.mesh", source, fmt::format("robot '{}'", robot.name),
             "the inertias of some links are not compared with their meshes",
             {{"links", double(failures), ""}}, "the first reason: " + first);
  return out;
}

// Reports a robot whose median distance between joints is implausibly large.
void check_scale(const Surroundings& around, Finder& find) {
  constexpr double largest = 20;  // m, between connected joints
  if (around.length < largest) return;
  find.add(Severity::warning, "robot.scale", around.robot.links.front().source,
           fmt::format("robot '{}'", around.robot.name), "its joints are far apart",
           {{"median distance", around.length, "m"}}, "are its lengths in millimetres?");
}

// A rule for unused words of a file. Its name is the same in all formats.
struct WordRule {
  UnusedWord::Kind kind;
  Severity severity;
  const char *rule, *what, *advice;
};
constexpr WordRule word_rules[] = {
    {UnusedWord::Kind::ignored, Severity::note, "file.unused", "ignored", ""},
    {UnusedWord::Kind::broken, Severity::error, "file.reference", "it has no effect", ""},
    {UnusedWord::Kind::unknown, Severity::error, "file.unknown", "unknown", ""},
    {UnusedWord::Kind::unsupported, Severity::error, "file.unsupported",
     "it describes the motion and is not supported", "model it in Lua, or remove it"},
};

// Each unknown or unsupported word is reported once, with its first place and its count. Every
// other unused word is reported at each place.
void check_description(const RobotDescription& robot, Finder& find) {
  using enum UnusedWord::Kind;
  const auto is_counted = [](const UnusedWord& word) {
    return word.kind == unknown || word.kind == unsupported;
  };
  std::unordered_map<std::string_view, int> times;  // by word; 0 if it is reported
  for (const UnusedWord& word : robot.unused)
    if (is_counted(word)) ++times[word.what];
  for (const UnusedWord& word : robot.unused) {
    std::vector<Finding::Number> numbers;
    if (is_counted(word)) {
      const int count = std::exchange(times.at(word.what), 0);
      if (count == 0) continue;
      numbers = {{"count", double(count), ""}};
    }
    const WordRule& rule = *std::ranges::find(word_rules, word.kind, &WordRule::kind);
    find.add(rule.severity, rule.rule, fmt::format("{}:{}", word.file, word.line), word.what,
             rule.what, std::move(numbers), word.hint.empty() ? rule.advice : word.hint.substr(2));
  }
}

// Reports the problems that the reader has found in the file.
void check_file(const RobotDescription& robot, Finder& find) {
  for (const FileFault& fault : robot.faults)
    find.add(Severity::warning, fault.rule.c_str(), fault.source, fault.subject, fault.what, {},
             fault.advice);
}

// Splits "FILE:12" into the file name and the line number, for sorting.
std::pair<std::string_view, int> file_and_line(std::string_view source) {
  const size_t colon = source.rfind(':');
  int line = 0;
  if (colon == source.npos) return {source, line};
  std::from_chars(source.data() + colon + 1, source.data() + source.size(), line);
  return {source.substr(0, colon), line};
}

}  // namespace

std::string_view name(Severity severity) {
  return severity == Severity::error ? "error" : severity == Severity::warning ? "warning" : "note";
}

std::string as_line(const Finding& finding) {
  std::string numbers;
  for (const auto& [name, value, unit] : finding.numbers)
    numbers += fmt::format("{}{} = {:.5g}{}{}", numbers.empty() ? " (" : ", ", name, value,
                           unit.empty() ? "" : " ", unit);
  if (!numbers.empty()) numbers += ")";
  return fmt::format("{}{}{}: {}: {}{}{}{}", finding.source, finding.source.empty() ? "" : ": ",
                     name(finding.severity), finding.subject, finding.what, numbers,
                     finding.advice.empty() ? "" : "; ", finding.advice);
}

void sort_for_reading(std::vector<Finding>& findings) {
  const auto key = [](const Finding& finding) {
    return std::tuple(-int(finding.severity), file_and_line(finding.source));
  };
  std::stable_sort(findings.begin(), findings.end(),
                   [&](const Finding& a, const Finding& b) { return key(a) < key(b); });
}

std::vector<Finding> lint(const RobotDescription& described, const MeshAccess* meshes) {
  const RobotDescription robot = without_universal_joints(described);
  RobotDescription allowed = robot;
  allowed.nonphysical = Nonphysical::allow;
  allowed.com_frames = false;
  const auto model = build(allowed);
  Surroundings around = look_around(robot, *model);

  std::vector<Finding> out;
  Finder find(out);
  around.solids = solids(robot, meshes, find);
  check_description(robot, find);
  check_file(robot, find);
  check_scale(around, find);
  for (int i = 0; i < int(robot.links.size()); ++i) {
    check_joint(around, i, find);
    check_inertia(around, i, find);
  }
  check_mass_matrix(*model, robot, find);
  sort_for_reading(out);
  return out;
}

}  // namespace torsor
