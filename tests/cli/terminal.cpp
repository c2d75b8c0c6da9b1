#include "cli/terminal.hpp"

#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace torsor::test {

TerminalOutput run_at_terminal(const std::vector<std::string>& arguments,
                               const std::filesystem::path& folder, const std::string& prompt,
                               const std::string& answer,
                               const std::function<void()>& before_answer) {
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child < 0) throw std::system_error(errno, std::generic_category(), "forkpty");
  if (child == 0) {
    if (chdir(folder.c_str()) != 0) _exit(126);
    alarm(60);
    std::vector<char*> argv{const_cast<char*>(TORSOR_PROGRAM)};
    for (const std::string& argument : arguments)
      argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    execv(TORSOR_PROGRAM, argv.data());
    _exit(127);
  }
  std::string printed;
  bool answered = false;
  char part[4096];
  // read() fails with EIO when the program has ended.
  for (ssize_t n; (n = ::read(terminal, part, sizeof part)) > 0;) {
    printed.append(part, size_t(n));
    if (answered || printed.find(prompt) == printed.npos) continue;
    answered = true;
    if (before_answer) before_answer();
    const std::string line = answer + "\n";
    if (::write(terminal, line.data(), line.size()) != ssize_t(line.size())) break;
  }
  int status = 0;
  waitpid(child, &status, 0);
  ::close(terminal);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, printed};
}

}  // namespace torsor::test
