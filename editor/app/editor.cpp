#include "editor/app/editor.hpp"

#include <algorithm>
#include <utility>

namespace torsor::editor {

Editor::Editor(Registry plugins, const SessionOptions& options, const Settings& settings)
    : session(std::move(plugins), options), now(session.now()), settings(settings) {}

void Editor::begin_frame() {
  const auto before = now->scene;
  auto next = session.now();
  const std::string selected = before && next->scene != before ? selection_text(*this) : "none";
  now = std::move(next);
  const auto errors = std::count_if(now->problems->begin(), now->problems->end(), [](const Problem& problem) {
    return problem.kind == Problem::Kind::error;
  });
  if (errors > errors_seen_) run_action(*this, "panel.show", {"problems"});
  errors_seen_ = errors;
  view.width = view.height = 0;  // until its panel is drawn
  if (!has_scene()) return;
  probe.look_at(now);
  if (now->scene != before) {
    reselect(selected);
    view.show(model());
    if (before) view.fit = ViewState::Fit::none;  // a scene that is loaded anew is seen from where it was
  }
  plots.follow(now->scene);
  plots.cursor = std::exchange(plots.pointed, std::nullopt);
  energy.sampled = std::exchange(energy.drawn, false);
  want_samples();
}

// In another model, what has the same name; or nothing.
void Editor::reselect(const std::string& selected) {
  const size_t space = selected.find(' ');
  selection = {};
  if (space == std::string::npos) return;
  try {
    selection = find_selection(*this, selected.substr(0, space), selected.substr(space + 1));
  } catch (const Error&) {  // it is not there any more
  }
}

void Editor::want_samples() {
  std::vector<std::string> signals = plots.wanted();
  const auto add = [&](const std::string& signal) {
    if (std::ranges::find(signals, signal) == signals.end()) signals.push_back(signal);
  };
  if (view.toggles.trail) std::ranges::for_each(view.signals, add);
  if (energy.sampled) add(energy.signal());
  sampler.want(now, signals);
}

}  // namespace torsor::editor
