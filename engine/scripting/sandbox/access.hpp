#pragma once
// Which files a script may use: those below its own folder and below the folder of scripts; others,
// and all machine code, with the user's permission.

#include <filesystem>
#include <lua.hpp>
#include <string>

namespace torsor::lua {

// Returns the path of a file that a script names, relative to the script's folder.
std::filesystem::path named_file(lua_State* L, const std::string& name);

// Return if the script may read the file, or load it as machine code; else end the load with
// PermissionNeeded. A message does not tell whether a file exists that may not be read.
void require_readable_by_script(lua_State* L, const std::filesystem::path& file, const char* call);
// Returns the SHA-256 of the bytes that may be loaded. Throws Error for a file that cannot be read.
std::string require_loadable_by_script(lua_State* L, const std::filesystem::path& file,
                                       const char* call);

}  // namespace torsor::lua
