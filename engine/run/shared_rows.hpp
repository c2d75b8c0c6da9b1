#pragma once
// Rows of doubles of equal width, in chunks that copies share.
//
// A written row never changes. The next row of a chunk is claimed before it is written. If another
// copy has claimed it already, the writer continues in a chunk of its own.
// So one thread may read a copy, or even append to it, while another thread appends to the
// original. Making the copy itself reads the original, and must not happen during an append.

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
  // Returns a number that changes when rows are cut off and when copies diverge. Containers of the
  // same revision have the same rows up to the length of the shorter one.
  uint64_t revision() const { return revision_; }

  // Appends a row, which the caller must write before any other call. Allocates only at the start
  // of a chunk.
  double* push();
  void truncate(size_t size);

 private:
  struct Chunk {
    std::atomic<size_t> claimed;  // rows
    std::unique_ptr<double[]> values;
  };
  std::shared_ptr<Chunk> chunk(size_t claimed) const;
  void part(size_t claimed);

  size_t width_, rows_per_chunk_, size_ = 0;
  uint64_t revision_;
  std::vector<std::shared_ptr<Chunk>> chunks_;  // the last one has space
};

}  // namespace torsor
