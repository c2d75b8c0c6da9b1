#pragma once
// The command line: options that several commands share, checks of their values, and messages about
// mistakes.

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
class ParseError;
class Validator;
}  // namespace CLI

namespace torsor::cli {

// Prepares a program's command line: the look of its --help pages, and the help flag. Call it
// before commands are added, which inherit both.
void begin_command_line(CLI::App& app);
// Completes a command line after all options are added: an option takes one argument each time it
// is given, so that `plot --signals q RUN` leaves RUN to the positional argument.
void end_command_line(CLI::App& app);

// Returns the message for a command line whose first word is no command; "" for any other.
std::string unknown_command(CLI::App& app);
// Returns the message for a command line that CLI11 rejected, in our words. For programs with and
// without commands.
std::string explain(CLI::App& app, const CLI::ParseError& error);

// Adds an option of numbers in one argument, separated by commas: --gravity 0,0,-9.81. value_name
// says them, as "X,Y,Z". count: how many there must be; 0: any number. Parsing throws Error for
// anything else, infinity and NaN included.
CLI::Option* add_numbers_option(CLI::App& command, const std::string& name,
                                std::vector<double>& values, size_t count, const char* value_name,
                                const char* help);
// Adds an option of names in one argument, separated by commas; given again, it adds to the list.
CLI::Option* add_names_option(CLI::App& command, const std::string& name,
                              std::vector<std::string>& names, const char* value_name,
                              const char* help);

// Checks of a value, for CLI::Option::check.
CLI::Validator number_between(double min, double max);
CLI::Validator one_of(std::vector<std::string> words);

// --set NAME=VALUE. The settings must outlive the parsing, as all variables below.
CLI::Option* add_set_option(CLI::App& command, std::vector<std::string>& settings);
// --samples and --seed, of commands that evaluate random states.
void add_random_states_options(CLI::App& command, int& samples, uint64_t& seed);
void add_floating_base_option(CLI::App& command, bool& floating_base);
// --format, of recordings.
void add_format_option(CLI::App& command, std::string& format);
void add_json_flag(CLI::App& command, bool& json);
void add_solver_option(CLI::App& command, std::string& solver);

}  // namespace torsor::cli
