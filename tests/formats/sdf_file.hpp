#pragma once
// Reads SDF texts for tests, by files in a temporary folder.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "support/scratch_folder.hpp"
#include "torsor/formats/robot_file.hpp"

namespace torsor::test {

// Returns a file with a model. The content begins in line 2.
inline std::string sdf_model(const std::string& content, const std::string& version = "1.11",
                             const std::string& attributes = "") {
  return "<sdf version='" + version + "'><model name='m'" + attributes + ">\n" + content +
         "</model></sdf>\n";
}

inline RobotDescription read_sdf_text(const std::string& text,
                                      const RobotFileOptions& options = {}) {
  const ScratchFolder folder;
  return read_robot_file(folder.write("robot.sdf", text), options);
}

// Returns the error of reading the text, with FILE in place of the path, or "" if there is none.
inline std::string error_of_sdf(const std::string& text, const RobotFileOptions& options = {}) {
  const ScratchFolder folder;
  const std::string path = folder.write("robot.sdf", text);
  try {
    (void)build(read_robot_file(path, options));
  } catch (const Error& error) {
    std::string what = error.what();
    EXPECT_EQ(what.find('\n'), std::string::npos) << what;
    if (const size_t at = what.find(path); at != what.npos) what.replace(at, path.size(), "FILE");
    return what;
  }
  return "";
}

// Returns the warnings of reading the text, each on a line, with FILE in place of the path.
inline std::string warnings_of_sdf(const std::string& text, const RobotFileOptions& options = {}) {
  const ScratchFolder folder;
  const std::string path = folder.write("robot.sdf", text);
  std::string out;
  for (std::string warning : read_robot_file(path, options).warnings) {
    if (const size_t at = warning.find(path); at != warning.npos)
      warning.replace(at, path.size(), "FILE");
    out += warning + "\n";
  }
  return out;
}

}  // namespace torsor::test
