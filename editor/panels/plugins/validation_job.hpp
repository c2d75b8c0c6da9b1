#pragma once
// Runs `torsor validate` for one plugin in a separate process and reads the results as they arrive.
// A crash of the plugin does not affect the editor.

#include <sys/types.h>

#include <filesystem>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace torsor::editor {

struct ValidationLine {
  enum class Outcome { passed, failed, not_applicable } outcome;
  std::string check, group, text;
  double seconds;
};

struct Validation {
  std::string id;                     // id of the plugin; "" before the first validation
  std::vector<ValidationLine> lines;  // results so far
  size_t checks = 0;                  // total number of checks
  bool busy = false, stopped = false;
  std::string failure;  // reason why the validation ended early, or ""

  size_t count(ValidationLine::Outcome outcome) const;
};

class ValidationJob {
 public:
  ValidationJob() = default;
  ~ValidationJob();
  ValidationJob(const ValidationJob&) = delete;

  // Starts the validation of the plugin `id` in a file. Stops a running validation first. Throws
  // Error if no process can be started.
  void start(const std::filesystem::path& file, const std::string& id);
  void stop();
  Validation now() const;
  bool busy() const;

 private:
  void follow(pid_t process, int output);
  void take(const std::string& line);

  mutable std::mutex mutex_;
  Validation validation_;
  pid_t process_ = -1;  // -1: no process is running
  std::thread thread_;
};

}  // namespace torsor::editor
