#pragma once
// Lua text for tests: written into a folder of its own, and run.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "torsor/scripting/scene/script.hpp"

namespace torsor::test {

// A folder in that for temporary files that is gone with this object.
class ScriptFolder {
 public:
  ScriptFolder();
  ~ScriptFolder();
  ScriptFolder(const ScriptFolder&) = delete;
  // Writes a file, its folders too, and returns its path.
  std::filesystem::path write(const std::string& name, const std::string& text) const;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// What a script printed, and its error: one line, with the folder of the script left out; "" where
// it has none.
struct Outcome {
  std::vector<std::string> printed;
  std::string error;
};

// Runs statements in the file scene.lua; `local torsor = require "torsor"` stands before them in
// line 1.
Outcome run(const std::string& statements, const ScriptLimits& limits = {},
            const Overrides& overrides = {}, const Registry* plugins = nullptr);
// What one print shows of an expression; its error where it has one.
std::string value(const std::string& expression);
std::string error_of(const std::string& statements);

// Loads a whole scene or robot file from its text.
Experiment load_scene_text(const std::string& text, const Overrides& overrides = {});
RobotDescription load_robot_text(const std::string& text, const Overrides& overrides = {});
std::string scene_error(const std::string& text, const Overrides& overrides = {});
std::string robot_error(const std::string& text, const Overrides& overrides = {});

}  // namespace torsor::test
