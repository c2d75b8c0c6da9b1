#pragma once

#include <sys/resource.h>

#include "support/as_other_user.hpp"

namespace torsor::test {

// Makes every fork() of this process fail until its destruction. The superuser has no limit, so its
// rights are dropped.
class NoMoreProcesses {
 public:
  NoMoreProcesses() {
    getrlimit(RLIMIT_NPROC, &before_);
    const rlimit limit{0, before_.rlim_max};
    setrlimit(RLIMIT_NPROC, &limit);
  }
  ~NoMoreProcesses() { setrlimit(RLIMIT_NPROC, &before_); }
  NoMoreProcesses(const NoMoreProcesses&) = delete;

 private:
  AsOtherUser other_user_;
  rlimit before_;
};

}  // namespace torsor::test
