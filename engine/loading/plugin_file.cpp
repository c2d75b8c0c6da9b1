#include "torsor/loading/plugin_file.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cfenv>
#include <memory>
#include <string>
#include <vector>

#include "torsor/base/error.hpp"
#include "torsor/loading/descriptor.hpp"
#include "torsor/loading/elf_file.hpp"
#include "torsor/loading/fault_report.hpp"
#include "torsor/loading/plugin_variant.hpp"
#include "torsor/loading/search_paths.hpp"
#include "torsor/plugin/host_state.hpp"
#include "torsor/plugin/plugin_call.hpp"

namespace torsor {

namespace fs = std::filesystem;

namespace {

// Returns the error message of the loader, without the path of the copy at its beginning.
std::string loader_error(const std::string& copy) {
  const char* text = dlerror();
  std::string message = text ? text : "no reason given";
  const std::string prefix = copy + ": ";
  if (message.starts_with(prefix)) message.erase(0, prefix.size());
  return message;
}

void check_abi(uint32_t major) {
  if (major != TORSOR_ABI_MAJOR)
    throw Error(fmt::format(
        "was built for plugin ABI {}, and this engine has {}.{}: rebuild it with this engine's "
        "torsor_plugin.h",
        major, TORSOR_ABI_MAJOR, TORSOR_ABI_MINOR));
}

// Throws Error if the entry differs from the note that was read before the file was loaded.
void check_note(const PluginNote& note, const torsor_entry& entry) {
  std::vector<std::string> plugins;
  for (uint32_t k = 0; k < entry.n_descriptor; ++k) {
    const torsor_descriptor* d = entry.descriptor[k];
    if (descriptor_defect(d)) return;  // a defective descriptor is reported separately
    plugins.push_back(fmt::format("{} {}", d->id, d->version));
  }
  if (note.abi_minor != entry.abi_minor)
    throw Error(fmt::format(
        "is malformed: its note says ABI {}.{}, its entry {}.{}: build all of it with the same "
        "torsor_plugin.h",
        note.abi_major, note.abi_minor, entry.abi_major, entry.abi_minor));
  if (note.plugins != plugins)
    throw Error(fmt::format(
        "is malformed: its note lists '{}', its entry '{}': give TORSOR_NOTE the id and version "
        "of each, in this order",
        fmt::join(note.plugins, ", "), fmt::join(plugins, ", ")));
}

// Calls a function that runs code of the file. If this code throws an exception, the process ends.
template <class Function>
auto call_file(const fs::path& path, const char* part, const Function& function) {
  const PluginCall call(path.c_str(), part);
  const FirstCall bounded;
  return [&]() noexcept { return function(); }();
}

// Registers the file for fault reports, unless it is one of Torsor's own plugins.
void note_if_foreign(const fs::path& path) {
  std::error_code error;
  fs::path folder = path.parent_path();
  if (contains_variants(folder)) folder = folder.parent_path();
  if (!fs::equivalent(folder, built_in_plugin_path(), error) || error) note_foreign_plugin(path);
}

const torsor_entry* checked_entry(void* handle, const fs::path& path) {
  using EntryFunction = const torsor_entry* (*)();
  const auto function = reinterpret_cast<EntryFunction>(dlsym(handle, "torsor_plugin_entry"));
  if (!function) throw Error("is not a Torsor plugin: it exports no torsor_plugin_entry");
  const torsor_entry* entry = call_file(path, "torsor_plugin_entry", function);
  const PluginCall call(path.c_str(), "its entry");  // reading a malformed entry may crash
  if (!entry) throw Error("has no entry: torsor_plugin_entry() returned NULL");
  check_abi(entry->abi_major);
  if (entry->n_descriptor == 0 || !entry->descriptor)
    throw Error("is malformed: its entry lists no plugin");
  return entry;
}

// Loads a library. Returns null if it cannot be loaded. Restores the floating-point environment
// afterwards: code linked with -ffast-math (gcc before 13, clang) enables flush-to-zero when it is
// loaded.
void* open_library(const std::string& file, const fs::path& original) {
  std::fenv_t arithmetic;
  std::fegetenv(&arithmetic);
  void* handle = call_file(original, "its constructors",
                           [&] { return dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL); });
  std::fesetenv(&arithmetic);
  return handle;
}

}  // namespace

PluginFile::PluginFile(std::shared_ptr<PluginImage> image) : image_(std::move(image)) {
  const HostState state;
  const ElfFile library(image_->descriptor());
  if (library.note) check_abi(library.note->abi_major);
  loaded_as_ = image_->path();
  note_if_foreign(path());
  handle_ = open_library(loaded_as_, path());
  if (!handle_) throw Error(fmt::format("cannot be loaded: {}", loader_error(loaded_as_)));
  image_->remove_name();
  try {
    entry_ = checked_entry(handle_, path());
    const PluginCall call(path().c_str(), "its descriptors");
    if (library.note) check_note(*library.note, *entry_);
    if (const torsor_status status = state.check(); status != TORSOR_OK)
      throw Error(fmt::format("cannot be used: as it was loaded, it {}", host_state_text(status)));
  } catch (...) {
    unload();
    throw;
  }
}

PluginFile::~PluginFile() {
  unload();
}

void PluginFile::unload() {
  call_file(path(), "its destructors", [&] { return dlclose(handle_); });
  // Succeeds only if the loader did not unload the library.
  void* kept = dlopen(loaded_as_.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (kept) {
    dlclose(kept);
    image_->keep();
  }
  using State = PluginSource::Unloading::State;
  unloading_->state = kept ? State::stayed : State::gone;
}

std::shared_ptr<const PluginSource> load_plugin_file(std::shared_ptr<PluginImage> image) {
  const auto file = std::make_shared<const PluginFile>(std::move(image));
  const auto create = [](const torsor_descriptor& descriptor, const torsor_host* host) {
    return descriptor.create(host);
  };
  return std::make_shared<const PluginSource>(PluginSource{file->path(),
                                                           file->sha256(),
                                                           &file->entry(),
                                                           create,
                                                           file,
                                                           {file->path()},
                                                           file->unloading()});
}

std::shared_ptr<const PluginSource> load_plugin_file(const fs::path& path) {
  return load_plugin_file(std::make_shared<PluginImage>(path));
}

}  // namespace torsor
