#pragma once
// A file of actions: one a line, "SECONDS NAME ARGUMENTS", with # comments. Seconds are those since the scene was there;
// an action also waits until what was asked for before has been done. While a video is recorded of a run that plays, they are those of
// the video: what is on it does not depend on how fast the machine is.

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

  // Runs what is due, at the start of a frame. Throws Error, "file:line: what".
  void advance(Editor& editor);
  bool finished(const Editor& editor) const;
  // The time of the next one has come. What is filmed waits for it.
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
