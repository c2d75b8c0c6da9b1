#pragma once
// Finds the stacks among the memory blocks of a Lua state, so that the allocator can limit them.
//
// Lua limits a stack to 10^6 values. This limit is too high for a single instruction. If a value's
// __call is the value itself, Lua inserts it below the arguments once per value of the stack. This
// takes n^2 / 2 moves, during which no hook runs. Lua's interface has no smaller limit, but its
// allocator can reject the growth of a stack. Lua then raises LUA_ERRMEM.
//
// The allocator does not know the purpose of a block. The first new block after a thread is the
// stack of this thread. A stack grows by reallocation in most versions. In Lua 5.4.3 and 5.4.4 it
// grows by a new block, a copy of the values, and the release of the old block. The size is doubled
// unless many values are needed at once.

#include <lua.hpp>
#include <unordered_map>

namespace torsor::lua {

class LuaStacks {
 public:
  // Size of a TValue in bytes.
  static constexpr size_t value_size = 16;

  // Returns whether a request to the allocator doubles the size of a stack. block and old_size are
  // the arguments of the allocator. For a new block, the time is proportional to the number of
  // stacks.
  bool is_doubled(void* block, size_t old_size, size_t size) const;
  // Records a request that was granted. out is the new block, or null if size is 0. Returns the new
  // size of the stack that grew, or 0 if none did.
  size_t follow(void* block, size_t old_size, size_t size, void* out);

 private:
  bool is_copy(void* block) const;

  std::unordered_map<void*, size_t> sizes_;  // size of each stack in bytes
  // True if the last new block was a thread: the next block is its stack.
  bool is_next_ = false;
  void* last_ = nullptr;  // the block of the last request if it was new, else null
  size_t last_size_ = 0;
};

}  // namespace torsor::lua
