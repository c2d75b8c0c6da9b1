#pragma once
// Files that exist in memory only. The system removes them with the last process that has them
// open, however it ends.

#include <string>

namespace torsor {

enum class MemoryFile { data, code };  // code: its pages may be executed

// Returns a descriptor that is closed in programs that this one starts, or -1 with errno. Tools
// that list the open files of a process show the name. Two files may have the same name.
int open_memory_file(const std::string& name, MemoryFile kind);

}  // namespace torsor
