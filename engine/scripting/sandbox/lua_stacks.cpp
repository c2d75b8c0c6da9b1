#include "torsor/scripting/sandbox/lua_stacks.hpp"

#include <algorithm>
#include <cstring>

namespace torsor::lua {

namespace {

// Lua creates a stack with 2 LUA_MINSTACK values. It also allocates 5 extra values that the nominal
// stack size does not include.
constexpr size_t extra = 5 * LuaStacks::value_size;
constexpr size_t smallest = 2 * LUA_MINSTACK * LuaStacks::value_size + extra;

bool doubles(size_t old_size, size_t size) {
  return size - extra == 2 * (old_size - extra);
}

}  // namespace

bool LuaStacks::is_doubled(void* block, size_t old_size, size_t size) const {
  if (block) return old_size >= smallest && sizes_.contains(block) && doubles(old_size, size);
  return old_size == 0 && std::any_of(sizes_.begin(), sizes_.end(), [&](const auto& stack) {
           return doubles(stack.second, size);
         });
}

// Returns true if the most recent new block begins with the same bytes as the stack `block`. Unset
// table entries are encoded differently from every stack value, so a table is never mistaken for a
// stack.
bool LuaStacks::is_copy(void* block) const {
  return last_ && last_size_ >= smallest && std::memcmp(last_, block, smallest) == 0;
}

size_t LuaStacks::follow(void* block, size_t old_size, size_t size, void* out) {
  size_t grown = 0;
  if (!block) {  // new block: old_size is the type of the object
    if (is_next_) sizes_.emplace(out, size);
    is_next_ = old_size == LUA_TTHREAD;
  } else if (const auto stack = old_size >= smallest ? sizes_.find(block) : sizes_.end();
             stack != sizes_.end()) {
    sizes_.erase(stack);
    void* moved = size > 0 ? out : is_copy(block) ? last_ : nullptr;
    const size_t new_size = size > 0 ? size : last_size_;
    if (moved) sizes_.emplace(moved, new_size);
    if (moved && new_size > old_size) grown = new_size;
  }
  last_ = block ? nullptr : out;
  last_size_ = size;
  return grown;
}

}  // namespace torsor::lua
