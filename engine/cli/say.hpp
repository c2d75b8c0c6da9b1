#pragma once
// One line to the user on stderr.

#include <string>

namespace torsor::cli {

// "torsor: text", control characters made blanks. Never throws: where stderr is closed there is nobody to tell.
void say(std::string text) noexcept;

}  // namespace torsor::cli
