#pragma once
// A file of actions, one per line: "SECONDS NAME ARGUMENTS", with # comments. Seconds count from
// the moment the scene is loaded. An action also waits until earlier requests are done. While a
// video is recorded and the run plays, they are seconds of the video: its content does not depend
// on the speed of the machine.

#include <filesystem>
#include <string>
#include <vector>

#include "editor/app/action.hpp"

namespace torsor::editor {

class ActionFile {
 public:
  ActionFile() = default;
  // Throws Error, "file:line: what".
  explicit ActionFile(const std::filesystem::path& file);

  // Runs the actions that are due, at the start of a frame. Throws Error, "file:line: what".
  void advance(Editor& editor);
  bool finished(const Editor& editor) const;
  // Returns whether the time of the next action has come. A video waits for it.
  bool waits() const { return next_ < lines_.size() && time_ >= lines_[next_].time; }

 private:
  void tell_time(const Editor& editor, bool ready);

  struct Line {
    double time;
    std::string name;
    Arguments arguments;
    std::string source;  // "file:line"
  };
  std::vector<Line> lines_;
  size_t next_ = 0;
  bool runs_ = false;  // the line before it, as far as is known
  long errors_ = 0;    // Moment::errors before it
  double time_ = 0, window_time_ = -1,
         video_time_ = 0;  // s, as they were last; not before the scene was there
};

}  // namespace torsor::editor
