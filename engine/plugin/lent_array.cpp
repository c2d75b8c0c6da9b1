#include "torsor/plugin/lent_array.hpp"

#include <fmt/format.h>

namespace torsor {

std::string overrun_text(torsor_status status, std::span<const char* const> names) {
  const int which = TORSOR_STATUS_BODY(status);
  if (which < 0 || size_t(which / 2) >= names.size())
    return fmt::format("returned the unknown status {}", status);
  return fmt::format(
      "wrote {} '{}', outside of the memory that it is given; 'torsor validate' finds the call",
      which % 2 == 1 ? "before the start of" : "beyond the end of", names[size_t(which / 2)]);
}

}  // namespace torsor
