#include "torsor/validation/guarded_memory.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <utility>

#include "torsor/base/error.hpp"

namespace torsor::validation {

namespace {

constexpr std::byte pattern{0xa5};

size_t page() {
  static const size_t size = size_t(sysconf(_SC_PAGESIZE));
  return size;
}
size_t round_up(size_t n, size_t unit) {
  return (n + unit - 1) / unit * unit;
}

}  // namespace

GuardedArray::GuardedArray(std::string name, size_t bytes, size_t alignment)
    : name_(std::move(name)), bytes_(bytes) {
  const size_t room = round_up(std::max<size_t>(bytes, 1), page());
  mapped_ = room + 2 * page();
  void* at = mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED)
    throw Error(fmt::format("{} bytes for '{}' cannot be allocated: {}", bytes, name_,
                            std::strerror(errno)));
  pages_ = static_cast<std::byte*>(at);
  mprotect(pages_ + page(), room, PROT_READ | PROT_WRITE);
  std::fill_n(pages_ + page(), room, pattern);
  data_ = pages_ + page() + room - round_up(bytes, alignment);
}
GuardedArray::GuardedArray(GuardedArray&& other) noexcept
    : name_(std::move(other.name_)),
      bytes_(other.bytes_),
      mapped_(other.mapped_),
      pages_(std::exchange(other.pages_, nullptr)),
      data_(other.data_) {}
GuardedArray::~GuardedArray() {
  if (pages_) munmap(pages_, mapped_);
}

void GuardedArray::make_read_only() {
  mprotect(pages_ + page(), mapped_ - 2 * page(), PROT_READ);
}
void GuardedArray::withdraw() {
  mprotect(pages_, mapped_, PROT_NONE);
}
bool GuardedArray::is_pattern_intact() const {
  const auto untouched = [](const std::byte* from, const std::byte* to) {
    return std::all_of(from, to, [](std::byte b) { return b == pattern; });
  };
  return untouched(pages_ + page(), data_) && untouched(data_ + bytes_, pages_ + mapped_ - page());
}

namespace {

// Data of the signal handler, which receives only the address of the access.
struct Watched {
  std::string begin, inside, end;  // texts for an access before, in and after the array
  const std::byte *data, *data_end;
};
Stage* watch_stage = nullptr;
std::vector<Watched>* watched = nullptr;
constexpr size_t stack_size = 65536;

void report_access_and_exit(int number, siginfo_t* info, void*) {
  const auto* at = static_cast<const std::byte*>(info->si_addr);
  const std::string* what = nullptr;
  std::ptrdiff_t nearest = 65536;
  for (const Watched& array : *watched) {
    const std::ptrdiff_t before = array.data - at, behind = at - array.data_end;
    const std::ptrdiff_t distance = before > 0 ? before : behind >= 0 ? behind + 1 : 0;
    if (distance >= nearest) continue;
    nearest = distance;
    what = before > 0 ? &array.begin : behind >= 0 ? &array.end : &array.inside;
  }
  if (what) watch_stage->add(*what);
  std::signal(number, SIG_DFL);
  std::raise(number);
}

}  // namespace

FaultWatch::FaultWatch(Stage& stage, std::vector<const GuardedArray*> arrays) {
  static std::vector<Watched> list;
  static std::vector<char> stack(stack_size);
  list.clear();
  for (const GuardedArray* array : arrays) {
    const auto* data = array->data<std::byte>();
    const auto text = [&](std::string_view what) {
      return fmt::format(": it {} '{}' ({} bytes)", what, array->name(), array->bytes());
    };
    list.push_back({text("accesses memory before the start of"),
                    text("writes to, or keeps, its input"),
                    text("accesses memory beyond the end of"), data, data + array->bytes()});
  }
  watch_stage = &stage;
  watched = &list;
  const stack_t alternate{.ss_sp = stack.data(), .ss_flags = 0, .ss_size = stack_size};
  sigaltstack(&alternate, nullptr);
  struct sigaction action {};
  action.sa_sigaction = report_access_and_exit;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &action, nullptr);
}
FaultWatch::~FaultWatch() {
  std::signal(SIGSEGV, SIG_DFL);
}

}  // namespace torsor::validation
