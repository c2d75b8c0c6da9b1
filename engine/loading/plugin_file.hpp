#pragma once
// One plugin file in this program's memory.

#include <filesystem>
#include <memory>
#include <string>

#include "torsor/loading/plugin_image.hpp"
#include "torsor/loading/plugin_source.hpp"

namespace torsor {

// A plugin file in the memory of this process: a private copy (PluginImage), so that the file may
// be rebuilt while it runs and a rebuilt one is never taken for the old one. It is unloaded when
// this is destroyed. Whoever holds something made by the file holds this too.
class PluginFile {
 public:
  // Throws Error with the reason as a clause whose subject is the file, as "is empty": no plugin,
  // or one of another ABI. A damaged file may end the process instead: see FirstLoads.
  explicit PluginFile(std::shared_ptr<PluginImage> image);
  explicit PluginFile(const std::filesystem::path& file)
      : PluginFile(std::make_shared<PluginImage>(file)) {}
  ~PluginFile();
  PluginFile(const PluginFile&) = delete;
  PluginFile& operator=(const PluginFile&) = delete;

  const std::filesystem::path& path() const { return image_->file(); }
  const std::string& sha256() const { return image_->sha256(); }  // of the bytes that were loaded
  const torsor_entry& entry() const { return *entry_; }
  // Outlives the file.
  std::shared_ptr<const PluginSource::Unloading> unloading() const { return unloading_; }

 private:
  void unload();

  std::shared_ptr<PluginImage> image_;
  std::string loaded_as_;  // the path that the loader knows it by
  std::shared_ptr<PluginSource::Unloading> unloading_ = std::make_shared<PluginSource::Unloading>();
  void* handle_ = nullptr;
  const torsor_entry* entry_ = nullptr;
};

// Throws Error as PluginFile's.
std::shared_ptr<const PluginSource> load_plugin_file(std::shared_ptr<PluginImage> image);
std::shared_ptr<const PluginSource> load_plugin_file(const std::filesystem::path& file);

}  // namespace torsor
