#include "torsor/base/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "torsor/base/error.hpp"

namespace torsor {

void cannot_write(const std::filesystem::path& path, const std::string& why) {
  throw Error(fmt::format("cannot write '{}': {}", path.string(), why));
}

void make_folder(const std::filesystem::path& folder) {
  if (folder.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) cannot_write(folder, error.message());
}

int reserve_room(int file, size_t bytes) {
  struct rlimit most {};
  if (getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur != RLIM_INFINITY &&
      bytes > most.rlim_cur)
    return EFBIG;
  while (fallocate(file, FALLOC_FL_KEEP_SIZE, 0, off_t(bytes)) != 0)
    if (errno != EINTR) return errno == EOPNOTSUPP || errno == ENOSYS ? 0 : errno;
  return 0;
}

bool is_named(int file, const std::filesystem::path& path) {
  struct stat own {
  }, named{};
  return fstat(file, &own) == 0 && lstat(path.c_str(), &named) == 0 && own.st_dev == named.st_dev &&
         own.st_ino == named.st_ino;
}

// File names are limited to NAME_MAX = 255 bytes. The suffix ".PROCESS.NUMBER.part" takes about 15
// of them.
std::string opening_failed(int error) {
  std::string why = std::strerror(error);
  if (error == ENAMETOOLONG) why += "; give it a name of at most 235 bytes";
  if (error == EACCES || error == EPERM || error == EROFS) why += "; choose another folder";
  return why;
}

namespace {

// Returns whether a file name has the form NAME.PROCESS.NUMBER.part.
bool is_part_of(const std::string& file, const std::string& name) {
  if (!file.starts_with(name)) return false;
  const std::string rest = file.substr(name.size());
  int process = 0, number = 0, end = -1;
  return std::sscanf(rest.c_str(), ".%d.%d.part%n", &process, &number, &end) == 2 &&
         end == int(rest.size());
}

// Removes the .part files of this path whose programs have ended. Ignores failures; the next call
// tries again.
void remove_leftovers(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  const std::string name = path.filename().string();
  std::error_code failed;
  for (std::filesystem::directory_iterator each(folder, failed), end; !failed && each != end;
       each.increment(failed)) {
    if (!is_part_of(each->path().filename().string(), name)) continue;
    const int file = open(each->path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0) continue;
    if (flock(file, LOCK_EX | LOCK_NB) == 0 && is_named(file, each->path()))
      unlink(each->path().c_str());
    close(file);
  }
}

// Creates the file and locks it. Returns its descriptor, or -1 with errno.
int create_locked(const std::filesystem::path& part) {
  const int file = open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) return -1;
  struct stat made {};
  flock(file, LOCK_EX | LOCK_NB);
  if (fstat(file, &made) == 0 && made.st_nlink > 0) return file;
  close(file);  // another program removed the file as a leftover before it was locked
  errno = EEXIST;
  return -1;
}

}  // namespace

OutputFile::OutputFile(const std::filesystem::path& path) : path_(path) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored))
    cannot_write(path, "it exists and is not a regular file");
  make_folder(path.parent_path());
  remove_leftovers(path);
  int file = -1;
  for (int k = 0; file < 0; ++k) {
    part_ = fmt::format("{}.{}.{}.part", path.string(), getpid(), k);
    file = create_locked(part_);
    if (file < 0 && errno != EEXIST) cannot_write(path_, opening_failed(errno));
  }
  stream_.reset(fdopen(file, "w"));
  if (stream_) return;
  const std::string why = std::strerror(errno);
  close(file);
  std::filesystem::remove(part_, ignored);
  cannot_write(path_, why);
}

OutputFile::~OutputFile() {
  std::error_code ignored;
  if (!part_.empty()) std::filesystem::remove(part_, ignored);
}

void OutputFile::write(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stream_.get()) != text.size())
    cannot_write(path_, std::strerror(errno));
}

void OutputFile::flush() {
  if (std::fflush(stream_.get()) != 0) cannot_write(path_, std::strerror(errno));
}

void OutputFile::commit() {
  const bool failed = std::ferror(stream_.get());
  const int lock = dup(fileno(stream_.get()));  // keeps the file locked until it has its final name
  const bool closed = std::fclose(stream_.release()) == 0;
  std::string why = failed   ? "a part of it could not be written"
                    : closed ? ""
                             : std::strerror(errno);
  std::error_code error;
  if (why.empty()) std::filesystem::rename(part_, path_, error);
  if (error) why = error.message();
  if (lock >= 0) close(lock);
  if (!why.empty()) cannot_write(path_, why);
  part_.clear();
}

void require_writable(const std::filesystem::path& path) {
  OutputFile{path};
}

void write_file(const std::filesystem::path& path, const std::string& text) {
  OutputFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace torsor
