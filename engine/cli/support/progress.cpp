#include "torsor/cli/support/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace torsor::cli {

Progress::Progress() : shown_(isatty(STDERR_FILENO)) {}

void Progress::show(double done, const std::string& text) {
  next_ = wall() + 0.1;
  constexpr int width = 30;
  const int filled = std::clamp(int(width * done), 0, width);
  fmt::print(stderr, "\r[{:#<{}}{:.<{}}] {:5.1f} %  {} ", "", filled, "", width - filled,
             100 * done, text);
  drawn_ = true;
}

void Progress::clear() {
  if (drawn_) std::fputs(fmt::format("\r{:80}\r", "").c_str(), stderr);
  drawn_ = false;
}

}  // namespace torsor::cli
