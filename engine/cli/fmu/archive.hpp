#pragma once
// Zip archives with the same bytes for the same contents.

#include <filesystem>
#include <string>
#include <vector>

namespace torsor::cli {

struct ArchiveFile {
  std::string name;  // path in the archive
  std::string content;
  bool is_program = false;  // may be executed
};

// Writes a zip archive. Files have the order of the list and the date 1980-01-01. Throws Error if
// the file cannot be written.
void write_archive(const std::filesystem::path& path, const std::vector<ArchiveFile>& files);

}  // namespace torsor::cli
