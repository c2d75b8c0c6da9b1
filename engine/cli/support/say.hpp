#pragma once
// Prints messages to the user on stderr.

#include <string>

namespace torsor::cli {

// Prints "torsor: TEXT" as one line. Control characters are replaced by blanks. Never throws, even
// if stderr is closed.
void say(std::string text) noexcept;

}  // namespace torsor::cli
