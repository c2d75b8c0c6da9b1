#pragma once
// Checks which files a script may use. Files below the script's folder and below the scripts folder
// are allowed. All other files, and all machine code, need the user's permission.

#include <filesystem>
#include <lua.hpp>
#include <string>

namespace torsor::lua {

// Returns the path of a file that a script names relative to its own folder.
std::filesystem::path named_file(lua_State* L, const std::string& name);

// Checks that the script may read the file. If it may not, ends the load with PermissionNeeded. The
// message does not reveal whether a forbidden file exists.
void require_readable_by_script(lua_State* L, const std::filesystem::path& file, const char* call);
// Checks that the script may load the file as machine code. Returns the SHA-256 of the bytes that
// may be loaded. Ends the load with PermissionNeeded if loading is not allowed. Throws Error if the
// file cannot be read.
std::string require_loadable_by_script(lua_State* L, const std::filesystem::path& file,
                                       const char* call);

}  // namespace torsor::lua
