#pragma once
// URDF text for tests: written into a file of its own, and read.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "torsor/model/urdf.hpp"

namespace torsor::test {

// A file in the folder for temporary ones that is gone with this object.
class UrdfFile {
 public:
  explicit UrdfFile(const std::string& text)
      : path_(testing::TempDir() + "torsor_" + std::to_string(getpid()) + ".urdf") {
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~UrdfFile() { std::remove(path_.c_str()); }
  UrdfFile(const UrdfFile&) = delete;
  UrdfFile& operator=(const UrdfFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

inline RobotDescription read_text(const std::string& text) {
  return read_urdf(UrdfFile(text).path());
}

// The message with the file's path written FILE; "" where the text is read without an error.
inline std::string error_of(const std::string& text) {
  const UrdfFile file(text);
  try {
    read_urdf(file.path());
  } catch (const Error& error) {
    std::string what = error.what();
    EXPECT_EQ(what.find('\n'), std::string::npos) << what;
    EXPECT_EQ(what.rfind(file.path(), 0), 0u) << what;
    return "FILE" + what.substr(std::min(what.size(), file.path().size()));
  }
  return "";
}

struct MalformedUrdf {
  std::string name, text, error;  // what error_of says of the text
};
inline void PrintTo(const MalformedUrdf& row, std::ostream* out) {
  *out << row.name;
}

}  // namespace torsor::test
