#pragma once
// Files that the program reads.

#include <filesystem>
#include <string>

namespace torsor {

// Returns why a path does not name a regular file: "there is no such file", "this is a folder",
// "this is not a regular file". Returns "" for a regular file.
std::string why_no_file(const std::filesystem::path& path);

}  // namespace torsor
