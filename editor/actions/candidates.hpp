#pragma once
// Suggests arguments of actions for the palette.

#include <string>
#include <vector>

#include "editor/actions/action.hpp"

namespace torsor {
class Registry;
}

namespace torsor::editor {

// Returns the member `name` of each row.
template <class Rows>
std::vector<std::string> names_of(const Rows& rows) {
  std::vector<std::string> out;
  for (const auto& row : rows) out.emplace_back(row.name);
  return out;
}
std::vector<std::string> names_of_plugins(const Registry& registry);  // full ids

// Returns the k-th word of an action's arguments, as listed in its row ("JOINT VALUE [continued]"),
// or "" after the last word.
std::string action_word(const Action& action, size_t k);

// Returns the possible values of an action's k-th argument, given the arguments before it. Returns
// an empty list if they are unknown.
std::vector<std::string> candidates(Editor& editor, const Action& action, size_t k,
                                    const Arguments& before);

}  // namespace torsor::editor
