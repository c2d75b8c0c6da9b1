#pragma once
// Reads MJCF texts for tests, by temporary files.

#include <gtest/gtest.h>

#include <string>

#include "support/scratch_folder.hpp"
#include "torsor/formats/robot_file.hpp"

namespace torsor::test {

// A temporary folder with robot.xml, and with other files.
class MjcfFolder {
 public:
  explicit MjcfFolder(const std::string& text) { add("robot.xml", text); }
  void add(const std::string& name, const std::string& text) { scratch_.write(name, text); }
  const std::string& folder() const { return folder_; }
  std::string path() const { return scratch_.file("robot.xml"); }

 private:
  ScratchFolder scratch_;
  std::string folder_ = scratch_.path().string();
};

// Returns the text of a robot with these elements in <mujoco>.
inline std::string mjcf(const std::string& elements) {
  return "<mujoco>\n" + elements + "\n</mujoco>";
}
// Returns the text of a robot with these elements in a body. They begin in line 3.
inline std::string mjcf_body(const std::string& elements) {
  return mjcf("<worldbody><body name='b'>\n" + elements + "\n</body></worldbody>");
}

inline RobotDescription read_mjcf_text(const std::string& text,
                                       const RobotFileOptions& options = {}) {
  return read_robot_file(MjcfFolder(text).path(), options);
}

// Returns the error of reading a folder's robot.xml, without the path of the folder, or "".
inline std::string mjcf_error(const MjcfFolder& folder, const RobotFileOptions& options = {}) {
  try {
    build(read_robot_file(folder.path(), options));
  } catch (const Error& error) {
    std::string what = error.what();
    EXPECT_EQ(what.find('\n'), std::string::npos) << what;
    for (size_t at; (at = what.find(folder.folder() + "/")) != std::string::npos;)
      what.erase(at, folder.folder().size() + 1);
    return what;
  }
  return "";
}

}  // namespace torsor::test
