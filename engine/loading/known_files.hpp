#pragma once
// The list of plugin files that this program has already loaded on this machine, identified by
// their SHA-256. The list is a small file in the user's cache folder. With this list, a file is
// tried in a child process only once and not at every start.
//
// Each line contains a key and a hash. The key identifies everything that determines whether a file
// can be loaded: the build of this program, the machine and its kernel, the C library, and the
// search paths of the loader. Lines with other keys belong to other programs. Damaged lines are
// ignored. If the list cannot be read, all plugin files count as unknown.

#include <set>
#include <string>

namespace torsor {

std::set<std::string> read_known_files();

// Adds hashes to the list and removes hashes from it. Replaces the complete file. If it would
// become too long, its oldest lines are dropped. Does nothing if the file cannot be written or if
// another process is writing it.
void update_known_files(const std::set<std::string>& added, const std::set<std::string>& removed);

}  // namespace torsor
