#pragma once

#include <string>
#include <vector>

namespace torsor::editor {

// Numbers, or why there are none.
struct Answer {
  std::vector<double> x;
  std::string failure;
};

}  // namespace torsor::editor
