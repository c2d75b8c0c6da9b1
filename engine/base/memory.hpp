#pragma once
// Memory for large results and work areas. It is checked before it is allocated: a request that
// cannot be met is an error of one line, and neither fills the memory of the machine nor ends the
// process.

#include <cstddef>
#include <string_view>

namespace torsor {

// A memory budget for the work of a thread, for example for a script's sandbox.
class MemoryAccount {
 public:
  virtual ~MemoryAccount() = default;
  // Reserves bytes of the budget for `what`. Throws Error if fewer bytes are left.
  virtual void reserve(std::string_view what, double bytes) = 0;
  virtual void release(size_t bytes) = 0;
  // reserved() returns the number of bytes reserved. left() returns the number of bytes that remain
  // in the budget.
  virtual size_t reserved() const = 0;
  virtual size_t left() const = 0;
};

// A scope in which the memory of this thread's work is reserved in an account. If the account is
// null, memory has no budget.
class PaidBy {
 public:
  explicit PaidBy(MemoryAccount* account);
  ~PaidBy();
  PaidBy(const PaidBy&) = delete;

 private:
  MemoryAccount* before_;
};

// Reserves memory for a result or a work area in the account of this thread. Without an account,
// compares large requests with the free memory of the machine. what: the purpose, such as "the
// Christoffel symbols of 650 degrees of freedom". Throws Error "WHAT: 2197 MB of memory are needed,
// and ... MB are free; ..." if there is not enough.
void reserve_memory(std::string_view what, double bytes);

// Returns the bytes left in the account of this thread, or the largest number if there is no
// account.
size_t memory_left();

// A scope that releases, at its end, the memory that this thread has reserved within it.
class TemporaryMemory {
 public:
  TemporaryMemory();
  // Reserves memory by reserve_memory(), which may throw Error.
  TemporaryMemory(std::string_view what, double bytes) : TemporaryMemory() {
    reserve_memory(what, bytes);
  }
  ~TemporaryMemory();
  TemporaryMemory(const TemporaryMemory&) = delete;

 private:
  MemoryAccount* account_;
  size_t reserved_ = 0;  // bytes reserved in the account at the start
};

// Returns the bytes that this process can still allocate: the available memory of the system,
// within the limits of the process (ulimit -v) and of its control group.
double free_memory();

}  // namespace torsor
