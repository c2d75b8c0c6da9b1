#pragma once
// The bytes of a plugin file, read once: those that are hashed and checked are those that are
// loaded.

#include <filesystem>
#include <string>

namespace torsor {

// A private copy of a plugin file that the loader can load: in memory, so that it needs no folder
// and a killed process leaves nothing behind. Where the system forbids code in such files, or has
// no /proc to give them a path, the copy is a file in the user's cache folder or next to the
// original, and has a name until remove_name().
//
// The loader tells libraries apart by path and inode. Each image has its own of both as long as it
// exists.
class PluginImage {
 public:
  // Throws Error with the reason as a clause whose subject is the file, as "is empty".
  explicit PluginImage(const std::filesystem::path& file);
  ~PluginImage();
  PluginImage(const PluginImage&) = delete;
  PluginImage& operator=(const PluginImage&) = delete;

  const std::filesystem::path& file() const { return file_; }
  const std::string& sha256() const { return sha256_; }
  int descriptor() const { return descriptor_; }  // to read from
  // The path for the loader, in this process or in a child that was forked from it. Debuggers can
  // open it, too.
  std::string path() const;
  void remove_name();
  // Keeps the copy to the end of the process, for a library that the loader does not unload: a
  // later image must not get its path.
  void keep() { is_kept_ = true; }

 private:
  std::filesystem::path file_;
  std::string sha256_;
  std::filesystem::path name_;  // empty: in memory
  bool has_name_ = false, is_kept_ = false;
  int maker_ = 0;  // the process: a child that was forked from it leaves the name alone
  int descriptor_ = -1;
};

// Throws Error with the reason as a clause: opening a pipe or a device could wait for ever.
void require_readable(const std::filesystem::path& file);

// The SHA-256 of a file's bytes, in hexadecimal digits. Throws Error with the reason as a clause.
std::string sha256_of(const std::filesystem::path& file);

}  // namespace torsor
