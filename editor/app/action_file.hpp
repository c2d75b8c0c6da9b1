#pragma once
// A file of actions: one a line, "SECONDS NAME ARGUMENTS", with # comments. Seconds are those since the scene was there;
// an action also waits until what was asked for before has been done.

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

 private:
  struct Line {
    double time;
    std::string name;
    Arguments arguments;
    std::string source;  // "file:line"
  };
  std::vector<Line> lines_;
  size_t next_ = 0;
  bool runs_ = false;  // the line before it, as far as is known
  double start_ = -1;
};

}  // namespace torsor::editor
