#pragma once
// A file descriptor that is closed at the end of the object's scope.

#include <unistd.h>

#include <utility>

namespace torsor {

class OpenFile {
 public:
  explicit OpenFile(int number) : number_(number) {}  // -1 means that the file could not be opened
  ~OpenFile() {
    if (number_ >= 0) close(number_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  explicit operator bool() const { return number_ >= 0; }
  int number() const { return number_; }
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

}  // namespace torsor
