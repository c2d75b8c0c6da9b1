#include "torsor/cli/options/help_page.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

namespace torsor::cli {

namespace {

constexpr size_t page_width = 100, name_column = 24;
constexpr std::string_view example = "Example: ";

// Wraps a string to the width of the page. The first line continues a line of `used` characters.
// All other lines begin with `indent` blanks.
std::string wrap(const std::string& text, size_t indent, size_t used) {
  std::string out;
  for (const std::string& word : CLI::detail::split(text, ' ')) {
    if (used > indent && used + 1 + word.size() > page_width) {
      out += "\n" + std::string(indent, ' ');
      used = indent;
    } else if (used > indent) {
      out += ' ';
      ++used;
    }
    out += word;
    used += word.size();
  }
  return out;
}

// Returns the text of an entry such as "  --states FILE         text". The help text is wrapped in
// the right column.
std::string entry(const std::string& name, const std::string& text) {
  std::string out = "  " + name;
  if (out.size() + 2 > name_column)
    out += "\n" + std::string(name_column, ' ');
  else
    out.resize(name_column, ' ');
  return out + wrap(text, name_column, name_column) + "\n";
}

bool takes_many(const CLI::Option& option) {
  return option.get_items_expected_max() > 1;
}

// Returns the name of an option's argument, without the description of the checks that CLI11
// appends.
std::string value_name(const CLI::Option& option) {
  const std::string full = option.get_type_name();
  return full.substr(0, full.find(':'));
}

std::string usage(const CLI::App& app, const std::string& name) {
  std::string out = "Usage: " + name + " [OPTIONS]";
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_positional()) continue;
    const std::string word = option->get_name(true) + (takes_many(*option) ? "..." : "");
    out += option->get_required() ? " " + word : " [" + word + "]";
  }
  if (!app.get_subcommands([](const CLI::App*) { return true; }).empty())
    out += app.get_require_subcommand_min() > 0 ? " COMMAND" : " [COMMAND]";
  return out + "\n";
}

std::string option_entry(const CLI::Option& option) {
  std::string name, text = option.get_description();
  for (const std::string& letter : option.get_snames()) name += fmt::format("-{}, ", letter);
  for (const std::string& word : option.get_lnames()) name += fmt::format("--{}, ", word);
  name.erase(name.find_last_not_of(", ") + 1);
  if (option.get_items_expected_max() > 0) name += " " + value_name(option);
  if (option.get_required()) text += " (required)";
  if (!option.get_default_str().empty())
    text += fmt::format(" (default: {})", option.get_default_str());
  return entry(name, text);
}

std::string arguments_and_options(const CLI::App& app) {
  std::string arguments, options, help;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional())
      arguments += entry(option->get_name(true), option->get_description());
    else
      (option == app.get_help_ptr() ? help : options) += option_entry(*option);
  }
  if (!arguments.empty()) arguments = "\nArguments:\n" + arguments;
  return arguments + "\nOptions:\n" + options + help;
}

std::string commands(const CLI::App& app) {
  std::string out;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    out += entry(command->get_name(), command->get_description());
  return out.empty() ? "" : "\nCommands:\n" + out;
}

std::string notes_and_examples(const CLI::App& app) {
  std::string notes, examples;
  for (const std::string& line : CLI::detail::split(app.get_footer(), '\n')) {
    if (line.starts_with(example))
      examples += "  " + line.substr(example.size()) + "\n";
    else if (!line.empty())
      notes += (line.starts_with("  ") ? line : wrap(line, 0, 0)) + "\n";
  }
  if (!notes.empty()) notes = "\n" + notes;
  if (!examples.empty()) notes += "\nExamples:\n" + examples;
  return notes;
}

std::string page(const CLI::App* app, std::string name, CLI::AppFormatMode) {
  return usage(*app, name) + "\n" + wrap(app->get_description(), 0, 0) + "\n" +
         arguments_and_options(*app) + commands(*app) + notes_and_examples(*app);
}

}  // namespace

std::shared_ptr<CLI::FormatterBase> help_formatter() {
  return std::make_shared<CLI::FormatterLambda>(page);
}

}  // namespace torsor::cli
