#pragma once

#include <imgui.h>

#include <string>

namespace torsor::editor {

// Words with numbers beside each other, in as many lines as it takes.
class NumberLine {
 public:
  NumberLine();
  // swatch: null for none. The hint is a tooltip.
  void add(const ImVec4* swatch, const std::string& name, const std::string& value,
           const std::string& hint);

 private:
  float right_;
  bool first_ = true;
};

}  // namespace torsor::editor
