#pragma once

#include <filesystem>
#include <string>

namespace torsor::editor {

// Returns true if the editor opens files of this name: scenes, robots, recordings and studies.
bool can_be_opened(const std::filesystem::path& file);
// Returns the kinds of these files and their extensions for a message.
std::string openable_files();

}  // namespace torsor::editor
