#pragma once
// A private copy of a plugin file. The file is read only once, so the bytes that are hashed and
// checked are the bytes that are loaded.

#include <filesystem>
#include <string>

namespace torsor {

// A private copy of a plugin file that the dynamic loader can load. Normally the copy is a memory
// file. It needs no folder, and nothing is left behind if the process is killed.
//
// The copy is a file on disk in two cases: the system does not allow executable memory files, or
// /proc, which provides their paths, is not available. This file is in the user's cache folder or
// next to the original. It has a name until remove_name() is called.
//
// The loader identifies libraries by path and inode. While an image exists, no other image has its
// path or inode.
class PluginImage {
 public:
  // Copies the file. Throws Error if this fails. The message is a clause whose subject is the file,
  // such as "is empty".
  explicit PluginImage(const std::filesystem::path& file);
  ~PluginImage();
  PluginImage(const PluginImage&) = delete;
  PluginImage& operator=(const PluginImage&) = delete;

  const std::filesystem::path& file() const { return file_; }
  const std::string& sha256() const { return sha256_; }
  int descriptor() const { return descriptor_; }  // open for reading
  // Returns the path of the copy for the loader. It is valid in this process, in child processes
  // created by fork(), and for debuggers.
  std::string path() const;
  void remove_name();
  // Keeps the copy until the process ends, even after this object is destroyed. Used if the loader
  // did not unload the library, because a later image must not get the same path.
  void keep() { is_kept_ = true; }

 private:
  std::filesystem::path file_;
  std::string sha256_;
  std::filesystem::path name_;  // path of the copy on disk, or empty for a memory file
  bool has_name_ = false, is_kept_ = false;
  int maker_ = 0;  // id of the process that created the name; a forked child must not remove it
  int descriptor_ = -1;
};

// Throws Error if the path does not exist, is not a regular file, is not readable, or is too large.
// The message is a clause whose subject is the file. Call this function before opening a file:
// opening a pipe or a device could block forever.
void require_readable(const std::filesystem::path& file);

// Returns the SHA-256 of a file as hexadecimal digits. Throws Error if the file cannot be read. The
// message is a clause whose subject is the file.
std::string sha256_of(const std::filesystem::path& file);

}  // namespace torsor
