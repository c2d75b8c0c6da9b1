#pragma once
// Text that goes into recordings, JSON and messages.

#include <string>
#include <string_view>

namespace torsor {

// Returns whether a string is UTF-8 on one line, without control characters. Names must be plain
// text because they appear in the headers of recordings and in JSON.
bool is_plain_text(std::string_view text);

// Returns a string as a message quotes it. Control characters and bytes that are not UTF-8 become
// escapes such as \x00. A string of more than 60 characters is cut off and ends in "...".
std::string quotable(std::string_view text);

// Returns "1 row" or "3 rows".
std::string counted(size_t number, std::string_view noun);

// Returns text of unknown origin for a terminal. Control characters other than tabs and newlines,
// and characters that change the direction of a line, become '?'. They could hide or fake parts of
// a message.
std::string without_controls(std::string_view text);

// Returns the text on one line, with control characters replaced by blanks.
std::string one_line(std::string text);

}  // namespace torsor
