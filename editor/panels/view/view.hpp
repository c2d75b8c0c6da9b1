#pragma once
// The 3D view of the robots.

#include <memory>

#include "editor/panels/panel.hpp"
#include "editor/view/view.hpp"

namespace torsor::editor {

struct Scene;

struct ViewPanel final : Panel {
  static std::span<const Action> actions();
  void draw(Editor& editor) override;
  // Returns the signals of the trails, which must be sampled even if no plot shows them.
  std::vector<std::string> wanted_signals(const Editor& editor) override;
  void begin_frame(Editor& editor) override;
  std::optional<std::vector<std::string>> candidates(Editor& editor, const Action& action,
                                                     std::string_view word,
                                                     const Arguments& before) override;

  ViewState state;

 private:
  std::shared_ptr<const Scene> scene_;  // scene that `state` shows
};

}  // namespace torsor::editor
