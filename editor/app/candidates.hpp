#pragma once
// What may stand for the words that an action takes, for the palette.

#include "editor/app/action.hpp"

namespace torsor::editor {

// The k-th word of what an action takes, as its row says: "JOINT VALUE [continued]"; "" after the last.
std::string action_word(const Action& action, size_t k);

// What may stand for it after the words before; nothing where that is not known.
std::vector<std::string> candidates(Editor& editor, const Action& action, size_t k, const Arguments& before);

}  // namespace torsor::editor
