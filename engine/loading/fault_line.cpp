#include "torsor/loading/fault_line.hpp"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>

namespace torsor {

FaultLine& FaultLine::add(const char* text) {
  // Leave one byte for the newline.
  for (; text && *text && size_ + 1 < capacity_; ++text)
    text_[size_++] = static_cast<unsigned char>(*text) < ' ' ? ' ' : *text;
  return *this;
}

FaultLine& FaultLine::add_address(uintptr_t address) {
  char digits[2 * sizeof address + 1] = {};
  std::to_chars(digits, digits + sizeof digits - 1, address, 16);
  return add("0x").add(digits);
}

FaultLine& FaultLine::add_count(long long count) {
  char digits[24] = {};
  std::to_chars(digits, digits + sizeof digits - 1, count);
  return add(digits);
}

// std::to_chars() neither allocates memory nor depends on the locale.
FaultLine& FaultLine::add_seconds(double seconds) {
  char digits[32] = {};
  std::to_chars(digits, digits + sizeof digits - 1, seconds, std::chars_format::general, 6);
  return add(digits);
}

void FaultLine::end() {
  if (size_ == 0 || text_[size_ - 1] != '\n') text_[size_++] = '\n';
}

void FaultLine::write_to(int descriptor) const {
  for (size_t done = 0; done < size_;) {
    pollfd out{descriptor, POLLOUT, 0};
    if (poll(&out, 1, 0) != 1 || !(out.revents & POLLOUT)) return;
    const ssize_t n = write(descriptor, text_ + done, size_ - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    done += size_t(n);
  }
}

}  // namespace torsor
