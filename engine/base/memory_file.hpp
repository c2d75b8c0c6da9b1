#pragma once
// Files that exist in memory only. The system removes them with the last process that has them
// open, however it ends.

#include <string>

namespace torsor {

enum class MemoryFile { data, code };  // code: its pages may be executed

// Returns a descriptor that is closed in programs that this one starts, or -1 with errno. The name
// is for the tools that list what a process has open; two files may have the same.
int open_memory_file(const std::string& name, MemoryFile kind);

}  // namespace torsor
