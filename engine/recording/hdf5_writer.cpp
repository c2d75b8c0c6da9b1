// Writes HDF5 recordings (hdf5_file.hpp).

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>

#include "torsor/base/output_file.hpp"
#include "torsor/base/text.hpp"
#include "torsor/recording/checksum.hpp"
#include "torsor/recording/hdf5_file.hpp"
#include "torsor/recording/hdf5_groups.hpp"
#include "torsor/recording/hdf5_handle.hpp"
#include "torsor/recording/recording_lock.hpp"

namespace torsor {

namespace {

using hdf5::checked;
using hdf5::Handle;

constexpr hsize_t description_chunk = 16384;
constexpr size_t chunk_bytes = 65536;  // size of a chunk of the widest signal
// Upper bound of the number of bytes that HDF5 adds for an attribute, apart from its text.
constexpr size_t attribute_bytes = 65536;
// Bytes allocated for the final description in addition to twice the size of the initial one.
constexpr size_t description_growth = 16384;

// Returns an upper bound of the number of metadata bytes that HDF5 adds in two cases: when a
// dataset is created, and when a dataset of n chunks receives another chunk. The addresses of
// chunks are in an extensible array (HDF5 File Format Specification 3.0, VII.D). The next data
// block of this array has at most
//   16 sqrt(2 (n/16 + 1)) = 5.7 sqrt(n + 16)
// addresses of 8 bytes. The constant covers the header, index block and super block of the array.
size_t metadata_bytes(hsize_t n) {
  return 4096 + 64 * size_t(std::sqrt(double(n + 16)));
}

class Hdf5Recording : public RecordingFile {
 public:
  Hdf5Recording(const std::filesystem::path& path, const std::vector<Column>& columns,
                const std::vector<std::string>& signals, const std::string& description,
                Replaces when);

  void write(std::span<const double> row) override {
    if ((written_ + pending_checksums_.size()) % block_ == 0) attempt([&] { reserve_block(); });
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
  void reserve(size_t bytes);
  void reserve_block();
  size_t room_for_description(size_t length) const;
  [[noreturn]] void fail(const std::string& why) const;
  void append();
  void append(size_t group, hsize_t rows);
  void append_checksums(hid_t dataset, std::span<const uint32_t> values);
  void describe(const std::string& text);
  void close_file();

  void require_untouched();
  [[noreturn]] void lose();
  void verify();

  std::filesystem::path path_;
  NewRecording new_;
  size_t width_;  // values per row
  size_t longest_description_;
  std::vector<hdf5::Group> groups_;
  hsize_t block_;         // rows per chunk
  hsize_t written_ = 0;   // number of rows in the file
  double last_time_ = 0;  // time of the last written row, s
  std::vector<double> pending_;
  std::vector<uint32_t> pending_checksums_;  // checksums of the rows in pending_
  bool failed_ = false;
  bool lost_ = false;     // true: another program has truncated or damaged the file
  bool touched_ = false;  // true: another program may have written to the file
  off_t size_ = 0;        // minimum size in bytes, unless another program has truncated the file
  Handle file_, description_, row_checksums_, description_checksums_;
  std::vector<Handle> datasets_;  // one per group
};

// Calls a function that writes. If the function fails, pending rows are never written, because the
// file may be in an unknown state.
template <class Work>
void Hdf5Recording::attempt(Work work) {
  errno = 0;
  try {
    work();
  } catch (const hdf5::Failure& failure) {
    const int error = errno;
    failed_ = true;
    new_.lock().accept_changes();
    if (error == 0 && written_ > 0) lose();
    fail(error == 0 ? failure.what() : std::strerror(error));
  } catch (const Error&) {
    failed_ = true;
    new_.lock().accept_changes();
    throw;
  }
}

Hdf5Recording::Hdf5Recording(const std::filesystem::path& path, const std::vector<Column>& columns,
                             const std::vector<std::string>& signals,
                             const std::string& description, Replaces when)
    : path_(path),
      new_(path),
      width_(columns.size()),
      longest_description_(2 * description.size() + description_growth),
      groups_(hdf5::groups_of(columns, signals)) {
  size_t widest = 1;
  for (const hdf5::Group& group : groups_) widest = std::max(widest, group.count);
  block_ = std::clamp<size_t>(chunk_bytes / (sizeof(double) * widest), 16, 1024);
  hdf5::be_quiet();
  attempt([&] {
    create();
    add_signals(columns);
    describe(description);
    start_single_writer();
    new_.lock().require_in_place(0);
    size_ = new_.lock().size();
    new_.lock().accept_changes();
    reserve_block();
  });
  if (when == Replaces::at_once) new_.take_place();
}

// Throws the error of NewRecording::fail(), with the message "cannot write 'PATH': WHY" and the
// number of rows in the file.
void Hdf5Recording::fail(const std::string& why) const {
  new_.fail(fmt::format("cannot write '{}': {}", path_.string(), why), written_, last_time_);
}

void Hdf5Recording::create() {
  if (const int error = reserve_room(new_.lock().descriptor(), attribute_bytes))
    // Reports the error here, because HDF5 would report a misleading reason.
    fail(std::strerror(error));
  new_.lock().clear();
  const Handle access = hdf5::file_access(1), creation = checked(H5Pcreate(H5P_FILE_CREATE));
  checked(H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110));
  checked(H5Pset_obj_track_times(creation, false));
  file_ = checked(H5Fcreate(new_.part().c_str(), H5F_ACC_TRUNC, creation, access),
                  "HDF5 cannot create it");
}

// Reopens the file in single-writer mode. H5Fstart_swmr_write cannot be used: it makes 100 attempts
// to read damaged metadata, which never end.
void Hdf5Recording::start_single_writer() {
  close_file();
  const Handle access = hdf5::file_access(1);
  checked(H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110));
  file_ = checked(H5Fopen(new_.part().c_str(), H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE, access));
  const auto open = [&](const char* name) {
    return Handle(checked(H5Dopen2(file_, name, H5P_DEFAULT)));
  };
  for (const hdf5::Group& group : groups_) datasets_.push_back(open(group.signal.c_str()));
  row_checksums_ = open(hdf5::row_checksums);
  description_ = open("description");
  description_checksums_ = open(hdf5::description_checksums);
}

void Hdf5Recording::add_signals(const std::vector<Column>& columns) {
  reserve(metadata_bytes(0) * groups_.size());
  const Handle links = checked(H5Pcreate(H5P_LINK_CREATE));
  checked(H5Pset_create_intermediate_group(links, 1));  // a name with a slash needs a group
  std::vector<std::string> signals;
  for (const auto& [signal, first, count] : groups_) {
    const int rank = first == 0 ? 1 : 2;
    const hsize_t none[] = {0, count}, most[] = {H5S_UNLIMITED, count}, chunk[] = {block_, count};
    const Handle space = checked(H5Screate_simple(rank, none, most)),
                 creation = hdf5::chunked_dataset(rank, chunk);
    Handle dataset = checked(
        H5Dcreate2(file_, signal.c_str(), H5T_IEEE_F64LE, space, links, creation, H5P_DEFAULT));
    std::vector<std::string> names, units, frames;
    for (size_t k = first; k < first + count; ++k) {
      names.push_back(columns[k].name);
      units.push_back(columns[k].unit);
      frames.push_back(columns[k].frame);
    }
    add_texts(dataset, "columns", names);
    add_texts(dataset, "units", units);
    add_texts(dataset, "frames", frames);
    // In recordings, six components with a frame are always a six-vector, and seven are always a
    // pose.
    const bool framed = std::ranges::none_of(frames, &std::string::empty);
    if (framed && count == 6) add_texts(dataset, "six_vector_order", {"angular part first"});
    if (framed && count == 7)
      add_texts(dataset, "quaternion_order", {"w, x, y, z, after the position"});
    datasets_.push_back(std::move(dataset));
    signals.push_back(signal);
  }
  add_texts(file_, "signals", signals);
  row_checksums_ = add_checksums(hdf5::row_checksums);
  description_checksums_ = add_checksums(hdf5::description_checksums);
}

Handle Hdf5Recording::add_checksums(const char* name) {
  reserve(metadata_bytes(0));
  const hsize_t none = 0, most = H5S_UNLIMITED;
  const Handle space = checked(H5Screate_simple(1, &none, &most)),
               creation = hdf5::chunked_dataset(1, &block_);
  return checked(H5Dcreate2(file_, name, H5T_STD_U32LE, space, H5P_DEFAULT, creation, H5P_DEFAULT));
}

void Hdf5Recording::add_texts(hid_t object, const char* name,
                              const std::vector<std::string>& texts) {
  size_t size = 1;
  for (const std::string& text : texts) size = std::max(size, text.size() + 1);
  std::string buffer(size * texts.size(), '\0');
  for (size_t k = 0; k < texts.size(); ++k) texts[k].copy(&buffer[size * k], size);
  reserve(buffer.size() + attribute_bytes);
  const hsize_t count = texts.size();
  const Handle type = hdf5::text_type(size), space = checked(H5Screate_simple(1, &count, nullptr));
  checked(H5Tset_strpad(type, H5T_STR_NULLTERM));
  const Handle attribute = checked(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT));
  checked(H5Awrite(attribute, type, buffer.data()));
}

// Allocates `bytes` on the disk beyond the end of the file. Throws an error if there is no space.
void Hdf5Recording::reserve(size_t bytes) {
  hsize_t size = 0;
  checked(H5Fget_filesize(file_, &size));
  if (const int error = reserve_room(hdf5::descriptor_of(file_), size + bytes))
    fail(std::strerror(error));
}

size_t Hdf5Recording::room_for_description(size_t length) const {
  return length + description_chunk + block_ * sizeof(uint32_t) +
         2 * metadata_bytes(length / description_chunk);
}

// Allocates disk space for the next chunk of every signal, and for the description that close()
// writes. All earlier rows are already in the file, so no earlier row is lost if there is no space.
void Hdf5Recording::reserve_block() {
  require_untouched();
  reserve(block_ * (width_ + 1) * sizeof(double) +
          metadata_bytes(written_ / block_) * (groups_.size() + 1) +
          room_for_description(longest_description_));
  size_ = new_.lock().size();
  new_.lock().accept_changes();
}

void Hdf5Recording::append() {
  require_untouched();
  const hsize_t rows = pending_checksums_.size();
  for (size_t g = 0; g < groups_.size(); ++g) append(g, rows);
  append_checksums(row_checksums_, pending_checksums_);
  checked(H5Fflush(file_, H5F_SCOPE_LOCAL));
  written_ += rows;
  last_time_ = pending_[(rows - 1) * width_];
  pending_.clear();
  pending_checksums_.clear();
  size_ = new_.lock().size();
  new_.lock().accept_changes();
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
  const Handle to = checked(H5Dget_space(dataset)),
               from = checked(H5Screate_simple(1, &count, nullptr));
  checked(H5Sselect_hyperslab(to, H5S_SELECT_SET, &old, nullptr, &count, nullptr));
  checked(H5Dwrite(dataset, H5T_NATIVE_UINT32, from, to, H5P_DEFAULT, values.data()));
}

// Writes the description. HDF5 writes a chunk in one operation. If the text fits into one chunk,
// the text on the disk is therefore valid JSON at any time, possibly followed by blanks. The
// checksum of the new text is stored before the text itself. The checksum of the old text remains
// in the file until the new text is written.
void Hdf5Recording::describe(const std::string& text) {
  reserve(room_for_description(text.size()));
  append_checksums(description_checksums_, std::array{checksum(text)});
  const Handle character = hdf5::text_type(1);
  hsize_t old = 0;
  if (description_ < 0) {
    const hsize_t none = 0, most = H5S_UNLIMITED;
    const Handle space = checked(H5Screate_simple(1, &none, &most));
    const Handle creation = hdf5::chunked_dataset(1, &description_chunk);
    checked(H5Pset_fill_value(creation, character, " "));
    description_ = checked(
        H5Dcreate2(file_, "description", character, space, H5P_DEFAULT, creation, H5P_DEFAULT));
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
  // The old text is overwritten, so its checksum is replaced by that of the new text.
  const std::array both{checksum(text), checksum(text)};
  if (old > 0)
    checked(H5Dwrite(description_checksums_, H5T_NATIVE_UINT32, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                     both.data()));
}

// Closes the file and releases allocated space that HDF5 did not use.
void Hdf5Recording::close_file() {
  checked(H5Fflush(file_, H5F_SCOPE_LOCAL));
  hsize_t size = 0;
  checked(H5Fget_filesize(file_, &size));
  if (ftruncate(hdf5::descriptor_of(file_), off_t(size)) != 0) fail(std::strerror(errno));
  datasets_.clear();
  row_checksums_ = {};
  description_ = {};
  description_checksums_ = {};
  checked(H5Fclose(file_.release()));
}

void Hdf5Recording::close(const std::string& description) {
  if (lost_) return;
  const bool was_cut = failed_;
  try {
    attempt([&] {
      if (!failed_ && !pending_.empty()) append();
      require_untouched();
      describe(description);
      close_file();
    });
  } catch (const RecordingCut&) {
    if (!was_cut) throw;
  }
  new_.lock().require_in_place(written_);
  if (!new_.has_place()) new_.take_place();
  if (touched_) verify();
}

// Throws RecordingLost if another program has truncated the file. Sets touched_ if another program
// may have written to it.
void Hdf5Recording::require_untouched() {
  if (new_.lock().size() < size_) lose();
  touched_ = touched_ || new_.lock().has_changed();
}

// Stops writing a file that another program has changed. Redirects data that HDF5 still buffers to
// memory, so that they do not overwrite the file. Throws RecordingLost.
void Hdf5Recording::lose() {
  lost_ = true;
  if (const int memory = file_ >= 0 ? memfd_create("abandoned recording", MFD_CLOEXEC) : -1;
      memory >= 0) {
    dup2(memory, hdf5::descriptor_of(file_));
    ::close(memory);
  }
  throw RecordingLost(
      fmt::format("another program changed '{}' while it was written: its {} lost; write it again",
                  path_.string(), counted(written_, "row") + (written_ == 1 ? " is" : " are")));
}

// Reads the closed file to check it, because another program may have damaged it. Throws
// RecordingLost if rows are missing or damaged.
void Hdf5Recording::verify() {
  try {
    const Recording read = read_hdf5(path_);
    if (read.damage.empty() && read.rows() == written_) return;
    throw RecordingLost(
        fmt::format("another program changed '{}' while it was written: {}; write it again",
                    path_.string(), read.damage.empty() ? "rows are missing" : read.damage));
  } catch (const RecordingLost&) {
    throw;
  } catch (const Error& error) {
    throw RecordingLost(fmt::format(
        "another program changed the recording while it was written: {}", error.what()));
  }
}

}  // namespace

std::unique_ptr<RecordingFile> create_hdf5(const std::filesystem::path& path,
                                           const std::vector<Column>& columns,
                                           const std::vector<std::string>& signals,
                                           const std::string& description, Replaces when) {
  return std::make_unique<Hdf5Recording>(path, columns, signals, description, when);
}

}  // namespace torsor
