#pragma once

#include <string>
#include <vector>

namespace torsor::editor {

// A list of numbers, or the reason why it could not be computed.
struct Answer {
  std::vector<double> x;
  std::string failure;
};

}  // namespace torsor::editor
