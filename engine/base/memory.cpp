#include "torsor/base/memory.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

#include "torsor/base/error.hpp"

namespace torsor {

namespace {

thread_local MemoryAccount* paying = nullptr;

constexpr double unknown = std::numeric_limits<double>::infinity();
// smaller requests are not checked, and may fail in the allocator
constexpr double small = 64 << 20;

// Returns the available memory of the system in bytes, from the line "MemAvailable: 123 kB" of
// /proc/meminfo.
double available_memory() {
  std::ifstream table("/proc/meminfo");
  for (std::string line; std::getline(table, line);)
    if (line.starts_with("MemAvailable:")) return 1024 * std::stod(line.substr(13));
  return unknown;
}

// Returns the number of bytes left within the address space limit of the process.
double address_space() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return unknown;
  double pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return double(limit.rlim_cur) - pages * double(sysconf(_SC_PAGESIZE));
}

// Returns the number of bytes left within the limit of the control group (cgroup), for example of a
// container. The usage of the group includes the kernel's file cache. The kernel frees the inactive
// part of this cache on demand, so this part is subtracted (cgroup-v2.rst, memory.stat).
double control_group() {
  double limit = 0, used = 0;
  // there is no group, or its limit is "max"
  if (!(std::ifstream("/sys/fs/cgroup/memory.max") >> limit)) return unknown;
  std::ifstream("/sys/fs/cgroup/memory.current") >> used;
  std::ifstream table("/sys/fs/cgroup/memory.stat");
  double bytes = 0;
  for (std::string name; table >> name >> bytes;)
    if (name == "inactive_file") used -= bytes;
  return limit - used;
}

}  // namespace

PaidBy::PaidBy(MemoryAccount* account) : before_(paying) {
  paying = account;
}
PaidBy::~PaidBy() {
  paying = before_;
}

TemporaryMemory::TemporaryMemory() : account_(paying), reserved_(paying ? paying->reserved() : 0) {}

TemporaryMemory::~TemporaryMemory() {
  if (account_) account_->release(account_->reserved() - reserved_);
}

double free_memory() {
  return std::max(0.0, std::min({available_memory(), address_space(), control_group()}));
}

size_t memory_left() {
  return paying ? paying->left() : std::numeric_limits<size_t>::max();
}

void reserve_memory(std::string_view what, double bytes) {
  if (paying) return paying->reserve(what, bytes);
  if (bytes < small) return;
  const double free = free_memory();
  if (bytes <= free) return;
  throw Error(
      fmt::format("{}: about {:.0f} MB of memory are needed, and {:.0f} MB are free; request "
                  "less at a time, or use a machine with more memory",
                  what, bytes / 1e6, free / 1e6));
}

}  // namespace torsor
