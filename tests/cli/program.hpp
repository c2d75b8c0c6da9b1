#pragma once
// Runs the program as a user does and keeps what it printed.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace torsor::test {

struct Output {
  int exit_code;  // -1 where a signal or the time limit ended it
  std::string out, err;
  double peak_mb = 0, seconds = 0;  // largest memory that was resident, and time on the wall
};

// A test with a folder of its own, which is where the program runs.
class Program : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  // The program with these arguments; input is its standard input.
  Output torsor(const std::vector<std::string>& arguments, const std::string& input = "");
  // The same of any program, found as a shell finds it: exit code 127 where it is not there.
  Output run(const std::string& program, const std::vector<std::string>& arguments,
             const std::string& input = "");
  // Starts the program, which says nothing, kills it once this file has as many bytes, and returns
  // that size.
  size_t kill_at(size_t bytes, const std::string& file, const std::vector<std::string>& arguments);
  // Writes a file of the test's folder and returns its path.
  std::string file(const std::string& name, const std::string& text);
  std::string read(const std::string& name) const;
  // Files below the test's folder, sorted, but those that file() made.
  std::vector<std::string> written() const;

  std::filesystem::path folder_;
  std::vector<std::string> own_;
};

// The folder of the repository.
std::filesystem::path source(const std::string& path);

}  // namespace torsor::test
