#pragma once
// Reads the contents of a shared library without loading it, so that none of its code runs.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace torsor {

// The ELF note that the macro TORSOR_NOTE adds to a plugin file.
struct PluginNote {
  uint32_t abi_major, abi_minor;
  std::vector<std::string> plugins;  // "id version" of each plugin
};

struct ElfFile {
  struct Symbol {
    std::string name;
    bool unique;  // binding STB_GNU_UNIQUE: the loader never unloads a library with such a symbol
    // Weak definition, such as an inline function in C++. A strong definition in another library
    // replaces it.
    bool weak;
  };
  std::optional<PluginNote> note;
  std::vector<Symbol> exported;  // symbols that are defined and externally visible, sorted by name

  // Reads and checks a file. Throws Error if the file is incomplete or is not a shared library for
  // this kind of machine. The message is a clause whose subject is the file, such as "is empty".
  //
  // The file size is checked against the program headers. If a truncated file were loaded, this
  // process would be killed (SIGBUS) at the first access beyond the end of the file. The loader
  // itself detects all other errors.
  explicit ElfFile(const std::filesystem::path& file);
  explicit ElfFile(int descriptor);  // descriptor: an open file
};

}  // namespace torsor
