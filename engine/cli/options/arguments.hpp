#pragma once
// The command line: options that several commands share, checks of their values, and messages about
// mistakes in it.

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
class ParseError;
class Validator;
}  // namespace CLI

namespace torsor::cli {

// Prepares a program's command line: the format of its --help pages, and the help flag. Must be
// called before commands are added, because commands inherit both.
void begin_command_line(CLI::App& app);
// Completes a command line after all options are added. Each option then takes one argument per
// use, so that `plot --signals q RUN` leaves RUN to the positional argument.
void end_command_line(CLI::App& app);

// Returns the message for a command line whose first word is not a command, or "".
std::string unknown_command(CLI::App& app);
// Returns a reworded message for a command line that CLI11 rejected. For programs with and without
// commands.
std::string explain(CLI::App& app, const CLI::ParseError& error);

// Adds an option whose argument is a list of numbers, separated by commas: --gravity 0,0,-9.81.
// value_name: the argument on help pages, such as "X,Y,Z". count: required number of values; 0: any
// number. Parsing throws Error for anything else, including infinity and NaN.
CLI::Option* add_numbers_option(CLI::App& command, const std::string& name,
                                std::vector<double>& values, size_t count, const char* value_name,
                                const char* help);
// Adds an option whose argument is a list of names, separated by commas. Repeated options extend
// the list.
CLI::Option* add_names_option(CLI::App& command, const std::string& name,
                              std::vector<std::string>& names, const char* value_name,
                              const char* help);

// Checks of values, for CLI::Option::check.
CLI::Validator number_between(double min, double max);
CLI::Validator one_of(std::vector<std::string> words);

// Adds --set NAME=VALUE. The settings must outlive the parsing, as must the variables of all
// functions below.
CLI::Option* add_set_option(CLI::App& command, std::vector<std::string>& settings);
// Adds --samples and --seed, for commands that evaluate random states.
void add_random_states_options(CLI::App& command, int& samples, uint64_t& seed);
void add_floating_base_option(CLI::App& command, bool& floating_base);
// Adds --format, for commands that write recordings.
void add_format_option(CLI::App& command, std::string& format);
void add_json_flag(CLI::App& command, bool& json);
void add_solver_option(CLI::App& command, std::string& solver);

}  // namespace torsor::cli
