#pragma once
// Reads URDF texts for tests, by temporary files.

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <fstream>
#include <string>

#include "torsor/formats/robot_file.hpp"

namespace torsor::test {

// A temporary file. The destructor deletes it.
class UrdfFile {
 public:
  explicit UrdfFile(const std::string& text)
      : path_(testing::TempDir() + "torsor_" + std::to_string(getpid()) + "_" +
              std::to_string(++count_) + ".urdf") {
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~UrdfFile() { std::remove(path_.c_str()); }
  UrdfFile(const UrdfFile&) = delete;
  UrdfFile& operator=(const UrdfFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  static inline std::atomic<int> count_ = 0;  // of this process; each file has a name of its own
  std::string path_;
};

inline RobotDescription read_text(const std::string& text, const RobotFileOptions& options = {}) {
  return read_robot_file(UrdfFile(text).path(), options);
}

// Returns the error of reading the text, with FILE in place of the path, or "" if there is none.
inline std::string error_of(const std::string& text, const RobotFileOptions& options = {}) {
  const UrdfFile file(text);
  try {
    read_robot_file(file.path(), options);
  } catch (const Error& error) {
    std::string what = error.what();
    EXPECT_EQ(what.find('\n'), std::string::npos) << what;
    EXPECT_EQ(what.rfind(file.path(), 0), 0u) << what;
    return "FILE" + what.substr(std::min(what.size(), file.path().size()));
  }
  return "";
}

// Returns the first warning of reading the text, with FILE in place of the path, or "".
inline std::string warning_of(const std::string& text, const RobotFileOptions& options = {}) {
  const UrdfFile file(text);
  const std::vector<std::string> warnings = read_robot_file(file.path(), options).warnings;
  if (warnings.empty()) return "";
  EXPECT_EQ(warnings[0].rfind(file.path(), 0), 0u) << warnings[0];
  return "FILE" + warnings[0].substr(std::min(warnings[0].size(), file.path().size()));
}

inline const RobotFileOptions strictly{.strict = true};

struct MalformedUrdf {
  std::string name, text, error;  // error: expected result of error_of
};
inline void PrintTo(const MalformedUrdf& row, std::ostream* out) {
  *out << row.name;
}

}  // namespace torsor::test
