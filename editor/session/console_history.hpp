#pragma once
// The history of the console, over all windows.

#include <filesystem>
#include <string>
#include <vector>

namespace torsor::editor {

class ConsoleHistory {
 public:
  ConsoleHistory() = default;  // kept nowhere
  // Reads a file with one chunk per line, as JSON strings; skips other lines. Empty if there is no
  // file.
  explicit ConsoleHistory(std::filesystem::path file);

  // Adds a chunk, unless it equals the last one. Throws Error if the file cannot be written; the
  // chunk is still kept in memory.
  void add(const std::string& chunk);
  // Returns the place of the previous or next chunk that begins like this, from the one shown last
  // (at first size()); the same place if there is none.
  size_t before(size_t at, const std::string& beginning) const;
  size_t after(size_t at, const std::string& beginning) const;  // size(): beyond the last
  size_t size() const { return chunks_.size(); }
  const std::string& operator[](size_t k) const { return chunks_[k]; }

 private:
  std::filesystem::path file_;
  std::vector<std::string> chunks_;
};

}  // namespace torsor::editor
