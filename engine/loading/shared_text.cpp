#include "torsor/loading/shared_text.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "torsor/base/error.hpp"
#include "torsor/base/memory_file.hpp"

namespace torsor {

SharedText::SharedText() : descriptor_(open_memory_file("torsor", MemoryFile::data)) {
  if (descriptor_ < 0)
    throw Error(fmt::format("a file in memory cannot be created: {}", std::strerror(errno)));
}
SharedText::~SharedText() {
  close(descriptor_);
}

void SharedText::write(std::string_view text) const {
  while (!text.empty()) {
    const ssize_t n = ::write(descriptor_, text.data(), text.size());
    if (n <= 0) return;
    text.remove_prefix(size_t(n));
  }
}

std::string SharedText::read() const {
  std::string out(size_t(std::max<off_t>(0, lseek(descriptor_, 0, SEEK_END))), '\0');
  const ssize_t n = pread(descriptor_, out.data(), out.size(), 0);
  out.resize(size_t(std::max<ssize_t>(0, n)));
  return out;
}

}  // namespace torsor
