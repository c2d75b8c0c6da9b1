// torsor plugins: lists the plugins that were found and the plugin files that were skipped.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "torsor/base/processor.hpp"
#include "torsor/cli/options/arguments.hpp"
#include "torsor/cli/options/command.hpp"
#include "torsor/cli/options/plugin_paths.hpp"
#include "torsor/cli/pages/doctor.hpp"
#include "torsor/host/parameter_help.hpp"
#include "torsor/host/solver_offer.hpp"
#include "torsor/plugin/plugin_kind.hpp"

namespace torsor::cli {
namespace {

struct PluginsOptions {
  std::vector<std::string> filters;
  std::vector<std::filesystem::path> paths;
  bool json = false;
};

// An entry of the list of plugins.
struct Listed {
  const PluginInfo& plugin;
  SolverOffer offer;  // set only for solvers
  std::vector<ParameterHelp> parameters;

  bool is_solver() const { return plugin.kind() == Solver::kind; }
};

// Returns the plugins selected by a filter. The filter is tried first as a kind of plugin, then as
// an id, and then as a part of an id.
std::vector<const PluginInfo*> selected(const Registry& registry, const std::string& filter) {
  const auto by = [&](const auto& matches) {
    std::vector<const PluginInfo*> out;
    for (const PluginInfo& plugin : registry.plugins())
      if (matches(plugin)) out.push_back(&plugin);
    return out;
  };
  auto out = by([&](const PluginInfo& plugin) { return plugin.kind() == filter; });
  if (out.empty())
    out = by([&](const PluginInfo& plugin) {
      return plugin.id == filter || without_kind(plugin.id) == filter;
    });
  if (out.empty())
    out = by([&](const PluginInfo& plugin) { return plugin.id.find(filter) != plugin.id.npos; });
  if (!out.empty()) return out;
  std::set<std::string> kinds;
  std::vector<std::string> words;
  for (const PluginInfo& plugin : registry.plugins()) {
    kinds.emplace(plugin.kind());
    words.emplace_back(without_kind(plugin.id));
  }
  words.insert(words.end(), kinds.begin(), kinds.end());
  words.emplace_back("doctor");  // a subcommand, so a misspelled "doctor" gets a hint
  throw Error(fmt::format(
      "no plugin is of kind '{0}' or has '{0}' in its id; the kinds are {1}; 'torsor plugins' "
      "lists all{2}",
      filter, fmt::join(kinds, ", "), did_you_mean(filter, words)));
}

std::vector<Listed> listed_plugins(const Registry& registry,
                                   const std::vector<std::string>& filters) {
  std::set<const PluginInfo*> chosen;
  for (const std::string& filter : filters)
    for (const PluginInfo* plugin : selected(registry, filter)) chosen.insert(plugin);
  std::vector<Listed> out;
  for (const PluginInfo& plugin : registry.plugins()) {
    if (!filters.empty() && !chosen.contains(&plugin)) continue;
    Listed& listed =
        out.emplace_back(Listed{plugin, {}, parameter_help(registry.descriptor(plugin.id))});
    if (listed.is_solver()) listed.offer = offer_of(registry, plugin);
  }
  return out;
}

// Returns the name of the processor level that is used, or "" if the architecture has none.
std::string level_name() {
  const auto levels = processor_levels();
  return levels.empty() ? "" : std::string(levels[processor_level()]);
}

nlohmann::ordered_json to_json(const Listed& listed) {
  const PluginInfo& plugin = listed.plugin;
  nlohmann::ordered_json out{{"id", plugin.id},
                             {"version", plugin.version},
                             {"summary", plugin.summary},
                             {"family", plugin.family},
                             {"abi", fmt::format("{}.{}", plugin.abi_major, plugin.abi_minor)},
                             {"offered", listed.offer.offered},
                             {"derived", listed.offer.derived},
                             {"file", plugin.file.string()},
                             {"processor_level", plugin.level},
                             {"sha256", plugin.sha256}};
  for (const ParameterHelp& parameter : listed.parameters)
    out["parameters"].push_back({{"name", parameter.name},
                                 {"unit", parameter.unit},
                                 {"help", parameter.help},
                                 {"values", parameter.values},
                                 {"default", parameter.initial},
                                 {"required", parameter.is_required}});
  if (!listed.offer.trouble.empty()) out["trouble"] = listed.offer.trouble;
  return out;
}

nlohmann::ordered_json to_json(const Registry& registry, const std::vector<Listed>& plugins) {
  auto list = nlohmann::ordered_json::array(), generated = list, skipped = list, paths = list;
  for (const Listed& plugin : plugins) list.push_back(to_json(plugin));
  for (const PluginInfo& plugin : registry.generated())
    generated.push_back(
        {{"id", plugin.id}, {"version", plugin.version}, {"summary", plugin.summary}});
  for (const SkippedFile& file : registry.skipped())
    skipped.push_back({{"file", file.file.string()}, {"reason", file.reason}});
  for (const auto& path : registry.paths()) paths.push_back(path.string());
  return {{"plugins", list},
          {"generated", generated},
          {"skipped", skipped},
          {"paths", paths},
          {"processor_level", level_name()}};
}

std::string joined_names(const std::vector<std::string>& names) {
  return names.empty() ? "-" : fmt::format("{}", fmt::join(names, ", "));
}

void print_parameter(const ParameterHelp& parameter) {
  const std::string unit = parameter.unit.empty() ? "" : fmt::format(" [{}]", parameter.unit);
  const std::string initial = parameter.is_required       ? "; required"
                              : parameter.initial.empty() ? "; optional"
                                                          : "; default: " + parameter.initial;
  fmt::print("      {:<24} {}\n      {:<24} {}{}\n", parameter.name + unit, parameter.help, "",
             parameter.values, initial);
}

void print_plugin(const Listed& listed) {
  const PluginInfo& plugin = listed.plugin;
  fmt::print("{} {}\n    {}\n", plugin.id, plugin.version, plugin.summary);
  fmt::print("    file       {} (ABI {}.{})\n", plugin.file.string(), plugin.abi_major,
             plugin.abi_minor);
  if (!plugin.family.empty())
    fmt::print("    only for   robots of the family '{}'\n", plugin.family);
  if (listed.is_solver()) {
    if (listed.offer.trouble.empty())
      fmt::print("    offered    {}\n    derived    {}\n", joined_names(listed.offer.offered),
                 joined_names(listed.offer.derived));
    else
      fmt::print("    unknown    {}\n", listed.offer.trouble);
  }
  if (!listed.parameters.empty()) fmt::print("    parameters\n");
  for (const ParameterHelp& parameter : listed.parameters) print_parameter(parameter);
}

void print(const Registry& registry, const std::vector<Listed>& plugins, bool all) {
  for (const Listed& plugin : plugins) print_plugin(plugin);
  if (plugins.empty()) fmt::print("no plugins\n");
  if (!all) return;
  fmt::print("\ngenerated for each robot\n");
  for (const PluginInfo& plugin : registry.generated())
    fmt::print("    {} {}: {}\n", plugin.id, plugin.version, plugin.summary);
  if (!registry.skipped().empty()) fmt::print("\nskipped\n");
  for (const SkippedFile& file : registry.skipped())
    fmt::print("    {} {}\n", file.file.string(), file.reason);
  fmt::print("\nsearched\n");
  for (const auto& path : registry.paths()) fmt::print("    {}\n", path.string());
  if (const std::string level = level_name(); !level.empty())
    fmt::print("\nprocessor\n    {}: the highest level of the variants of files that are used\n",
               level);
}

void run(const PluginsOptions& options) {
  const Registry registry = find_plugins(options.paths);
  const std::vector<Listed> plugins = listed_plugins(registry, options.filters);
  if (!options.json) return print(registry, plugins, options.filters.empty());
  using Json = nlohmann::ordered_json;
  fmt::print("{}\n",
             to_json(registry, plugins).dump(2, ' ', false, Json::error_handler_t::replace));
}

}  // namespace

void add_plugins_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "plugins", "List plugins, their parameters, what each solver offers, and what was skipped");
  const auto options = std::make_shared<PluginsOptions>();
  command->add_option(
      "FILTER", options->filters,
      fmt::format("a kind ({}), an id, or a part of ids; several filters list every plugin that at "
                  "least one of them matches; by default, all plugins",
                  fmt::join(plugin_kind_names(), ", ")));
  add_plugins_option(*command, options->paths);
  add_json_flag(*command, options->json);
  command->footer(
      "For a solver, 'offered' are the quantities that the plugin computes, and 'derived' those "
      "that the host computes from them.\n"
      "Example: torsor plugins solver\n"
      "Example: torsor plugins solver pid");
  CLI::App* doctor = command->add_subcommand(
      "doctor", "Check every place that is searched for plugins, and every file there");
  add_plugins_option(*doctor, options->paths);
  add_json_flag(*doctor, options->json);
  doctor->footer(
      "The exit status is 1 if a file cannot be used.\n"
      "Example: torsor plugins doctor --plugins scripts/plugins");
  command->callback([options, doctor] {
    if (doctor->parsed())
      diagnose_plugins(options->paths, options->json);
    else
      run(*options);
  });
}

}  // namespace torsor::cli
