#include "torsor/loading/plugin_image.hpp"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sha2.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "torsor/base/error.hpp"
#include "torsor/base/input_file.hpp"
#include "torsor/base/memory_file.hpp"
#include "torsor/base/open_file.hpp"
#include "torsor/base/prefix.hpp"

namespace torsor {

namespace fs = std::filesystem;

namespace {

Error unreadable() {
  return Error(fmt::format("cannot be read: {}", std::strerror(errno)));
}

// Returns the process id of this process as seen in /proc, or "" if /proc is not available.
std::string process_in_proc() {
  std::error_code error;
  return fs::read_symlink("/proc/self", error).string();
}

bool can_be_executed(int descriptor) {
  const size_t page = size_t(sysconf(_SC_PAGESIZE));
  void* at = mmap(nullptr, page, PROT_READ | PROT_EXEC, MAP_PRIVATE, descriptor, 0);
  if (at == MAP_FAILED) return false;
  munmap(at, page);
  return true;
}

// Removes copies that were left by processes killed during loading. Copies in use are locked and
// are not removed.
void remove_left_names(const fs::path& folder, const std::string& prefix) {
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (!it->path().filename().string().starts_with(prefix)) continue;
    const OpenFile left(open(it->path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (left && flock(left.number(), LOCK_EX | LOCK_NB) == 0) unlink(it->path().c_str());
  }
}

struct NamedFile {
  fs::path name;
  int descriptor;
};

// Creates a new file in the first of two folders from which code can be executed. Throws Error if
// neither allows it.
NamedFile make_named_file(const fs::path& beside) {
  std::string reasons;
  for (const auto& [folder, prefix] : {std::pair(user_cache_folder(), "loading_"),
                                       std::pair(beside.parent_path(), ".torsor_loading_")}) {
    std::error_code ignored;
    if (folder.empty() && folder != beside.parent_path()) continue;
    fs::create_directories(folder, ignored);
    remove_left_names(folder, prefix);
    std::string name = (folder / (std::string(prefix) + "XXXXXX")).string();
    OpenFile file(mkostemp(name.data(), O_CLOEXEC));
    const char* why = "it is on a file system without execution (noexec)";
    if (file && flock(file.number(), LOCK_EX) == 0 && can_be_executed(file.number()))
      return {name, file.release()};
    if (!file)
      why = std::strerror(errno);
    else
      unlink(name.c_str());
    reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", folder.string(), why);
  }
  throw Error(
      fmt::format("cannot be copied to load it, neither to memory (vm.memfd_noexec, /proc) nor to "
                  "a folder ({})",
                  reasons));
}

void require_size(std::uintmax_t bytes) {
  const InputLimit& limit = limit_of(InputKind::plugin);
  if (bytes > limit.bytes)
    throw Error(fmt::format("is larger than {} MiB, the limit for {}: {}", limit.bytes >> 20,
                            limit.plural, limit.remedy));
}

// Copies all bytes from one descriptor to the other. Returns their SHA-256.
std::string copy_bytes(int from, int to) {
  SHA2_CTX hash;
  SHA256Init(&hash);
  std::array<uint8_t, 65536> block;
  off_t size = 0;
  for (ssize_t n; (n = read(from, block.data(), block.size())) != 0; size += n) {
    if (n < 0) throw unreadable();
    if (size == 0 && (n < SELFMAG || std::memcmp(block.data(), ELFMAG, SELFMAG) != 0))
      throw Error("is not a shared library (no ELF header)");
    require_size(std::uintmax_t(size) + std::uintmax_t(n));
    SHA256Update(&hash, block.data(), size_t(n));
    for (ssize_t done = 0; done < n;) {
      const ssize_t written = write(to, block.data() + done, size_t(n - done));
      if (written < 0)
        throw Error(fmt::format("cannot be copied to load it: {}", std::strerror(errno)));
      done += written;
    }
  }
  if (size == 0) throw Error("is empty");
  std::array<char, SHA256_DIGEST_STRING_LENGTH> digest{};
  SHA256End(&hash, digest.data());
  return digest.data();
}

}  // namespace

PluginImage::PluginImage(const fs::path& file) : file_(file) {
  require_readable(file);
  const OpenFile original(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!original) throw unreadable();
  struct stat status {};
  if (fstat(original.number(), &status) != 0 || !S_ISREG(status.st_mode))
    throw Error("is not a regular file");
  require_size(std::uintmax_t(status.st_size));
  descriptor_ = open_memory_file(file.filename().string(), MemoryFile::code);
  if (descriptor_ >= 0 && (process_in_proc().empty() || !can_be_executed(descriptor_))) {
    close(descriptor_);
    descriptor_ = -1;
  }
  if (descriptor_ < 0) {
    const NamedFile made = make_named_file(file);
    descriptor_ = made.descriptor;
    name_ = made.name;
    has_name_ = true;
    maker_ = getpid();
  }
  try {
    sha256_ = copy_bytes(original.number(), descriptor_);
  } catch (...) {
    remove_name();
    close(descriptor_);
    throw;
  }
  if (name_.empty())  // prevents changes by a child process that tries to load the file
    fcntl(descriptor_, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
}

PluginImage::~PluginImage() {
  remove_name();
  if (!is_kept_) close(descriptor_);
}

// The path contains the process id, because a debugger would resolve /proc/self to its own process.
std::string PluginImage::path() const {
  return name_.empty() ? fmt::format("/proc/{}/fd/{}", process_in_proc(), descriptor_)
                       : name_.string();
}

void PluginImage::remove_name() {
  if (has_name_ && getpid() == maker_) unlink(name_.c_str());
  has_name_ = false;
}

void require_readable(const fs::path& file) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (!fs::exists(status)) throw Error("does not exist");
  if (!fs::is_regular_file(status)) throw Error("is not a regular file");
  if (access(file.c_str(), R_OK) != 0) throw unreadable();
  if (const std::uintmax_t size = fs::file_size(file, error); !error) require_size(size);
}

std::string sha256_of(const fs::path& file) {
  std::array<char, SHA256_DIGEST_STRING_LENGTH> digest{};
  if (!SHA256File(file.c_str(), digest.data())) throw unreadable();
  return digest.data();
}

}  // namespace torsor
