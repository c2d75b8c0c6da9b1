#pragma once
// The plugin files that this program has loaded before on this machine, identified by the SHA-256
// of their bytes. They are listed in a small file in the user's cache folder, so that a file is
// tried in a child process only once and not at each start.
//
// A line contains a key and a hash. The key identifies everything that determines whether a file
// can be loaded: this build of the program, the machine and its kernel, the C library, and the
// search paths of the loader. Lines with another key belong to other programs.
// Damaged lines are ignored, and so is an unreadable file. Plugin files are then tried again.

#include <set>
#include <string>

namespace torsor {

std::set<std::string> read_known_files();

// Adds and removes hashes. Replaces the complete file and keeps its newest lines. Leaves the file
// unchanged if it cannot be written or another process is writing it.
void update_known_files(const std::set<std::string>& added, const std::set<std::string>& removed);

}  // namespace torsor
