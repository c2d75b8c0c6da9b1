#pragma once
// One plugin file in this program's memory.

#include <filesystem>
#include <memory>
#include <string>

#include "torsor/host/plugin_image.hpp"
#include "torsor/host/plugin_source.hpp"

namespace torsor {

// While this lives, code of the file may run as the loader takes it in or lets it go, or what it says of itself is read: a program that
// breaks down meanwhile cannot go on, but says which file it was (host/crash_guard.hpp).
class FileAtWork {
 public:
  explicit FileAtWork(const std::filesystem::path& file) : outer_(file_) { file_ = file.c_str(); }
  ~FileAtWork() { file_ = outer_; }
  FileAtWork(const FileAtWork&) = delete;
  FileAtWork& operator=(const FileAtWork&) = delete;
  static const char* on_this_thread() { return file_; }  // null: none

 private:
  static inline constinit thread_local const char* file_ = nullptr;
  const char* outer_;
};

// A plugin file in the memory of this process: a private copy (PluginImage), so that the file may be rebuilt while it runs and a rebuilt
// one is never taken for the old one. It is unloaded when this is destroyed. Whoever holds something made by the file holds this
// too.
class PluginFile {
 public:
  // Throws Error with the reason as a clause whose subject is the file, as "is empty": no plugin, or one of
  // another ABI. A damaged file may end the process instead: see FirstLoads.
  explicit PluginFile(std::shared_ptr<PluginImage> image);
  explicit PluginFile(const std::filesystem::path& file) : PluginFile(std::make_shared<PluginImage>(file)) {}
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
