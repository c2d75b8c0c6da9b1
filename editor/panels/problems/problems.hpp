#pragma once

#include <array>
#include <string>
#include <string_view>

#include "editor/panels/panel.hpp"

namespace torsor::editor {

// The panel Problems: errors, warnings and notes, with their places in files.
struct ProblemsPanel final : Panel {
  static std::span<const Action> actions();
  void draw(Editor& editor) override;

  std::array<bool, 3> shown = {true, true, true};  // indexed by Problem::Kind
};

// Returns the place at the beginning of a problem: "file:line", or the file alone. Returns "" if
// there is none.
std::string_view place_of(std::string_view problem);
// Returns the rest of the problem after the place, without ": ".
std::string_view message_of(std::string_view problem);

}  // namespace torsor::editor
