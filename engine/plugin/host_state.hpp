#pragma once
// State of the process and of the calling thread that plugins must leave as it is. With another
// rounding mode, the engine's results are wrong. With another handler of SIGINT, a run no longer
// ends when the user interrupts it.

#include <atomic>
#include <bit>
#include <cfenv>
#include <csignal>
#include <cstdint>
#include <iterator>
#include <string>

#include "torsor/sdk/torsor_model.h"

namespace torsor {

// Status code: the call changed the state of the host that host_state_text() names.
inline constexpr int altered_code = 75;

// [hot] Returns the control word of this thread's floating-point unit, which fesetround() and
// feenableexcept() change. On x86-64 it is the word of the x87 unit. Reading the word of the vector
// unit, as arithmetic_mode() does, waits for all earlier operations, about 20 ns.
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

// Returns the control bits that all results depend on: rounding, denormals and traps. The flags
// that every operation sets are left out.
uint32_t arithmetic_mode();

// A snapshot of the state that plugins must leave as it is.
class HostState {
 public:
  HostState();
  // Compares the current state with the snapshot. Returns TORSOR_OK if they are equal, otherwise a
  // status with altered_code for the first difference. Resets changed arithmetic to the engine's
  // mode, and restores changed handlers and the signal mask. Does not restore the locale and the
  // current folder.
  torsor_status check() const;

  static constexpr int watched_signals[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT, SIGSEGV,
                                            SIGBUS,  SIGFPE,  SIGILL,  SIGABRT, SIGUSR1,
                                            SIGUSR2, SIGCHLD, SIGPIPE, SIGALRM};

 private:
  uint32_t mode_;
  struct sigaction handlers_[std::size(watched_signals)];
  sigset_t mask_;
  uint64_t locale_;          // hash of the names of the locale
  uint64_t folder_[2] = {};  // device and inode of the current folder
};

// Returns "changed the rounding mode" for a status with altered_code.
std::string host_state_text(torsor_status status);

// Watches the calls of one object, each of which must leave the state of the host as it is. The
// control word is compared after each call. Comparing the rest takes some microseconds. It is done
// for the first 32 calls, and for calls 64, 128, 256 and so on.
class CallWatch {
 public:
  // [hot] Makes the call and returns its status, or a status with altered_code if the call changed
  // the state.
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
  // Resets the arithmetic to the engine's mode, and returns the status for the change.
  static torsor_status restore_arithmetic();

  mutable std::atomic<uint32_t> calls_ = 0;  // by all threads, approximately
};

}  // namespace torsor
