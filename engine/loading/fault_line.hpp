#pragma once
// The line that reports a fault, composed without allocation and with async-signal-safe calls only.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace torsor {

// A line of text in a buffer of its own. Text that does not fit is cut.
class FaultLine {
 public:
  // Each function appends and returns the line.
  FaultLine& add(const char* text);  // control characters become blanks
  FaultLine& add_address(uintptr_t address);
  FaultLine& add_count(long long count);
  FaultLine& add_seconds(double seconds);  // to six digits

  // Ends the line.
  void end();
  void clear() { size_ = 0; }
  std::string_view text() const { return {text_, size_}; }
  // Writes the line. Writes nothing to a full pipe, because it would block until a reader reads.
  void write_to(int descriptor) const;

 private:
  static constexpr size_t capacity_ = 4096;
  char text_[capacity_] = {};
  size_t size_ = 0;
};

}  // namespace torsor
