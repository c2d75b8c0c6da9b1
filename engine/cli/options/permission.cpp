#include "torsor/cli/options/permission.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <memory>
#include <set>

#include "torsor/base/print_message.hpp"
#include "torsor/base/text.hpp"

namespace torsor::cli {

namespace {

// Returns the question to the user about a file. It contains the size and hash of the file and
// explains the possible answers.
std::string question_about(const AccessRequest& request) {
  std::error_code failed;
  const auto size = std::filesystem::file_size(request.file, failed);
  const bool plugin = request.kind == AccessRequest::Kind::plugin;
  return fmt::format(
      "torsor: {} {} '{}'\n"
      "        {} bytes, SHA-256 {}...\n"
      "        {}\n"
      "{} it? [y] yes, this time; [a] always, until the file changes; [N] no: ",
      one_line(without_controls(request.source)), plugin ? "loads the plugin" : "reads the file",
      one_line(without_controls(request.file.string())), failed ? 0 : size,
      request.sha256.substr(0, 12),
      plugin ? "It is machine code: it can do anything that you can do on this computer."
             : "It is outside the folder of this file and outside scripts/.",
      plugin ? "Load" : "Read");
}

// Waits for a line from the user and returns it in lower case. Returns "" if a signal interrupts
// the wait, or at the end of the input. The command checks the flag of the signal afterwards.
std::string read_answer() {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  if (poll(&input, 1, -1) != 1) return "";
  char line[256];
  const ssize_t length = read(STDIN_FILENO, line, sizeof line);
  std::string answer(line, size_t(std::max<ssize_t>(length, 0)));
  for (char& c : answer) c = char(std::tolower(static_cast<unsigned char>(c)));
  while (answer.ends_with('\n') || answer.ends_with(' ')) answer.pop_back();
  return answer;
}

class Asker {
 public:
  bool allows(const AccessRequest& request) {
    const std::lock_guard lock(mutex_);
    if (trust_.allows(request)) return true;
    if (request.sha256.empty() || denied_.contains(request.sha256)) return false;
    if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO)) return false;
    tcflush(STDIN_FILENO, TCIFLUSH);  // discard what was typed before the question
    std::fputs(question_about(request).c_str(), stderr);
    std::fflush(stderr);
    const std::string answer = read_answer();
    if (answer == "a" || answer == "always")
      remember(request);
    else if (answer == "y" || answer == "yes")
      trust_.allow_once(request);
    else
      denied_.insert(request.sha256);
    return trust_.allows(request);
  }

 private:
  void remember(const AccessRequest& request) {
    try {
      trust_.allow_always(request);
    } catch (const Error& error) {
      print_message(fmt::format("warning: the answer is not remembered: {}", error.what()));
    }
  }

  std::mutex mutex_;
  Trust trust_{trust_file(), [](const std::string& why) { print_message("warning: " + why); }};
  std::set<std::string> denied_;
};

}  // namespace

void add_allow_plugins_option(CLI::App& command, bool& allow) {
  command.add_flag(
      "--allow-plugins", allow,
      "let the scene or robot file load plugins of machine code (.so), and read files outside "
      "its folder; both need a permission (see docs/trust.md)");
}

Permission command_permission(bool allow) {
  if (allow) return [](const AccessRequest&) { return true; };
  return [asker = std::make_shared<Asker>()](const AccessRequest& request) {
    return asker->allows(request);
  };
}

}  // namespace torsor::cli
