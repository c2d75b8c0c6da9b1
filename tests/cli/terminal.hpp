#pragma once
// Runs the program in a pseudo-terminal and answers its question.

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace torsor::test {

struct TerminalOutput {
  int exit_code;        // -1 if a signal ended the program
  std::string printed;  // all text on the terminal, including the echo of the answer
};

// Runs the program. When it has printed `prompt`, calls before_answer() and types the answer and
// Enter. Types nothing if the prompt does not appear.
TerminalOutput run_at_terminal(const std::vector<std::string>& arguments,
                               const std::filesystem::path& folder, const std::string& prompt,
                               const std::string& answer,
                               const std::function<void()>& before_answer = {});

}  // namespace torsor::test
