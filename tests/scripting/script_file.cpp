#include "scripting/script_file.hpp"

#include <unistd.h>

#include <atomic>
#include <fstream>

namespace torsor::test {

namespace fs = std::filesystem;

ScriptFolder::ScriptFolder() {
  static std::atomic<int> count = 0;
  path_ = fs::path(testing::TempDir()) /
          ("torsor_scripts_" + std::to_string(getpid()) + "_" + std::to_string(count++));
  fs::create_directories(path_);
}

ScriptFolder::~ScriptFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

fs::path ScriptFolder::write(const std::string& name, const std::string& text) const {
  fs::create_directories((path_ / name).parent_path());
  std::ofstream(path_ / name, std::ios::binary) << text;
  return path_ / name;
}

namespace {

std::string one_line_of(const Error& error, const ScriptFolder& folder) {
  std::string what = error.what();
  EXPECT_EQ(what.find('\n'), std::string::npos) << what;
  const std::string prefix = folder.path().string() + "/";
  for (size_t at; (at = what.find(prefix)) != std::string::npos;) what.erase(at, prefix.size());
  return what;
}

template <class Load>
std::string error_of_load(const std::string& text, const Load& load) {
  const ScriptFolder folder;
  try {
    load(folder.write("scene.lua", text));
  } catch (const Error& error) {
    return one_line_of(error, folder);
  }
  return "";
}

}  // namespace

Outcome run(const std::string& statements, const ScriptLimits& limits, const Overrides& overrides,
            const Registry* plugins) {
  Outcome out;
  Script script({.scripts = {},
                 .limits = limits,
                 .print = [&](std::string_view line) { out.printed.emplace_back(line); },
                 .plugins = plugins});
  const std::string text = "local torsor = require 'torsor' do " + statements +
                           "\nend return torsor.robot{ name = 'nothing' }";
  out.error =
      error_of_load(text, [&](const fs::path& file) { script.load_robot(file, overrides); });
  return out;
}

std::string value(const std::string& expression) {
  const Outcome out = run("print(" + expression + ")");
  if (!out.error.empty()) return out.error;
  return out.printed.size() == 1 ? out.printed[0] : "nothing was printed";
}

std::string error_of(const std::string& statements) {
  return run(statements).error;
}

Experiment load_scene_text(const std::string& text, const Overrides& overrides) {
  const ScriptFolder folder;
  return load_scene(folder.write("scene.lua", text), overrides);
}

RobotDescription load_robot_text(const std::string& text, const Overrides& overrides) {
  const ScriptFolder folder;
  return load_robot(folder.write("scene.lua", text), overrides);
}

std::string scene_error(const std::string& text, const Overrides& overrides) {
  return error_of_load(text, [&](const fs::path& file) { load_scene(file, overrides); });
}

std::string robot_error(const std::string& text, const Overrides& overrides) {
  return error_of_load(text, [&](const fs::path& file) { load_robot(file, overrides); });
}

}  // namespace torsor::test
