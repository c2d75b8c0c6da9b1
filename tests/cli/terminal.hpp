#pragma once
// Runs the program at a terminal of its own, as a user does who answers its questions.

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace torsor::test {

struct TerminalOutput {
  int exit_code;     // -1 if a signal ended the program
  std::string said;  // all that the terminal shows, the echo of the answer included
};

// Types the answer and Enter as soon as the program has printed `prompt`, after before_answer();
// never, if it does not print it.
TerminalOutput run_at_terminal(const std::vector<std::string>& arguments,
                               const std::filesystem::path& folder, const std::string& prompt,
                               const std::string& answer,
                               const std::function<void()>& before_answer = {});

}  // namespace torsor::test
