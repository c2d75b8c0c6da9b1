#pragma once
// The program torsor in a child process that can be killed, with a limit in time.

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
  // Starts the program. folder: where it runs; name: of the files that its output goes to, which
  // must differ between children that run at the same time.
  Child(const std::vector<std::string>& arguments, std::filesystem::path folder,
        const std::string& name = "child");
  Child(const Child&) = delete;
  ~Child();

  pid_t process() const { return process_; }
  // Waits for its end, at most so long. Returns whether it has ended.
  bool wait(std::chrono::microseconds limit);
  void kill();
  // Waits for its end; kills it at the limit.
  Ended finish(std::chrono::seconds limit = std::chrono::seconds(60));

 private:
  std::filesystem::path out_, err_;
  pid_t process_;
  bool ended_ = false;
  int status_ = 0;
  long peak_kib_ = 0;
};

}  // namespace torsor::test
