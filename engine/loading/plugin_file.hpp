#pragma once
// A plugin file that is loaded into this process.

#include <filesystem>
#include <memory>
#include <string>

#include "torsor/loading/plugin_image.hpp"
#include "torsor/loading/plugin_source.hpp"

namespace torsor {

// A loaded plugin file. It is loaded from a private copy (PluginImage). The original file can
// therefore be rebuilt while the program runs, and the loader treats the rebuilt file as a
// different library. The destructor unloads the file. Plugin objects must keep a reference to the
// PluginFile.
class PluginFile {
 public:
  // Loads the file. Throws Error if it is not a plugin or has another ABI version. The message is a
  // clause whose subject is the file, such as "is empty". A damaged file may end the process
  // instead (see FirstLoads).
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
  // Returns the unloading state, which can still be read after this object is destroyed.
  std::shared_ptr<const PluginSource::Unloading> unloading() const { return unloading_; }

 private:
  void unload();

  std::shared_ptr<PluginImage> image_;
  std::string loaded_as_;  // path that was passed to the loader
  std::shared_ptr<PluginSource::Unloading> unloading_ = std::make_shared<PluginSource::Unloading>();
  void* handle_ = nullptr;
  const torsor_entry* entry_ = nullptr;
};

// Load a plugin file. Throw the same errors as the constructor of PluginFile.
std::shared_ptr<const PluginSource> load_plugin_file(std::shared_ptr<PluginImage> image);
std::shared_ptr<const PluginSource> load_plugin_file(const std::filesystem::path& file);

}  // namespace torsor
