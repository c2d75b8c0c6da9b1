#pragma once
// Functions for text in recordings, JSON and messages.

#include <string>
#include <string_view>

namespace torsor {

// Returns whether a string is valid UTF-8 on one line, without control characters. Names must be
// such text, because they appear in the headers of recordings and in JSON.
bool is_plain_text(std::string_view text);

// Returns a string in a form that a message can quote. Control characters and bytes that are not
// UTF-8 become escapes such as \x00. A string of more than 60 characters is truncated and ends in
// "...".
std::string quotable(std::string_view text);

// Returns a number with its noun, such as "1 row" or "3 rows".
std::string counted(size_t number, std::string_view noun);

// Returns text from an unknown source in a form that is safe for a terminal. Control characters
// other than tabs and newlines, and characters that change the direction of writing, become '?'.
// Such characters could hide or fake parts of a message.
std::string without_controls(std::string_view text);

// Returns the text with all occurrences of `from`, which must not be empty, replaced by `to`.
std::string replaced(std::string text, std::string_view from, std::string_view to);

// Returns the text on one line, with control characters replaced by blanks.
std::string one_line(std::string text);

}  // namespace torsor
