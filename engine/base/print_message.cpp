#include "torsor/base/print_message.hpp"

#include <cstdio>

#include "torsor/base/text.hpp"

namespace torsor {

void print_message(std::string text) noexcept {
  std::fprintf(stderr, "torsor: %s\n", one_line(std::move(text)).c_str());
}

}  // namespace torsor
