#include "fuzz/support.hpp"
#include "fuzz/targets.hpp"
#include "torsor/loading/elf_file.hpp"

void torsor::fuzz::plugin_file(std::string_view input) {
  const auto file = written("plugin.so", input);
  accepts([&] { ElfFile elf(file); });
}
