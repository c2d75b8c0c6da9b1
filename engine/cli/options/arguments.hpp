#pragma once
// Helpers for the command line: options shared by several commands, checks of option values, and
// error messages.

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
class ParseError;
class Validator;
}  // namespace CLI

namespace torsor::cli {

// Sets the format of the --help pages and the help flag of a program. Must be called before
// commands are added, because they inherit both.
void begin_command_line(CLI::App& app);
// Must be called after all options are added. Limits each option to one argument per use: in `plot
// --signals q RUN`, RUN is then the positional argument.
void end_command_line(CLI::App& app);

// Returns an error message if the first word of the command line is not a command. Otherwise
// returns "".
std::string unknown_command(CLI::App& app);
// Returns the error message for a command line that CLI11 has rejected, in our own words. Also
// works for programs without commands.
std::string explain(CLI::App& app, const CLI::ParseError& error);

// Adds an option whose argument is a list of numbers, separated by commas, as in --gravity
// 0,0,-9.81. value_name: name of the argument on the help page, such as "X,Y,Z". count: the
// required number of values, 0 for any number. Parsing throws Error if the argument is not such a
// list, or if a number is infinite or NaN.
CLI::Option* add_numbers_option(CLI::App& command, const std::string& name,
                                std::vector<double>& values, size_t count, const char* value_name,
                                const char* help);
// Adds an option whose argument is a list of names, separated by commas. Several uses of the option
// are combined into one list.
CLI::Option* add_names_option(CLI::App& command, const std::string& name,
                              std::vector<std::string>& names, const char* value_name,
                              const char* help);

// Checks of option values, for CLI::Option::check.
CLI::Validator number_between(double min, double max);
CLI::Validator one_of(std::vector<std::string> words);

// Adds --set NAME=VALUE. The variables passed to this function and to the functions below must
// exist until the command line has been parsed.
CLI::Option* add_set_option(CLI::App& command, std::vector<std::string>& settings);
// Adds --samples and --seed, for commands that use random states.
void add_random_states_options(CLI::App& command, int& samples, uint64_t& seed);
void add_floating_base_option(CLI::App& command, bool& floating_base);
// Adds --package NAME=FOLDER. add_package() reads its values.
void add_package_option(CLI::App& command, std::vector<std::string>& packages);
// Adds --format, for commands that write recordings.
void add_format_option(CLI::App& command, std::string& format);
void add_json_flag(CLI::App& command, bool& json);
void add_solver_option(CLI::App& command, std::string& solver);

}  // namespace torsor::cli
