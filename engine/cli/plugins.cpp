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
#include "torsor/host/solver_offer.hpp"

namespace torsor::cli {
namespace {

nlohmann::ordered_json to_json(const Registry& registry, const std::vector<SolverOffer>& offers) {
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

void print(const Registry& registry, const std::vector<SolverOffer>& offers) {
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
  std::vector<SolverOffer> offers;
  for (const PluginInfo& plugin : registry.plugins())
    offers.push_back(plugin.id.starts_with("solver.") ? offer_of(registry, plugin) : SolverOffer{});
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
