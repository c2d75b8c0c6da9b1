#include "torsor/cli/say.hpp"

#include <algorithm>
#include <cstdio>

namespace torsor::cli {

void say(std::string text) noexcept {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  std::fprintf(stderr, "torsor: %s\n", text.c_str());
}

}  // namespace torsor::cli
