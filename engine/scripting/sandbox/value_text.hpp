#pragma once
// Converts Lua values to readable strings in Lua syntax.

#include <lua.hpp>
#include <string>
#include <string_view>

namespace torsor::lua {

// Converts a value to a string. Numbers have full precision, matrices are written row by row, and
// strings inside a table are quoted. Long or deeply nested values are truncated with "...". May
// call metamethods (__tostring).
std::string text_of_value(lua_State* L, int index);

// Returns a string in quotes, as a Lua literal.
std::string quoted_text(std::string_view text);

}  // namespace torsor::lua
