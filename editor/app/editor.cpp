#include "editor/app/editor.hpp"

namespace torsor::editor {

Editor::Editor(const Registry& registry, const SessionOptions& options, const Settings& settings)
    : session(registry, options),
      now(session.now()),
      probe(registry),
      sampler(registry),
      settings(settings) {}

void Editor::begin_frame() {
  const auto before = now->scene;
  now = session.now();
  if (!has_scene()) return;
  probe.look_at(now);
  if (now->scene == before) return;
  selection = {};
  view.fit = true;
}

}  // namespace torsor::editor
