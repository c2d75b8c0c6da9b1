#pragma once
// Test fixture with a source tree in a temporary folder, for tests of the rules.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace torsor::test {

class TemporaryTree : public testing::Test {
 protected:
  TemporaryTree() {
    std::string pattern = (std::filesystem::temp_directory_path() / "torsor_rules_XXXXXX").string();
    root_ = mkdtemp(pattern.data());
    for (const char* folder : {"engine", "plugins", "editor", "tests"})
      std::filesystem::create_directories(root_ / folder);
  }
  ~TemporaryTree() override { std::filesystem::remove_all(root_); }

  void write(const std::filesystem::path& file, const std::string& text) {
    std::filesystem::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }

  std::filesystem::path root_;
};

}  // namespace torsor::test
