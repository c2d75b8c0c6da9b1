#include "torsor/base/input_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <deque>
#include <limits>
#include <system_error>

#include "torsor/base/error.hpp"

namespace torsor {

namespace {

constexpr std::uintmax_t MiB = 1 << 20, any_size = std::numeric_limits<std::uintmax_t>::max();
constexpr size_t block_size = 1 << 16, longest_line = 16 * MiB;

constexpr InputLimit limits[] = {
    // One row per InputKind, in the same order.
    {"scripts", 16 * MiB, "split it"},
    {"robot files", 16 * MiB, "remove comments and unused elements"},
    {"meshes", 256 * MiB, "reduce it"},
    {"CSV tables", 64 * MiB, "give fewer rows"},
    {"files of states", 64 * MiB, "split it"},
    {"saved states", 256 * MiB, "save the state again with --save-state"},
    {"recordings", any_size, ""},
    {"descriptions of recordings", 64 * MiB, "remove the file to read the rows alone"},
    {"plugin files", 256 * MiB, "link it without debug information"},
    {"files of actions", 16 * MiB, "split it"},
    {"files of the editor", 64 * MiB, "delete the file; the window makes a new one"},
};

std::string too_large(InputKind kind) {
  const InputLimit& limit = limit_of(kind);
  return fmt::format("the file is larger than {} MiB, the limit for {}; {}", limit.bytes / MiB,
                     limit.plural, limit.remedy);
}

std::string unreadable(int error) {
  return error == ENOENT || error == ENOTDIR
             ? "there is no such file"
             : fmt::format("it cannot be read: {}", std::strerror(error));
}

// An open descriptor with the size of its file, or the reason why the file could not be opened.
struct Opened {
  int descriptor = -1;
  std::uintmax_t size = 0;
  std::string why = {};
};

// Waits until the writer of a pipe has written data. Before the writer has opened the pipe, read()
// would report the end of the file.
void wait_for_data(int descriptor) {
  pollfd waiting{descriptor, POLLIN, 0};
  while (poll(&waiting, 1, -1) < 0 && errno == EINTR) continue;
}

// Opens an input file. Does not open devices: opening a device can have an effect, such as
// rewinding a tape.
Opened open_input(const std::filesystem::path& path, InputKind kind, bool takes_pipes) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return {.why = unreadable(errno)};
  if (S_ISDIR(status.st_mode)) return {.why = "this is a folder"};
  if (!S_ISREG(status.st_mode) && !(takes_pipes && S_ISFIFO(status.st_mode)))
    return {.why = "this is not a regular file"};
  const int descriptor = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  if (descriptor < 0) return {.why = unreadable(errno)};
  const auto reject = [&](std::string why) {
    close(descriptor);
    return Opened{.why = std::move(why)};
  };
  if (fstat(descriptor, &status) != 0) return reject(unreadable(errno));
  if (takes_pipes && S_ISFIFO(status.st_mode)) {
    wait_for_data(descriptor);
    return {.descriptor = descriptor};
  }
  if (!S_ISREG(status.st_mode)) return reject("this is not a regular file");
  if (std::uintmax_t(status.st_size) > limit_of(kind).bytes) return reject(too_large(kind));
  return {.descriptor = descriptor, .size = std::uintmax_t(status.st_size)};
}

}  // namespace

const InputLimit& limit_of(InputKind kind) {
  return limits[size_t(kind)];
}

std::string why_no_file(const std::filesystem::path& path) {
  std::error_code trouble;
  const std::filesystem::file_status status = std::filesystem::status(path, trouble);
  if (std::filesystem::is_regular_file(status)) return "";
  if (status.type() == std::filesystem::file_type::not_found) return "there is no such file";
  if (std::filesystem::is_directory(status)) return "this is a folder";
  return trouble ? fmt::format("it cannot be read: {}", trouble.message())
                 : "this is not a regular file";
}

std::string why_unreadable(const std::filesystem::path& path, InputKind kind) {
  const Opened opened = open_input(path, kind, false);
  if (opened.descriptor >= 0) close(opened.descriptor);
  return opened.why;
}

InputFile::InputFile(const std::filesystem::path& path, InputKind kind, std::string_view advice,
                     Pipes pipes)
    : path_(path.string()), kind_(kind) {
  const Opened opened = open_input(path, kind, pipes == Pipes::taken);
  // The message about the size already ends with a remedy.
  if (!opened.why.empty())
    throw Error(opened.why == too_large(kind)
                    ? fmt::format("{}: {}", path_, opened.why)
                    : fmt::format("{}: {}; {}", path_, opened.why, advice));
  descriptor_ = opened.descriptor;
  size_ = opened.size;
}

InputFile::~InputFile() {
  close(descriptor_);
}

size_t InputFile::read(char* out, size_t n) {
  for (;;) {
    const ssize_t count = ::read(descriptor_, out, n);
    if (count >= 0) {
      done_ += std::uintmax_t(count);
      if (done_ > limit_of(kind_).bytes)
        throw Error(fmt::format("{}: {}", path_, too_large(kind_)));
      return size_t(count);
    }
    if (errno == EAGAIN)
      wait_for_data(descriptor_);
    else if (errno != EINTR)
      throw Error(fmt::format("{}: {}; check the disk", path_, unreadable(errno)));
  }
}

std::string InputFile::read_all() {
  std::string out;
  out.reserve(size_);
  char block[block_size];
  while (const size_t count = read(block, sizeof block)) out.append(block, count);
  return out;
}

std::string read_standard_input(InputKind kind) {
  std::string out;
  char block[block_size];
  while (const size_t count = std::fread(block, 1, sizeof block, stdin)) {
    out.append(block, count);
    if (out.size() > limit_of(kind).bytes)
      throw Error(fmt::format("standard input: {}", too_large(kind)));
  }
  return out;
}

std::string read_file(const std::filesystem::path& path, InputKind kind, std::string_view advice) {
  return InputFile(path, kind, advice).read_all();
}

bool InputLines::fill() {
  block_.resize(block_size);
  at_ = 0;
  block_.resize(file_.read(block_.data(), block_size));
  return !block_.empty();
}

bool InputLines::at_end() {
  return at_ == block_.size() && !fill();
}

bool InputLines::next(std::string& line) {
  line.clear();
  complete_ = false;
  if (at_end()) return false;
  ++number_;
  while (!at_end()) {
    const size_t end = block_.find('\n', at_), stop = std::min(end, block_.size());
    line.append(block_, at_, stop - at_);
    if (line.size() > longest_line)
      throw Error(
          fmt::format("{}:{}: the line is longer than {} MiB; put each row on a line of its own",
                      path_, number_, longest_line / MiB));
    at_ = stop + (end != std::string::npos);
    complete_ = end != std::string::npos;
    if (complete_) break;
  }
  if (line.ends_with('\r')) line.pop_back();
  return true;
}

// std::filesystem::weakly_canonical() is not suitable. It does not resolve a link whose target does
// not exist, so its result would reveal whether the target exists.
std::filesystem::path resolved(const std::filesystem::path& path) {
  constexpr int most_links = 40;  // same limit as in the Linux kernel
  std::error_code failed;
  const std::filesystem::path absolute = std::filesystem::absolute(path, failed);
  if (failed) return "";
  std::deque<std::filesystem::path> rest(absolute.begin(), absolute.end());
  std::filesystem::path out;
  for (int links = 0; !rest.empty();) {
    const std::filesystem::path name = rest.front();
    rest.pop_front();
    if (name.is_absolute()) {
      out = name;
    } else if (name == "..") {
      out = out.parent_path();
    } else if (!name.empty() && name != ".") {
      out /= name;
      if (std::filesystem::symlink_status(out, failed).type() !=
          std::filesystem::file_type::symlink)
        continue;
      const std::filesystem::path target = std::filesystem::read_symlink(out, failed);
      if (failed || ++links > most_links) return "";
      rest.insert(rest.begin(), target.begin(), target.end());
      out = out.parent_path();
    }
  }
  return out;
}

bool is_below(const std::filesystem::path& file, const std::filesystem::path& folder) {
  const std::filesystem::path root = resolved(folder);
  if (file.empty() || root.empty()) return false;
  return std::mismatch(root.begin(), root.end(), file.begin(), file.end()).first == root.end();
}

}  // namespace torsor
