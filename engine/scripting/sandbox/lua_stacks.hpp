#pragma once
// Finds the stacks among the memory blocks of a Lua state, so that the allocator can limit them.
//
// Lua limits a stack to 10^6 values. That is too much for one instruction: a value whose __call is
// itself is inserted below the arguments once per value of the stack, n^2 / 2 moves, and no hook
// runs meanwhile. The interface of Lua has no smaller limit, but its allocator can refuse to let a
// stack grow. Lua then raises LUA_ERRMEM.
//
// The allocator is not told what a block is for. The first new block after a thread is the thread's
// stack. A stack grows either by reallocation, or by a new block, a copy of the values, and the
// release of the old block (Lua 5.4.3 and 5.4.4). Unless many values are needed at once, its size
// is doubled.

#include <lua.hpp>
#include <unordered_map>

namespace torsor::lua {

class LuaStacks {
 public:
  static constexpr size_t value_size = 16;  // bytes, of a TValue

  // Returns whether a request to the allocator is for a stack whose size is doubled. block,
  // old_size: as the allocator gets them. Takes time in proportion to the number of stacks for a
  // new block.
  bool is_doubled(void* block, size_t old_size, size_t size) const;
  // Follows a request that was granted. out: the new block, null if size is 0. Returns the size of
  // the stack that grew, 0 if none did.
  size_t follow(void* block, size_t old_size, size_t size, void* out);

 private:
  bool is_copy(void* block) const;

  std::unordered_map<void*, size_t> sizes_;  // of the stacks, in bytes
  // The last new block was a thread, so the next one is its stack.
  bool is_next_ = false;
  void* last_ = nullptr;  // the block of the last request, if it was a new one
  size_t last_size_ = 0;
};

}  // namespace torsor::lua
