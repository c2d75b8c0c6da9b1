#pragma once
// Lua text for tests, written into a temporary folder and run.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "torsor/scripting/scene/script.hpp"

namespace torsor::test {

// A folder in the folder for temporary files. It is removed with this object.
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

// The lines that a script printed, and its error: one line without the folder of the script, or "".
struct Outcome {
  std::vector<std::string> printed;
  std::string error;
};

// Runs statements in the file scene.lua. Its line 1 starts with `local torsor = require "torsor"`.
Outcome run(const std::string& statements, const ScriptLimits& limits = {},
            const Overrides& overrides = {}, const Registry* plugins = nullptr);
// Return the output of print for an expression, and the error of statements.
std::string value(const std::string& expression);
std::string error_of(const std::string& statements);

// Load a complete scene or robot file from its text.
Experiment load_scene_text(const std::string& text, const Overrides& overrides = {});
RobotDescription load_robot_text(const std::string& text, const Overrides& overrides = {});
std::string scene_error(const std::string& text, const Overrides& overrides = {});
std::string robot_error(const std::string& text, const Overrides& overrides = {});

}  // namespace torsor::test
