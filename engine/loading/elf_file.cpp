#include "torsor/loading/elf_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>

#include "torsor/base/error.hpp"
#include "torsor/base/open_file.hpp"
#include "torsor/sdk/torsor_plugin.h"

namespace torsor {

namespace {

struct EndElf {
  void operator()(Elf* elf) const { elf_end(elf); }
};
using ElfHandle = std::unique_ptr<Elf, EndElf>;

uint64_t size_of(int descriptor) {
  struct stat status {};
  if (fstat(descriptor, &status) != 0)
    throw Error(fmt::format("cannot be read: {}", std::strerror(errno)));
  if (status.st_size == 0) throw Error("is empty");
  return uint64_t(status.st_size);
}

bool has_magic(int descriptor) {
  char magic[SELFMAG];
  return pread(descriptor, magic, SELFMAG, 0) == SELFMAG &&
         std::memcmp(magic, ELFMAG, SELFMAG) == 0;
}

Error truncated(uint64_t size) {
  return Error(fmt::format("is cut short: it has only {} bytes", size));
}

// Throws Error if the file is not a shared library for this kind of machine. The engine supports
// only little-endian machines.
void check_machine(const GElf_Ehdr& header) {
  if (header.e_ident[EI_CLASS] != (sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32) ||
      header.e_ident[EI_DATA] != ELFDATA2LSB)
    throw Error("is a shared library for another kind of machine");
  if (header.e_type != ET_DYN)
    throw Error("is an object file or a program, not a shared library: link it with -shared");
}

std::vector<GElf_Phdr> segments(Elf* elf, uint64_t size) {
  size_t count = 0;
  if (elf_getphdrnum(elf, &count) != 0) throw truncated(size);
  std::vector<GElf_Phdr> out(count);
  for (size_t k = 0; k < count; ++k) {
    if (!gelf_getphdr(elf, int(k), &out[k])) throw truncated(size);
    if (out[k].p_offset > size || out[k].p_filesz > size - out[k].p_offset) throw truncated(size);
  }
  return out;
}

std::vector<std::string> lines(std::string_view text) {
  text = text.substr(0, text.find('\0'));
  std::vector<std::string> out;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    out.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

// Returns the note of the plugin in an ELF note segment, or nullopt if there is none. Throws Error
// if a note is larger than the rest of the segment, because it would hide later notes.
std::optional<PluginNote> note_in(Elf_Data* data) {
  GElf_Nhdr header;
  size_t owner, contents;
  for (size_t at = 0, next; at < data->d_size; at = next) {
    next = gelf_getnote(data, at, &header, &owner, &contents);
    if (next == 0)
      throw Error(fmt::format("has a malformed note, {} bytes into a segment of {}: build it again",
                              at, data->d_size));
    const char* bytes = static_cast<const char*>(data->d_buf);
    if (std::string_view(bytes + owner, header.n_namesz) != std::string_view("Torsor", 7) ||
        header.n_type != TORSOR_NOTE_TYPE)
      continue;
    PluginNote note{};
    if (header.n_descsz < 2 * sizeof(uint32_t))
      throw Error("has a malformed note 'Torsor': build it again");
    std::memcpy(&note.abi_major, bytes + contents, sizeof(uint32_t));
    std::memcpy(&note.abi_minor, bytes + contents + sizeof(uint32_t), sizeof(uint32_t));
    note.plugins =
        lines({bytes + contents + 2 * sizeof(uint32_t), header.n_descsz - 2 * sizeof(uint32_t)});
    return note;
  }
  return std::nullopt;
}

std::vector<ElfFile::Symbol> exported_by(Elf* elf) {
  std::vector<ElfFile::Symbol> out;
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section));) {
    GElf_Shdr header;
    if (!gelf_getshdr(section, &header) || header.sh_type != SHT_DYNSYM || header.sh_entsize == 0)
      continue;
    Elf_Data* data = elf_getdata(section, nullptr);
    for (size_t k = 0; data && k < header.sh_size / header.sh_entsize; ++k) {
      GElf_Sym symbol;
      if (!gelf_getsym(data, int(k), &symbol)) break;
      const int bind = GELF_ST_BIND(symbol.st_info),
                visibility = GELF_ST_VISIBILITY(symbol.st_other);
      const char* name = elf_strptr(elf, header.sh_link, symbol.st_name);
      if (!name || symbol.st_shndx == SHN_UNDEF || bind == STB_LOCAL || visibility == STV_HIDDEN)
        continue;
      out.push_back({name, bind == STB_GNU_UNIQUE, bind == STB_WEAK});
    }
  }
  std::ranges::sort(out, {}, &ElfFile::Symbol::name);
  return out;
}

}  // namespace

ElfFile::ElfFile(const std::filesystem::path& file)
    : ElfFile(OpenFile(open(file.c_str(), O_RDONLY | O_CLOEXEC)).number()) {}

ElfFile::ElfFile(int descriptor) {
  const uint64_t size = size_of(descriptor);
  if (!has_magic(descriptor)) throw Error("is not a shared library (no ELF header)");
  elf_version(EV_CURRENT);
  const ElfHandle elf(elf_begin(descriptor, ELF_C_READ, nullptr));
  GElf_Ehdr header;
  if (!elf || !gelf_getehdr(elf.get(), &header)) throw truncated(size);
  check_machine(header);
  for (const GElf_Phdr& segment : segments(elf.get(), size))
    if (segment.p_type == PT_NOTE && !note)
      if (Elf_Data* data =
              elf_getdata_rawchunk(elf.get(), int64_t(segment.p_offset), segment.p_filesz,
                                   segment.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR))
        note = note_in(data);
  exported = exported_by(elf.get());
}

}  // namespace torsor
