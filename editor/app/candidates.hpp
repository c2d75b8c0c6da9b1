#pragma once
// Suggestions for the arguments of actions, for the palette.

#include "editor/app/action.hpp"

namespace torsor::editor {

// Returns the k-th word of the arguments of an action, as in its row: "JOINT VALUE [continued]"; ""
// after the last.
std::string action_word(const Action& action, size_t k);

// Returns the possible values of that word after the words before; empty if they are not known.
std::vector<std::string> candidates(Editor& editor, const Action& action, size_t k,
                                    const Arguments& before);

}  // namespace torsor::editor
