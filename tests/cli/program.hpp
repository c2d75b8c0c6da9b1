#pragma once
// Test fixture that runs the program torsor and returns its output.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace torsor::test {

struct Output {
  int exit_code;  // -1 if a signal or the time limit of 120 s ended the program
  std::string out, err;
  // Largest resident memory, MB, and elapsed time, s.
  double peak_mb = 0, seconds = 0;
};

// Test fixture with a folder of its own, which is the working directory of the program.
class Program : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  // Runs torsor with these arguments. `input` is its standard input.
  Output torsor(const std::vector<std::string>& arguments, const std::string& input = "");
  // Runs any program, which is searched for in PATH. The exit code is 127 if it does not exist.
  Output run(const std::string& program, const std::vector<std::string>& arguments,
             const std::string& input = "");
  // Runs torsor, discards its output, and kills it when the file has at least this many bytes.
  // Returns the size of the file when it was last checked. Fails if the program ends by itself.
  size_t kill_at(size_t bytes, const std::string& file, const std::vector<std::string>& arguments);
  // Writes a file in the folder of the test. Returns its path.
  std::string file(const std::string& name, const std::string& text);
  std::string read(const std::string& name) const;
  // Returns the files in the folder of the test, sorted. Leaves out those that file() wrote.
  std::vector<std::string> written() const;

  std::filesystem::path folder_;
  std::vector<std::string> own_;
};

// Returns a command of the shell that limits the size of the files that later commands write. The
// copies that the program makes of its plugins fit.
std::string limit_of_file_size();

// Returns the absolute path of a file of the repository.
std::filesystem::path source(const std::string& path);

}  // namespace torsor::test
