#pragma once
// Errors made by a user: one line that says where, what was wrong and what to do.

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace torsor {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// "; did you mean 'x'?", to end a message, for the candidate nearest to word by edit distance (of
// equally near ones the first by the alphabet), or "" where none is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace torsor
