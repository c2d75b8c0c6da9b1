#include "torsor/cli/support/say.hpp"

#include <cstdio>

#include "torsor/base/text.hpp"

namespace torsor::cli {

void say(std::string text) noexcept {
  std::fprintf(stderr, "torsor: %s\n", one_line(std::move(text)).c_str());
}

}  // namespace torsor::cli
