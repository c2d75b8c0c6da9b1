#pragma once
// Reads the contents of a shared library without loading it: none of its code runs.

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
    bool unique;  // STB_GNU_UNIQUE: the loader never unloads its library
    // A weak definition, such as an inline function of a library: a strong one elsewhere replaces
    // it.
    bool weak;
  };
  std::optional<PluginNote> note;
  std::vector<Symbol> exported;  // defined and externally visible, by name

  // Throws Error with a clause whose subject is the file, such as "is empty", if it is no shared
  // library for this kind of machine, or incomplete.
  // The loader maps what the program headers state. A truncated file would kill this program at the
  // first access beyond its end (SIGBUS). The loader detects all other errors by itself.
  explicit ElfFile(const std::filesystem::path& file);
  explicit ElfFile(int descriptor);  // an open file
};

}  // namespace torsor
