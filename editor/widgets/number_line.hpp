#pragma once

#include <imgui.h>

#include <string>

namespace torsor::editor {

// A row of names with numbers, with line breaks as needed.
class NumberLine {
 public:
  NumberLine();
  // Draws a name and a number. swatch: colour of a square before the name, or null. hint: tooltip.
  void add(const ImVec4* swatch, const std::string& name, const std::string& value,
           const std::string& hint);

 private:
  float right_;
  bool first_ = true;
};

}  // namespace torsor::editor
