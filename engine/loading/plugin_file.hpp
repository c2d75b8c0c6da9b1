#pragma once
// One plugin file in this program's memory.

#include <filesystem>
#include <memory>
#include <string>

#include "torsor/loading/plugin_image.hpp"
#include "torsor/loading/plugin_source.hpp"

namespace torsor {

// A plugin file in the memory of this process. It is a private copy (PluginImage), so that the file
// may be rebuilt while this program runs, and the loader distinguishes the new file from the old
// one. The destructor unloads it. Objects made by the file must keep a reference to it.
class PluginFile {
 public:
  // Throws Error with the reason as a clause whose subject is the file, such as "is empty", if it
  // is no plugin or has another ABI. A damaged file may end the process instead (see FirstLoads).
  explicit PluginFile(std::shared_ptr<PluginImage> image);
  explicit PluginFile(const std::filesystem::path& file)
      : PluginFile(std::make_shared<PluginImage>(file)) {}
  ~PluginFile();
  PluginFile(const PluginFile&) = delete;
  PluginFile& operator=(const PluginFile&) = delete;

  const std::filesystem::path& path() const { return image_->file(); }
  // Returns the SHA-256 of the bytes that were loaded.
  const std::string& sha256() const { return image_->sha256(); }
  const torsor_entry& entry() const { return *entry_; }
  // Returns the state of unloading, which outlives the file.
  std::shared_ptr<const PluginSource::Unloading> unloading() const { return unloading_; }

 private:
  void unload();

  std::shared_ptr<PluginImage> image_;
  std::string loaded_as_;  // path by which the loader identifies it
  std::shared_ptr<PluginSource::Unloading> unloading_ = std::make_shared<PluginSource::Unloading>();
  void* handle_ = nullptr;
  const torsor_entry* entry_ = nullptr;
};

// Load a plugin file. Throw the errors of PluginFile.
std::shared_ptr<const PluginSource> load_plugin_file(std::shared_ptr<PluginImage> image);
std::shared_ptr<const PluginSource> load_plugin_file(const std::filesystem::path& file);

}  // namespace torsor
