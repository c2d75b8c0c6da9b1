#pragma once
// Folders of the installation and of the user.

#include <filesystem>

namespace torsor {

// Returns the file that contains the engine: the program, or the library libtorsor.so.
std::filesystem::path own_file();

// Returns the folder in which the engine was installed (such as /usr) or built. It is the parent
// folder of bin/, lib/torsor/ and share/torsor/. A library may be in a subfolder of lib/.
std::filesystem::path prefix();

// Returns the environment variable TORSOR_SCRIPTS if it is set. Otherwise returns
// share/torsor/scripts in prefix().
std::filesystem::path default_script_folder();

// Returns the folder for files that can be created again: the folder torsor in XDG_CACHE_HOME or in
// ~/.cache. The folder may not exist. Returns an empty path if there is no home folder.
std::filesystem::path user_cache_folder();
// Returns the folder for the user's data: the folder torsor in XDG_DATA_HOME or in ~/.local/share.
// The folder may not exist. Returns an empty path if there is no home folder.
std::filesystem::path user_data_folder();

}  // namespace torsor
