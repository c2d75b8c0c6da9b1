#pragma once
// Converts Lua values to readable strings in Lua syntax.

#include <lua.hpp>
#include <string>
#include <string_view>

namespace torsor::lua {

// Returns a value as a string. Numbers have full precision, matrices are written by rows, and
// strings inside a table are quoted. Long or deeply nested values are cut with "...". May run
// metamethods (__tostring).
std::string text_of_value(lua_State* L, int index);

// Returns a string as a quoted Lua literal.
std::string quoted_text(std::string_view text);

}  // namespace torsor::lua
