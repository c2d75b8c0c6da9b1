#include "torsor/cli/run_program.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "torsor/base/error.hpp"
#include "torsor/base/print_message.hpp"
#include "torsor/cli/options/arguments.hpp"
#include "torsor/cli/options/command.hpp"
#include "torsor/cli/support/interrupt.hpp"
#include "torsor/cli/support/standard_output.hpp"
#include "torsor/loading/fault_report.hpp"

namespace torsor::cli {
namespace {

constexpr int user_error = 2, check_failed = 1, internal_error = 1;

// Prints a message to stderr and returns the exit status.
int complain(const std::string& text, int exit_code) {
  print_message(text);
  return exit_code;
}

// Throws Error if an argument is empty. The usual cause is an unset variable in a shell script.
void reject_empty_arguments(int argc, char** argv) {
  for (int k = 1; k < argc; ++k) {
    const std::string_view word = argv[k], before = argv[k - 1];
    if (word.starts_with("--") && word.find('=') == word.size() - 1)
      throw Error(fmt::format("the value of '{}' is empty; give one, or leave the option out",
                              word.substr(0, word.size() - 1)));
    if (word.empty())
      throw Error(fmt::format("the argument after '{}' is empty; give a value, or leave it out",
                              k > 1 ? before : "torsor"));
  }
}

// Returns the arguments in the form that CLI11 expects. "help COMMAND" becomes "COMMAND --help". A
// "--" before the command is moved behind it, so that CLI11 treats the following words as arguments
// of the command.
std::vector<const char*> command_line(int argc, char** argv) {
  reject_empty_arguments(argc, argv);
  std::vector<const char*> words(argv, argv + argc);
  bool help = false, ended = false;  // ended: true if a "--" precedes the command
  const auto second = [&] { return words.size() > 1 ? std::string_view(words[1]) : ""; };
  for (; second() == "help" || (second() == "--" && !ended); words.erase(words.begin() + 1))
    (second() == "--" ? ended : help) = true;
  // Insert the "--" behind the command.
  if (ended && words.size() > 1 && !help) words.insert(words.begin() + 2, "--");
  if (help) words.push_back("--help");
  return words;
}

int run(int argc, char** argv, std::span<const AddCommand> commands) {
  CLI::App app("Torsor, a plugin-based multibody dynamics engine", "torsor");
  begin_command_line(app);
  app.set_version_flag("--version", TORSOR_VERSION, "print the version");
  app.require_subcommand(1);
  for (const AddCommand& add : commands) add(app);
  app.footer(
      "'torsor COMMAND --help' or 'torsor help COMMAND' describes a command and its options.\n"
      "Example: torsor run scenes/double_pendulum.lua");
  end_command_line(app);
  try {
    const std::vector<const char*> words = command_line(argc, argv);
    app.parse(int(words.size()), words.data());
  } catch (const CLI::Success& request) {
    // Example: torsor NOSUCH --help
    if (const std::string unknown = unknown_command(app); !unknown.empty())
      return complain(unknown, user_error);
    const int status = app.exit(request);  // prints the help page or the version
    flush_output();
    return status;
  } catch (const CLI::ParseError& error) {
    return complain(explain(app, error), user_error);
  } catch (const CheckFailed& failure) {
    flush_output();  // print the results before the message
    return *failure.what() ? complain(failure.what(), check_failed) : check_failed;
  }
  flush_output();
  return 0;
}

}  // namespace

int run_program(int argc, char** argv, std::span<const AddCommand> commands) {
  open_standard_files();
  report_faults();
  // Write each line at once, so that a crash loses no complete line.
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  // A shell starts background programs of a script with SIGINT ignored. Restore the default action,
  // so that Ctrl+C ends the program.
  for (const int request : {SIGINT, SIGTERM}) std::signal(request, SIG_DFL);
  // Ignore SIGXFSZ. A file that reaches its size limit then causes a write error, as on a full
  // disk.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return run(argc, argv, commands);
  } catch (const Interrupted& interrupted) {
    std::fflush(stdout);
    print_message(interrupted.what());
    end_by_signal();
  } catch (const Error& error) {
    return complain(error.what(), user_error);
  } catch (const std::system_error& error) {
    if (std::ferror(stdout))  // fmt::print throws on a write error
      return complain(output_failure(error.code().value()), user_error);
    return complain(fmt::format("internal error: {}", error.what()), internal_error);
  } catch (const std::bad_alloc&) {
    return complain(
        "not enough memory for this command; use a smaller robot, or request less at a time",
        user_error);
  } catch (const std::exception& error) {
    return complain(fmt::format("internal error: {}", error.what()), internal_error);
  }
}

}  // namespace torsor::cli
