#pragma once

#include <filesystem>
#include <optional>

namespace torsor::editor {

// Finds the scene that a recording or the table of a study names. Tries these paths:
// - the name, as it was given to `torsor run` or `torsor study`
// - the name relative to the folder of the file, and to the folder above it
// - a file with the last component of the name next to the file
// Returns nullopt if none of them is a regular file.
std::optional<std::filesystem::path> find_named_scene(const std::filesystem::path& name,
                                                      const std::filesystem::path& file);

}  // namespace torsor::editor
