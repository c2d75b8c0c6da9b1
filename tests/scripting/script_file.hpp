#pragma once
// Functions that write Lua text into a temporary folder and run it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "torsor/run/experiment.hpp"
#include "torsor/scripting/scene/script.hpp"

namespace torsor::test {

// A new folder among the temporary files. The destructor removes it.
class ScriptFolder {
 public:
  ScriptFolder();
  ~ScriptFolder();
  ScriptFolder(const ScriptFolder&) = delete;
  // Writes a file, and creates its folders. Returns its path.
  std::filesystem::path write(const std::string& name, const std::string& text) const;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// The result of a script: the printed lines, and the error. An error is one line without the folder
// of the script, or "" if there is none.
struct Outcome {
  std::vector<std::string> printed;
  std::string error;
};

// Runs statements as the file scene.lua. Line 1 defines `torsor`, and is the first line of the
// statements.
Outcome run(const std::string& statements, const ScriptLimits& limits = {},
            const Overrides& overrides = {}, const Registry* plugins = nullptr);
// Return the printed text of an expression, and the error of statements.
std::string value(const std::string& expression);
std::string error_of(const std::string& statements);

// Load a complete scene or robot file from its text. The functions named _error return the error,
// or "".
Experiment load_scene_text(const std::string& text, const Overrides& overrides = {});
RobotDescription load_robot_text(const std::string& text, const Overrides& overrides = {});
std::string scene_error(const std::string& text, const Overrides& overrides = {});
std::string robot_error(const std::string& text, const Overrides& overrides = {});

}  // namespace torsor::test
