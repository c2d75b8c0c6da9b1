#include "torsor/model/visual.hpp"

#include <fmt/format.h>

namespace torsor {

std::optional<std::string> defect(const Color& color) {
  for (const double part : {color.r, color.g, color.b, color.a})
    if (!(part >= 0 && part <= 1))
      return fmt::format("the colour ({}, {}, {}, {}) has {}; each part is from 0 to 1", color.r,
                         color.g, color.b, color.a, part);
  return std::nullopt;
}

}  // namespace torsor
