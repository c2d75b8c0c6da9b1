#pragma once
// Messages to the user on stderr.

#include <string>

namespace torsor::cli {

// Prints "torsor: text" on one line; control characters become blanks. Never throws, even if stderr
// is closed.
void say(std::string text) noexcept;

}  // namespace torsor::cli
