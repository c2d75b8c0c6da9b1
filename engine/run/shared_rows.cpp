#include "torsor/run/shared_rows.hpp"

#include <algorithm>
#include <cassert>

namespace torsor {

namespace {

constexpr size_t chunk_doubles = 32 * 1024;

uint64_t new_revision() {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

}  // namespace

SharedRows::SharedRows(size_t width)
    : width_(width),
      rows_per_chunk_(std::max<size_t>(1, chunk_doubles / width)),
      revision_(new_revision()),
      chunks_{chunk(0)} {}

const double* SharedRows::operator[](size_t i) const {
  assert(i < size_);
  return chunks_[i / rows_per_chunk_]->values.get() + i % rows_per_chunk_ * width_;
}

std::shared_ptr<SharedRows::Chunk> SharedRows::chunk(size_t claimed) const {
  auto made = std::make_shared<Chunk>();
  made->claimed = claimed;
  made->values = std::make_unique_for_overwrite<double[]>(rows_per_chunk_ * width_);
  return made;
}

// Replaces the last chunk by a copy that belongs to this object only.
void SharedRows::part(size_t claimed) {
  auto own = chunk(claimed);
  std::copy_n(chunks_.back()->values.get(), size_ % rows_per_chunk_ * width_, own->values.get());
  chunks_.back() = std::move(own);
  revision_ = new_revision();
}

double* SharedRows::push() {
  const size_t row = size_ % rows_per_chunk_;
  size_t claimed = row;
  if (!chunks_.back()->claimed.compare_exchange_strong(claimed, row + 1)) part(row + 1);
  double* values = chunks_.back()->values.get() + row * width_;
  if (row + 1 == rows_per_chunk_) chunks_.push_back(chunk(0));
  ++size_;
  return values;
}

void SharedRows::truncate(size_t size) {
  assert(size <= size_);
  if (size == size_) return;
  size_ = size;
  chunks_.resize(size / rows_per_chunk_ + 1);
  part(size % rows_per_chunk_);
}

}  // namespace torsor
