#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "torsor/cli/command.hpp"
#include "torsor/cli/say.hpp"
#include "torsor/model/error.hpp"

namespace torsor::cli {
namespace {

constexpr void (*commands[])(CLI::App&) = {add_run_command, add_eval_command, add_compare_command,
                                           add_plugins_command};

constexpr int user_error = 2, check_failed = 1, internal_error = 1;

int complain(const std::string& text, int exit_code) {
  say(text);
  return exit_code;
}

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

// What the command line said that cannot be, with the nearest thing that can.
std::string explain(CLI::App& app, const CLI::ParseError& error) {
  const std::vector<std::string> rest = app.remaining(true);
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  const bool option = !rest.empty() && rest.front().starts_with("-");
  const std::string help =
      fmt::format(" (see 'torsor {}--help')", chosen.empty() ? "" : chosen[0]->get_name() + " ");
  if (rest.empty() && chosen.empty() && dynamic_cast<const CLI::RequiredError*>(&error))
    return fmt::format("no command was given: {}{}", fmt::join(command_names(app), ", "), help);
  if (!rest.empty() && chosen.empty() && !option)
    return fmt::format("there is no command '{}'{}{}", rest.front(),
                       did_you_mean(rest.front(), command_names(app)), help);
  if (option) {
    const std::string name = rest.front().substr(0, rest.front().find('='));
    return fmt::format("there is no option '{}'{}{}", name,
                       did_you_mean(name, option_names(chosen.empty() ? app : *chosen[0])), help);
  }
  return fmt::format("{}{}", error.what(), help);
}

void flush_output() {
  if (std::fflush(stdout) != 0)
    throw Error(fmt::format("standard output cannot be written: {}", std::strerror(errno)));
}

int run(int argc, char** argv) {
  CLI::App app("Torsor, a plugin-based multibody dynamics engine", "torsor");
  app.set_version_flag("--version", TORSOR_VERSION);
  app.require_subcommand(1);
  for (const auto add : commands) add(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& request) {
    return app.exit(request);
  } catch (const CLI::ParseError& error) {
    return complain(explain(app, error), user_error);
  } catch (const CheckFailed& failure) {
    flush_output();  // what was found stands before what is wrong with it
    return complain(failure.what(), check_failed);
  }
  flush_output();
  return 0;
}

}  // namespace
}  // namespace torsor::cli

int main(int argc, char** argv) {
  using namespace torsor::cli;
  try {
    return run(argc, argv);
  } catch (const torsor::Error& error) {
    return complain(error.what(), user_error);
  } catch (const std::exception& error) {
    return complain(fmt::format("internal error: {}", error.what()), internal_error);
  }
}
