#include "editor/edits/unsaved_work.hpp"

#include <fmt/format.h>

#include <vector>

#include "torsor/base/text.hpp"

namespace torsor::editor {

std::string text(const UnsavedWork& work) {
  std::vector<std::string> parts;
  const auto add = [&](int number, const char* noun) {
    if (number > 0) parts.push_back(counted(size_t(number), noun));
  };
  add(work.edits, "edit");
  add(work.forks, "fork");
  add(work.snapshots, "snapshot");
  if (parts.empty()) return "no edits";
  std::string out = parts[0];
  for (size_t k = 1; k < parts.size(); ++k)
    out += (k + 1 < parts.size() ? ", " : " and ") + parts[k];
  return out;
}

}  // namespace torsor::editor
