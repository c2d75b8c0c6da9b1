#include "torsor/host/plugin_file.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <sha2.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <fstream>
#include <memory>
#include <system_error>
#include <vector>

#include "torsor/model/error.hpp"

namespace torsor {

namespace fs = std::filesystem;

namespace {

// A file in the temporary folder with a name of its own, removed at the end of its scope. The loader tells
// libraries apart by name and inode, so each load needs a new one of both.
class TemporaryCopy {
 public:
  explicit TemporaryCopy(const fs::path& file) {
    std::error_code error;
    const fs::path folder = fs::temp_directory_path(error);
    if (error) throw Error(fmt::format("cannot be copied: no temporary folder ({})", error.message()));
    std::string name = (folder / "torsor_plugin_XXXXXX.so").string();
    const int descriptor = mkstemps(name.data(), 3);
    if (descriptor < 0)
      throw Error(fmt::format("cannot be copied to {}: {}", folder.string(), std::strerror(errno)));
    close(descriptor);
    path_ = name;
    if (!fs::copy_file(file, path_, fs::copy_options::overwrite_existing, error)) {
      fs::remove(path_);
      throw Error(fmt::format("cannot be copied to {}: {}", folder.string(), error.message()));
    }
  }
  ~TemporaryCopy() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  TemporaryCopy(const TemporaryCopy&) = delete;
  TemporaryCopy& operator=(const TemporaryCopy&) = delete;

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// Opening a pipe or a device could wait for ever.
void check_regular(const fs::path& file) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (!fs::is_regular_file(status)) throw Error("is not a regular file");
  if (access(file.c_str(), R_OK) != 0) throw Error(fmt::format("cannot be read: {}", std::strerror(errno)));
}

// The loader maps what the program headers say; a file cut short would kill this program at the first touch
// of a page beyond its end (SIGBUS). Everything else the loader finds out by itself.
void check_elf(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  const uint64_t size = fs::file_size(file);
  if (size == 0) throw Error("is empty");
  ElfW(Ehdr) header{};
  in.read(reinterpret_cast<char*>(&header), sizeof header);
  if (in.gcount() < SELFMAG || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    throw Error("is not a shared library (no ELF header)");
  const auto truncated = [&] { return Error(fmt::format("is cut short: it has only {} bytes", size)); };
  if (!in) throw truncated();
  if (header.e_ident[EI_CLASS] != (sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32) ||
      header.e_phentsize != sizeof(ElfW(Phdr)))
    throw Error("is a shared library for another kind of machine");
  in.seekg(std::streamoff(header.e_phoff));
  for (unsigned k = 0; k < header.e_phnum; ++k) {
    ElfW(Phdr) segment{};
    if (!in.read(reinterpret_cast<char*>(&segment), sizeof segment)) throw truncated();
    if (segment.p_offset > size || segment.p_filesz > size - segment.p_offset) throw truncated();
  }
}

// The loader's own words, without the name of the copy.
std::string loader_error(const fs::path& copy) {
  const char* text = dlerror();
  std::string message = text ? text : "no reason given";
  const std::string prefix = copy.string() + ": ";
  if (message.starts_with(prefix)) message.erase(0, prefix.size());
  return message;
}

const torsor_entry* checked_entry(void* handle) {
  using EntryFunction = const torsor_entry* (*)();
  const auto function = reinterpret_cast<EntryFunction>(dlsym(handle, "torsor_plugin_entry"));
  if (!function) throw Error("is not a Torsor plugin: it exports no torsor_plugin_entry");
  const torsor_entry* entry = function();
  if (!entry) throw Error("gave no entry: torsor_plugin_entry() returned NULL");
  if (entry->abi_major != TORSOR_ABI_MAJOR)
    throw Error(
        fmt::format("was built for plugin ABI {}, this engine has {}.{}: rebuild it with this engine's "
                    "torsor_plugin.h",
                    entry->abi_major, TORSOR_ABI_MAJOR, TORSOR_ABI_MINOR));
  if (entry->n_descriptor == 0 || !entry->descriptor) throw Error("is malformed: its entry lists no plugin");
  return entry;
}

}  // namespace

PluginFile::PluginFile(const fs::path& file) : path_(file) {
  check_regular(file);
  {
    const TemporaryCopy copy(file);  // gone before any code of the plugin's own is called
    check_elf(copy.path());
    std::array<char, SHA256_DIGEST_STRING_LENGTH> digest{};
    if (!SHA256File(copy.path().c_str(), digest.data()))
      throw Error(fmt::format("cannot be read: {}", std::strerror(errno)));
    sha256_ = digest.data();
    handle_ = dlopen(copy.path().c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle_) throw Error(fmt::format("cannot be loaded: {}", loader_error(copy.path())));
  }
  try {
    entry_ = checked_entry(handle_);
  } catch (...) {
    dlclose(handle_);
    throw;
  }
}

PluginFile::~PluginFile() {
  dlclose(handle_);
}

}  // namespace torsor
