#pragma once
// The journal of a window: the edits and the current step of its run, forks and snapshots. Together
// with the scene, they determine the runs.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "torsor/run/timeline.hpp"

namespace torsor::editor {

struct SessionOptions;

// A run that can be computed again from its changes.
struct JournalRun {
  std::string name;
  std::vector<Change> changes;
  long long step = 0, end = 0, limit = 0;
};

struct Journal {
  std::string scene;  // hash_of() the files of the scene
  std::vector<Change> changes;
  long long step = 0, end = 0, limit = 0;
  // Simulation::save() at the start of a run that continued with rebuilt plugins, else empty.
  std::vector<std::byte> start = {};
  std::vector<JournalRun> forks = {}, snapshots = {};
  size_t fork = 0;  // index of the fork that the other members describe
};

// Returns the journal file of a scene in a folder.
std::filesystem::path journal_file(const std::filesystem::path& folder,
                                   const std::filesystem::path& scene);
// Returns a hash of the scene's files and of the options with which they were loaded. Equal hashes
// mean equal runs for equal edits.
std::string hash_of(const std::vector<std::filesystem::path>& files, const SessionOptions& options);

void write_journal(const std::filesystem::path& file, const Journal& journal);
// Returns the journal, or nullopt if there is no file. Throws Error if it cannot be read.
std::optional<Journal> read_journal(const std::filesystem::path& file);

// Locks the journal of a scene while its window is open. Only the first window of a scene gets the
// lock (held()).
class JournalKeeper {
 public:
  // Throws Error if the folder cannot be written.
  JournalKeeper(const std::filesystem::path& folder, const std::filesystem::path& scene);
  // Removes the journal file if take() was called, unless keep() was called. Moves the renamed file
  // back if its journal was not restored. Does nothing if this window does not hold the lock.
  ~JournalKeeper();
  JournalKeeper(const JournalKeeper&) = delete;

  bool held() const { return held_; }
  // Returns true from take() until the journal is restored or left aside.
  bool restoring() const { return restoring_; }
  // Renames the journal file of the last session to aside(). Returns its journal, or nullopt if
  // there is no file. Throws Error if the file cannot be read; the renamed file remains.
  std::optional<Journal> take();
  const std::filesystem::path& aside() const { return aside_; }
  // mark_restored() and leave_aside() end restoring(). mark_restored() removes the renamed file,
  // because everything was restored. leave_aside() does not remove it, because restoring failed.
  void mark_restored();
  void leave_aside() { restoring_ = false; }
  void keep() { kept_ = true; }  // keeps the journal for the next session
  void write(const Journal& journal) const { write_journal(file_, journal); }

 private:
  std::filesystem::path file_, aside_;
  int lock_ = -1;
  bool held_ = false, taken_ = false, restoring_ = false, kept_ = false;
};

}  // namespace torsor::editor
