#include "torsor/simulation/shared_rows.hpp"

#include <algorithm>
#include <cassert>

namespace torsor {

namespace {
constexpr size_t chunk_doubles = 32 * 1024;
}

SharedRows::SharedRows(size_t width)
    : width_(width), rows_per_chunk_(std::max<size_t>(1, chunk_doubles / width)) {}

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

double* SharedRows::push() {
  const size_t row = size_ % rows_per_chunk_;
  size_t expected = row;
  if (row == 0) {
    chunks_.push_back(chunk(1));
  } else if (!chunks_.back()->claimed.compare_exchange_strong(expected, row + 1)) {
    auto own = chunk(row + 1);
    std::copy_n(chunks_.back()->values.get(), row * width_, own->values.get());
    chunks_.back() = std::move(own);
  }
  ++size_;
  return chunks_.back()->values.get() + row * width_;
}

void SharedRows::truncate(size_t size) {
  assert(size <= size_);
  size_ = size;
  chunks_.resize((size + rows_per_chunk_ - 1) / rows_per_chunk_);
}

}  // namespace torsor
