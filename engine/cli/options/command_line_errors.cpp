// Error messages for mistakes on the command line. They replace the messages of CLI11.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <charconv>

#include "torsor/base/error.hpp"
#include "torsor/cli/options/arguments.hpp"

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

// The command that the user has called. `name` includes the program and all parent commands, as in
// "torsor plugins doctor".
struct Chosen {
  CLI::App* app;
  std::string name;
  bool is_command = false;
};

Chosen chosen_command(CLI::App& app) {
  Chosen out{&app, app.get_name()};
  while (!out.app->get_subcommands().empty()) {
    out.app = out.app->get_subcommands().front();
    out.name += " " + out.app->get_name();
    out.is_command = true;
  }
  return out;
}

std::string help_hint(const std::string& name) {
  return fmt::format(" (see '{} --help')", name);
}

// Returns an option in the form in which users write it: "--states FILE" or "SCENE".
std::string usage_of(const CLI::Option& option) {
  if (option.get_positional()) return option.get_name(true);
  const std::string type = option.get_type_name();
  return fmt::format("{} {}", option.get_name(), type.substr(0, type.find(':')));
}

// Returns the option that an error message of CLI11 names, or null.
const CLI::Option* option_of(const CLI::App& command, const std::string& message) {
  const CLI::Option* longest = nullptr;  // the longest match: --json-lines rather than --json
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    if (message.find(name) == std::string::npos) continue;
    if (!longest || longest->get_name().size() < name.size()) longest = option;
  }
  return longest;
}

std::string why_no_number(const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || text.empty())
    return fmt::format("'{}' is not a number", text);
  if (text.front() == '-') return fmt::format("{} is negative", text);
  return fmt::format("{} is not a whole number", text);
}

// The words of the command line that no argument or option has used. After "--", all words are
// operands, even if they begin with a dash.
struct UnusedWords {
  std::vector<std::string> words;
  bool are_operands = false;
};
UnusedWords unused_words(const CLI::App& app) {
  UnusedWords out{app.remaining(true)};
  if (out.words.empty() || out.words.front() != "--") return out;
  out.words.erase(out.words.begin());
  out.are_operands = true;
  return out;
}

std::string missing_argument(const CLI::App& command, const std::string& name) {
  for (const CLI::Option* option : command.get_options())
    if (option->get_required() && option->count() == 0)
      return fmt::format("'{}' needs {}: {}", name, usage_of(*option), option->get_description());
  return "";
}

std::string wrong_value(const CLI::App& command, const CLI::ParseError& error) {
  const std::string what = error.what();
  const CLI::Option* option = option_of(command, what);
  if (!option) return "";
  const std::string name = option->get_name();
  const std::vector<std::string> values = option->results();
  if (dynamic_cast<const CLI::ExcludesError*>(&error)) {
    for (const CLI::Option* other : option->get_excludes())
      if (other->count() > 0)
        return fmt::format("{} and {} cannot be combined: use one of them", name,
                           other->get_name());
    return "";
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error))
    return values.size() > 1
               ? fmt::format("{} is given {} times; it takes one value", name, values.size())
               : fmt::format("{} needs a value: {}: {}", name, usage_of(*option),
                             option->get_description());
  if (values.empty()) return "";
  if (dynamic_cast<const CLI::ConversionError*>(&error))
    return option->get_items_expected_max() == 0
               ? fmt::format("{} takes no value", name)
               : fmt::format("{}: {}", name, why_no_number(values.back()));
  // The messages of validation errors come from our own checks, so they are shown unchanged.
  return dynamic_cast<const CLI::ValidationError*>(&error) ? what : "";
}

}  // namespace

std::string unknown_command(CLI::App& app) {
  const std::vector<std::string> rest = unused_words(app).words, names = command_names(app);
  if (names.empty() || !app.get_subcommands().empty() || rest.empty() ||
      rest.front().starts_with("-"))
    return "";
  return fmt::format("there is no command '{}'{}{}", rest.front(),
                     did_you_mean(rest.front(), names), help_hint(app.get_name()));
}

std::string explain(CLI::App& app, const CLI::ParseError& error) {
  if (const std::string unknown = unknown_command(app); !unknown.empty()) return unknown;
  const auto [command, name, is_command] = chosen_command(app);
  const auto [rest, are_operands] = unused_words(app);
  if (!rest.empty() && !are_operands && rest.front().starts_with("-")) {
    const std::string option = rest.front().substr(0, rest.front().find('='));
    return fmt::format("there is no option '{}'{}{}", option,
                       did_you_mean(option, option_names(*command)), help_hint(name));
  }
  if (!rest.empty())
    return fmt::format("'{}' is one argument too many{}", rest.front(), help_hint(name));
  if (!is_command && !command_names(app).empty())
    return fmt::format("no command is given; the commands are {}{}",
                       fmt::join(command_names(app), ", "), help_hint(name));
  std::string what = dynamic_cast<const CLI::RequiredError*>(&error)
                         ? missing_argument(*command, name)
                         : wrong_value(*command, error);
  if (what.empty()) what = fmt::format("the command line cannot be read: {}", error.what());
  return what + help_hint(name);
}

}  // namespace torsor::cli
