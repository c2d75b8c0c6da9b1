#include "torsor/study/table/study_table.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>

#include "torsor/base/error.hpp"
#include "torsor/base/output_file.hpp"
#include "torsor/recording/recording_lock.hpp"
#include "torsor/study/table/hdf5_study.hpp"
#include "torsor/study/table/row_format.hpp"
#include "torsor/study/table/study_reader.hpp"

namespace torsor {

struct StudyTable::Impl {
  Impl(std::filesystem::path given, StudyLayout of)
      : path(std::move(given)), layout(std::move(of)), format(layout) {}

  int descriptor() const { return created ? created->lock().descriptor() : opened->descriptor(); }
  void write_bytes(const void* bytes, size_t size, uint64_t offset) const {
    const char* from = static_cast<const char*>(bytes);
    while (size > 0) {
      const ssize_t n = pwrite(descriptor(), from, size, off_t(offset));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) cannot_write(path, std::strerror(n < 0 ? errno : EIO));
      from += n, size -= size_t(n), offset += uint64_t(n);
    }
  }
  void write_failures() const {
    const std::string bytes = hdf5::failure_bytes_of(kinds.sorted());
    write_bytes(bytes.data(), bytes.size(), offsets.failures);
  }

  std::filesystem::path path;
  StudyLayout layout;
  RowFormat format;
  std::optional<NewRecording> created;  // the lock of a new table, or of an older one
  std::unique_ptr<RecordingLock> opened;
  hdf5::StudyOffsets offsets{};
  std::vector<bool> has;     // [rows] empty for a new table
  mutable std::mutex mutex;  // guards kinds
  FailureKinds kinds;
};

StudyTable::StudyTable(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
StudyTable::StudyTable(StudyTable&&) noexcept = default;
StudyTable::~StudyTable() = default;

StudyTable StudyTable::create(const std::filesystem::path& path, const StudyLayout& layout) {
  auto impl = std::make_unique<Impl>(path, layout);
  hdf5::be_quiet();
  NewRecording& file = impl->created.emplace(path);
  const auto reserve = [&](uint64_t size) {
    if (const int error = reserve_room(file.lock().descriptor(), size))
      file.fail(fmt::format("cannot write '{}': {}; the table has {:.0f} MB", path.string(),
                            std::strerror(error), double(size) / 1e6),
                0, 0);
  };
  // A file that HDF5 cannot extend makes it crash when the program ends. HDF5 truncates the file
  // first, so that this only tests whether there is room.
  reserve(layout.rows() * impl->format.bytes() + FailureKinds::most * hdf5::failure_bytes +
          to_json(layout).size());
  try {
    impl->offsets = hdf5::create_study(file.part(), layout, impl->format);
  } catch (const hdf5::Failure& failure) {
    file.fail(fmt::format("cannot write '{}': {}", path.string(), failure.what()), 0, 0);
  }
  // HDF5 does not report a file that it could not extend.
  const uint64_t size = std::max(impl->offsets.samples + layout.rows() * impl->format.bytes(),
                                 impl->offsets.failures + FailureKinds::most * hdf5::failure_bytes);
  reserve(size);
  file.take_place();
  return StudyTable(std::move(impl));
}

StudyTable StudyTable::open(const std::filesystem::path& path) {
  StudyReader{path};  // throws Error if there is no study, because the lock would create a file
  const std::filesystem::path target = without_links(path);
  auto lock = std::make_unique<RecordingLock>(target, path);
  const StudyReader reader(path);
  auto impl = std::make_unique<Impl>(path, reader.layout());
  impl->opened = std::move(lock);
  impl->kinds = FailureKinds(reader.failures());
  reader.each(
      [&](uint64_t, const SampleRow& values) { impl->has.push_back(has_result(values.status)); });
  try {
    const std::lock_guard turn(hdf5::library_lock());
    impl->offsets = hdf5::StudyFile(path).offsets();
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", path.string(), error.what()));
  }
  return StudyTable(std::move(impl));
}

const StudyLayout& StudyTable::layout() const {
  return impl_->layout;
}

bool StudyTable::has(uint64_t row) const {
  return !impl_->has.empty() && impl_->has[size_t(row)];
}

uint64_t StudyTable::results() const {
  return uint64_t(std::ranges::count(impl_->has, true));
}

void StudyTable::write(uint64_t row, const SampleRow& values) {
  std::vector<std::byte> bytes(impl_->format.bytes());
  impl_->format.encode(impl_->layout.shard.sample(row), values, bytes);
  impl_->write_bytes(bytes.data(), bytes.size(), impl_->offsets.samples + row * bytes.size());
}

uint32_t StudyTable::add_failure(uint64_t sample, const std::string& message) {
  const std::lock_guard lock(impl_->mutex);
  if (impl_->kinds.add(sample, message)) impl_->write_failures();
  return failure_key(message);
}

std::vector<FailureKind> StudyTable::failures() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->kinds.sorted();
}

void StudyTable::finish() {
  if (fdatasync(impl_->descriptor()) != 0) cannot_write(impl_->path, std::strerror(errno));
}

}  // namespace torsor
