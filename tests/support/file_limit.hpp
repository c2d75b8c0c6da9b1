#pragma once

#include <sys/resource.h>

#include <csignal>

namespace torsor::test {

// Limits the size of the files of this process until its destruction, like `ulimit -f`. This
// simulates a full disk.
class FileLimit {
 public:
  explicit FileLimit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
  }
  ~FileLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileLimit(const FileLimit&) = delete;

 private:
  rlimit before_;
  void (*handler_)(int);
};

}  // namespace torsor::test
