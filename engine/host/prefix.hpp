#pragma once
// Where this program is installed.

#include <filesystem>

namespace torsor {

// The folder that it was installed in (as /usr) or built in, above bin/: lib/torsor/ and share/torsor/ are in it.
std::filesystem::path prefix();

}  // namespace torsor
