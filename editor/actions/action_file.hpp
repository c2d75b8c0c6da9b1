#pragma once
// Runs a file of actions. Each line is "SECONDS NAME ARGUMENTS" or a # comment. SECONDS is the time
// since the scene was loaded. An action also waits until earlier requests are complete. While a
// video is recorded and the run plays, SECONDS is the time of the video. The content of the video
// therefore does not depend on the speed of the machine.

#include <filesystem>
#include <string>
#include <vector>

#include "editor/actions/action.hpp"

namespace torsor::editor {

class ActionFile {
 public:
  ActionFile() = default;
  // Reads a file. Throws Error, "file:line: what", for a line that is not valid.
  explicit ActionFile(const std::filesystem::path& file);

  // Runs the next action if it is due. Must be called at the start of each frame. Throws Error,
  // "file:line: what", if an action fails.
  void advance(Editor& editor);
  bool finished(const Editor& editor) const;
  // Returns whether the next action is due. No video frame is captured until it has run.
  bool waits() const { return next_ < lines_.size() && time_ >= lines_[next_].time; }

 private:
  void update_time(const Editor& editor, bool ready);

  struct Line {
    double time;
    std::string name;
    Arguments arguments;
    std::string source;  // "file:line"
  };
  std::vector<Line> lines_;
  size_t next_ = 0;
  bool runs_ = false;  // true if the previous line may still be running
  long errors_ = 0;    // SessionState::errors before the previous line
  // Times in s. time_ is compared with the times of the lines. window_time_ and video_time_ are the
  // times of the window and of the video at the last update. window_time_ is -1 before the scene is
  // loaded.
  double time_ = 0, window_time_ = -1, video_time_ = 0;
};

}  // namespace torsor::editor
