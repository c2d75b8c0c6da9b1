#pragma once
// The journal of a window: the edits of its run and its present step. Scene and edits determine the
// run.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "editor/session/session.hpp"

namespace torsor::editor {

// A run that is computed again from its changes.
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

// Returns the journal file of a scene in a folder.
std::filesystem::path journal_file(const std::filesystem::path& folder,
                                   const std::filesystem::path& scene);
// Returns a hash of the scene's files and of the options it was loaded with. Equal hashes mean
// equal runs.
std::string hash_of(const std::vector<std::filesystem::path>& files, const SessionOptions& options);

void write_journal(const std::filesystem::path& file, const Journal& journal);
// Returns the journal, or nullopt if there is no file. Throws Error if it cannot be read.
std::optional<Journal> read_journal(const std::filesystem::path& file);

// Holds the journal of a scene while its window is open. Only the first window of a scene holds it.
class JournalKeeper {
 public:
  // Throws Error if the folder cannot be written.
  JournalKeeper(const std::filesystem::path& folder, const std::filesystem::path& scene);
  // Removes the journal, unless it is kept, or was not taken, or was taken and not made again.
  ~JournalKeeper();
  JournalKeeper(const JournalKeeper&) = delete;

  bool held() const { return held_; }
  bool restoring() const { return restoring_; }  // what was taken has not been made again yet
  // Returns the journal of the last session and moves its file aside. Throws Error if it cannot be
  // read; it stays aside.
  std::optional<Journal> take();
  const std::filesystem::path& aside() const { return aside_; }
  // Tells that all of it was restored, so the file is removed; or that it never will be, so the
  // file stays aside.
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
