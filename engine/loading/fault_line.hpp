#pragma once
// A line of text that reports a fault. All functions are async-signal-safe and do not allocate
// memory.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace torsor {

// A line of text in a buffer of fixed size. Text that does not fit is truncated.
class FaultLine {
 public:
  // Each add function appends to the line and returns the line.
  FaultLine& add(const char* text);  // control characters are replaced by blanks
  FaultLine& add_address(uintptr_t address);
  FaultLine& add_count(long long count);
  FaultLine& add_seconds(double seconds);  // six significant digits

  // Appends a newline.
  void end();
  void clear() { size_ = 0; }
  std::string_view text() const { return {text_, size_}; }
  // Writes the line to a file descriptor. Writes nothing to a full pipe, which would block this
  // process.
  void write_to(int descriptor) const;

 private:
  static constexpr size_t capacity_ = 4096;
  char text_[capacity_] = {};
  size_t size_ = 0;
};

}  // namespace torsor
