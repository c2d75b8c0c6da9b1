#pragma once
// Files that exist only in memory. The system removes such a file when the last process that has it
// open ends, for whatever reason.

#include <string>

namespace torsor {

enum class MemoryFile { data, code };  // code: the file may be mapped as executable

// Creates a file in memory. Returns its descriptor, or -1 with errno. The descriptor is closed on
// exec. name: shown by tools that list the open files of a process; need not be unique.
int open_memory_file(const std::string& name, MemoryFile kind);

}  // namespace torsor
