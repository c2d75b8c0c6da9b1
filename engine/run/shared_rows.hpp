#pragma once
// Rows of doubles of one width, in chunks that copies share.
//
// A row, once written, is never changed: the next row of a chunk is claimed before it is written,
// and who comes late goes on in a chunk of its own. So a copy may be read, and even be added to, by
// one thread while another adds to the original. The copying itself is a read of the original: it
// happens before or after an addition to it.

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
  // Those of one revision have the same rows as far as both go. It changes where rows are cut off,
  // and where copies part.
  uint64_t revision() const { return revision_; }

  // One row more, for the caller to write before anything else is done; allocates only where it
  // begins a chunk.
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
  std::vector<std::shared_ptr<Chunk>> chunks_;  // the last has room
};

}  // namespace torsor
