#pragma once

#include <string>

#include "editor/panels/panel.hpp"

namespace torsor::editor {

// The panel Scene: the tree of joints and links, closures, frames and plugins.
struct ScenePanel final : Panel {
  static std::span<const Action> actions();
  void draw(Editor& editor) override;
  std::optional<std::vector<std::string>> candidates(Editor& editor, const Action& action,
                                                     std::string_view word,
                                                     const Arguments& before) override;

  std::string search;
};

}  // namespace torsor::editor
