#include "torsor/loading/known_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <vector>

#include "torsor/base/hash.hpp"
#include "torsor/base/open_file.hpp"
#include "torsor/base/prefix.hpp"
#include "torsor/sdk/torsor_plugin.h"

namespace torsor {

namespace {

namespace fs = std::filesystem;

constexpr size_t key_digits = 16, hash_digits = 64, line_size = key_digits + 1 + hash_digits + 1;
constexpr size_t most_lines = 2000;

fs::path file_of_hashes() {
  const fs::path folder = user_cache_folder();
  return folder.empty() ? folder : folder / "loaded_plugins";
}

// Returns the key that identifies this program and its environment. Returns "" if the program
// cannot be identified.
std::string program_key() {
  struct stat program {};
  utsname machine{};
  if (stat(own_file().c_str(), &program) != 0 || uname(&machine) != 0) return "";
  Hash hash;
  for (const auto number :
       {uint64_t(program.st_dev), uint64_t(program.st_ino), uint64_t(program.st_size),
        uint64_t(program.st_mtim.tv_sec), uint64_t(program.st_mtim.tv_nsec),
        uint64_t(TORSOR_ABI_MAJOR), uint64_t(TORSOR_ABI_MINOR)})
    hash.add(number);
  const auto add = [&](const char* text) {
    hash.add(std::string_view(text ? text : ""));
    hash.add(uint64_t(0));
  };
  for (const char* text : std::initializer_list<const char*>{
           machine.nodename, machine.release, machine.machine, gnu_get_libc_version()})
    add(text);
  for (const char* variable : {"LD_LIBRARY_PATH", "LD_PRELOAD", "LD_AUDIT", "GLIBC_TUNABLES"})
    add(std::getenv(variable));
  return fmt::format("{:016x}", hash.value());
}

bool is_sound(std::string_view line) {
  const auto is_digit = [](unsigned char c) { return std::isdigit(c) || (c >= 'a' && c <= 'f'); };
  return line.size() == line_size - 1 && line[key_digits] == ' ' &&
         std::all_of(line.begin(), line.begin() + key_digits, is_digit) &&
         std::all_of(line.begin() + key_digits + 1, line.end(), is_digit);
}

std::vector<std::string> read_known_lines() {
  const fs::path file = file_of_hashes();
  if (file.empty()) return {};
  const OpenFile opened(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (!opened || fstat(opened.number(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  std::string text(most_lines * line_size, '\0');
  size_t size = 0;
  for (ssize_t n; (n = read(opened.number(), text.data() + size, text.size() - size)) > 0;)
    size += size_t(n);
  text.resize(size);
  std::vector<std::string> lines;
  for (size_t at = 0, end; (end = text.find('\n', at)) != text.npos; at = end + 1)
    if (const std::string_view line(text.data() + at, end - at); is_sound(line))
      lines.emplace_back(line);
  return lines;
}

bool write_all(int to, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = write(to, text.data(), text.size());
    if (n <= 0) return false;
    text.remove_prefix(size_t(n));
  }
  return true;
}

// The new version of the list, which will replace the present file. All processes use the same file
// name. After a process was killed, the next one uses the file that it left.
class NextFile {
 public:
  explicit NextFile(const fs::path& file)
      : name_(file.string() + ".part"),
        opened_(open(name_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600)) {}

  // Returns true if this process has locked the file and the file still has its name. Another
  // process may have renamed it after this process had opened it.
  bool is_own() const {
    struct stat here {
    }, there{};
    return opened_ && flock(opened_.number(), LOCK_EX | LOCK_NB) == 0 &&
           fstat(opened_.number(), &here) == 0 && stat(name_.c_str(), &there) == 0 &&
           here.st_ino == there.st_ino && here.st_dev == there.st_dev;
  }
  bool write(std::string_view text) const {
    return ftruncate(opened_.number(), 0) == 0 && write_all(opened_.number(), text);
  }
  const std::string& name() const { return name_; }

 private:
  std::string name_;
  OpenFile opened_;
};

}  // namespace

std::set<std::string> read_known_files() {
  std::set<std::string> out;
  const std::string own = program_key();
  for (const std::string& line : read_known_lines())
    if (!own.empty() && line.starts_with(own)) out.insert(line.substr(key_digits + 1));
  return out;
}

void update_known_files(const std::set<std::string>& added, const std::set<std::string>& removed) {
  const fs::path file = file_of_hashes();
  const std::string own = program_key();
  if (file.empty() || own.empty()) return;
  std::error_code ignored;
  fs::create_directories(file.parent_path(), ignored);
  const NextFile next(file);
  if (!next.is_own()) return;
  std::vector<std::string> lines = read_known_lines();
  std::erase_if(lines, [&](const std::string& line) {
    const std::string hash = line.substr(key_digits + 1);
    return line.starts_with(own) && (added.contains(hash) || removed.contains(hash));
  });
  for (const std::string& hash : added) lines.push_back(own + " " + hash);
  std::string text;
  for (size_t k = lines.size() - std::min(lines.size(), most_lines); k < lines.size(); ++k)
    text += lines[k] + "\n";
  if (next.write(text)) fs::rename(next.name(), file, ignored);
}

}  // namespace torsor
