#include "editor/panels/plugins/validation_job.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <nlohmann/json.hpp>

#include "editor/support/process.hpp"
#include "torsor/base/error.hpp"
#include "torsor/base/prefix.hpp"
#include "torsor/validation/validator.hpp"

namespace torsor::editor {

size_t Validation::count(ValidationLine::Outcome outcome) const {
  return size_t(std::ranges::count(lines, outcome, &ValidationLine::outcome));
}

ValidationJob::~ValidationJob() {
  stop();
  if (thread_.joinable()) thread_.join();
}

void ValidationJob::start(const std::filesystem::path& file, const std::string& id) {
  stop();
  if (thread_.joinable()) thread_.join();
  const Pipe pipe;
  const std::string program = prefix() / "bin/torsor";
  std::optional<pid_t> process;
  try {
    process = start_process(
        {program, "validate", std::filesystem::absolute(file), "--id", id, "--json-lines"},
        {.out = pipe.write, .err = pipe.write});
    if (!process) throw Error(fmt::format("the program '{}' was not found", program));
  } catch (const Error&) {
    close(pipe.read);
    close(pipe.write);
    throw;
  }
  close(pipe.write);
  {
    const std::lock_guard lock(mutex_);
    validation_ = {.id = id,
                   .lines = {},
                   .checks = validation::check_names(id).size(),
                   .busy = true,
                   .failure = {}};
    process_ = *process;
  }
  thread_ =
      std::thread([this, process = *process, output = pipe.read] { follow(process, output); });
}

// Sends SIGTERM to the validation process, which then also ends its running checks.
void ValidationJob::stop() {
  const std::lock_guard lock(mutex_);
  if (process_ < 0) return;
  validation_.stopped = true;
  kill(process_, SIGTERM);
}

Validation ValidationJob::now() const {
  const std::lock_guard lock(mutex_);
  return validation_;
}
bool ValidationJob::busy() const {
  const std::lock_guard lock(mutex_);
  return validation_.busy;
}

void ValidationJob::follow(pid_t process, int output) {
  std::string text;
  char part[4096];
  for (ssize_t n; (n = read(output, part, sizeof part)) > 0 || (n < 0 && errno == EINTR);) {
    if (n > 0) text.append(part, size_t(n));
    for (size_t stop; (stop = text.find('\n')) != std::string::npos; text.erase(0, stop + 1))
      take(text.substr(0, stop));
  }
  close(output);
  int status = 0;
  siginfo_t info{};
  // WNOWAIT keeps the process id reserved until waitpid() below, so that stop() cannot signal
  // another process.
  waitid(P_PID, id_t(process), &info, WEXITED | WNOWAIT);
  const std::lock_guard lock(mutex_);
  process_ = -1;
  waitpid(process, &status, 0);
  validation_.busy = false;
  if (validation_.stopped) return;
  constexpr int checks_failed = 1;
  if (WIFSIGNALED(status))
    validation_.failure = fmt::format("the validation was killed: {}", strsignal(WTERMSIG(status)));
  else if (WEXITSTATUS(status) > checks_failed && validation_.failure.empty())
    validation_.failure = fmt::format("the validation ended with status {}", WEXITSTATUS(status));
}

// Handles one line of output. A JSON object is the result of a check. Any other line is an error
// message; after a failed check it has no new information and is ignored.
void ValidationJob::take(const std::string& line) {
  using Outcome = ValidationLine::Outcome;
  const auto json = nlohmann::json::parse(line, nullptr, false);
  const std::lock_guard lock(mutex_);
  if (!json.is_object()) {
    if (validation_.count(Outcome::failed) == 0) validation_.failure = line;
    return;
  }
  const std::string outcome = json.value("outcome", "");
  validation_.lines.push_back({outcome == "passed"   ? Outcome::passed
                               : outcome == "failed" ? Outcome::failed
                                                     : Outcome::not_applicable,
                               json.value("check", ""), json.value("group", ""),
                               json.value("text", ""), json.value("seconds", 0.0)});
}

}  // namespace torsor::editor
