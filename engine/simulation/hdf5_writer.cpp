#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <unordered_set>

#include "torsor/model/text.hpp"
#include "torsor/simulation/checksum.hpp"
#include "torsor/simulation/hdf5_file.hpp"
#include "torsor/simulation/hdf5_handle.hpp"
#include "torsor/simulation/output_file.hpp"
#include "torsor/simulation/recording_lock.hpp"

namespace torsor {

namespace {

using hdf5::checked;
using hdf5::Handle;

constexpr hsize_t description_chunk = 16384;
constexpr size_t chunk_bytes = 65536;     // of the widest signal
constexpr size_t metadata_bytes = 65536;  // more than HDF5 adds for a dataset, or for a chunk of one

struct Group {
  std::string signal;
  size_t first, count;  // columns
};

// Returns the longest signal that a column's name is or begins with: of two frames one may be named "a", the other "a.b".
std::string signal_of(const Column& column, const std::unordered_set<std::string>& signals) {
  for (size_t end = column.name.size(); end != std::string::npos && end > 0;
       end = column.name.rfind('.', end - 1))
    if (std::string prefix = column.name.substr(0, end); signals.contains(prefix)) return prefix;
  throw Error(fmt::format("the column '{}' belongs to none of the recorded signals", column.name));
}

std::vector<Group> groups_of(const std::vector<Column>& columns, const std::vector<std::string>& signals) {
  const std::unordered_set<std::string> names(signals.begin(), signals.end());
  std::vector<Group> groups{{columns.at(0).name, 0, 1}};
  for (size_t k = 1; k < columns.size(); ++k) {
    const std::string signal = signal_of(columns[k], names);
    if (groups.back().signal != signal) groups.push_back({signal, k, 0});
    ++groups.back().count;
  }
  return groups;
}

// Without the time at which it is made.
Handle plain_dataset(int rank, const hsize_t* chunk) {
  Handle list = checked(H5Pcreate(H5P_DATASET_CREATE));
  checked(H5Pset_obj_track_times(list, false));
  checked(H5Pset_chunk(list, rank, chunk));
  return list;
}

class Hdf5Recording : public RecordingFile {
 public:
  Hdf5Recording(const std::filesystem::path& path, const std::vector<Column>& columns,
                const std::vector<std::string>& signals, const std::string& description);

  void write(std::span<const double> row) override {
    pending_.insert(pending_.end(), row.begin(), row.end());
    pending_checksums_.push_back(checksum(uint32_t(written_ + pending_checksums_.size()), row));
    if ((written_ + pending_checksums_.size()) % block_ == 0) flush();
  }
  void flush() override {
    if (!pending_.empty()) attempt([&] { append(); });
  }
  void close(const std::string& description) override;

 private:
  template <class Work>
  void attempt(Work work);
  void create();
  void add_signals(const std::vector<Column>& columns);
  void add_texts(hid_t object, const char* name, const std::vector<std::string>& texts);
  Handle add_checksums(const char* name);
  void start_single_writer();
  int descriptor();
  void reserve(size_t bytes);
  void append();
  void append(size_t group, hsize_t rows);
  void append_checksums(hid_t dataset, std::span<const uint32_t> values);
  void describe(const std::string& text);
  void close_file();

  void require_untouched();
  [[noreturn]] void lose();
  void verify();

  std::filesystem::path path_;
  RecordingLock lock_;
  size_t width_;  // of a row
  std::vector<Group> groups_;
  hsize_t block_;        // rows of a chunk
  hsize_t written_ = 0;  // rows
  std::vector<double> pending_;
  std::vector<uint32_t> pending_checksums_;  // of the rows in pending_
  bool failed_ = false;
  bool lost_ = false;     // another program cut it off or damaged it
  bool touched_ = false;  // another program may have written to it
  off_t size_ = 0;        // in bytes, at least, if nobody has cut it off
  Handle file_, description_, row_checksums_, description_checksums_;
  std::vector<Handle> datasets_;  // of the groups
};

// Work that fails leaves what is pending unwritten for good.
template <class Work>
void Hdf5Recording::attempt(Work work) {
  errno = 0;
  try {
    work();
  } catch (const hdf5::Failure& failure) {
    failed_ = true;
    if (errno == 0 && written_ > 0) lose();
    cannot_write(path_, errno == 0 ? failure.what() : std::strerror(errno));
  } catch (const Error&) {
    failed_ = true;
    throw;
  }
}

Hdf5Recording::Hdf5Recording(const std::filesystem::path& path, const std::vector<Column>& columns,
                             const std::vector<std::string>& signals, const std::string& description)
    : path_(path), lock_(path), width_(columns.size()), groups_(groups_of(columns, signals)) {
  size_t widest = 1;
  for (const Group& group : groups_) widest = std::max(widest, group.count);
  block_ = std::clamp<size_t>(chunk_bytes / (sizeof(double) * widest), 16, 1024);
  hdf5::be_quiet();
  attempt([&] {
    create();
    add_signals(columns);
    describe(description);
    start_single_writer();
  });
  lock_.require_in_place(0);
  size_ = lock_.size();
  lock_.accept_changes();
}

// Other programs that read the file with HDF5 hold a shared lock (flock); HDF5 would notice it
// after it has emptied the file.
void Hdf5Recording::create() {
  if (flock(lock_.descriptor(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    cannot_write(path_, "another program reads it; close that program, or choose another name");
  flock(lock_.descriptor(), LOCK_UN);
  errno = 0;  // a file system without locks is no failure
  lock_.clear();
  if (const int error = posix_fallocate(lock_.descriptor(), 0, metadata_bytes); error == ENOSPC)
    cannot_write(path_, std::strerror(error));  // HDF5 would give another reason
  lock_.clear();
  const Handle access = hdf5::file_access(1), creation = checked(H5Pcreate(H5P_FILE_CREATE));
  checked(H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110));
  checked(H5Pset_obj_track_times(creation, false));
  file_ = checked(H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, creation, access),
                  "HDF5 cannot create it; close the program that has it open, or choose another name");
}

// Opens the file again in single-writer mode. H5Fstart_swmr_write would do so too, but with 100
// attempts to read metadata that another program has damaged, which never end.
void Hdf5Recording::start_single_writer() {
  close_file();
  const Handle access = hdf5::file_access(1);
  checked(H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110));
  file_ = checked(H5Fopen(path_.c_str(), H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE, access));
  const auto open = [&](const char* name) { return Handle(checked(H5Dopen2(file_, name, H5P_DEFAULT))); };
  for (const Group& group : groups_) datasets_.push_back(open(group.signal.c_str()));
  row_checksums_ = open(hdf5::row_checksums);
  description_ = open("description");
  description_checksums_ = open(hdf5::description_checksums);
}

void Hdf5Recording::add_signals(const std::vector<Column>& columns) {
  reserve(metadata_bytes * groups_.size());
  const Handle links = checked(H5Pcreate(H5P_LINK_CREATE));
  checked(H5Pset_create_intermediate_group(links, 1));  // a name with a slash
  std::vector<std::string> signals;
  for (const auto& [signal, first, count] : groups_) {
    const int rank = first == 0 ? 1 : 2;
    const hsize_t none[] = {0, count}, most[] = {H5S_UNLIMITED, count}, chunk[] = {block_, count};
    const Handle space = checked(H5Screate_simple(rank, none, most)), creation = plain_dataset(rank, chunk);
    Handle dataset =
        checked(H5Dcreate2(file_, signal.c_str(), H5T_IEEE_F64LE, space, links, creation, H5P_DEFAULT));
    std::vector<std::string> names, units, frames;
    for (size_t k = first; k < first + count; ++k) {
      names.push_back(columns[k].name);
      units.push_back(columns[k].unit);
      frames.push_back(columns[k].frame);
    }
    add_texts(dataset, "columns", names);
    add_texts(dataset, "units", units);
    add_texts(dataset, "frames", frames);
    // Of all that is recorded, only six-vectors have six components in a frame, and only poses seven.
    const bool framed = std::ranges::none_of(frames, &std::string::empty);
    if (framed && count == 6) add_texts(dataset, "six_vector_order", {"angular part first"});
    if (framed && count == 7) add_texts(dataset, "quaternion_order", {"w, x, y, z, after the position"});
    datasets_.push_back(std::move(dataset));
    signals.push_back(signal);
  }
  add_texts(file_, "signals", signals);
  row_checksums_ = add_checksums(hdf5::row_checksums);
  description_checksums_ = add_checksums(hdf5::description_checksums);
}

Handle Hdf5Recording::add_checksums(const char* name) {
  reserve(metadata_bytes);
  const hsize_t none = 0, most = H5S_UNLIMITED;
  const Handle space = checked(H5Screate_simple(1, &none, &most)), creation = plain_dataset(1, &block_);
  return checked(H5Dcreate2(file_, name, H5T_STD_U32LE, space, H5P_DEFAULT, creation, H5P_DEFAULT));
}

void Hdf5Recording::add_texts(hid_t object, const char* name, const std::vector<std::string>& texts) {
  size_t size = 1;
  for (const std::string& text : texts) size = std::max(size, text.size() + 1);
  std::string buffer(size * texts.size(), '\0');
  for (size_t k = 0; k < texts.size(); ++k) texts[k].copy(&buffer[size * k], size);
  reserve(buffer.size() + metadata_bytes);
  const hsize_t count = texts.size();
  const Handle type = hdf5::text_type(size), space = checked(H5Screate_simple(1, &count, nullptr));
  checked(H5Tset_strpad(type, H5T_STR_NULLTERM));
  const Handle attribute = checked(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT));
  checked(H5Awrite(attribute, type, buffer.data()));
}

// Returns HDF5's descriptor of the file.
int Hdf5Recording::descriptor() {
  void* descriptor = nullptr;
  checked(H5Fget_vfd_handle(file_, H5P_DEFAULT, &descriptor));
  return *static_cast<int*>(descriptor);
}

// Room on the disk for so many bytes beyond what the file has.
void Hdf5Recording::reserve(size_t bytes) {
  hsize_t size = 0;
  checked(H5Fget_filesize(file_, &size));
  int error;
  do error = posix_fallocate(descriptor(), off_t(size), off_t(bytes));
  while (error == EINTR);
  if (error) cannot_write(path_, std::strerror(error));
}

void Hdf5Recording::append() {
  require_untouched();
  reserve(block_ * (width_ + 1) * sizeof(double) + metadata_bytes * (groups_.size() + 1));
  const hsize_t rows = pending_checksums_.size();
  for (size_t g = 0; g < groups_.size(); ++g) append(g, rows);
  append_checksums(row_checksums_, pending_checksums_);
  checked(H5Fflush(file_, H5F_SCOPE_LOCAL));
  written_ += rows;
  pending_.clear();
  pending_checksums_.clear();
  size_ = lock_.size();
  lock_.accept_changes();
}

void Hdf5Recording::append(size_t group, hsize_t rows) {
  const auto& [signal, first, count] = groups_[group];
  const hsize_t extent[] = {written_ + rows, count};
  checked(H5Dset_extent(datasets_[group], extent));
  const hsize_t there[] = {written_, 0}, here[] = {0, first}, size[] = {rows, count},
                pending[] = {rows, width_};
  const Handle to = checked(H5Dget_space(datasets_[group])),
               from = checked(H5Screate_simple(2, pending, nullptr));
  checked(H5Sselect_hyperslab(to, H5S_SELECT_SET, there, nullptr, size, nullptr));
  checked(H5Sselect_hyperslab(from, H5S_SELECT_SET, here, nullptr, size, nullptr));
  checked(H5Dwrite(datasets_[group], H5T_NATIVE_DOUBLE, from, to, H5P_DEFAULT, pending_.data()));
}

void Hdf5Recording::append_checksums(hid_t dataset, std::span<const uint32_t> values) {
  hsize_t old = 0;
  const Handle before = checked(H5Dget_space(dataset));
  checked(H5Sget_simple_extent_dims(before, &old, nullptr));
  const hsize_t count = values.size(), longer = old + count;
  checked(H5Dset_extent(dataset, &longer));
  const Handle to = checked(H5Dget_space(dataset)), from = checked(H5Screate_simple(1, &count, nullptr));
  checked(H5Sselect_hyperslab(to, H5S_SELECT_SET, &old, nullptr, &count, nullptr));
  checked(H5Dwrite(dataset, H5T_NATIVE_UINT32, from, to, H5P_DEFAULT, values.data()));
}

// The text is at every moment JSON, as long as it fits into a chunk, which goes to disk at once:
// blanks may follow it. Its checksum is there before it, beside that of the text that it replaces.
void Hdf5Recording::describe(const std::string& text) {
  reserve(text.size() + description_chunk + block_ * sizeof(uint32_t) + 2 * metadata_bytes);
  append_checksums(description_checksums_, std::array{checksum(text)});
  const Handle character = hdf5::text_type(1);
  hsize_t old = 0;
  if (description_ < 0) {
    const hsize_t none = 0, most = H5S_UNLIMITED;
    const Handle space = checked(H5Screate_simple(1, &none, &most));
    const Handle creation = plain_dataset(1, &description_chunk);
    checked(H5Pset_fill_value(creation, character, " "));
    description_ =
        checked(H5Dcreate2(file_, "description", character, space, H5P_DEFAULT, creation, H5P_DEFAULT));
  } else {
    const Handle space = checked(H5Dget_space(description_));
    checked(H5Sget_simple_extent_dims(space, &old, nullptr));
  }
  const hsize_t length = text.size(), longer = std::max(old, length);
  const std::string padded = text + std::string(longer - length, ' ');
  checked(H5Dset_extent(description_, &longer));
  checked(H5Fflush(file_, H5F_SCOPE_LOCAL));
  checked(H5Dwrite(description_, character, H5S_ALL, H5S_ALL, H5P_DEFAULT, padded.data()));
  checked(H5Fflush(file_, H5F_SCOPE_LOCAL));
  checked(H5Dset_extent(description_, &length));
  const std::array both{checksum(text), checksum(text)};  // the first text is gone, and so is its checksum
  if (old > 0)
    checked(H5Dwrite(description_checksums_, H5T_NATIVE_UINT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, both.data()));
}

// Cuts off what reserve() took and HDF5 did not need.
void Hdf5Recording::close_file() {
  checked(H5Fflush(file_, H5F_SCOPE_LOCAL));
  hsize_t size = 0;
  checked(H5Fget_filesize(file_, &size));
  if (ftruncate(descriptor(), off_t(size)) != 0) cannot_write(path_, std::strerror(errno));
  datasets_.clear();
  row_checksums_ = {};
  description_ = {};
  description_checksums_ = {};
  checked(H5Fclose(file_.release()));
}

void Hdf5Recording::close(const std::string& description) {
  if (lost_) return;
  attempt([&] {
    if (!failed_ && !pending_.empty()) append();
    require_untouched();
    describe(description);
    close_file();
  });
  lock_.require_in_place(written_);
  if (touched_) verify();
}

// Throws RecordingLost if another program has cut off the file. Notes if one may have written to
// it.
void Hdf5Recording::require_untouched() {
  if (lock_.size() < size_) lose();
  touched_ = touched_ || lock_.has_changed();
}

// Gives the file up. It belongs to the program that changed it: what HDF5 still holds goes to
// memory, and not to the file.
void Hdf5Recording::lose() {
  lost_ = true;
  if (const int memory = file_ >= 0 ? memfd_create("abandoned recording", MFD_CLOEXEC) : -1; memory >= 0) {
    dup2(memory, descriptor());
    ::close(memory);
  }
  throw RecordingLost(
      fmt::format("another program changed '{}' during the run: its {} lost; record the run again",
                  path_.string(), counted(written_, "row") + (written_ == 1 ? " is" : " are")));
}

// Reads the closed file back, because another program may have damaged it.
void Hdf5Recording::verify() {
  try {
    const Recording read = read_hdf5(path_);
    if (read.damage.empty() && read.rows() == written_) return;
    throw RecordingLost(fmt::format("another program changed '{}' during the run: {}; record the run again",
                                    path_.string(), read.damage.empty() ? "rows are missing" : read.damage));
  } catch (const RecordingLost&) {
    throw;
  } catch (const Error& error) {
    throw RecordingLost(
        fmt::format("another program changed the recording during the run: {}", error.what()));
  }
}

}  // namespace

std::unique_ptr<RecordingFile> create_hdf5(const std::filesystem::path& path,
                                           const std::vector<Column>& columns,
                                           const std::vector<std::string>& signals,
                                           const std::string& description) {
  return std::make_unique<Hdf5Recording>(path, columns, signals, description);
}

}  // namespace torsor
