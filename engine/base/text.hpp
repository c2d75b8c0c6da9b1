#pragma once
// Text that goes into recordings, JSON and messages.

#include <string>
#include <string_view>

namespace torsor {

// Whether this is UTF-8 on one line, without control characters: what a name must be, since it
// stands in the headers of recordings and in JSON.
bool is_plain_text(std::string_view text);

// Returns a text as a message quotes it. Control characters and bytes that are not UTF-8 become
// escapes such as \x00; a text of more than 60 characters is cut off and ends in "...".
std::string quotable(std::string_view text);

// Returns "1 row" or "3 rows".
std::string counted(size_t number, std::string_view noun);

// Returns a text of others for a terminal: control characters but tabs and newlines, and characters
// that change the direction of a line, become '?'. They could hide or fake parts of a message.
std::string without_controls(std::string_view text);

// The text on one line: control characters made blanks, as in every message.
std::string one_line(std::string text);

}  // namespace torsor
