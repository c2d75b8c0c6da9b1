#include "torsor/cli/support/standard_output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "torsor/base/error.hpp"

namespace torsor::cli {

void open_standard_files() noexcept {
  // open() returns the lowest free descriptor. This is `descriptor`, because all lower ones are
  // open.
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(descriptor, F_GETFD) < 0)
      open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

std::string output_failure(int error) {
  const bool full = error == ENOSPC || error == EDQUOT || error == EFBIG;
  return fmt::format(
      "standard output cannot be written: {}; {}", std::strerror(error),
      full ? "free space on its disk, or redirect the output to a file on another disk"
           : "redirect the output to a file, or to /dev/null if it is not needed");
}

void flush_output() {
  const bool failed = std::ferror(stdout) != 0;
  if (std::fflush(stdout) != 0 || failed) throw Error(output_failure(errno));
}

}  // namespace torsor::cli
