#pragma once
// Runs the program at its own terminal and answers its questions.

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace torsor::test {

struct TerminalOutput {
  int exit_code;     // -1 if a signal ended the program
  std::string said;  // everything that the terminal shows, including the echo of the answer
};

// Types the answer and Enter when the program has printed `prompt`, after a call of
// before_answer(). Types nothing if the program does not print it.
TerminalOutput run_at_terminal(const std::vector<std::string>& arguments,
                               const std::filesystem::path& folder, const std::string& prompt,
                               const std::string& answer,
                               const std::function<void()>& before_answer = {});

}  // namespace torsor::test
