#pragma once
// Decides which files a script may use. A script may read files below its own folder and below the
// scripts folder. Reading other files and loading machine code need the user's
// permission.

#include <filesystem>
#include <lua.hpp>
#include <string>

namespace torsor::lua {

// Resolves a file name that a script gives, relative to the script's folder.
std::filesystem::path named_file(lua_State* L, const std::string& name);

// Returns whether the file is below one of the two folders.
bool is_readable_without_permission(lua_State* L, const std::filesystem::path& file);
// Checks that the script may read the file. Otherwise ends the load with PermissionNeeded. The
// message does not reveal whether the file exists.
void require_readable_by_script(lua_State* L, const std::filesystem::path& file, const char* call);
// Checks that the script may load the file as machine code. Returns the SHA-256 that the loaded
// bytes must have. Ends the load with PermissionNeeded if the user has not allowed the file. Throws
// Error if the file cannot be read.
std::string require_loadable_by_script(lua_State* L, const std::filesystem::path& file,
                                       const char* call);

}  // namespace torsor::lua
