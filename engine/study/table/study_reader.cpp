#include "torsor/study/table/study_reader.hpp"

#include <fmt/format.h>

#include "torsor/base/error.hpp"
#include "torsor/base/hash.hpp"
#include "torsor/study/table/hdf5_study.hpp"

namespace torsor {

using hdf5::checked;
using hdf5::Handle;

struct StudyReader::Impl {
  explicit Impl(const std::string& path)
      : file(path), format(file.layout), kinds(file.read_failures()) {}
  hdf5::StudyFile file;
  RowFormat format;
  std::vector<FailureKind> kinds;
};

bool is_study(const std::filesystem::path& path) {
  return path.extension() == ".h5" && hdf5::has_parts_of_study(path.string());
}

StudyReader::StudyReader(const std::filesystem::path& path) {
  const std::lock_guard turn(hdf5::library_lock());
  try {
    impl_ = std::make_unique<const Impl>(path.string());
  } catch (const hdf5::Failure& failure) {
    throw Error(fmt::format("{}: {}", path.string(), failure.what()));
  }
}
StudyReader::StudyReader(StudyReader&&) noexcept = default;
StudyReader::~StudyReader() {
  const std::lock_guard turn(hdf5::library_lock());
  impl_.reset();
}

const StudyLayout& StudyReader::layout() const {
  return impl_->file.layout;
}

const std::vector<FailureKind>& StudyReader::failures() const {
  return impl_->kinds;
}

std::string StudyReader::message(uint32_t failure) const {
  const auto found = std::ranges::find(impl_->kinds, failure, &FailureKind::key);
  if (found != impl_->kinds.end()) return found->message;
  return failure == 0 ? "" : "one of more kinds of failures than the table lists";
}

std::vector<SampleRow> StudyReader::read(uint64_t first, uint64_t count) const {
  const size_t size = impl_->format.bytes();
  std::vector<std::byte> bytes(size * count);
  try {
    const std::lock_guard turn(hdf5::library_lock());
    const hsize_t start = first, length = count;
    const Handle from = checked(H5Dget_space(impl_->file.samples)),
                 to = checked(H5Screate_simple(1, &length, nullptr));
    checked(H5Sselect_hyperslab(from, H5S_SELECT_SET, &start, nullptr, &length, nullptr));
    checked(
        H5Dread(impl_->file.samples, impl_->format.type(), to, from, H5P_DEFAULT, bytes.data()));
  } catch (const hdf5::Failure& failure) {
    throw Error(fmt::format("rows {} to {} of the study cannot be read: {}", first,
                            first + count - 1, failure.what()));
  }
  std::vector<SampleRow> rows;
  rows.reserve(count);
  for (uint64_t k = 0; k < count; ++k)
    rows.push_back(impl_->format.decode(layout().shard.sample(first + k),
                                        std::span(bytes).subspan(k * size, size)));
  return rows;
}

uint64_t study_hash(const StudyReader& table) {
  Hash hash;
  table.each([&](uint64_t sample, const SampleRow& row) {
    if (!has_result(row.status)) return;
    hash.add(sample);
    hash.add(uint8_t(row.status));
    hash.add(row.parameters);
    hash.add(row.outcomes);
    hash.add(row.failure);
    hash.add(row.state_hash);
  });
  return hash.value();
}

}  // namespace torsor
