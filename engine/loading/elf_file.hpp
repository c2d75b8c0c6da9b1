#pragma once
// What a shared library says of itself to who does not load it: none of its code runs.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace torsor {

// The note that TORSOR_NOTE leaves in a plugin file.
struct PluginNote {
  uint32_t abi_major, abi_minor;
  std::vector<std::string> plugins;  // "id version" of each
};

struct ElfFile {
  struct Symbol {
    std::string name;
    bool unique;  // STB_GNU_UNIQUE: the loader keeps its library for ever
    bool weak;    // as of inline functions of libraries, which gives way to another's
  };
  std::optional<PluginNote> note;
  std::vector<Symbol> exported;  // defined and visible from outside, by name

  // Throws Error with a clause whose subject is the file, as "is empty": no shared library of this
  // kind of machine, or not all of one. The loader maps what the program headers say, and a file
  // cut short would kill this program at the first touch of a page beyond its end (SIGBUS);
  // everything else the loader finds out by itself.
  explicit ElfFile(const std::filesystem::path& file);
  explicit ElfFile(int descriptor);  // of an open file
};

}  // namespace torsor
