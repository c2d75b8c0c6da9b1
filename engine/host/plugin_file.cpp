#include "torsor/host/plugin_file.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sha2.h>
#include <unistd.h>

#include <array>
#include <cfenv>
#include <cstring>
#include <memory>
#include <optional>
#include <system_error>
#include <vector>

#include "torsor/dynamics/plugin_call.hpp"
#include "torsor/host/descriptor.hpp"
#include "torsor/host/elf_file.hpp"
#include "torsor/model/error.hpp"
#include "torsor/model/input_file.hpp"

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

// The loader's own words, without the name of the copy.
std::string loader_error(const fs::path& copy) {
  const char* text = dlerror();
  std::string message = text ? text : "no reason given";
  const std::string prefix = copy.string() + ": ";
  if (message.starts_with(prefix)) message.erase(0, prefix.size());
  return message;
}

void check_abi(uint32_t major) {
  if (major != TORSOR_ABI_MAJOR)
    throw Error(
        fmt::format("was built for plugin ABI {}, and this engine has {}.{}: rebuild it with this engine's "
                    "torsor_plugin.h",
                    major, TORSOR_ABI_MAJOR, TORSOR_ABI_MINOR));
}

// What the note says before the file is loaded must be what its entry says then.
void check_note(const PluginNote& note, const torsor_entry& entry) {
  std::vector<std::string> plugins;
  for (uint32_t k = 0; k < entry.n_descriptor; ++k) {
    const torsor_descriptor* d = entry.descriptor[k];
    if (descriptor_defect(d)) return;  // which is said of it alone
    plugins.push_back(fmt::format("{} {}", d->id, d->version));
  }
  if (note.abi_minor != entry.abi_minor)
    throw Error(
        fmt::format("is malformed: its note says ABI {}.{}, its entry {}.{}: build all of it with the same "
                    "torsor_plugin.h",
                    note.abi_major, note.abi_minor, entry.abi_major, entry.abi_minor));
  if (note.plugins != plugins)
    throw Error(
        fmt::format("is malformed: its note lists '{}', its entry '{}': give TORSOR_NOTE the id and version "
                    "of each, in this order",
                    fmt::join(note.plugins, ", "), fmt::join(plugins, ", ")));
}

const torsor_entry* checked_entry(void* handle) {
  using EntryFunction = const torsor_entry* (*)();
  const auto function = reinterpret_cast<EntryFunction>(dlsym(handle, "torsor_plugin_entry"));
  if (!function) throw Error("is not a Torsor plugin: it exports no torsor_plugin_entry");
  static constexpr torsor_entry broken{};
  const torsor_entry* entry =
      call_plugin<[](const Plugin*) { return &broken; }>(nullptr, "torsor_plugin_entry", function);
  if (entry == &broken) throw Error(breakdown());
  if (!entry) throw Error("has no entry: torsor_plugin_entry() returned NULL");
  check_abi(entry->abi_major);
  if (entry->n_descriptor == 0 || !entry->descriptor) throw Error("is malformed: its entry lists no plugin");
  return entry;
}

// Null where it cannot be loaded. Code that gcc before 13 and clang link with -ffast-math runs as the file is loaded, and makes this program
// take numbers below 1e-308 for zero from then on: every result could change with it.
void* open_library(const fs::path& file) {
  std::fenv_t arithmetic;
  std::fegetenv(&arithmetic);
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  std::fesetenv(&arithmetic);
  return handle;
}

}  // namespace

void require_readable(const fs::path& file) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (!fs::exists(status)) throw Error("does not exist");
  if (!fs::is_regular_file(status)) throw Error("is not a regular file");
  if (access(file.c_str(), R_OK) != 0) throw Error(fmt::format("cannot be read: {}", std::strerror(errno)));
  if (const InputLimit& limit = limit_of(InputKind::plugin);
      fs::file_size(file, error) > limit.bytes && !error)
    throw Error(fmt::format("is larger than {} MiB, the limit for {}: {}", limit.bytes >> 20, limit.plural,
                            limit.remedy));
}

PluginFile::PluginFile(const fs::path& file) : path_(file) {
  require_readable(file);
  std::optional<PluginNote> note;
  {
    const TemporaryCopy copy(file);  // gone before any code of the plugin's own is called
    note = ElfFile(copy.path()).note;
    if (note) check_abi(note->abi_major);
    sha256_ = sha256_of(copy.path());
    const FileAtWork at_work(path_);
    loaded_as_ = copy.path().string();
    handle_ = open_library(loaded_as_);
    if (!handle_) throw Error(fmt::format("cannot be loaded: {}", loader_error(copy.path())));
  }
  try {
    entry_ = checked_entry(handle_);
    if (note) check_note(*note, *entry_);
  } catch (...) {
    dlclose(handle_);
    throw;
  }
}

PluginFile::~PluginFile() {
  const FileAtWork at_work(path_);
  dlclose(handle_);
  void* kept = dlopen(loaded_as_.c_str(),
                      RTLD_LAZY | RTLD_NOLOAD);  // known by its name: there is no such file any more
  if (kept) dlclose(kept);
  using State = PluginSource::Unloading::State;
  unloading_->state = kept ? State::stayed : State::gone;
}

std::string sha256_of(const fs::path& file) {
  std::array<char, SHA256_DIGEST_STRING_LENGTH> digest{};
  if (!SHA256File(file.c_str(), digest.data()))
    throw Error(fmt::format("cannot be read: {}", std::strerror(errno)));
  return digest.data();
}

std::shared_ptr<const PluginSource> load_plugin_file(const fs::path& path) {
  const auto file = std::make_shared<const PluginFile>(path);
  const auto create = [](const torsor_descriptor& descriptor, const torsor_host* host) {
    return descriptor.create(host);
  };
  return std::make_shared<const PluginSource>(
      PluginSource{path, file->sha256(), &file->entry(), create, file, {path}, file->unloading()});
}

}  // namespace torsor
