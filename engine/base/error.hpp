#pragma once
// Errors that the user can correct. The message is one line: where, what is wrong and what to do.

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace torsor {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Returns "; did you mean 'x'?" as the end of a message, where x is the candidate nearest to `word`
// by edit distance. Among equally near candidates, x is the first in alphabetical order. Returns ""
// if no candidate is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace torsor
