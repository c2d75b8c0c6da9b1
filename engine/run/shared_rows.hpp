#pragma once
// A container of rows of doubles with equal width. Rows are stored in chunks, which copies of the
// container share.
//
// A written row never changes. Before a container writes the next row of a chunk, it claims this
// row. If another copy has already claimed the row, the container continues in a new chunk of its
// own. One thread may therefore read a copy, or even append to it, while another thread appends to
// the original. Making a copy reads the original, so it must not happen while a row is appended.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace torsor {

class SharedRows {
 public:
  explicit SharedRows(size_t width);

  size_t width() const { return width_; }
  size_t size() const { return size_; }
  const double* operator[](size_t i) const;  // [width()]
  // Returns a number that changes when rows are removed and when copies diverge. Containers with
  // the same revision have the same rows up to the length of the shorter one.
  uint64_t revision() const { return revision_; }

  // Appends a row and returns it. The caller must fill the row before any other call. Allocates
  // only at the start of a chunk.
  double* push();
  void truncate(size_t size);

 private:
  struct Chunk {
    std::atomic<size_t> claimed;  // number of claimed rows
    std::unique_ptr<double[]> values;
  };
  std::shared_ptr<Chunk> chunk(size_t claimed) const;
  void part(size_t claimed);

  size_t width_, rows_per_chunk_, size_ = 0;
  uint64_t revision_;
  std::vector<std::shared_ptr<Chunk>> chunks_;  // the last chunk always has space
};

}  // namespace torsor
