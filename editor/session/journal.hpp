#pragma once
// What a killed window leaves behind: the edits of its run and where it stood. A run is made of its scene and these alone.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "torsor/simulation/timeline.hpp"

namespace torsor::editor {

struct Journal {
  std::string scene;  // the texts of the scene's files, hashed
  std::vector<Change> changes;
  long long step = 0, end = 0, limit = 0;
};

// One file for each scene file, in the folder.
std::filesystem::path journal_file(const std::filesystem::path& folder, const std::filesystem::path& scene);
std::string hash_of_files(const std::vector<std::filesystem::path>& files);

void write_journal(const std::filesystem::path& file, const Journal& journal);
// Nothing where there is no file. Throws Error where it does not hold a journal.
std::optional<Journal> read_journal(const std::filesystem::path& file);

}  // namespace torsor::editor
