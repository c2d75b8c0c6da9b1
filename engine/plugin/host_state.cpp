#include "torsor/plugin/host_state.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include <clocale>
#include <cstring>
#include <string_view>

#include "torsor/base/hash.hpp"

namespace torsor {

namespace {

// Parts of the host state that a plugin may change. The code of a changed signal handler is
// `handler` plus the number of the signal.
enum Altered { rounding, denormals, traps, signal_mask, locale, folder, handler };

torsor_status altered(int what) {
  return TORSOR_STATUS(altered_code, what);
}

#if defined(__x86_64__)
constexpr uint32_t default_mode = 0x1f80, rounding_bits = 0x6000, denormal_bits = 0x8040;
#elif defined(__aarch64__)
constexpr uint32_t default_mode = 0, rounding_bits = 0xc00000, denormal_bits = 0x1080000;
#else
constexpr uint32_t default_mode = FE_TONEAREST, rounding_bits = ~uint32_t(0), denormal_bits = 0;
#endif

torsor_status restore_mode(uint32_t before) {
  const uint32_t changed = before ^ arithmetic_mode();
  std::fesetenv(FE_DFL_ENV);  // restores the default mode, which the engine uses
  return altered(changed & rounding_bits ? rounding : changed & denormal_bits ? denormals : traps);
}

uint64_t hash_of_locale() {
  Hash hash;
  const char* names = std::setlocale(LC_ALL, nullptr);
  hash.add(std::string_view(names ? names : ""));
  return hash.value();
}

void current_folder(uint64_t (&out)[2]) {
  struct stat status {};
  if (stat(".", &status) != 0) return;
  out[0] = status.st_dev;
  out[1] = status.st_ino;
}

std::string signal_name(int number) {
  const char* name = sigabbrev_np(number);
  return name ? name : std::to_string(number);
}

bool same(const struct sigaction& a, const struct sigaction& b) {
  return a.sa_sigaction == b.sa_sigaction && a.sa_flags == b.sa_flags;
}

}  // namespace

uint32_t arithmetic_mode() {
#if defined(__x86_64__)
  return _mm_getcsr() & ~uint32_t(_MM_EXCEPT_MASK);
#else
  return arithmetic_word();
#endif
}

HostState::HostState() : mode_(arithmetic_mode()), locale_(hash_of_locale()) {
  for (size_t k = 0; k < std::size(watched_signals); ++k)
    sigaction(watched_signals[k], nullptr, &handlers_[k]);
  pthread_sigmask(SIG_SETMASK, nullptr, &mask_);
  current_folder(folder_);
}

torsor_status HostState::check() const {
  if (arithmetic_mode() != mode_) return restore_mode(mode_);
  torsor_status out = TORSOR_OK;
  for (size_t k = 0; k < std::size(watched_signals); ++k) {
    struct sigaction now {};
    sigaction(watched_signals[k], nullptr, &now);
    if (same(now, handlers_[k])) continue;
    sigaction(watched_signals[k], &handlers_[k], nullptr);
    out = altered(handler + watched_signals[k]);
  }
  if (out != TORSOR_OK) return out;
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  for (const int signal : watched_signals)
    if (sigismember(&mask, signal) != sigismember(&mask_, signal)) {
      pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
      return altered(signal_mask);
    }
  if (hash_of_locale() != locale_) return altered(locale);
  uint64_t now[2] = {};
  current_folder(now);
  return now[0] == folder_[0] && now[1] == folder_[1] ? TORSOR_OK : altered(folder);
}

std::string host_state_text(torsor_status status) {
  constexpr const char* names[] = {"rounding mode of floating-point numbers",
                                   "handling of denormal floating-point numbers",
                                   "traps of floating-point exceptions",
                                   "mask of signals",
                                   "locale of the process",
                                   "current folder of the process"};
  const int what = TORSOR_STATUS_BODY(status);
  if (what < 0 || what >= handler + NSIG)
    return fmt::format("returned the unknown status {}", status);
  const std::string name =
      what < handler ? names[what]
                     : fmt::format("handler of the signal SIG{}", signal_name(what - handler));
  return fmt::format("changed the {} and did not restore it; plugins must leave it as it is", name);
}

torsor_status CallWatch::restore_arithmetic() {
  return restore_mode(default_mode);
}

}  // namespace torsor
