#include "torsor/plugin/plugin_call.hpp"

#include <unistd.h>

#include <csignal>
#include <ctime>

#ifndef sigev_notify_thread_id  // glibc before 2.36 has no name for it
#define sigev_notify_thread_id _sigev_un._tid
#endif

namespace torsor {

constinit thread_local const PluginCall* plugin_call = nullptr;
constinit thread_local Activity activity{};

namespace {

std::atomic<long long> limit_ns = 0;
std::atomic<int> call_signal = 0;

// The number of active, nested FirstCall objects on this thread, and the number of timer ticks
// until the innermost one reaches its limit.
constinit thread_local std::atomic<int> first_calls = 0, ticks_left = 0;

// A timer that sends tick_signal to the thread that created it.
class ThreadTimer {
 public:
  ThreadTimer() {
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = call_signal;
    event.sigev_notify_thread_id = gettid();
    is_made_ = timer_create(CLOCK_MONOTONIC, &event, &timer_) == 0;
  }
  ~ThreadTimer() {
    if (is_made_) timer_delete(timer_);
  }
  ThreadTimer(const ThreadTimer&) = delete;
  ThreadTimer& operator=(const ThreadTimer&) = delete;

  // Sets the period in ns. 0 stops the timer.
  void set_period(long long ns) const {
    constexpr long long second = 1'000'000'000;
    const timespec span{.tv_sec = time_t(ns / second), .tv_nsec = long(ns % second)};
    const itimerspec times{span, span};
    if (is_made_) timer_settime(timer_, 0, &times, nullptr);
  }

 private:
  timer_t timer_{};
  bool is_made_ = false;
};

const ThreadTimer& thread_timer() {
  static thread_local const ThreadTimer timer;
  return timer;
}

}  // namespace

void bound_first_calls(std::chrono::nanoseconds limit, int signal) {
  call_signal = signal;
  limit_ns = limit.count();
}

std::chrono::nanoseconds first_call_limit() {
  return std::chrono::nanoseconds(limit_ns);
}

// Every first call has the full limit. The ticks are counted from zero when a nested first call
// starts, and again when it ends.
FirstCall::FirstCall() {
  if (limit_ns == 0) return;
  ticks_left = first_call_ticks;
  if (first_calls++ == 0) thread_timer().set_period(limit_ns / first_call_ticks);
}
FirstCall::~FirstCall() {
  if (limit_ns == 0) return;
  ticks_left = first_call_ticks;
  if (--first_calls == 0) thread_timer().set_period(0);
}

bool first_call_is_over() {
  return first_calls > 0 && --ticks_left <= 0;
}

}  // namespace torsor
