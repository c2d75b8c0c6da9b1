#pragma once
// Runs the program torsor in a child process, which can be killed and has a time limit.

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace torsor::test {

struct Ended {
  int exit_code;  // -1 if a signal ended the process
  bool hung;      // true if it was killed at the time limit
  long peak_kib;  // largest resident set, KiB
  std::string out, err;
};

class Child {
 public:
  // Starts the program in `folder`. Its output is written to files that begin with `name`. Children
  // that run at the same time need different names. Throws std::system_error if no process can be
  // created.
  Child(const std::vector<std::string>& arguments, std::filesystem::path folder,
        const std::string& name = "child");
  Child(const Child&) = delete;
  ~Child();

  pid_t process() const { return process_; }
  // Waits until the process ends, at most for the time limit. Returns whether it has ended.
  bool wait(std::chrono::microseconds limit);
  void kill();
  // Waits until the process ends. Kills it at the time limit.
  Ended finish(std::chrono::seconds limit = std::chrono::seconds(60));

 private:
  std::filesystem::path out_, err_;
  pid_t process_;
  bool ended_ = false;
  int status_ = 0;
  long peak_kib_ = 0;
};

}  // namespace torsor::test
