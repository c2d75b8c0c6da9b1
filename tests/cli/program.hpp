#pragma once
// A test fixture that runs the program and stores its output.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace torsor::test {

struct Output {
  int exit_code;  // -1 if a signal or the time limit ended it
  std::string out, err;
  // Largest resident memory, MB, and elapsed time, s.
  double peak_mb = 0, seconds = 0;
};

// A test with its own folder, in which the program runs.
class Program : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  // Runs the program with these arguments and this standard input.
  Output torsor(const std::vector<std::string>& arguments, const std::string& input = "");
  // Runs any program, found like in a shell. The exit code is 127 if it does not exist.
  Output run(const std::string& program, const std::vector<std::string>& arguments,
             const std::string& input = "");
  // Starts the program, whose output is discarded, and kills it when the file has as many bytes.
  // Returns the size of the file.
  size_t kill_at(size_t bytes, const std::string& file, const std::vector<std::string>& arguments);
  // Writes a file into the folder of the test. Returns its path.
  std::string file(const std::string& name, const std::string& text);
  std::string read(const std::string& name) const;
  // Returns the files below the test's folder, sorted, except those made by file().
  std::vector<std::string> written() const;

  std::filesystem::path folder_;
  std::vector<std::string> own_;
};

// Returns a path in the repository.
std::filesystem::path source(const std::string& path);

}  // namespace torsor::test
