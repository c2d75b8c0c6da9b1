#pragma once
// Messages to the user on stderr.

#include <string>

namespace torsor::cli {

// Prints "torsor: TEXT" on one line, with control characters as blanks. Never throws, even if
// stderr is closed.
void say(std::string text) noexcept;

}  // namespace torsor::cli
