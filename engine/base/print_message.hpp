#pragma once
// Prints messages to the user on stderr.

#include <cstdio>
#include <string>
#include <utility>

#include "torsor/base/text.hpp"

namespace torsor {

// Prints "torsor: TEXT" as one line. Control characters are replaced by blanks. Never throws, even
// if stderr is closed.
inline void print_message(std::string text) noexcept {
  std::fprintf(stderr, "torsor: %s\n", one_line(std::move(text)).c_str());
}

}  // namespace torsor
