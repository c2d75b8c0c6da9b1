#pragma once
// Values of Lua as a person reads them, and as Lua reads them again.

#include <lua.hpp>
#include <string>
#include <string_view>

namespace torsor::lua {

// Numbers to the last bit; tables as they are written, matrices by rows; texts in quotes where they
// are inside a table. What is long or deep is cut with "...". May run metamethods (__tostring).
std::string text_of_value(lua_State* L, int index);

// A text as it is written in Lua, in quotes.
std::string quoted_text(std::string_view text);

}  // namespace torsor::lua
