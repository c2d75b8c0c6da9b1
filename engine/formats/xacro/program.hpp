#pragma once
// Runs a program without a shell and reads its output.

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace torsor {

struct ProgramLimits {
  std::chrono::milliseconds time = std::chrono::seconds(60);
  size_t output = size_t(16) << 20;  // bytes
};

struct ProgramResult {
  enum class End { exited, not_found, out_of_time, too_long, failed_to_start } end;
  int status = 0;                // exit status; 128 + N for a program that the signal N ended
  std::string output = "", messages = "";  // of standard output, and the first 64 KiB of standard error
};

// Runs a program, words[0], with the other words as its arguments. It is searched in PATH, and its
// standard input is empty. At a limit, the program and its children are killed.
ProgramResult run_program(const std::vector<std::string>& words, const ProgramLimits& limits = {});

}  // namespace torsor
