#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "torsor/cli/command.hpp"
#include "torsor/cli/doctor.hpp"
#include "torsor/cli/plugin_paths.hpp"
#include "torsor/model/builder.hpp"

namespace torsor::cli {
namespace {

// The smallest robot that swings, to ask a solver what it offers: a mass of 1 kg at the end of a rod of 1 m on a hinge, which
// passes for one of its family.
std::shared_ptr<const Model> probe_model(const std::string& family) {
  RobotDescription robot;
  robot.name = "probe";
  robot.family = family;
  LinkDescription rod;
  rod.name = "rod";
  rod.joint.name = "hinge";
  rod.joint.kind = JointKind::revolute;
  rod.joint.placement = ScrewPlacement{.axis = {0, 1, 0}};
  rod.inertia = inertia_about_com(1.0, {0, 0, -1}, {0, 0, 0, 0, 0, 0});
  robot.links.push_back(rod);
  return build(robot);
}

// What a solver computes by itself and what the host derives for it, or why it cannot be used.
struct Offer {
  std::vector<std::string> offered, derived;
  std::string trouble;
};

Offer ask(const Registry& registry, const PluginInfo& plugin) {
  Offer offer;
  if (!plugin.id.starts_with("solver.")) return offer;
  try {
    const Solver solver = registry.solver(plugin.id, probe_model(plugin.family));
    for (const Quantity quantity : all_quantities)
      (solver.capability(quantity) == Capability::offered ? offer.offered : offer.derived)
          .emplace_back(name(quantity));
    if (solver.has_rates()) offer.offered.emplace_back("rates");
    if (solver.has_equation_rates()) offer.offered.emplace_back("equation_rates");
    if (solver.has_partials()) offer.offered.emplace_back("partials");
    if (solver.has_second_partials()) offer.offered.emplace_back("second_partials");
    if (solver.has_trace()) offer.offered.emplace_back("trace");
  } catch (const Error& error) {
    offer.trouble = error.what();
  }
  return offer;
}

nlohmann::ordered_json to_json(const Registry& registry, const std::vector<Offer>& offers) {
  auto plugins = nlohmann::ordered_json::array();
  for (size_t k = 0; k < offers.size(); ++k) {
    const PluginInfo& plugin = registry.plugins()[k];
    plugins.push_back({{"id", plugin.id},
                       {"version", plugin.version},
                       {"summary", plugin.summary},
                       {"family", plugin.family},
                       {"abi", fmt::format("{}.{}", plugin.abi_major, plugin.abi_minor)},
                       {"offered", offers[k].offered},
                       {"derived", offers[k].derived},
                       {"file", plugin.file.string()},
                       {"sha256", plugin.sha256}});
    for (const auto& [name, unit, help, type, count] : plugin.parameters)
      plugins.back()["parameters"].push_back({{"name", name}, {"unit", unit}, {"help", help}});
    if (!offers[k].trouble.empty()) plugins.back()["trouble"] = offers[k].trouble;
  }
  auto skipped = nlohmann::ordered_json::array();
  for (const SkippedFile& file : registry.skipped())
    skipped.push_back({{"file", file.file.string()}, {"reason", file.reason}});
  auto paths = nlohmann::ordered_json::array();
  for (const auto& path : registry.paths()) paths.push_back(path.string());
  return {{"plugins", plugins}, {"skipped", skipped}, {"paths", paths}};
}

std::string list(const std::vector<std::string>& names) {
  return names.empty() ? "-" : fmt::format("{}", fmt::join(names, ", "));
}

void print(const Registry& registry, const std::vector<Offer>& offers) {
  size_t id_width = 2, version_width = 7;
  for (const PluginInfo& plugin : registry.plugins()) {
    id_width = std::max(id_width, plugin.id.size());
    version_width = std::max(version_width, plugin.version.size());
  }
  fmt::print("{:{}}  {:{}}  {:4}  FILE\n", "ID", id_width, "VERSION", version_width, "ABI");
  for (size_t k = 0; k < offers.size(); ++k) {
    const PluginInfo& plugin = registry.plugins()[k];
    fmt::print("{:{}}  {:{}}  {:4}  {}\n", plugin.id, id_width, plugin.version, version_width,
               fmt::format("{}.{}", plugin.abi_major, plugin.abi_minor), plugin.file.string());
    fmt::print("    {}\n", plugin.summary);
    if (!plugin.family.empty()) fmt::print("    only for   {}\n", plugin.family);
    for (const auto& [name, unit, help, type, count] : plugin.parameters)
      fmt::print("    {:<12} {}{}\n", name, unit.empty() ? "" : fmt::format("[{}] ", unit), help);
    if (!plugin.id.starts_with("solver.")) continue;
    if (offers[k].trouble.empty())
      fmt::print("    offered    {}\n    derived    {}\n", list(offers[k].offered), list(offers[k].derived));
    else
      fmt::print("    unknown    {}\n", offers[k].trouble);
  }
  if (offers.empty()) fmt::print("none\n");
  if (!registry.skipped().empty()) fmt::print("\nskipped\n");
  for (const SkippedFile& file : registry.skipped())
    fmt::print("    {} {}\n", file.file.string(), file.reason);
  fmt::print("\nlooked in\n");
  for (const auto& path : registry.paths()) fmt::print("    {}\n", path.string());
}

struct PluginsOptions {
  std::vector<std::filesystem::path> paths;
  bool json = false;
};

void run(const PluginsOptions& options) {
  const Registry registry = find_plugins(options.paths);
  std::vector<Offer> offers;
  for (const PluginInfo& plugin : registry.plugins()) offers.push_back(ask(registry, plugin));
  if (!options.json) return print(registry, offers);
  using Json = nlohmann::ordered_json;
  fmt::print("{}\n", to_json(registry, offers).dump(2, ' ', false, Json::error_handler_t::replace));
}

}  // namespace

void add_plugins_command(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("plugins", "List the plugins found, what each offers, and what was skipped");
  const auto options = std::make_shared<PluginsOptions>();
  add_plugins_option(*command, options->paths);
  command->add_flag("--json", options->json, "Print JSON instead of a table");
  command->footer(
      "Exit status of doctor: 1 where a file cannot be used.\n"
      "Example: torsor plugins doctor --plugins my_solver.so");
  CLI::App* doctor = command->add_subcommand(
      "doctor", "Every place where plugins are looked for, every file there, and why it is used or not");
  doctor->fallthrough();
  command->callback([options, doctor] {
    if (doctor->parsed())
      diagnose_plugins(options->paths, options->json);
    else
      run(*options);
  });
}

}  // namespace torsor::cli
