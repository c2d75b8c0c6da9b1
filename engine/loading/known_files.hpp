#pragma once
// The plugin files that this program has loaded before on this machine, by the SHA-256 of their
// bytes. They are kept in a small file in the user's cache folder, so that a file is tried in a
// child process once, and not at each start.
//
// A line holds a key and a hash. The key covers what decides whether a file can be loaded: this
// build of the program, the machine and its kernel, the C library, and the search paths of the
// loader. Lines with another key are those of other programs. A line that is damaged is ignored,
// and so is the whole file where it cannot be read: then files are tried again.

#include <set>
#include <string>

namespace torsor {

std::set<std::string> read_known_files();

// Adds and removes hashes. The file is replaced as a whole, keeps its newest lines, and is left as
// it is where it cannot be written or another process is writing it.
void update_known_files(const std::set<std::string>& added, const std::set<std::string>& removed);

}  // namespace torsor
