#pragma once
// Folders of the installation and of the user's cache.

#include <filesystem>

namespace torsor {

// The folder that it was installed in (as /usr) or built in, above bin/: lib/torsor/ and
// share/torsor/ are in it.
std::filesystem::path prefix();

// The folder for files that can be made again: torsor in XDG_CACHE_HOME or ~/.cache, whether it
// exists or not; empty where there is no home.
std::filesystem::path user_cache_folder();
// The same for data: torsor in XDG_DATA_HOME or ~/.local/share.
std::filesystem::path user_data_folder();

}  // namespace torsor
