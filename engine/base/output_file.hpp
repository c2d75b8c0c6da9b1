#pragma once
// Files that the program writes.

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

namespace torsor {

// Throws Error: "cannot write 'PATH': WHY".
[[noreturn]] void cannot_write(const std::filesystem::path& path, const std::string& why);

// Creates the folder if it is missing; "" is the current one. Throws Error if it cannot be created.
void make_folder(const std::filesystem::path& folder);

// Reserves disk space for the first bytes of an open file without changing its size. Returns 0 on
// success and if the file system cannot reserve space. Otherwise returns the error: ENOSPC, or
// EFBIG for more than the limit of the process.
int reserve_room(int file, size_t bytes);

// Returns whether the path names this open file. Returns false for a symbolic link to the file.
bool is_named(int file, const std::filesystem::path& path);

// Returns the text of an error of open(), with a remedy for a name that is too long
// and for a folder in which the program may not write.
std::string opening_failed(int error);

// A file that gets its final name when it is complete. Until then its name is
// PATH.PROCESS.NUMBER.part, so that two programs can write the same path: the file that is
// committed last remains. A program locks (flock) its .part file while it runs. The constructor
// also removes the .part files of this path that killed programs left behind.
class OutputFile {
 public:
  // Creates the folder if it is missing. Throws Error if the file cannot be written, and for a path
  // that is not a regular file: a device would be replaced by a file.
  explicit OutputFile(const std::filesystem::path& path);
  OutputFile(const OutputFile&) = delete;
  // Removes the file unless it was committed.
  ~OutputFile();

  // Returns its name until commit(), for a writer that opens it again.
  const std::filesystem::path& part() const { return part_; }
  // Writes all of the text. Throws Error if the disk is full.
  void write(const std::string& text);
  // Flushes the stream. Throws Error if the disk is full.
  void flush();
  // Renames the file to its final name. Throws Error if a part of it could not be written.
  void commit();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::filesystem::path path_, part_;
  std::unique_ptr<std::FILE, Close> stream_;
};

// Writes the text to an OutputFile. Throws Error if the file cannot be written.
void write_file(const std::filesystem::path& path, const std::string& text);

// Throws Error if write_file() cannot create this file. Use it before a long computation whose
// result is written at the end.
void require_writable(const std::filesystem::path& path);

}  // namespace torsor
