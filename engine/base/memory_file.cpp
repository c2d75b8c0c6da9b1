#include "torsor/base/memory_file.hpp"

#include <sys/mman.h>

#include <cerrno>

namespace torsor {

// Linux 6.3 and later require a flag that states whether the file may be executed. They can be
// configured to forbid executable files (sysctl vm.memfd_noexec). Earlier versions reject the flag.
int open_memory_file(const std::string& name, MemoryFile kind) {
  constexpr unsigned no_exec_seal = 0x8, exec = 0x10;
  const std::string shown = name.substr(0, 200);  // the system allows at most 249 bytes
  const unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  const int opened =
      memfd_create(shown.c_str(), flags | (kind == MemoryFile::code ? exec : no_exec_seal));
  return opened >= 0 || errno != EINVAL ? opened : memfd_create(shown.c_str(), flags);
}

}  // namespace torsor
