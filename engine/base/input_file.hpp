#pragma once
// Files that the program reads: regular files of bounded size. The check is made on the open file,
// so that nothing can be exchanged between the check and the reading. A pipe without a writer, a
// device that never ends and a folder are rejected at once.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace torsor {

// The kinds of files that the program reads.
enum class InputKind {
  script,       // scenes, modules and plugins in Lua, templates
  robot,        // robot files of all formats
  mesh,         // shapes of links
  table,        // CSV tables of scenes and commands
  states,       // JSON for `torsor eval`
  saved_state,  // written by `torsor run --save-state`
  recording,    // HDF5 and CSV
  description,  // the JSON file next to a CSV recording
  plugin,       // shared libraries
  actions,      // files of actions that the editor executes
  settings,     // files that the editor writes: settings, journal, console history
};

// A row of the table of limits (docs/limits.md).
struct InputLimit {
  const char* plural;  // "scripts"
  std::uintmax_t bytes;
  const char* remedy;  // advice for a larger file
};
const InputLimit& limit_of(InputKind kind);

// Returns true if the extension of the file name is that of a Lua script: a scene, a robot, a
// module or a plugin.
inline bool is_script(const std::filesystem::path& file) {
  return file.extension() == ".lua";
}

// Returns the absolute path without symbolic links and "..". The path need not exist. Returns "" if
// links form a cycle.
std::filesystem::path resolved(const std::filesystem::path& path);
// Returns true if `file` is the folder or is below it. Compares path components. `file` must be a
// result of resolved(). The folder need not be.
bool is_below(const std::filesystem::path& file, const std::filesystem::path& folder);

// Returns why a path does not name a regular file: "there is no such file", "this is a folder",
// "this is not a regular file". Returns "" for a regular file.
std::string why_no_file(const std::filesystem::path& path);

// Returns why a file of this kind cannot be read: a reason of why_no_file(), a missing permission,
// or a size above the limit. Returns "" for a file that can be read.
std::string why_unreadable(const std::filesystem::path& path, InputKind kind);

// An input file that is open.
class InputFile {
 public:
  // Selects whether a pipe is accepted. A pipe can be read only once, so callers accept it only
  // where the user names it, as in --states <(program).
  enum class Pipes { rejected, taken };

  // Throws Error "PATH: why it cannot be read; advice".
  InputFile(const std::filesystem::path& path, InputKind kind, std::string_view advice,
            Pipes pipes = Pipes::rejected);
  ~InputFile();
  InputFile(const InputFile&) = delete;

  // Returns the size in bytes; 0 for a pipe.
  std::uintmax_t size() const { return size_; }
  // Reads up to n bytes; returns 0 at the end of the file. Throws Error if the file cannot be read
  // or has grown beyond its limit.
  size_t read(char* out, size_t n);
  std::string read_all();

 private:
  std::string path_;
  InputKind kind_;
  int descriptor_ = -1;
  std::uintmax_t size_ = 0, done_ = 0;
};

// Reads a whole file. advice: what the user should do, the last part of error messages. Throws
// Error if the file cannot be read.
std::string read_file(const std::filesystem::path& path, InputKind kind, std::string_view advice);

// Reads standard input to its end. Throws Error if it is larger than a file of this kind may be.
std::string read_standard_input(InputKind kind);

// Reads a file line by line.
class InputLines {
 public:
  InputLines(const std::filesystem::path& path, InputKind kind, std::string_view advice)
      : path_(path.string()), file_(path, kind, advice) {}

  // Reads a line without its end, "\n" or "\r\n". Returns false if there is none. Throws Error
  // "PATH:LINE: ..." for a line of more than 16 MiB.
  bool next(std::string& line);
  // Returns whether the last line was the end of the file.
  bool at_end();
  // Returns whether the last line ended in a line break.
  bool is_complete() const { return complete_; }

 private:
  bool fill();
  std::string path_;
  InputFile file_;
  std::string block_;
  size_t at_ = 0;
  long long number_ = 0;
  bool complete_ = false;
};

}  // namespace torsor
