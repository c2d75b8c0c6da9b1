#pragma once
// Checks that plugins do not change certain state of the process and of the calling thread. With
// another rounding mode, for example, the results of the engine are wrong. With another handler of
// SIGINT, the user can no longer interrupt a run.

#include <atomic>
#include <bit>
#include <cfenv>
#include <csignal>
#include <cstdint>
#include <iterator>
#include <string>

#include "torsor/sdk/torsor_model.h"

namespace torsor {

// Status code: the call changed a part of the host state. host_state_text() returns its name.
inline constexpr int altered_code = 75;

// [hot] Returns the control word of this thread's floating-point unit, which fesetround() and
// feenableexcept() change. On x86-64 this is the word of the x87 unit. The word of the vector unit
// (arithmetic_mode()) is slower to read: it waits for all earlier operations, about 20 ns.
inline uint32_t arithmetic_word() {
#if defined(__x86_64__)
  uint16_t word;
  asm volatile("fnstcw %0" : "=m"(word));
  return word;
#elif defined(__aarch64__)
  return uint32_t(__builtin_aarch64_get_fpcr());
#else
  return uint32_t(std::fegetround());
#endif
}

// Returns the control bits that affect all results: rounding, denormals and traps. Omits the flags
// that operations set.
uint32_t arithmetic_mode();

// A snapshot of the host state that plugins must not change.
class HostState {
 public:
  HostState();
  // Compares the current state with the snapshot, in the order arithmetic, signal handlers, signal
  // mask, locale, current folder. Returns TORSOR_OK, or a status with altered_code for the first of
  // these parts that differs. Restores this part, except for the locale and the current folder.
  // Arithmetic is reset to the engine's mode.
  torsor_status check() const;

  static constexpr int watched_signals[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT, SIGSEGV,
                                            SIGBUS,  SIGFPE,  SIGILL,  SIGABRT, SIGUSR1,
                                            SIGUSR2, SIGCHLD, SIGPIPE, SIGALRM};

 private:
  uint32_t mode_;
  struct sigaction handlers_[std::size(watched_signals)];
  sigset_t mask_;
  uint64_t locale_;          // hash of the locale's name
  uint64_t folder_[2] = {};  // device and inode of the current folder
};

// Returns a clause for a status with altered_code, such as "changed the rounding mode ...".
std::string host_state_text(torsor_status status);

// Checks the host state around the calls of one plugin object. Compares the control word after
// every call. Compares the other parts, which takes some microseconds, for the first 32 calls, and
// then for calls 64, 128, 256 and so on.
class CallWatch {
 public:
  // [hot] Calls call() and returns its status, or a status with altered_code if it changed the
  // state.
  template <class Call>
  torsor_status around(const Call& call) const {
    const uint32_t count = calls_.load(std::memory_order_relaxed) + 1;
    calls_.store(count, std::memory_order_relaxed);
    if (count <= first_calls || std::has_single_bit(count)) [[unlikely]]
      return around_watched(call);
    const uint32_t word = arithmetic_word();
    const torsor_status status = call();
    return arithmetic_word() == word ? status : restore_arithmetic();
  }

 private:
  static constexpr uint32_t first_calls = 32;

  template <class Call>
  [[gnu::noinline]] static torsor_status around_watched(const Call& call) {
    const HostState before;
    const torsor_status status = call(), found = before.check();
    return found == TORSOR_OK ? status : found;
  }
  // Resets the arithmetic to the engine's mode. Returns a status with altered_code for the change.
  static torsor_status restore_arithmetic();

  mutable std::atomic<uint32_t> calls_ = 0;  // approximate total of all threads
};

}  // namespace torsor
