#pragma once
// Folders of the installation and of the user's cache.

#include <filesystem>

namespace torsor {

// Returns the folder in which the program was installed (such as /usr) or built. It is the parent
// of bin/, lib/torsor/ and share/torsor/.
std::filesystem::path prefix();

// Returns the folder for files that can be created again: torsor in XDG_CACHE_HOME or ~/.cache. It
// may not exist. Returns an empty path if there is no home folder.
std::filesystem::path user_cache_folder();
// Returns the folder for the user's data: torsor in XDG_DATA_HOME or ~/.local/share. It may not
// exist. Returns an empty path if there is no home folder.
std::filesystem::path user_data_folder();

}  // namespace torsor
