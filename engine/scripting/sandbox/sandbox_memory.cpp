// The allocator of a sandbox. It enforces the memory limit and the maximum size of Lua stacks. It
// also shortens the period of the count hook when instructions become slow.

#include <cstdlib>

#include "torsor/scripting/cache/block_arena.hpp"
#include "torsor/scripting/sandbox/sandbox.hpp"

namespace torsor::lua {

namespace {

// A single instruction on a block of this many bytes is slow, for example comparing two long
// strings or rehashing a table.
constexpr size_t large_block = size_t(1) << 20;
// A single instruction on a stack of this many bytes is slow, for example a call through a chain of
// __call metamethods. Each link of the chain shifts the values on the stack.
constexpr size_t long_stack = 4096 * LuaStacks::value_size;
// Maximum size in bytes of the stack of one coroutine. (LuaJIT allows 65500 values.) An endless
// chain of __call fills a stack of this size in half a second. With Lua's own limit of 10^6 values
// it would take 400 times as long.
constexpr size_t max_stack = 50'000 * LuaStacks::value_size;

}  // namespace

// Allocation function of the Lua state. After a rejected request, Lua collects all garbage and
// repeats the request. The sandbox trips if the repeated request is rejected too. It also trips if
// an error is caught before the repetition (see check()).
void* Sandbox::allocate(void* self, void* block, size_t old_size, size_t size) {
  Sandbox& box = *static_cast<Sandbox*>(self);
  const size_t old = block ? old_size : 0;  // new block: old_size is an object type
  if (size == 0) {
    // follow_stack() reads the contents of the block, so it must precede free().
    box.follow_stack(block, old_size, 0, nullptr);
    box.arena_ ? box.arena_->release(block, old) : std::free(block);
    box.used_ -= old;
    return nullptr;
  }
  const bool grows = size > old;
  if (size > max_stack && box.stacks_.is_doubled(block, old_size, size)) {
    box.reject_stack();
    return nullptr;
  }
  if (grows &&
      (size > box.options_.limits.memory || box.used_ - old > box.options_.limits.memory - size)) {
    box.reject_allocation(size);
    return nullptr;
  }
  void* out = box.arena_ ? box.arena_->resize(block, old, size) : std::realloc(block, size);
  if (!out) {
    box.reject_allocation(size);
    return nullptr;
  }
  box.follow_stack(block, old_size, size, out);
  box.used_ += size - old;
  if (size >= box.rejected_bytes_) box.rejected_bytes_ = 0;
  if (size >= large_block) box.check_often();
  return out;
}

void Sandbox::follow_stack(void* block, size_t old_size, size_t size, void* out) {
  const size_t grown = stacks_.follow(block, old_size, size, out);
  if (grown >= long_stack) check_often();
  // The stack has grown by more than doubling. The next instruction raises the error.
  if (grown > max_stack) reject_stack();
}

void Sandbox::reject_stack() {
  if (tripped()) return;
  lua_State* L = running_.back();
  trip(L,
       "stack overflow: calls are nested too deeply; look for a recursion, or a chain of __call, "
       "that never ends");
  lua_sethook(L, count, LUA_MASKCOUNT, 1);
}

void Sandbox::reject_allocation(size_t size) {
  if (rejected_bytes_ > 0 && L_) trip(running_.back(), memory_message());
  rejected_bytes_ = size;
}

std::string Sandbox::memory_message() const {
  return fmt::format(
      "the script uses more than {} MiB of memory; look for a table or string that grows without "
      "end",
      options_.limits.memory >> 20);
}

// Sets the short period of the count hook. Other coroutines get this period when they are resumed.
void Sandbox::check_often() {
  if (checks_often_ || !L_ || tripped()) return;
  checks_often_ = true;
  lua_sethook(running_.back(), count, LUA_MASKCOUNT, short_count_period);
}

}  // namespace torsor::lua
