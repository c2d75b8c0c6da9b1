#pragma once
// The bytes of a plugin file, read once, so that the bytes that are hashed and checked are the
// bytes that are loaded.

#include <filesystem>
#include <string>

namespace torsor {

// A private copy of a plugin file that the loader can load. The copy is in memory, so that it needs
// no folder and a killed process leaves nothing behind.
// If the system forbids code in memory files, or has no /proc to provide a path for them, the copy
// is a file in the user's cache folder or next to the original. Its name exists until
// remove_name().
//
// The loader identifies libraries by path and inode. Each image has a path and an inode of its own
// as long as it exists.
class PluginImage {
 public:
  // Throws Error with the reason as a clause whose subject is the file, such as "is empty".
  explicit PluginImage(const std::filesystem::path& file);
  ~PluginImage();
  PluginImage(const PluginImage&) = delete;
  PluginImage& operator=(const PluginImage&) = delete;

  const std::filesystem::path& file() const { return file_; }
  const std::string& sha256() const { return sha256_; }
  int descriptor() const { return descriptor_; }  // for reading
  // Returns the path for the loader, in this process or in a child forked from it. Debuggers can
  // open it too.
  std::string path() const;
  void remove_name();
  // Keeps the copy until the process ends. Used for a library that the loader does not unload,
  // because no later image must get its path.
  void keep() { is_kept_ = true; }

 private:
  std::filesystem::path file_;
  std::string sha256_;
  std::filesystem::path name_;  // path of the copy, or empty if it is in memory
  bool has_name_ = false, is_kept_ = false;
  int maker_ = 0;  // process id; a forked child does not remove the name
  int descriptor_ = -1;
};

// Throws Error with the reason as a clause if the file must not be opened: opening a pipe or a
// device could block forever.
void require_readable(const std::filesystem::path& file);

// Returns the SHA-256 of a file's bytes in hexadecimal digits. Throws Error with the reason as a
// clause.
std::string sha256_of(const std::filesystem::path& file);

}  // namespace torsor
