#pragma once
// State of the process and of the calling thread that plugins must leave as they find it: with
// another rounding mode the engine's results are wrong, and with another handler of SIGINT a run no
// longer ends when it is told to.

#include <atomic>
#include <bit>
#include <cfenv>
#include <csignal>
#include <cstdint>
#include <iterator>
#include <string>

#include "torsor/sdk/torsor_model.h"

namespace torsor {

// The code of a status: the call changed what host_state_text() names.
inline constexpr int altered_code = 75;

// [hot] Returns the control word of this thread's floating-point unit, which fesetround() and
// feenableexcept() change. On x86-64 that is the word of the x87 unit: to read the one of the
// vector unit (arithmetic_mode) waits for all operations before it, about 20 ns.
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

// Returns the control bits that all results depend on: rounding, denormals and traps, without the
// flags that every operation sets.
uint32_t arithmetic_mode();

// The state at one time.
class HostState {
 public:
  HostState();
  // Returns TORSOR_OK if the state is still the same, and otherwise a status with altered_code for
  // the first difference. Sets changed arithmetic to the engine's own, and restores changed
  // handlers and the mask of signals. Does not restore the locale and the current folder.
  torsor_status check() const;

  static constexpr int watched_signals[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT, SIGSEGV,
                                            SIGBUS,  SIGFPE,  SIGILL,  SIGABRT, SIGUSR1,
                                            SIGUSR2, SIGCHLD, SIGPIPE, SIGALRM};

 private:
  uint32_t mode_;
  struct sigaction handlers_[std::size(watched_signals)];
  sigset_t mask_;
  uint64_t locale_;          // a hash of the names of the locale
  uint64_t folder_[2] = {};  // the current one: device and inode
};

// Returns "changed the rounding mode" for a status with altered_code.
std::string host_state_text(torsor_status status);

// The calls of one object, each of which must keep the state of the host. The control word is
// compared after each call. The rest takes some microseconds, and is compared for the first 32
// calls, and for the calls 64, 128, 256 and so on.
class CallWatch {
 public:
  // [hot] Returns what `call` returns; a status with altered_code where it has changed the state.
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
  // Sets the arithmetic of the engine, and returns the status for what was changed.
  static torsor_status restore_arithmetic();

  mutable std::atomic<uint32_t> calls_ = 0;  // of all threads, roughly
};

}  // namespace torsor
