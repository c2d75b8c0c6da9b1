#pragma once
// Prints messages to the user on stderr.

#include <string>

namespace torsor {

// Prints "torsor: TEXT" as one line. Control characters are replaced by blanks. Never throws, even
// if stderr is closed.
void print_message(std::string text) noexcept;

}  // namespace torsor
