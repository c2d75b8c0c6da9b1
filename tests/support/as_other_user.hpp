#pragma once

#include <unistd.h>

namespace torsor::test {

// Drops the rights of the superuser until its destruction, because the superuser may read every
// file. Does nothing for other users.
class AsOtherUser {
 public:
  AsOtherUser() { changed_ = geteuid() == 0 && setresuid(nobody, nobody, 0) == 0; }
  ~AsOtherUser() {
    if (changed_ && setresuid(0, 0, 0) != 0) _exit(1);
  }
  AsOtherUser(const AsOtherUser&) = delete;

 private:
  static constexpr uid_t nobody = 65534;
  bool changed_ = false;
};

}  // namespace torsor::test
