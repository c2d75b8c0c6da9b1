#include "torsor/cli/arguments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <vector>

#include "torsor/model/error.hpp"

namespace torsor::cli {

namespace {

std::vector<std::string> command_names(CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

}  // namespace

std::string unknown_command(CLI::App& app) {
  const std::vector<std::string> rest = app.remaining(true), names = command_names(app);
  if (names.empty() || !app.get_subcommands().empty() || rest.empty() || rest.front().starts_with("-"))
    return "";
  return fmt::format("there is no command '{}'{} (see '{} --help')", rest.front(),
                     did_you_mean(rest.front(), names), app.get_name());
}

std::string explain(CLI::App& app, const CLI::ParseError& error) {
  if (const std::string unknown = unknown_command(app); !unknown.empty()) return unknown;
  const std::vector<std::string> rest = app.remaining(true);
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  const bool option = !rest.empty() && rest.front().starts_with("-");
  const std::string help =
      fmt::format(" (see '{} {}--help')", app.get_name(), chosen.empty() ? "" : chosen[0]->get_name() + " ");
  if (!command_names(app).empty() && rest.empty() && chosen.empty() &&
      dynamic_cast<const CLI::RequiredError*>(&error))
    return fmt::format("no command was given: {}{}", fmt::join(command_names(app), ", "), help);
  if (option) {
    const std::string name = rest.front().substr(0, rest.front().find('='));
    return fmt::format("there is no option '{}'{}{}", name,
                       did_you_mean(name, option_names(chosen.empty() ? app : *chosen[0])), help);
  }
  return fmt::format("{}{}", error.what(), help);
}

void add_random_states_options(CLI::App& command, int& states, uint64_t& seed) {
  command.add_option("--states", states, "how many random states")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command.add_option("--seed", seed, "of the random states")
      ->check(CLI::Range(0.0, 0x1p53))
      ->capture_default_str();
}

void add_floating_base_option(CLI::App& command, bool& floating_base) {
  command.add_flag(
      "--floating-base", floating_base,
      "carry the root link of a URDF by a floating joint, named floating_base; else it is fixed");
}

}  // namespace torsor::cli
