#include "torsor/cli/options/arguments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>

#include "torsor/base/error.hpp"
#include "torsor/cli/options/help_page.hpp"

namespace torsor::cli {

namespace {

bool read_number(const std::string& text, double& value) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return !text.empty() && error == std::errc() && stop == end && std::isfinite(value);
}

void add_numbers(std::vector<double>& values, const std::string& name, size_t count,
                 const std::string& usage, const std::string& text) {
  values.clear();
  for (const std::string& part : CLI::detail::split(text, ',')) {
    double value = 0;
    if (!read_number(part, value))
      throw Error(fmt::format("{} {}: '{}' is not a finite number; write {} {}", name, text, part,
                              name, usage));
    values.push_back(value);
  }
  if (count > 0 && values.size() != count)
    throw Error(fmt::format("{} {}: {} number{} given, {} needed; write {} {}", name, text,
                            values.size(), values.size() == 1 ? " is" : "s are", count, name,
                            usage));
}

}  // namespace

void begin_command_line(CLI::App& app) {
  app.formatter(help_formatter());
  app.set_help_flag("-h,--help", "print this page");
}

void end_command_line(CLI::App& app) {
  for (CLI::Option* option : app.get_options())
    if (option->get_positional() == false && option->get_allow_extra_args())
      option->allow_extra_args(false);
  for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; }))
    end_command_line(*command);
}

CLI::Option* add_numbers_option(CLI::App& command, const std::string& name,
                                std::vector<double>& values, size_t count, const char* value_name,
                                const char* help) {
  const auto read = [&values, name, count, usage = std::string(value_name)](
                        const std::string& text) { add_numbers(values, name, count, usage, text); };
  return command.add_option_function<std::string>(name, read, help)->type_name(value_name);
}

CLI::Option* add_names_option(CLI::App& command, const std::string& name,
                              std::vector<std::string>& names, const char* value_name,
                              const char* help) {
  const auto read = [&names, name,
                     usage = std::string(value_name)](const std::vector<std::string>& lists) {
    names.clear();
    for (const std::string& list : lists)
      for (const std::string& part : CLI::detail::split(list, ',')) {
        if (part.empty())
          throw Error(fmt::format("{} {}: a name is empty; write {} {}", name, list, name, usage));
        names.push_back(part);
      }
  };
  return command.add_option_function<std::vector<std::string>>(name, read, help)
      ->type_name(value_name);
}

CLI::Validator number_between(double min, double max) {
  const auto check = [=](const std::string& text) {
    double value = 0;
    if (!read_number(text, value)) return fmt::format("'{}' is not a number", text);
    if (value >= min && value <= max) return std::string();
    return fmt::format("{} is outside the range from {} to {}", text, min, max);
  };
  return CLI::Validator(check, "");
}

CLI::Validator one_of(std::vector<std::string> words) {
  const auto check = [words = std::move(words)](const std::string& text) {
    if (std::ranges::count(words, text) > 0) return std::string();
    return fmt::format("'{}' is not one of {}{}", text, fmt::join(words, ", "),
                       did_you_mean(text, words));
  };
  return CLI::Validator(check, "");
}

CLI::Option* add_set_option(CLI::App& command, std::vector<std::string>& settings) {
  return command
      .add_option("--set", settings, "value of a parameter of the Lua file; may be repeated")
      ->type_name("NAME=VALUE");
}

void add_random_states_options(CLI::App& command, int& samples, uint64_t& seed) {
  command.add_option("--samples", samples, "number of random states to check")
      ->check(number_between(1, 1000000))
      ->type_name("N")
      ->capture_default_str();
  command.add_option("--seed", seed, "seed of the random numbers")
      ->check(number_between(0, 0x1p53))
      ->type_name("N")
      ->capture_default_str();
}

void add_floating_base_option(CLI::App& command, bool& floating_base) {
  command.add_flag(
      "--floating-base", floating_base,
      "let the root link of a robot file float, on a joint named floating_base; by default the "
      "link is fixed to the world");
}

void add_package_option(CLI::App& command, std::vector<std::string>& packages) {
  command
      .add_option("--package", packages,
                  "folder of a package that a robot file names by package://NAME or model://NAME; "
                  "may be repeated")
      ->type_name("NAME=FOLDER")
      ->allow_extra_args(false);
}

void add_format_option(CLI::App& command, std::string& format) {
  command
      .add_option("--format", format,
                  "format of recordings: h5, or csv with a .json file next to it")
      ->check(one_of({"h5", "csv"}))
      ->type_name("NAME")
      ->capture_default_str();
}

void add_json_flag(CLI::App& command, bool& json) {
  command.add_flag("--json", json, "print JSON instead of text");
}

void add_solver_option(CLI::App& command, std::string& solver) {
  command.add_option("--solver", solver, "solver plugin to use")
      ->type_name("ID")
      ->capture_default_str();
}

}  // namespace torsor::cli
