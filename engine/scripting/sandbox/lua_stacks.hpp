#pragma once
// Identifies the stacks of coroutines among the memory blocks of a Lua state, so that the allocator
// can limit their size.
//
// Lua itself limits a stack to 10^6 values. This limit is too high for one instruction. An example
// is a value whose __call field is the value itself. When it is called, Lua inserts it below the
// arguments again and again until the stack is full. For a stack of n values this takes n^2 / 2
// moves, and no hook runs meanwhile. The Lua API has no lower limit, but the allocator can reject
// the growth of a stack. Lua then raises LUA_ERRMEM.
//
// Lua does not tell the allocator which block is a stack. This class identifies stacks by the
// following rules:
// - The first new block after the block of a thread object is the stack of this thread.
// - In most versions of Lua, a stack grows by reallocation.
// - In Lua 5.4.3 and 5.4.4, a stack grows in three steps: Lua allocates a new block, copies the
//   values, and releases the old block.
// - Lua doubles the size of a stack, unless more values are needed at once.

#include <lua.hpp>
#include <unordered_map>

namespace torsor::lua {

class LuaStacks {
 public:
  // Size of a TValue in bytes.
  static constexpr size_t value_size = 16;

  // Returns true if a request to the allocator doubles the size of a stack. The arguments are those
  // of the allocator. If block is null, the time is proportional to the number of stacks.
  bool is_doubled(void* block, size_t old_size, size_t size) const;
  // Records a request that the allocator has granted. `out` is the new block, or null if size is 0.
  // Returns the new size in bytes of the stack that has grown, or 0 if no stack has grown.
  size_t follow(void* block, size_t old_size, size_t size, void* out);

 private:
  bool is_copy(void* block) const;

  std::unordered_map<void*, size_t> sizes_;  // size of each stack in bytes
  // True if the last new block was a thread object. Its stack is the next new block.
  bool is_next_ = false;
  void* last_ = nullptr;  // block of the last request if it was a new block, else null
  size_t last_size_ = 0;
};

}  // namespace torsor::lua
