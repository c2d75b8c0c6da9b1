#pragma once
// What was said at the console, also in the windows before.

#include <filesystem>
#include <string>
#include <vector>

namespace torsor::editor {

class ConsoleHistory {
 public:
  ConsoleHistory() = default;  // kept nowhere
  // Of a file, a chunk a line as a text of JSON; other lines are left out. No file: empty.
  explicit ConsoleHistory(std::filesystem::path file);

  // What is the same as the last is left out. Throws Error where the file cannot be written; it is kept here all the same.
  void add(const std::string& chunk);
  // Going back from one that was shown last, size() at first, what begins like this; nothing further: the same place.
  size_t before(size_t at, const std::string& beginning) const;
  size_t after(size_t at, const std::string& beginning) const;  // size(): beyond the last
  size_t size() const { return chunks_.size(); }
  const std::string& operator[](size_t k) const { return chunks_[k]; }

 private:
  std::filesystem::path file_;
  std::vector<std::string> chunks_;
};

}  // namespace torsor::editor
