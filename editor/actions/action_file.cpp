#include "editor/actions/action_file.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "editor/app/editor.hpp"
#include "editor/console/console.hpp"
#include "editor/session/session.hpp"
#include "editor/session/session_state.hpp"
#include "editor/video/video.hpp"
#include "torsor/base/error.hpp"
#include "torsor/base/input_file.hpp"

namespace torsor::editor {

ActionFile::ActionFile(const std::filesystem::path& file) {
  InputLines in(file, InputKind::actions, "give a file of actions");
  std::string text;
  for (int number = 1; in.next(text); ++number) {
    const size_t begin = text.find_first_not_of(" \t\r");
    if (begin == std::string::npos || text[begin] == '#') continue;
    const std::string source = fmt::format("{}:{}", file.string(), number);
    if (text.find('\0') != std::string::npos)
      throw Error(fmt::format("{}: the line has a zero byte; a file of actions is text", source));
    char* end = nullptr;
    const double time = std::strtod(text.c_str(), &end);
    const size_t name = text.find_first_not_of(" \t", size_t(end - text.c_str()));
    if (end == text.c_str() || !(time >= 0) || !std::isfinite(time) || name == std::string::npos)
      throw Error(fmt::format(
          "{}: a line must be SECONDS ACTION ARGUMENTS, as in '0.5 time.go 1.2'", source));
    if (!lines_.empty() && time < lines_.back().time)
      throw Error(fmt::format(
          "{}: {} s is before the time of the line above; times must not decrease", source, time));
    const size_t name_end = std::min(text.find_first_of(" \t\r", name), text.size());
    try {
      lines_.push_back({time, text.substr(name, name_end - name),
                        Arguments(std::string_view(text).substr(name_end)), source});
    } catch (const Error& error) {
      throw Error(fmt::format("{}: {}", source, error.what()));
    }
  }
}

void ActionFile::advance(Editor& editor) {
  const bool ready = editor.idle() && !editor.screenshot;
  // All requests are complete. Read the state of the session that includes their results.
  if (ready && next_ < lines_.size()) editor.begin_frame();
  update_time(editor, ready);
  if (!ready) return;
  const std::shared_ptr<const SessionState> now = editor.session.now();
  if (std::exchange(runs_, false)) {
    if (const auto failure = editor.console.take_failure())
      throw Error(fmt::format("{}: {}", lines_[next_ - 1].source, *failure));
    if (now->errors > errors_)
      throw Error(fmt::format("{}: {}: {}", lines_[next_ - 1].source, lines_[next_ - 1].name,
                              last_error(*now)));
  }
  if (!waits()) return;
  const Line& line = lines_[next_++];
  runs_ = true;
  errors_ = now->errors;
  try {
    run_action(editor, line.name, line.arguments);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", line.source, error.what()));
  }
  if (editor.video.is_recording() && !editor.video.takes_frames(*now))
    time_ = line.time;  // waiting time is not part of the video
}

void ActionFile::update_time(const Editor& editor, bool ready) {
  if (window_time_ < 0 && !ready) return;
  const double window = ImGui::GetTime(), video = editor.video.seconds();
  if (editor.video.takes_frames(*editor.now))
    time_ += std::max(0.0, video - video_time_);
  else if (window_time_ >= 0 && (ready || !editor.video.is_recording()))
    time_ += window - window_time_;
  window_time_ = window;
  video_time_ = video;
}

bool ActionFile::finished(const Editor& editor) const {
  return next_ == lines_.size() && !runs_ && editor.idle();
}

}  // namespace torsor::editor
