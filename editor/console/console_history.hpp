#pragma once
// The history of the console. All windows append to the same file.

#include <filesystem>
#include <string>
#include <vector>

namespace torsor::editor {

class ConsoleHistory {
 public:
  ConsoleHistory() = default;  // a history without a file
  // Reads the last 1000 chunks of a file, one JSON string per line. Skips other lines. The history
  // is empty if there is no file.
  explicit ConsoleHistory(std::filesystem::path file);

  // Adds a chunk unless it equals the last one. Throws Error if the file cannot be written. This
  // chunk and later ones are then stored in memory only.
  void add(const std::string& chunk);
  // before() and after() return the index of the previous or next chunk that starts with the prefix
  // `beginning`. `at` is the index of the chunk shown now, or size() if none is shown. before()
  // returns `at` if there is no previous chunk.
  size_t before(size_t at, const std::string& beginning) const;
  size_t after(size_t at, const std::string& beginning) const;  // size() if there is no next chunk
  size_t size() const { return chunks_.size(); }
  const std::string& operator[](size_t k) const { return chunks_[k]; }

 private:
  std::filesystem::path file_;
  std::vector<std::string> chunks_;
};

}  // namespace torsor::editor
