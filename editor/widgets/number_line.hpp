#pragma once

#include <imgui.h>

#include <string>

namespace torsor::editor {

// Draws names with numbers in a row, with line breaks as needed.
class NumberLine {
 public:
  NumberLine();
  // Adds a name and a number. swatch: null for none. hint: tooltip.
  void add(const ImVec4* swatch, const std::string& name, const std::string& value,
           const std::string& hint);

 private:
  float right_;
  bool first_ = true;
};

}  // namespace torsor::editor
