#pragma once

#include <string>
#include <vector>

namespace torsor::editor {

// Numbers, or the reason why there are none.
struct Answer {
  std::vector<double> x;
  std::string failure;
};

}  // namespace torsor::editor
