#pragma once
// Memory for the small blocks of a Lua state. A study makes thousands of short-lived states, and
// each of them allocates thousands of blocks. An arena is one block of memory with lists of free
// pieces by size. It has a fixed size, so that a script cannot make it grow: when it is full,
// blocks are allocated by malloc().

#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace torsor {

class BlockArena {
 public:
  BlockArena() : memory_(new std::byte[size]), next_(memory_.get()) {}
  BlockArena(const BlockArena&) = delete;

  // Makes all of the memory free. No block may be in use.
  void clear() {
    next_ = memory_.get();
    free_.fill(nullptr);
  }

  // Allocates, resizes or moves a block like std::realloc(). old_size: its present size, or 0 for a
  // new block. new_size must not be 0. Returns null if there is no memory; the block is then
  // unchanged.
  void* resize(void* block, size_t old_size, size_t new_size) {
    if (!block) return allocate(new_size);
    if (!contains(block)) return std::realloc(block, new_size);
    if (index(old_size) == index(new_size)) return block;
    void* out = allocate(new_size);
    if (!out) return new_size < old_size ? block : nullptr;
    std::memcpy(out, block, old_size < new_size ? old_size : new_size);
    release(block, old_size);
    return out;
  }
  void release(void* block, size_t old_size) {
    if (!block) return;
    if (!contains(block)) return std::free(block);
    auto* piece = static_cast<Free*>(block);
    piece->next = free_[index(old_size)];
    free_[index(old_size)] = piece;
  }

 private:
  static constexpr size_t size = size_t(1) << 20, unit = 16, largest = 1024;
  struct Free {
    Free* next;
  };
  // Pieces with the same index have the same size: a multiple of `unit`.
  static size_t index(size_t bytes) { return (bytes + unit - 1) / unit; }

  bool contains(const void* block) const {
    const auto* at = static_cast<const std::byte*>(block);
    return at >= memory_.get() && at < memory_.get() + size;
  }
  void* allocate(size_t bytes) {
    if (bytes > largest) return std::malloc(bytes);
    const size_t k = index(bytes);
    if (Free* piece = free_[k]) {
      free_[k] = piece->next;
      return piece;
    }
    if (size_t(memory_.get() + size - next_) < k * unit) return std::malloc(bytes);
    std::byte* piece = next_;
    next_ += k * unit;
    return piece;
  }

  std::unique_ptr<std::byte[]> memory_;
  std::byte* next_;  // begin of the part that was never used
  std::array<Free*, largest / unit + 1> free_{};
};

}  // namespace torsor
