#pragma once
// What a killed window leaves behind: the edits of its run and where it stood. A run is made of its scene and these alone.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "editor/session/session.hpp"

namespace torsor::editor {

// A run that is made again by its changes.
struct JournalRun {
  std::string name;
  std::vector<Change> changes;
  long long step = 0, end = 0, limit = 0;
};

struct Journal {
  std::string scene;  // hash_of the scene
  std::vector<Change> changes;
  long long step = 0, end = 0, limit = 0;
  std::vector<std::byte> start =
      {};  // of the run, where it had gone on with rebuilt plugins: Simulation::save(); else empty
  std::vector<JournalRun> forks = {}, snapshots = {};
  size_t fork = 0;  // that all the others above are of
};

// One file for each scene file, in the folder.
std::filesystem::path journal_file(const std::filesystem::path& folder, const std::filesystem::path& scene);
// Of the texts of a scene's files and what was asked of it from outside: the same run comes of the same.
std::string hash_of(const std::vector<std::filesystem::path>& files, const SessionOptions& options);

void write_journal(const std::filesystem::path& file, const Journal& journal);
// Nothing where there is no file. Throws Error where it does not hold a journal.
std::optional<Journal> read_journal(const std::filesystem::path& file);

// The journal of a scene while its window is open. The first window that has the scene open holds it; others keep none.
class JournalKeeper {
 public:
  // Throws Error where the folder cannot be written.
  JournalKeeper(const std::filesystem::path& folder, const std::filesystem::path& scene);
  // Removes the journal, unless it is kept, or was not taken, or was taken and not made again.
  ~JournalKeeper();
  JournalKeeper(const JournalKeeper&) = delete;

  bool held() const { return held_; }
  bool restoring() const { return restoring_; }  // what was taken has not been made again yet
  // What a window that was killed left, moved aside. Throws Error where it cannot be read; it stays aside.
  std::optional<Journal> take();
  const std::filesystem::path& aside() const { return aside_; }
  // All of it has been made again: it is not needed any more. Or it never will be: it stays aside.
  void made_again();
  void leave_aside() { restoring_ = false; }
  void keep() { kept_ = true; }  // for the next session
  void write(const Journal& journal) const { write_journal(file_, journal); }

 private:
  std::filesystem::path file_, aside_;
  int lock_ = -1;
  bool held_ = false, taken_ = false, restoring_ = false, kept_ = false;
};

}  // namespace torsor::editor
