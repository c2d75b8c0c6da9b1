#pragma once
// A test fixture with the name of a folder for its own use. Each test must create the folder. It is
// removed at the end.

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

namespace torsor::test {

class FolderTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    std::string name = std::string("torsor_") + test->test_suite_name() + "_" + test->name() + "_" +
                       std::to_string(getpid());
    std::ranges::replace(name, '/', '_');  // names of tests with parameters have slashes
    folder_ = std::filesystem::temp_directory_path() / name;
    std::filesystem::remove_all(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  static std::string read(const std::filesystem::path& path) {
    std::stringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }
  static void write(const std::filesystem::path& path, const std::string& text) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
  }
  // Returns the contents of the regular files of the folder, by name.
  std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> out;
    for (const auto& entry : std::filesystem::directory_iterator(folder_))
      if (entry.is_regular_file()) out[entry.path().filename()] = read(entry.path());
    return out;
  }
  std::filesystem::path folder_;
};

}  // namespace torsor::test
