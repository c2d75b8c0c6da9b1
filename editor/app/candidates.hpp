#pragma once
// Suggestions for the arguments of actions, for the palette.

#include <string>
#include <vector>

#include "editor/app/action.hpp"

namespace torsor {
class Registry;
}

namespace torsor::editor {

// Returns the names of rows that have one.
template <class Rows>
std::vector<std::string> names_of(const Rows& rows) {
  std::vector<std::string> out;
  for (const auto& row : rows) out.emplace_back(row.name);
  return out;
}
std::vector<std::string> names_of_plugins(const Registry& registry);  // their ids

// Returns the k-th word of the arguments of an action, as in its row: "JOINT VALUE [continued]"; ""
// after the last.
std::string action_word(const Action& action, size_t k);

// Returns the possible values of that word after the words before; empty if they are not known.
std::vector<std::string> candidates(Editor& editor, const Action& action, size_t k,
                                    const Arguments& before);

}  // namespace torsor::editor
