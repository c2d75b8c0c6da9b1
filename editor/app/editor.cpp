#include "editor/app/editor.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>

#include "editor/console/console.hpp"
#include "editor/probe/probe.hpp"
#include "editor/probe/sampler.hpp"
#include "editor/session/scene.hpp"
#include "editor/session/session.hpp"
#include "editor/session/session_options.hpp"
#include "editor/session/session_state.hpp"
#include "editor/support/openable_file.hpp"
#include "editor/support/unused_name.hpp"
#include "editor/video/video.hpp"
#include "torsor/base/error.hpp"
#include "torsor/base/input_file.hpp"
#include "torsor/host/registry.hpp"
#include "torsor/study/table/study_reader.hpp"

namespace torsor::editor {

namespace {

// Maximum time that a video frame waits for the samples of its plots. After this time the window
// continues and tries again in its next frame.
constexpr std::chrono::milliseconds sampling_of_a_frame(10);

// Prints a line of the console to standard output, where tests read it.
void print_line(const std::string& line) {
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

}  // namespace

struct Editor::Parts {
  Parts(Registry plugins, const SessionOptions& options)
      : session(std::move(plugins), options), console(session, print_line) {}

  Session session;
  Probe probe;
  Sampler sampler;
  Console console;
  Video video;
};

Editor::Editor(Registry plugins, const SessionOptions& options, const Settings& settings)
    : parts_(std::make_unique<Parts>(std::move(plugins), options)),
      session(parts_->session),
      now(session.now()),
      probe(parts_->probe),
      sampler(parts_->sampler),
      console(parts_->console),
      video(parts_->video),
      settings(settings),
      panels(options),
      trust(options.trust) {}

Editor::~Editor() = default;

bool Editor::has_scene() const {
  return now->scene != nullptr;
}

const Scene& Editor::scene() const {
  return *now->scene;
}

const Model& Editor::model() const {
  return scene().model();
}

double Editor::dt() const {
  return scene().experiment.dt;
}

const Registry& Editor::plugins() const {
  return has_scene() ? scene().plugins() : *now->plugins;
}

bool Editor::idle() const {
  return session.idle() && !console.busy() && !video.finishing() && panels.up_to_date();
}

void Editor::open(const std::filesystem::path& file, bool floating_base) {
  if (const std::string why = why_no_file(file); !why.empty())
    throw Error(fmt::format("{}: {}", file.string(), why));
  if (!can_be_opened(file))
    throw Error(
        fmt::format("'{}' cannot be opened: the editor opens {}", file.string(), openable_files()));
  if (is_study(file)) return run_action(*this, "study.open", {file.string()});
  leave(*this, OpenRequest{file, floating_base});
}

bool Editor::working() const {
  constexpr double hangs = 0.5;  // s
  return !now->task.empty() || now->seeking || console.busy() || panels.busy() ||
         (!session.idle() && ImGui::GetTime() - idle_at_ > hangs);
}

std::filesystem::path Editor::output_file(const std::filesystem::path& file) const {
  return attended ? unused_name(file) : file;
}

// Opens a file at the start of a frame, so that no panel loses the scene while drawing it.
void Editor::open_now() {
  const OpenRequest opening = *std::exchange(opening_, std::nullopt);
  session.open(opening.file, opening.floating_base, opening.sample);
  now = session.now();
  selection = {};
  panels.begin_frame(*this);  // panels must release the previous scene
}

void Editor::remember(const std::filesystem::path& file) {
  constexpr size_t most = 12;
  std::vector<std::string>& recent = settings.recent;
  const std::string path = std::filesystem::absolute(file).lexically_normal().string();
  std::erase(recent, path);
  recent.insert(recent.begin(), path);
  if (recent.size() > most) recent.resize(most);
}

void Editor::begin_frame() {
  console.serve([this](const std::string& name, const std::vector<std::string>& arguments) {
    run_action(*this, name, Arguments(arguments));
  });
  open_dropped(*this, std::exchange(dropped, {}));
  if (opening_) open_now();
  if (!note_.empty())
    session.post(command::Report{{Problem::Kind::note, std::exchange(note_, "")}});
  const auto before = now->scene;
  auto next = session.now();
  const std::string selected = before && next->scene != before ? selection_text(*this) : "none";
  now = std::move(next);
  hanging_call = session.hanging_call();
  if (session.idle()) idle_at_ = ImGui::GetTime();
  toasts.follow(*now, ImGui::GetTime());
  follow_leaving(*this);
  follow_permission(*this);
  if (now->errors > errors_seen_) run_action(*this, "panel.show", {"problems"});
  errors_seen_ = now->errors;
  if (has_scene()) probe.look_at(now);
  if (has_scene() && now->scene != before) {
    reselect(selected);
    if (!before) remember(scene().file);
  }
  panels.begin_frame(*this);
  if (!has_scene()) return video.follow(session, *now, true);
  request_samples();
  video.follow(session, *now, !video.is_recording() || sampler.wait(sampling_of_a_frame));
}

// Selects the part with the same name in the new model, or nothing.
void Editor::reselect(const std::string& selected) {
  const size_t space = selected.find(' ');
  selection = {};
  if (space == std::string::npos) return;
  try {
    selection = find_selection(*this, selected.substr(0, space), selected.substr(space + 1));
  } catch (const Error&) {  // it no longer exists
  }
}

void Editor::request_samples() {
  sampler.request(now, panels.wanted_signals(*this));
}

const Scene& need_scene(const Editor& editor) {
  if (!editor.has_scene()) throw Error("no scene is loaded");
  return editor.scene();
}

}  // namespace torsor::editor
