#pragma once
// The program torsor in a child process that can be killed, with a time limit.

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace torsor::test {

struct Ended {
  int exit_code;  // -1 if a signal ended it
  bool hung;      // it was still running at the limit and was killed
  long peak_kib;  // largest resident set
  std::string out, err;
};

class Child {
 public:
  // Starts the program in `folder`. `name` is that of its output files, which must differ between
  // children that run at the same time.
  Child(const std::vector<std::string>& arguments, std::filesystem::path folder,
        const std::string& name = "child");
  Child(const Child&) = delete;
  ~Child();

  pid_t process() const { return process_; }
  // Waits until the process ends or the limit is reached. Returns whether it has ended.
  bool wait(std::chrono::microseconds limit);
  void kill();
  // Waits for the end of the process, and kills it at the limit.
  Ended finish(std::chrono::seconds limit = std::chrono::seconds(60));

 private:
  std::filesystem::path out_, err_;
  pid_t process_;
  bool ended_ = false;
  int status_ = 0;
  long peak_kib_ = 0;
};

}  // namespace torsor::test
